package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"

	"reckoner/scheduler/estimate"
	"reckoner/scheduler/job"
)

// duration is what an estimate needs of a run, kept in the key's own bucket so
// that hundreds of them are read without touching the runs.
type duration struct {
	Seconds float64       `json:"s"`
	Label   job.Label     `json:"l,omitempty"`
	Start   job.StartKind `json:"w,omitempty"`
	Bound   bool          `json:"b,omitempty"` // it was stopped: it would have taken longer
	Aside   bool          `json:"a,omitempty"` // the user set it aside
}

// putRun writes a run and its entries.
func putRun(tx *bolt.Tx, r *job.Run) error {
	value, err := encode(r)
	if err != nil {
		return fmt.Errorf("run %s: %w", r.ID, err)
	}
	key := recordKey(r.Intended, r.ID)
	now, err := runEntries(r, key)
	if err != nil {
		return fmt.Errorf("entries of run %s: %w", r.ID, err)
	}
	runs := tx.Bucket([]byte(bucketRuns))
	var old []entry
	if oldKey := bytes.Clone(tx.Bucket([]byte(bucketRunsByJob)).Get(attemptKey(r.Job, r.Attempt))); oldKey != nil {
		was, err := decode[job.Run](runs.Get(oldKey))
		if err != nil {
			return fmt.Errorf("the stored record of run %s: %w", r.ID, err)
		}
		if old, err = runEntries(&was, oldKey); err != nil {
			return fmt.Errorf("entries of run %s: %w", r.ID, err)
		}
		if !bytes.Equal(oldKey, key) {
			if err := runs.Delete(oldKey); err != nil {
				return fmt.Errorf("run %s: %w", r.ID, err)
			}
		}
	}
	runs.FillPercent = appendFill
	if err := runs.Put(key, value); err != nil {
		return fmt.Errorf("run %s: %w", r.ID, err)
	}
	if err := reindex(tx, old, now); err != nil {
		return fmt.Errorf("entries of run %s: %w", r.ID, err)
	}
	return nil
}

// appendFill is how full pages of a bucket become whose keys mostly come in
// order: they are not inserted into later.
const appendFill = 0.9

func runEntries(r *job.Run, key []byte) ([]entry, error) {
	entries := []entry{{bucketRunsByJob, attemptKey(r.Job, r.Attempt), key}}
	if r.State != job.RunEnded {
		at := recordKey(r.Intended, r.ID)
		return append(entries, entry{bucketRunsByState, join(word(string(r.State)), at), key}), nil
	}
	end := recordKey(endOf(r), r.ID)
	entries = append(entries,
		entry{bucketRunsByState, join(word(string(r.Outcome)), end), key},
		entry{bucketRunsByEnd, end, key},
		entry{bucketRunsByType, join(word(r.TypeKey), end), key},
		entry{bucketRunsByGPU, join(word(r.GPU), end), key},
	)
	past, known := estimate.FromRun(r)
	if !known || r.TypeKey == "" {
		return entries, nil
	}
	value, err := encode(duration{
		Seconds: past.Seconds, Label: past.Label, Start: past.Start, Bound: past.Bound, Aside: past.SetAside,
	})
	if err != nil {
		return nil, err
	}
	return append(entries, entry{bucketDurations, join(word(r.TypeKey), word(r.GPU), end), value}), nil
}

// endOf is when a run ended, as far as it is known.
func endOf(r *job.Run) time.Time {
	if r.Ended.IsZero() {
		return r.Intended
	}
	return r.Ended
}

func attemptKey(id job.ID, attempt int) []byte {
	return binary.BigEndian.AppendUint64(word(string(id)), uint64(attempt)) //nolint:gosec // never negative
}

// RunOf reads the record of a job's run by its attempt. Not there is false without
// an error.
func (s *Store) RunOf(ctx context.Context, of job.ID, attempt int) (job.Run, bool, error) {
	var r job.Run
	found := false
	err := s.view(ctx, func(tx *bolt.Tx) error {
		key := tx.Bucket([]byte(bucketRunsByJob)).Get(attemptKey(of, attempt))
		if key == nil {
			return nil
		}
		var err error
		r, err = decode[job.Run](tx.Bucket([]byte(bucketRuns)).Get(key))
		found = err == nil
		return err
	})
	if err != nil {
		return job.Run{}, false, fmt.Errorf("reading run %d of job %s: %w", attempt, of, err)
	}
	return r, found, nil
}

// newestRun reads the run of a job's last attempt. Not there is false without
// an error.
func newestRun(tx *bolt.Tx, id job.ID) (job.Run, bool, error) {
	var key []byte
	backwards(tx.Bucket([]byte(bucketRunsByJob)), word(string(id)), nil, func(_, v []byte) bool {
		key = v
		return false
	})
	if key == nil {
		return job.Run{}, false, nil
	}
	r, err := decode[job.Run](tx.Bucket([]byte(bucketRuns)).Get(key))
	if err != nil {
		return job.Run{}, false, fmt.Errorf("the newest stored run of job %s: %w", id, err)
	}
	return r, true, nil
}

// pastRuns reads the newest limit durations of a type on each GPU, oldest
// first. skipped is told of every one that cannot be read.
func pastRuns(tx *bolt.Tx, typeKey string, limit int, skipped func(key []byte, err error)) []estimate.Run {
	var all []estimate.Run
	prefix := word(typeKey)
	b := tx.Bucket([]byte(bucketDurations))
	c := b.Cursor()
	for k, _ := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); {
		gpu, _, ok := bytes.Cut(k[len(prefix):], []byte{0})
		if !ok {
			skipped(k, fmt.Errorf("a key without a GPU"))
			k, _ = c.Next()
			continue
		}
		ofGPU := join(prefix, gpu, []byte{0})
		n := 0
		backwards(b, ofGPU, nil, func(k, v []byte) bool {
			d, err := decode[duration](v)
			if err != nil {
				skipped(k, err)
				return true
			}
			end := k[len(ofGPU):]
			all = append(all, estimate.Run{
				ID: job.ID(end[min(timeLen, len(end)):]), At: keyTime(end), GPU: string(gpu),
				Seconds: d.Seconds, Label: d.Label, Start: d.Start, Bound: d.Bound, SetAside: d.Aside,
			})
			n++
			return n < limit
		})
		next := after(ofGPU)
		k, _ = c.Seek(next)
	}
	return all
}
