package store

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	"reckoner/scheduler/job"
)

// recordVersion is the version of every record's JSON that this code writes.
const recordVersion = 1

const timeLen = 8

// envelope is a record as it is stored.
type envelope[T any] struct {
	V      int `json:"v"`
	Record T   `json:"r"`
}

func encode[T any](record T) ([]byte, error) {
	return json.Marshal(envelope[T]{V: recordVersion, Record: record})
}

// decode reads what encode wrote. A record of a later version is refused: it
// may mean something else than its names say.
func decode[T any](value []byte) (T, error) {
	var e envelope[T]
	if err := json.Unmarshal(value, &e); err != nil {
		return e.Record, err
	}
	if e.V < 1 || e.V > recordVersion {
		return e.Record, fmt.Errorf("record version %d", e.V)
	}
	return e.Record, nil
}

// timeKey makes times sort as bytes. A time before 1970, the zero time too,
// counts as 1970.
func timeKey(t time.Time) []byte {
	var n uint64
	if t.Unix() >= 0 {
		n = uint64(t.UnixNano())
	}
	return binary.BigEndian.AppendUint64(nil, n)
}

func keyTime(key []byte) time.Time {
	if len(key) < timeLen {
		return time.Time{}
	}
	return time.Unix(0, int64(binary.BigEndian.Uint64(key))).UTC() //nolint:gosec // written by timeKey
}

// recordKey is the key of a record that belongs to a moment.
func recordKey(t time.Time, id job.ID) []byte {
	return append(timeKey(t), id...)
}

// word ends a variable part of a key, so that no key's part is the start of
// another's. A zero byte inside the word, which no id or GPU name has, would
// end it early; it is taken out.
func word(s string) []byte {
	b := make([]byte, 0, len(s)+1)
	for i := range len(s) {
		if s[i] != 0 {
			b = append(b, s[i])
		}
	}
	return append(b, 0)
}

// join puts the parts of a key together.
func join(parts ...[]byte) []byte {
	var key []byte
	for _, p := range parts {
		key = append(key, p...)
	}
	return key
}

// after gives the smallest key behind all keys that start with prefix, or nil
// when there is none.
func after(prefix []byte) []byte {
	end := append([]byte(nil), prefix...)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i] != 0xff {
			end[i]++
			return end[:i+1]
		}
	}
	return nil
}
