package gpu

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"reckoner/scheduler/job"
)

func TestARecordingIsPlayedToItsEnd(t *testing.T) {
	ticks := 0
	src, err := Open("file:testdata/18-unified-memory-stream-gb10.csv", Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = src.Stream(t.Context(), time.Millisecond, func(r []job.Reading) { ticks += len(r) })
	if !errors.Is(err, io.EOF) || ticks != 4 {
		t.Errorf("%d ticks, then %v", ticks, err)
	}
}

func TestARecordingEndsWithItsFault(t *testing.T) {
	src, err := Open("file:testdata/22-stream-motd-cut-row-then-lost.txt", Options{})
	if err != nil {
		t.Fatal(err)
	}
	readings, _, err := src.Once(t.Context())
	if job.CodeOf(err) != job.ErrGPULost || len(readings) != 1 || readings[0].Power.Or(0) != 409.9 {
		t.Errorf("%+v, %v", readings, err)
	}
}

func TestAPageCanBeARecording(t *testing.T) {
	src, err := Open("file:testdata/26-nvidia_gpu_exporter.prom", Options{})
	if err != nil {
		t.Fatal(err)
	}
	readings, processes, err := src.Once(t.Context())
	if err != nil || len(readings) != 1 || len(processes) != 1 {
		t.Errorf("%+v, %+v, %v", readings, processes, err)
	}
}

func TestFilesThatAreNoRecording(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		empty:                              job.ErrNotExporter,
		"testdata/31-not-an-exporter.html": job.ErrNotExporter,
		"testdata/nothing.csv":             job.ErrUnreadable,
		"testdata":                         job.ErrUnreadable,
	} {
		src, err := Open("file:"+path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := src.Once(t.Context()); job.CodeOf(err) != want {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
		if err := src.Stream(t.Context(), time.Second, nil); job.CodeOf(err) != want {
			t.Errorf("%s: the stream ended with %v, want %s", path, err, want)
		}
	}
}
