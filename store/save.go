package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	bolt "go.etcd.io/bbolt"

	"reckoner/scheduler/job"
)

const (
	// lazyFor is how long a lazy change may wait for a write to go along with.
	lazyFor = time.Second
	// lazyAgain is the pause after a write of lazy changes failed.
	lazyAgain = 10 * time.Second
)

var (
	errClosed   = errors.New("store: closed")
	errReadOnly = errors.New("store: the data folder is open for reading only")
)

// Save writes all of the changes or none. Unless they are lazy it returns once
// they are synced, together with the lazy ones before them. A disk that does not
// take them is job.ErrDisk; a later Save may succeed.
//
// Lazy changes stay in memory until the next write, at most a second: bbolt
// cannot write without a sync and still promise a readable file after a power
// cut. Reading sees them.
func (s *Store) Save(ctx context.Context, changes job.Changes) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("saving: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	if s.lock == nil {
		return errReadOnly
	}
	if changes.Lazy {
		s.pending.add(changes)
		s.flushLater(lazyFor)
		return nil
	}
	all := s.pending.clone()
	all.add(changes)
	if err := s.write(&all); err != nil {
		return err
	}
	s.pending = batch{}
	return nil
}

// flushLater writes the lazy changes after a while, unless another write takes
// them along. The lock is held.
func (s *Store) flushLater(d time.Duration) {
	if s.timer != nil {
		return
	}
	s.flushes.Add(1)
	s.timer = time.AfterFunc(d, func() {
		defer s.flushes.Done()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.timer = nil
		if s.closed {
			return
		}
		if err := s.flushLocked(); err != nil {
			s.log.Error("lazy changes are not written yet", "err", err)
			s.flushLater(lazyAgain)
		}
	})
}

// flushLocked writes the lazy changes. The lock is held.
func (s *Store) flushLocked() error {
	if s.closed || s.pending.empty() {
		return nil
	}
	if err := s.write(&s.pending); err != nil {
		return err
	}
	s.pending = batch{}
	return nil
}

// write makes one transaction of a batch. The lock is held.
func (s *Store) write(b *batch) error {
	path := s.db.Path()
	applied := false
	err := guard(path, s.log, func() error {
		return s.db.Update(func(tx *bolt.Tx) error {
			err := b.apply(tx, s.now())
			applied = err == nil
			return err
		})
	})
	if err == nil {
		return nil
	}
	if applied && job.CodeOf(err) == "" {
		// The transaction was right and its commit failed. bbolt does not wrap
		// all of the system's errors here, so they cannot be told by type.
		err = job.Errorf(job.ErrDisk, job.Args{File: path, Detail: err.Error()}, err)
	}
	return fmt.Errorf("saving: %w", err)
}
