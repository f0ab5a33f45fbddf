package gpu

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/shirou/gopsutil/v3/cpu"
	"github.com/shirou/gopsutil/v3/disk"
	"github.com/shirou/gopsutil/v3/mem"

	"reckoner/scheduler/job"
)

// Host samples this computer. The zero Host is usable, from any goroutine.
type Host struct {
	Now func() time.Time // nil means the wall clock
	Log *slog.Logger     // nil means to say nothing

	mu   sync.Mutex
	last cpu.TimesStat // of the sample before
	disk chan free     // the answer of a question that is under way, else nil
}

// diskTime is how long the file system may take: a network folder whose server
// is away does not answer.
const diskTime = 2 * time.Second

// Sample reads the processors' load since the sample before, the memory, and
// what is free on the file system of outDir, or of its nearest parent that
// exists. What cannot be read is unknown; the first sample knows no load.
func (h *Host) Sample(ctx context.Context, outDir string) job.HostReading {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := job.HostReading{At: time.Now().UTC().Round(0)}
	if h.Now != nil {
		r.At = h.Now()
	}
	if times, err := cpu.TimesWithContext(ctx, false); err != nil || len(times) == 0 {
		h.log().Debug("processor times cannot be read", "err", err)
	} else {
		r.CPU = load(h.last, times[0])
		h.last = times[0]
	}
	if m, err := mem.VirtualMemoryWithContext(ctx); err != nil {
		h.log().Debug("memory cannot be read", "err", err)
	} else {
		r.MemUsed = known(m.Total - min(m.Total, m.Available))
		r.MemTotal = known(m.Total)
	}
	r.DiskFree = h.diskFree(ctx, outDir)
	return r
}

// load gives the percentage of all processors' time that was not idle between
// two samples. Waiting for a disk is idle.
func load(before, now cpu.TimesStat) job.Maybe[float64] {
	busy := func(t cpu.TimesStat) float64 { return t.User + t.System + t.Nice + t.Irq + t.Softirq + t.Steal }
	all := func(t cpu.TimesStat) float64 { return busy(t) + t.Idle + t.Iowait }
	span := all(now) - all(before)
	if all(before) == 0 || span <= 0 {
		return job.Maybe[float64]{}
	}
	return job.Known(min(100, max(0, 100*(busy(now)-busy(before))/span)))
}

// free is what a file system says about itself.
type free struct {
	bytes uint64
	err   error
}

// diskFree asks for the free space with a deadline. The system call cannot be
// cancelled, so at most one question is under way, and the next sample waits
// for its answer instead of asking another.
func (h *Host) diskFree(ctx context.Context, outDir string) job.Maybe[int64] {
	if h.disk == nil {
		answer := make(chan free, 1)
		h.disk = answer
		go func() {
			dir, err := nearestFolder(outDir)
			if err != nil {
				answer <- free{err: err}
				return
			}
			usage, err := disk.Usage(dir)
			if err != nil {
				answer <- free{err: err}
				return
			}
			answer <- free{bytes: usage.Free}
		}()
	}
	patience := time.NewTimer(diskTime)
	defer patience.Stop()
	select {
	case f := <-h.disk:
		h.disk = nil
		if f.err != nil {
			h.log().Debug("free space cannot be read", "folder", outDir, "err", f.err)
			return job.Maybe[int64]{}
		}
		return known(f.bytes)
	case <-patience.C:
		h.log().Debug("the file system does not answer", "folder", outDir)
	case <-ctx.Done():
	}
	return job.Maybe[int64]{}
}

// nearestFolder gives dir, or its nearest parent that exists.
func nearestFolder(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for {
		_, err := os.Stat(dir)
		if err == nil || !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return dir, err
		}
		dir = filepath.Dir(dir)
	}
}

func (h *Host) log() *slog.Logger {
	if h.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return h.Log
}

// known gives a size that the system reports; no size comes near the bound.
func known(bytes uint64) job.Maybe[int64] { return job.Known(int64(min(bytes, 1<<62))) }
