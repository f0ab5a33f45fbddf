package store

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"reckoner/scheduler/job"
)

// diskError says that the disk would not take what was to be written, when that
// is what err is about. Any other error, and one that already has a code, stays
// as it is.
func diskError(path string, err error) error {
	if err == nil || job.CodeOf(err) != "" || !isSystemError(err) {
		return err
	}
	return job.Errorf(job.ErrDisk, job.Args{File: path, Detail: err.Error()}, err)
}

func isSystemError(err error) bool {
	var (
		ofPath *fs.PathError
		ofLink *os.LinkError
		ofCall *os.SyscallError
		number syscall.Errno
	)
	return errors.As(err, &ofPath) || errors.As(err, &ofLink) || errors.As(err, &ofCall) || errors.As(err, &number)
}
