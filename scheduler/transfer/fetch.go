package transfer

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"reckoner/scheduler/job"
)

// Viewer opens files on a render server.
type Viewer interface {
	// View opens a file from offset on. total is the length of the whole file,
	// -1 when the server does not say. The caller closes body. A file that is
	// not there is job.ErrNoSuchFile.
	View(ctx context.Context, ref job.OutputRef, offset int64) (body io.ReadCloser, total int64, err error)
}

// Options are how a Fetcher works. Zero fields have defaults.
type Options struct {
	Log *slog.Logger
	// MaxBytes is the longest file that is taken; 0 means 256 GiB.
	MaxBytes int64
}

// Fetcher brings results here. Its methods may be called from any goroutine.
type Fetcher struct {
	find     func(job.ID) (Viewer, bool)
	log      *slog.Logger
	maxBytes int64
	create   func(dir *os.Root, name string) (partial, error)

	mu    sync.Mutex
	parts map[string]chan struct{} // partial files being written, by path; closed when done
}

// partial is a file while it is written.
type partial interface {
	io.Writer
	Restart() error // empties it
	Sync() error
	Close() error
}

// NewFetcher makes a Fetcher that finds render servers by their id with find.
func NewFetcher(find func(server job.ID) (Viewer, bool), o Options) *Fetcher {
	f := &Fetcher{
		find: find, log: o.Log, maxBytes: o.MaxBytes,
		create: createPartial, parts: map[string]chan struct{}{},
	}
	if f.log == nil {
		f.log = slog.New(slog.DiscardHandler)
	}
	if f.maxBytes <= 0 {
		f.maxBytes = 256 << 30
	}
	return f
}

// Fetch fetches the files of refs to where to says, below to.Dir, which it makes.
// Each file is whole or absent under its final name, and none is replaced:
// another of the same name becomes "name (2)". One that is there already with
// the same content is the result, so fetching again makes no duplicates. What the
// run saved comes before previews, which are fetched only when to.Temp says so or
// there is nothing else: most people want what they chose to save, and a preview
// alone is still the result. One that is gone is left out without an error. What
// was fetched is returned also when there is an error.
func (f *Fetcher) Fetch(
	ctx context.Context, server job.ID, refs []job.OutputRef, to job.Destination,
) ([]job.Output, error) {
	viewer, ok := f.find(server)
	if !ok {
		return nil, job.Errorf(job.ErrNotFound, job.Args{Server: string(server), Detail: "no such render server"}, nil)
	}
	root, dir, err := openResults(to.Dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()

	var outputs []job.Output
	var failed []error
	have := map[string]bool{}
	for _, ref := range wanted(refs, to.Temp) {
		d := download{fetcher: f, viewer: viewer, server: server, ref: ref}
		file, size, err := d.below(ctx, root, dir, to)
		if err != nil && isPreview(ref) && job.CodeOf(err) == job.ErrNoSuchFile {
			f.log.Info("a preview is gone", "server", server, "file", ref.Filename)
			continue
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("fetching %s from render server %s: %w", ref.Filename, server, err))
			if ctx.Err() != nil || job.CodeOf(err) == job.ErrDisk {
				break // the next would end alike
			}
			continue
		}
		if !have[file] {
			have[file] = true
			outputs = append(outputs, job.Output{
				File: file, ServerName: ref.Filename, Bytes: size, SHA256: hex.EncodeToString(d.sum.Sum(nil)),
				Preview: isPreview(ref),
			})
		}
	}
	return outputs, errors.Join(failed...)
}

// wanted chooses and orders what to fetch, each file once.
func wanted(refs []job.OutputRef, temp bool) []job.OutputRef {
	var saved, previews []job.OutputRef
	seen := map[[3]string]bool{}
	for _, ref := range refs {
		key := [3]string{ref.Type, ref.Subfolder, ref.Filename}
		if seen[key] {
			continue
		}
		seen[key] = true
		if isPreview(ref) {
			previews = append(previews, ref)
		} else {
			saved = append(saved, ref)
		}
	}
	if len(saved) > 0 && !temp {
		return saved
	}
	return append(saved, previews...)
}

// isPreview tells what a run saved from what the server only keeps for a while,
// or had before (comfyui-protocol, 1.8).
func isPreview(ref job.OutputRef) bool {
	return ref.Type != "output" && ref.Type != "" && ref.Type != job.ViaSocket
}

// claim waits until nobody here writes the partial file of that path, and takes
// it. Two jobs whose result came from a server's cache may want the same file at
// once.
func (f *Fetcher) claim(ctx context.Context, path string) (release func(), err error) {
	for {
		f.mu.Lock()
		busy, taken := f.parts[path]
		if !taken {
			done := make(chan struct{})
			f.parts[path] = done
			f.mu.Unlock()
			return func() {
				f.mu.Lock()
				delete(f.parts, path)
				f.mu.Unlock()
				close(done)
			}, nil
		}
		f.mu.Unlock()
		select {
		case <-busy:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// pause waits, unless ctx ends first.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
