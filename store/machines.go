package store

import (
	"bytes"
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"

	"reckoner/scheduler/job"
)

// savedMachine is a machine with the mark that its own JSON leaves out.
type savedMachine struct {
	job.Machine
	Saved bool `json:"saved,omitempty"`
}

func putMachine(tx *bolt.Tx, m job.Machine, now time.Time) error {
	if err := putByID(tx, bucketMachines, m.ID, savedMachine{Machine: m, Saved: m.Saved}, now); err != nil {
		return fmt.Errorf("machine %s: %w", m.ID, err)
	}
	return nil
}

func putServer(tx *bolt.Tx, s job.Server, now time.Time) error {
	if err := putByID(tx, bucketServers, s.ID, s, now); err != nil {
		return fmt.Errorf("render server %s: %w", s.ID, err)
	}
	return nil
}

// putByID writes a record over the one of the same id, or behind the others.
// There are few of these, so looking for the id is cheap and their order is the
// order in which they came.
func putByID[T any](tx *bolt.Tx, bucket string, id job.ID, record T, now time.Time) error {
	value, err := encode(record)
	if err != nil {
		return err
	}
	b := tx.Bucket([]byte(bucket))
	key := recordKey(now, id)
	c := b.Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		if len(k) > timeLen && string(k[timeLen:]) == string(id) {
			key = bytes.Clone(k)
			break
		}
	}
	return b.Put(key, value)
}

// removeMachine takes a machine and its servers away. Its runs stay.
func removeMachine(tx *bolt.Tx, id job.ID) error {
	var servers [][]byte
	c := tx.Bucket([]byte(bucketServers)).Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		s, err := decode[job.Server](v)
		if err != nil {
			return fmt.Errorf("removing machine %s: the stored record of render server %s: %w", id, k[timeLen:], err)
		}
		if s.Machine == id {
			servers = append(servers, bytes.Clone(k))
		}
	}
	for _, k := range servers {
		if err := tx.Bucket([]byte(bucketServers)).Delete(k); err != nil {
			return fmt.Errorf("removing a render server of machine %s: %w", id, err)
		}
	}
	b := tx.Bucket([]byte(bucketMachines))
	c = b.Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		if len(k) > timeLen && string(k[timeLen:]) == string(id) {
			if err := b.Delete(bytes.Clone(k)); err != nil {
				return fmt.Errorf("removing machine %s: %w", id, err)
			}
			return nil
		}
	}
	return nil
}
