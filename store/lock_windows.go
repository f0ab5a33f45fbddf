package store

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockedByte is far behind the process id in the file: Windows keeps others
// from reading what is locked.
const lockedByte = 1 << 20

func tryLock(f *os.File) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0,
		&windows.Overlapped{Offset: lockedByte})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return errHeld
	}
	return err
}
