package store

import (
	"bytes"
	"encoding/binary"
	"fmt"

	bolt "go.etcd.io/bbolt"

	"reckoner/scheduler/job"
)

// createBaselines makes the bucket of baselines' logs.
func createBaselines(tx *bolt.Tx) error {
	if _, err := tx.CreateBucketIfNotExists([]byte(bucketBaselines)); err != nil {
		return fmt.Errorf("bucket %s: %w", bucketBaselines, err)
	}
	return nil
}

// baselineKey is the key of a line of a baseline's log.
func baselineKey(typeKey, gpu string, seq int) []byte {
	return binary.BigEndian.AppendUint64(join(word(typeKey), word(gpu)), uint64(seq)) //nolint:gosec // never negative
}

// putBaseline adds lines to a baseline's log. One that is there stays as it is:
// the log only grows.
func putBaseline(tx *bolt.Tx, log job.BaselineLog) error {
	b := tx.Bucket([]byte(bucketBaselines))
	for _, rev := range log.Revisions {
		key := baselineKey(log.TypeKey, log.GPU, rev.Seq)
		if b.Get(key) != nil {
			continue
		}
		value, err := encode(rev)
		if err == nil {
			err = b.Put(key, value)
		}
		if err != nil {
			return fmt.Errorf("revision %d of type %s on %s: %w", rev.Seq, log.TypeKey, log.GPU, err)
		}
	}
	return nil
}

// loadBaselines reads all logs. A log is taken up to its first line that cannot
// be read: what comes after it may rest on it.
func (s *Store) loadBaselines(tx *bolt.Tx, kept *job.Kept) {
	b := tx.Bucket([]byte(bucketBaselines))
	if b == nil {
		return // an older folder, read without being changed
	}
	broken := map[[2]string]bool{}
	c := b.Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		typeKey, rest, ok := bytes.Cut(k, []byte{0})
		gpu, _, more := bytes.Cut(rest, []byte{0})
		if !ok || !more {
			s.unreadable(bucketBaselines, k, fmt.Errorf("a key without type and GPU"))
			continue
		}
		of := [2]string{string(typeKey), string(gpu)}
		rev, err := decode[job.Revision](v)
		if err != nil {
			s.unreadable(bucketBaselines, k, err)
			broken[of] = true
		}
		if broken[of] {
			continue
		}
		n := len(kept.Baselines)
		if n == 0 || kept.Baselines[n-1].TypeKey != of[0] || kept.Baselines[n-1].GPU != of[1] {
			kept.Baselines = append(kept.Baselines, job.BaselineLog{TypeKey: of[0], GPU: of[1]})
			n++
		}
		kept.Baselines[n-1].Revisions = append(kept.Baselines[n-1].Revisions, rev)
	}
}
