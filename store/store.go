package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"

	"reckoner/scheduler/job"
)

const (
	// readerWait is how long an engine waits for a process that reads the
	// database to be through; engineWait is how long a reader waits before it
	// believes that an engine has it.
	readerWait = 5 * time.Second
	engineWait = 200 * time.Millisecond
)

// Options are what a Store needs from outside.
type Options struct {
	Log   *slog.Logger
	Now   func() time.Time
	NewID func() job.ID // for the folder's own id, when it is made
}

// Opened is what Open found.
type Opened struct {
	// New says that no database was there.
	New bool
	// SetAside is where a damaged database was moved to, "" when none was. A
	// fresh one took its place. Why says what was wrong.
	SetAside string
	Why      *job.Error
}

// Store is an open data folder. Its methods may be called from any goroutine;
// they wait for the disk.
type Store struct {
	dir    string
	log    *slog.Logger
	now    func() time.Time
	lock   *os.File // kept: closing it releases the folder; nil when read-only
	db     *bolt.DB
	opened Opened
	steps  []migration

	blobMu sync.Mutex

	// mu lets one writer in at a time and guards what follows.
	mu      sync.Mutex
	closed  bool
	pending batch // lazy changes that are not written yet
	timer   *time.Timer
	flushes sync.WaitGroup
}

// Open opens the data folder for the one engine that may have it, and makes it
// when it is not there. A second process gets a *LockedError. A database of a
// newer program is left as it is and refused with job.ErrNewerData. A damaged
// one is set aside; Opened tells.
func Open(dir string, o Options) (*Store, error) {
	return open(dir, o, migrations())
}

func open(dir string, o Options, steps []migration) (*Store, error) {
	if o.NewID == nil || o.Now == nil {
		return nil, errors.New("store: Options needs Now and NewID")
	}
	s := &Store{dir: dir, log: o.Log, now: o.Now, steps: steps}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if err := prepare(dir); err != nil {
		return nil, diskError(dir, err)
	}
	held, err := lock(dir)
	if err != nil {
		return nil, err
	}
	s.lock = held
	if err := s.openDB(o.NewID); err != nil {
		if reader, ok := errors.AsType[*LockedError](err); ok {
			reader.PID = 0 // not the lock's holder, which is us by now
		}
		return nil, errors.Join(err, held.Close())
	}
	return s, nil
}

// openDB opens the database, a fresh one when there is none that can be read.
func (s *Store) openDB(newID func() job.ID) error {
	path := filepath.Join(s.dir, fileDB)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.opened.New = true
	case err != nil:
		return fmt.Errorf("the database: %w", err)
	case info.Size() == 0 && !hasBlobs(s.dir):
		// A crash while it was made: nothing was ever in it.
		s.opened.New = true
	default:
		if err := s.inspectOrSetAside(path); err != nil {
			return err
		}
	}
	err = guard(path, s.log, func() error {
		db, err := bolt.Open(path, fileMode, &bolt.Options{Timeout: readerWait, FreelistType: bolt.FreelistMapType})
		if err != nil {
			return openError(path, err)
		}
		s.db = db
		if err := syncDir(s.dir); err != nil {
			return err
		}
		return db.Update(func(tx *bolt.Tx) error {
			if err := migrate(tx, s.steps); err != nil {
				return err
			}
			return giveApp(tx, newID)
		})
	})
	if err != nil {
		if s.db != nil {
			err = errors.Join(err, s.db.Close())
		}
		return diskError(path, err)
	}
	return nil
}

func (s *Store) inspectOrSetAside(path string) error {
	err := inspect(path, s.log, readerWait, len(s.steps))
	if job.CodeOf(err) != job.ErrDamaged {
		return err
	}
	to, moveErr := setAside(s.dir, s.now())
	if moveErr != nil {
		return errors.Join(err, moveErr)
	}
	s.opened.SetAside = to
	s.opened.Why, _ = errors.AsType[*job.Error](err)
	s.log.Error("the database was damaged and is set aside", "moved_to", to, "err", err)
	return nil
}

// OpenReadOnly opens the data folder for reading while no engine has it. With
// one, it returns a *LockedError; ask that engine. It changes nothing: a damaged
// database is job.ErrDamaged, no database at all job.ErrNotFound. Save and
// PutBlob fail.
func OpenReadOnly(dir string, log *slog.Logger) (*Store, error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	s := &Store{dir: dir, log: log, now: time.Now, steps: migrations()}
	path := filepath.Join(dir, fileDB)
	if info, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 && !hasBlobs(dir) {
		return nil, job.Errorf(job.ErrNotFound, job.Args{File: path, Detail: "no records yet"}, err)
	}
	if err := inspect(path, log, engineWait, len(s.steps)); err != nil {
		return nil, err
	}
	err := guard(path, s.log, func() error {
		db, err := bolt.Open(path, fileMode, &bolt.Options{ReadOnly: true, Timeout: engineWait})
		if err != nil {
			return openError(path, err)
		}
		s.db = db
		return db.View(func(tx *bolt.Tx) error {
			schema, err := schemaOf(tx)
			if err == nil && schema < len(s.steps) {
				err = fmt.Errorf("schema %d is older than %d: start Reckoner once to bring it up to date", schema, len(s.steps))
			}
			return err
		})
	})
	if err != nil {
		if s.db != nil {
			err = errors.Join(err, s.db.Close())
		}
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return s, nil
}

// Opened tells what Open found.
func (s *Store) Opened() Opened { return s.opened }

// Dir is the data folder.
func (s *Store) Dir() string { return s.dir }

// Close writes what is still to be written and gives the folder up. Calling it
// again does nothing.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	err := s.flushLocked()
	s.closed = true
	if s.timer != nil && s.timer.Stop() {
		s.flushes.Done()
	}
	s.mu.Unlock()
	s.flushes.Wait()
	err = errors.Join(err, s.db.Close())
	if s.lock != nil {
		err = errors.Join(err, s.lock.Close())
	}
	return err
}

// view runs f on a consistent state that holds everything saved so far.
func (s *Store) view(ctx context.Context, f func(*bolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	err := s.flushLocked()
	s.mu.Unlock()
	if err != nil {
		// What is on disk can still be read; the writer was told, or will be.
		s.log.Warn("reading without the latest lazy changes", "err", err)
	}
	return guard(s.db.Path(), s.log, func() error { return s.db.View(f) })
}
