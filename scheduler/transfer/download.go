package transfer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"time"

	"reckoner/scheduler/job"
)

const (
	// idleTries is how often in a row a file may bring nothing, and allTries how
	// often it may break off in all, before it is given up for this time.
	idleTries = 5
	allTries  = 200
	// firstPause doubles with each try that brings nothing.
	firstPause = 500 * time.Millisecond
	chunk      = 256 << 10 // bytes held in memory
)

// download is one file on its way.
type download struct {
	fetcher *Fetcher
	viewer  Viewer
	server  job.ID
	ref     job.OutputRef
	root    *os.Root // of the file's own folder
	dir     string   // its path
	name    string   // of the file, as long as no other has it

	part  partial
	sum   hash.Hash // of the got bytes
	got   int64
	total int64 // -1 while it is not known
}

// below fetches the file to where it goes below a folder, and gives the path that
// it has now, and its size.
func (d *download) below(
	ctx context.Context, root *os.Root, dir string, to job.Destination,
) (file string, size int64, err error) {
	folder, name := pathOf(to, d.ref.Filename)
	d.root, d.dir, d.name = root, filepath.Join(dir, folder), name
	if folder != "" {
		if d.root, err = openBelow(root, folder); err != nil {
			return "", 0, diskError(d.dir, err)
		}
		defer func() { _ = d.root.Close() }()
	}
	name, size, err = d.run(ctx)
	return filepath.Join(d.dir, name), size, err
}

// run fetches the file and gives the name that it has now, and its size.
func (d *download) run(ctx context.Context) (name string, size int64, err error) {
	partName := d.partName(d.name)
	release, err := d.fetcher.claim(ctx, filepath.Join(d.dir, partName))
	if err != nil {
		return "", 0, err
	}
	defer release()
	if d.part, err = d.fetcher.create(d.root, partName); err != nil {
		return "", 0, d.diskError(err)
	}
	err = d.fill(ctx)
	if err == nil {
		err = d.diskError(d.part.Sync())
	}
	if closeErr := d.part.Close(); err == nil {
		err = d.diskError(closeErr)
	}
	if err == nil {
		name, err = place(d.root, partName, d.name, d.got)
		err = d.diskError(err)
	}
	if removeErr := d.root.Remove(partName); removeErr != nil && !errors.Is(removeErr, os.ErrNotExist) {
		d.fetcher.log.Warn("a partial file stays behind", "file", filepath.Join(d.dir, partName), "err", removeErr)
	}
	if err != nil {
		return "", 0, err
	}
	return name, d.got, nil
}

// partName hides the file while it is partial. It is the same at the next try,
// so that what a crash left behind is cleaned up by it. No result begins with a
// dot, so it never is the name of one.
func (d *download) partName(name string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q", d.server, d.ref.Type, d.ref.Subfolder, d.ref.Filename))
	return "." + name + "." + hex.EncodeToString(sum[:4]) + ".part"
}

// fill reads the file to its end, again from where it broke off.
func (d *download) fill(ctx context.Context) error {
	d.total, d.sum = -1, sha256.New()
	idle := 0
	for try := 1; ; try++ {
		before := d.got
		done, err := d.attempt(ctx)
		if done {
			return nil
		}
		if d.got > before {
			idle = 0
		} else {
			idle++
		}
		if !worthAnotherTry(err) || idle >= idleTries || try >= allTries {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		d.fetcher.log.Debug("a file broke off", "server", d.server, "file", d.ref.Filename, "got_b", d.got, "err", err)
		if err := pause(ctx, firstPause<<idle); err != nil {
			return err
		}
	}
}

// attempt reads as much as comes at once. Without being done it gives the reason.
func (d *download) attempt(ctx context.Context) (done bool, err error) {
	body, total, err := d.viewer.View(ctx, d.ref, d.got)
	if err != nil {
		if d.got > 0 && job.CodeOf(err) == job.ErrBadReply {
			// The file is not what it was, or the server cannot go on in it.
			return false, d.restart(err)
		}
		return false, err
	}
	defer func() { _ = body.Close() }()
	if total > d.fetcher.maxBytes {
		return false, d.tooLarge(total)
	}
	if d.got > 0 && total >= 0 && d.total >= 0 && total != d.total {
		return false, d.restart(d.short(fmt.Sprintf("its length was %d and is now %d", d.total, total)))
	}
	if total >= 0 {
		d.total = total
	}
	if err := d.copy(body); err != nil {
		return false, err
	}
	switch {
	case d.total < 0 && d.got == 0: // no length and no byte: more likely a broken answer than an empty result
		return false, d.empty("nothing came")
	case d.total == 0: // not a result, whatever the server says; perhaps not written yet
		return false, d.empty("its length is 0")
	case d.total < 0 || d.got == d.total:
		return true, nil
	case d.got > d.total:
		return false, d.restart(d.short("more came than its length"))
	}
	return false, d.short("it ended early")
}

// copy writes what comes. It stops one byte behind the length, which is enough
// to see that there is more.
func (d *download) copy(body io.Reader) error {
	most := d.fetcher.maxBytes
	if d.total >= 0 {
		most = d.total
	}
	w := &counted{to: d.part, sum: d.sum}
	// Neither end may take over the copying: memory stays at one chunk.
	_, err := io.CopyBuffer(w, struct{ io.Reader }{io.LimitReader(body, most-d.got+1)}, make([]byte, chunk))
	d.got += w.n
	switch {
	case w.err != nil:
		return d.diskError(w.err)
	case err != nil && job.CodeOf(err) == "":
		return job.Errorf(job.ErrShortFile, job.Args{File: d.ref.Filename, Bytes: d.got}, err)
	case err != nil:
		return err
	case d.total < 0 && d.got > most:
		return d.tooLarge(d.got)
	}
	return nil
}

// restart empties the partial file, because what is in it cannot be gone on
// with, and gives why.
func (d *download) restart(why error) error {
	d.got, d.total = 0, -1
	d.sum.Reset()
	if err := d.part.Restart(); err != nil {
		return d.diskError(err)
	}
	return why
}

func (d *download) short(detail string) error {
	return job.Errorf(job.ErrShortFile, job.Args{File: d.ref.Filename, Bytes: d.got, Detail: detail}, nil)
}

func (d *download) empty(detail string) error {
	return job.Errorf(job.ErrShortFile, job.Args{File: d.ref.Filename, Value: "empty", Detail: detail}, nil)
}

func (d *download) tooLarge(bytes int64) error {
	return job.Errorf(job.ErrTooLarge, job.Args{File: d.ref.Filename, Bytes: bytes}, nil)
}

func (d *download) diskError(err error) error {
	return diskError(filepath.Join(d.dir, d.name), err)
}

// diskError says that this computer's disk did not take a file.
func diskError(path string, err error) error {
	if err == nil {
		return nil
	}
	return job.Errorf(job.ErrDisk, job.Args{File: path, Detail: err.Error()}, err)
}

// worthAnotherTry tells a connection's trouble from an answer.
func worthAnotherTry(err error) bool {
	switch job.CodeOf(err) {
	case job.ErrUnreachable, job.ErrBusy, job.ErrServerFault, job.ErrShortFile, job.ErrBadReply:
		return true
	}
	return false
}

// counted tells the writer's error from the reader's.
type counted struct {
	to  io.Writer
	sum hash.Hash // of what was written
	n   int64
	err error
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.sum.Write(p[:n]) // never fails; see hash.Hash
	c.n += int64(n)
	c.err = err
	return n, err
}
