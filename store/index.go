package store

import (
	"bytes"

	bolt "go.etcd.io/bbolt"
)

// entry is a key that leads to a record.
type entry struct {
	bucket     string
	key, value []byte
}

// reindex replaces the entries of a record as it was by those of the record as
// it is.
func reindex(tx *bolt.Tx, old, now []entry) error {
	for _, o := range old {
		if holds(now, o) {
			continue
		}
		if err := tx.Bucket([]byte(o.bucket)).Delete(o.key); err != nil {
			return err
		}
	}
	for _, n := range now {
		if holds(old, n) {
			continue
		}
		if err := tx.Bucket([]byte(n.bucket)).Put(n.key, n.value); err != nil {
			return err
		}
	}
	return nil
}

func holds(entries []entry, e entry) bool {
	for _, x := range entries {
		if x.bucket == e.bucket && bytes.Equal(x.key, e.key) && bytes.Equal(x.value, e.value) {
			return true
		}
	}
	return false
}

// backwards walks the keys that start with prefix and are smaller than before,
// largest first, until visit says stop. A nil before means from the last.
func backwards(b *bolt.Bucket, prefix, before []byte, visit func(k, v []byte) (more bool)) {
	c := b.Cursor()
	if before == nil {
		before = after(prefix)
	}
	var k, v []byte
	if before == nil {
		k, v = c.Last()
	} else if k, _ = c.Seek(before); k == nil {
		k, v = c.Last()
	} else {
		k, v = c.Prev()
	}
	for ; k != nil && bytes.HasPrefix(k, prefix); k, v = c.Prev() {
		if !visit(k, v) {
			return
		}
	}
}
