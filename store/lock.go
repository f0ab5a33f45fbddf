package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// ErrLocked is what errors.Is finds when another process holds the data folder.
// The error itself is a *LockedError.
var ErrLocked = errors.New("the data folder is in use")

// LockedError says which process holds a data folder.
type LockedError struct {
	Dir string
	PID int // 0 when it is not known
}

// Error names the folder and the process.
func (e *LockedError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("%s: %s, by another process", ErrLocked, e.Dir)
	}
	return fmt.Sprintf("%s: %s, by process %d", ErrLocked, e.Dir, e.PID)
}

// Is makes errors.Is(err, ErrLocked) true.
func (e *LockedError) Is(target error) bool { return target == ErrLocked }

// errHeld is what tryLock returns when another process has the lock.
var errHeld = errors.New("held by another process")

// lock takes the folder for this process, until the file is closed or the
// process ends, however it ends. The kernel keeps the lock with the open file,
// so the caller must hold on to it.
func lock(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, fileLock), os.O_RDWR|os.O_CREATE, fileMode)
	if err != nil {
		return nil, fmt.Errorf("the data folder's lock: %w", err)
	}
	if err := tryLock(f); err != nil {
		pid := readPID(f)
		closed := f.Close()
		if errors.Is(err, errHeld) {
			return nil, &LockedError{Dir: dir, PID: pid}
		}
		return nil, errors.Join(fmt.Errorf("the data folder's lock: %w", err), closed)
	}
	// The number is for messages only. A full disk may keep it from being
	// written, and that is no reason not to start.
	if f.Truncate(0) == nil {
		_, _ = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	return f, nil
}

// holder gives the id of the process that last took the lock, 0 when unknown.
func holder(dir string) int {
	f, err := os.Open(filepath.Join(dir, fileLock))
	if err != nil {
		return 0
	}
	defer func() { _ = f.Close() }()
	return readPID(f)
}

func readPID(f *os.File) int {
	b, err := io.ReadAll(io.NewSectionReader(f, 0, 32))
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil || pid < 0 {
		return 0
	}
	return pid
}

// InUse tells whether a process has the data folder, and its id where it is
// known, without taking the folder. An error means that it cannot be known: the
// folder may be another user's.
func InUse(dir string) (pid int, inUse bool, err error) {
	f, err := os.OpenFile(filepath.Join(dir, fileLock), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.ReadDir(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return 0, false, fmt.Errorf("the data folder: %w", err)
		}
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("the data folder's lock: %w", err)
	}
	defer func() { _ = f.Close() }() // which gives the lock up again
	switch err := tryLock(f); {
	case errors.Is(err, errHeld):
		return readPID(f), true, nil
	case err != nil:
		return 0, false, fmt.Errorf("the data folder's lock: %w", err)
	}
	return 0, false, nil
}
