package transfer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strings"
)

// maxSameName is how many files of one name a folder takes.
const maxSameName = 1000

// diskPart is a partial file on disk.
type diskPart struct{ *os.File }

// createPartial makes a partial file, in place of one that a crash left behind.
func createPartial(dir *os.Root, name string) (partial, error) {
	if err := dir.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	return diskPart{f}, nil
}

// Restart empties the file.
func (p diskPart) Restart() error {
	if err := p.Truncate(0); err != nil {
		return err
	}
	_, err := p.Seek(0, io.SeekStart)
	return err
}

// place gives a whole file its name, or the next free one, and returns it. When
// a file of the same content has the name already, that is the one.
func place(dir *os.Root, part, name string, size int64) (string, error) {
	ext := path.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	for n := 1; n <= maxSameName; n++ {
		to := name
		if n > 1 {
			to = fmt.Sprintf("%s (%d)%s", stem, n, ext)
		}
		err := moveNew(dir, part, to)
		if err == nil {
			return to, syncDir(dir)
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", err
		}
		same, err := sameContent(dir, part, to, size)
		if err != nil {
			return "", err
		}
		if same {
			return to, nil
		}
	}
	return "", fmt.Errorf("%d files of that name: %w", maxSameName, fs.ErrExist)
}

// moveNew renames a file without ever replacing one: a hard link refuses a name
// that is taken. Not every file system has links; there a look has to do.
func moveNew(dir *os.Root, from, to string) error {
	if err := dir.Link(from, to); err == nil || errors.Is(err, fs.ErrExist) {
		return err // the caller removes the old name
	}
	if _, err := dir.Lstat(to); err == nil {
		return fs.ErrExist
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return dir.Rename(from, to)
}

// sameContent compares a file with one that has the wanted name. What is no
// plain file, or cannot be read, is another.
func sameContent(dir *os.Root, part, there string, size int64) (bool, error) {
	info, err := dir.Lstat(there)
	if err != nil || !info.Mode().IsRegular() || info.Size() != size {
		return false, nil
	}
	b, err := dir.Open(there)
	if err != nil {
		return false, nil
	}
	defer func() { _ = b.Close() }()
	a, err := dir.Open(part)
	if err != nil {
		return false, err
	}
	defer func() { _ = a.Close() }()
	return equalStreams(a, b)
}

func equalStreams(a, b io.Reader) (bool, error) {
	bufA, bufB := make([]byte, chunk), make([]byte, chunk)
	for {
		n, errA := io.ReadFull(a, bufA)
		m, errB := io.ReadFull(b, bufB)
		if !bytes.Equal(bufA[:n], bufB[:m]) {
			return false, nil
		}
		endA := errors.Is(errA, io.EOF) || errors.Is(errA, io.ErrUnexpectedEOF)
		endB := errors.Is(errB, io.EOF) || errors.Is(errB, io.ErrUnexpectedEOF)
		switch {
		case endA && endB:
			return true, nil
		case endA != endB:
			return false, nil
		case errA != nil || errB != nil:
			return false, errors.Join(errA, errB)
		}
	}
}

// syncDir makes the names in a folder survive a power cut. Windows has no such
// call, and some network file systems refuse it: the content is synced in any
// case, so a refusal is no failure.
func syncDir(dir *os.Root) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := dir.Open(".")
	if err != nil {
		return err
	}
	_ = d.Sync()
	return d.Close()
}
