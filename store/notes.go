package store

import (
	"fmt"
	"slices"

	bolt "go.etcd.io/bbolt"

	"reckoner/scheduler/job"
)

// notesAtStart is how many notes Load gives, the newest ones. Older ones stay.
const notesAtStart = 500

// createNotes makes the bucket of notes.
func createNotes(tx *bolt.Tx) error {
	if _, err := tx.CreateBucketIfNotExists([]byte(bucketNotes)); err != nil {
		return fmt.Errorf("bucket %s: %w", bucketNotes, err)
	}
	return nil
}

// putNote writes a note over its earlier form. The key never changes, since a
// note is opened once.
func putNote(tx *bolt.Tx, n *job.Note) error {
	value, err := encode(n)
	if err == nil {
		err = tx.Bucket([]byte(bucketNotes)).Put(recordKey(n.Opened, n.ID), value)
	}
	if err != nil {
		return fmt.Errorf("note %s: %w", n.ID, err)
	}
	return nil
}

// loadNotes reads the newest notes, oldest first.
func (s *Store) loadNotes(tx *bolt.Tx, kept *job.Kept) {
	b := tx.Bucket([]byte(bucketNotes))
	if b == nil {
		return // an older folder, read without being changed
	}
	c := b.Cursor()
	for k, v := c.Last(); k != nil && len(kept.Notes) < notesAtStart; k, v = c.Prev() {
		n, err := decode[job.Note](v)
		if err != nil {
			s.unreadable(bucketNotes, k, err)
			continue
		}
		kept.Notes = append(kept.Notes, n)
	}
	slices.Reverse(kept.Notes)
}
