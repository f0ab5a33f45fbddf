package transfer

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"

	"reckoner/scheduler/job"
)

func TestWhatACrashLeftBehindIsCleanedUp(t *testing.T) {
	s := &server{files: map[string][]byte{"|a.png": []byte("whole")}}
	dir := t.TempDir()
	d := download{server: "s1", ref: saved("a.png"), name: "a.png"}
	left := filepath.Join(dir, d.partName("a.png"))
	if err := os.WriteFile(left, []byte("a much longer half of it"), 0o600); err != nil {
		t.Fatal(err)
	}
	fetchAll(t, s, dir, saved("a.png"))
	wantFolder(t, dir, map[string]string{"a.png": "whole"})
}

// fullDisk takes a few bytes and then says what a full disk says.
type fullDisk struct {
	partial
	room int
}

func (f *fullDisk) Write(p []byte) (int, error) {
	n := min(len(p), f.room)
	f.room -= n
	if n < len(p) {
		return n, &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	}
	return f.partial.Write(p)
}

func TestAFullDiskIsToldWithTheFileAndLeavesNothingPartial(t *testing.T) {
	s := &server{files: map[string][]byte{
		"|a.png": []byte("ok"), "|b.mp4": bytes.Repeat([]byte("b"), 1000), "|c.png": []byte("c"),
	}}
	dir := t.TempDir()
	f := s.fetcher(Options{})
	f.create = func(root *os.Root, name string) (partial, error) {
		p, err := createPartial(root, name)
		return &fullDisk{partial: p, room: 100}, err
	}
	refs := []job.OutputRef{saved("a.png"), saved("b.mp4"), saved("c.png")}
	outputs, err := f.Fetch(t.Context(), "s1", refs, into(dir))
	e, _ := errors.AsType[*job.Error](err)
	if e == nil || e.Code != job.ErrDisk || e.Args.File != filepath.Join(dir, "b.mp4") || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%v", err)
	}
	if len(outputs) != 1 || len(s.asked) != 2 {
		t.Errorf("%+v after %d requests, want one result and no third request", outputs, len(s.asked))
	}
	wantFolder(t, dir, map[string]string{"a.png": "ok"})
}

func TestAFolderThatCannotBeMadeIsADiskError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := (&server{}).fetcher(Options{}).Fetch(t.Context(), "s1", nil, into(filepath.Join(file, "results")))
	if job.CodeOf(err) != job.ErrDisk {
		t.Errorf("%v, want %s", err, job.ErrDisk)
	}
}

func TestAnUnknownServer(t *testing.T) {
	_, err := (&server{}).fetcher(Options{}).Fetch(t.Context(), "s2", []job.OutputRef{saved("a")}, into(t.TempDir()))
	if job.CodeOf(err) != job.ErrNotFound {
		t.Errorf("%v, want %s", err, job.ErrNotFound)
	}
}

func TestACancelledFetchStopsAndCleansUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		s := &server{files: map[string][]byte{"|a.png": make([]byte, 100)}, cut: 10}
		s.change = func(asked int) {
			if asked == 3 {
				cancel()
			}
		}
		dir := t.TempDir()
		outputs, err := s.fetcher(Options{}).Fetch(ctx, "s1", []job.OutputRef{saved("a.png"), saved("b.png")}, into(dir))
		if !errors.Is(err, context.Canceled) || len(outputs) != 0 || len(s.asked) != 3 {
			t.Errorf("%+v, %v after %d requests", outputs, err, len(s.asked))
		}
		wantFolder(t, dir, nil)
	})
}

// Two jobs whose results came from a server's cache want the same file at once.
func TestTheSameFileAtTheSameTime(t *testing.T) {
	content := bytes.Repeat([]byte("x"), 3*chunk)
	s := &server{files: map[string][]byte{"|a.png": content}}
	dir := t.TempDir()
	f := s.fetcher(Options{})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			outputs, err := f.Fetch(t.Context(), "s1", []job.OutputRef{saved("a.png")}, into(dir))
			if err != nil || len(outputs) != 1 {
				t.Errorf("%+v, %v", outputs, err)
			}
		})
	}
	wg.Wait()
	wantFolder(t, dir, map[string]string{"a.png": string(content)})
}

// endless gives as many zeros as asked for.
type endless struct{}

func (endless) Read(p []byte) (int, error) { clear(p); return len(p), nil }

type largeFile int64

func (l largeFile) View(_ context.Context, _ job.OutputRef, offset int64) (io.ReadCloser, int64, error) {
	return io.NopCloser(io.LimitReader(endless{}, int64(l)-offset)), int64(l), nil
}

func TestMemoryStaysFlat(t *testing.T) {
	const size = 64 << 20
	f := NewFetcher(func(job.ID) (Viewer, bool) { return largeFile(size), true }, Options{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	outputs, err := f.Fetch(t.Context(), "s1", []job.OutputRef{saved("a.mp4")}, into(t.TempDir()))
	runtime.ReadMemStats(&after)
	if err != nil || len(outputs) != 1 || outputs[0].Bytes != size {
		t.Fatalf("%+v, %v", outputs, err)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 4<<20 {
		t.Errorf("%d bytes were allocated for a file of %d", grown, size)
	}
}
