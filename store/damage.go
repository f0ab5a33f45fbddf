package store

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"reckoner/scheduler/job"
)

// wholeCheck is up to which size a database is read from end to end before it
// is trusted. A larger one would make the start slow; of it the file's ends and
// what the start needs are read.
const wholeCheck = 8 << 20 // bytes

// guard runs f, which reads a memory-mapped file that may be damaged. What
// bbolt does on a damaged page, a panic or a memory fault behind the end of the
// file, becomes an error.
func guard(path string, log *slog.Logger, f func() error) (err error) {
	before := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(before)
	defer func() {
		if p := recover(); p != nil {
			log.Error("reading the database broke off", "cause", p, "stack", string(debug.Stack()))
			err = job.Errorf(job.ErrDamaged, job.Args{File: path}, fmt.Errorf("reading it broke off: %v", p))
		}
	}()
	return f()
}

// inspect reads a database without changing a byte of it. It returns
// job.ErrDamaged or job.ErrNewerData, both of which leave it as it is.
func inspect(path string, log *slog.Logger, wait time.Duration, known int) error {
	if info, err := os.Stat(path); err == nil && info.Size() == 0 {
		return job.Errorf(job.ErrDamaged, job.Args{File: path, Detail: "it is empty"}, nil)
	}
	var opened *os.File
	err := guard(path, log, func() error {
		db, err := bolt.Open(path, fileMode, &bolt.Options{
			ReadOnly: true, Timeout: wait, PreLoadFreelist: true,
			OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
				f, err := os.OpenFile(name, flag, mode)
				opened = f
				return f, err
			},
		})
		if err != nil {
			return openError(path, err)
		}
		return errors.Join(db.View(func(tx *bolt.Tx) error { return inspectTx(tx, opened, known) }), db.Close())
	})
	if opened != nil {
		// Closed already, unless bbolt panicked before it could.
		if cerr := opened.Close(); cerr != nil && !errors.Is(cerr, os.ErrClosed) {
			err = errors.Join(err, cerr)
		}
	}
	return err
}

func inspectTx(tx *bolt.Tx, file *os.File, known int) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if info.Size() < tx.Size() {
		return job.Errorf(job.ErrDamaged, job.Args{
			File: file.Name(), Bytes: info.Size(),
			Detail: fmt.Sprintf("the file ends at byte %d of %d", info.Size(), tx.Size()),
		}, nil)
	}
	schema, err := schemaOf(tx)
	if err != nil {
		return err
	}
	if schema > known {
		return newerData(schema, known)
	}
	if schema > 0 {
		for _, name := range bucketNames() {
			if tx.Bucket([]byte(name)) == nil {
				return job.Errorf(job.ErrDamaged, job.Args{File: file.Name(), Detail: "no bucket " + name}, nil)
			}
		}
	}
	if info.Size() <= wholeCheck {
		return inspectWhole(tx, file.Name())
	}
	if schema == known {
		// What the start needs must be readable; records that are not are told
		// when they are loaded.
		_, err = (&Store{log: slog.New(slog.DiscardHandler)}).load(tx)
	}
	return err
}

// inspectWhole reads every page, and then lets bbolt compare them with its list
// of free ones. The order matters: bbolt does the second in a goroutine of its
// own, where a fault would end the program.
func inspectWhole(tx *bolt.Tx, path string) error {
	err := tx.ForEach(func(_ []byte, b *bolt.Bucket) error { return touch(b) })
	if err != nil {
		return err
	}
	for found := range tx.Check() {
		// A page that nobody uses is lost space, not lost data.
		if err == nil && !strings.Contains(found.Error(), "unreachable unfreed") {
			err = job.Errorf(job.ErrDamaged, job.Args{File: path}, found)
		}
	}
	return err
}

// touch reads every key and value, so that a page that cannot be read shows.
func touch(b *bolt.Bucket) error {
	return b.ForEach(func(k, v []byte) error {
		_ = crc32.ChecksumIEEE(k) // reads every byte
		_ = crc32.ChecksumIEEE(v)
		if v == nil {
			if sub := b.Bucket(k); sub != nil {
				return touch(sub)
			}
		}
		return nil
	})
}

// openError tells a file that is no database of ours from one that cannot be
// opened just now.
func openError(path string, err error) error {
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return &LockedError{Dir: filepath.Dir(path), PID: holder(filepath.Dir(path))}
	case errors.Is(err, berrors.ErrVersionMismatch):
		return job.Errorf(job.ErrNewerData, job.Args{File: path, Detail: "a database format that is not known here"}, err)
	case isDamage(err):
		return job.Errorf(job.ErrDamaged, job.Args{File: path}, err)
	}
	return fmt.Errorf("opening %s: %w", path, err)
}

// isDamage is careful: what is only the computer's trouble (memory, rights) must
// not move a good database away.
func isDamage(err error) bool {
	return errors.Is(err, berrors.ErrInvalid) || errors.Is(err, berrors.ErrChecksum) ||
		strings.Contains(err.Error(), "file size too small") // bbolt has no value for this one
}

// setAside moves a database that cannot be read to where nothing overwrites it,
// and gives its new path.
func setAside(dir string, now time.Time) (string, error) {
	folder := filepath.Join(dir, dirSetAside)
	name := "reckoner-" + now.UTC().Format("20060102T150405Z")
	for n := 1; n < 1000; n++ {
		to := filepath.Join(folder, name+".db")
		if n > 1 {
			to = filepath.Join(folder, fmt.Sprintf("%s-%d.db", name, n))
		}
		// We hold the folder's lock, so nobody takes the name in between.
		if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := os.Rename(filepath.Join(dir, fileDB), to); err != nil {
			return "", fmt.Errorf("setting aside the damaged database: %w", err)
		}
		return to, errors.Join(syncDir(folder), syncDir(dir))
	}
	return "", fmt.Errorf("setting aside the damaged database: no free name in %s", folder)
}
