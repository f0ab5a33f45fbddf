package gpu

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/shirou/gopsutil/v3/cpu"

	"reckoner/scheduler/job"
)

func TestThisComputerIsSampled(t *testing.T) {
	h := &Host{Now: func() time.Time { return time.Unix(7, 0) }}
	dir := t.TempDir()
	first := h.Sample(t.Context(), filepath.Join(dir, "not", "made", "yet"))
	if first.CPU.Known() {
		t.Error("a first sample cannot know a load")
	}
	if free, ok := first.DiskFree.Get(); !ok || free <= 0 {
		t.Errorf("free is %v for a folder that will be made", first.DiskFree)
	}
	used, okU := first.MemUsed.Get()
	total, okT := first.MemTotal.Get()
	if !okU || !okT || used <= 0 || used > total || !first.At.Equal(time.Unix(7, 0)) {
		t.Errorf("%+v", first)
	}
}

func TestLoadIsWhatWasNotIdleBetweenTwoSamples(t *testing.T) {
	before := cpu.TimesStat{User: 100, System: 50, Idle: 1000, Iowait: 10}
	for name, c := range map[string]struct {
		before, now cpu.TimesStat
		want        job.Maybe[float64]
	}{
		"first":            {cpu.TimesStat{}, before, job.Maybe[float64]{}},
		"no time passed":   {before, before, job.Maybe[float64]{}},
		"a quarter":        {before, cpu.TimesStat{User: 101, System: 50, Idle: 1002, Iowait: 11}, job.Known(25.0)},
		"all":              {before, cpu.TimesStat{User: 102, System: 52, Idle: 1000, Iowait: 10}, job.Known(100.0)},
		"a counter jumped": {before, cpu.TimesStat{User: 0, System: 0, Idle: 0}, job.Maybe[float64]{}},
	} {
		if got := load(c.before, c.now); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// TestADiskThatDoesNotAnswerIsUnknown: a network folder whose server is away.
func TestADiskThatDoesNotAnswerIsUnknown(t *testing.T) {
	h := &Host{disk: make(chan free, 1)} // a question is under way and stays so
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r := h.Sample(ctx, t.TempDir()); r.DiskFree.Known() {
		t.Errorf("free is %v", r.DiskFree)
	}
	h.disk <- free{bytes: 42}
	if got := h.diskFree(t.Context(), ""); got.Or(0) != 42 {
		t.Errorf("the late answer is %v", got)
	}
}

func TestTheProcessBehindAPortIsFound(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	name, pid, ok, err := LocalListener(t.Context(), port)
	if err != nil || !ok || pid != os.Getpid() || !strings.HasPrefix(filepath.Base(os.Args[0]), name) {
		t.Errorf("%q %d %v, %v", name, pid, ok, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, pid, ok, err = LocalListener(t.Context(), port); err != nil || ok || pid != 0 {
		t.Errorf("after its end: %d %v, %v", pid, ok, err)
	}
}
