package gpu

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/shirou/gopsutil/v3/process"

	"reckoner/scheduler/job"
)

// Cost is what looking at a source costs this computer.
type Cost struct {
	Source string
	// Core is the share of one core, this program's part and its tools' together;
	// unknown when it could not be measured.
	Core     job.Maybe[float64]
	Readings int   // while it was measured
	Err      error // why nothing was read
}

// settleTime is how long sources have before they are measured: bringing a tool or
// a connection up is no part of looking.
const settleTime = 2 * time.Second

// Measure looks at sources once a second, as the engine does, all at once, and
// measures what that costs over a time. What this program itself spends is
// shared equally among them.
func Measure(ctx context.Context, sources []string, opt Options, over time.Duration) []Cost {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	watched := make([]*watchedSource, len(sources))
	var all sync.WaitGroup
	for i, name := range sources {
		w := &watchedSource{}
		watched[i] = w
		all.Go(func() { w.follow(ctx, name, opt) })
	}
	pause(ctx, settleTime)
	began, own := time.Now(), cpuOf(ctx, os.Getpid())
	for _, w := range watched {
		w.begin(ctx)
	}
	pause(ctx, over)
	took, spent := time.Since(began).Seconds(), cpuOf(ctx, os.Getpid())-own
	costs := make([]Cost, len(sources))
	for i, w := range watched {
		costs[i] = w.end(ctx, sources[i], took, spent/float64(len(sources)))
	}
	stop()
	all.Wait()
	return costs
}

// pause waits, or less when ctx ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// watchedSource is a source that is being measured.
type watchedSource struct {
	mu       sync.Mutex
	tools    []int           // processes
	before   map[int]float64 // seconds of processor time, by process
	readings int
	err      error
}

// follow reads the source until ctx ends.
func (w *watchedSource) follow(ctx context.Context, name string, opt Options) {
	opt = opt.filled()
	opt.started = func(pid int) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.tools = append(w.tools, pid)
	}
	src, err := Open(name, opt)
	if err != nil {
		w.fail(err)
		return
	}
	var programs sync.WaitGroup
	if lister, ok := src.(Lister); ok {
		programs.Go(func() {
			if err := lister.Programs(ctx, 5*time.Second, func(job.Programs) {}); err != nil {
				opt.Log.Debug("programs are not known", "source", name, "err", err)
			}
		})
	}
	w.fail(src.Stream(ctx, time.Second, func(r []job.Reading) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.readings += len(r)
	}))
	programs.Wait()
}

func (w *watchedSource) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = err
}

// spent gives the processor time of the source's tools so far.
func (w *watchedSource) spent(ctx context.Context) map[int]float64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	by := map[int]float64{}
	for _, pid := range w.tools {
		by[pid] = cpuOf(ctx, pid)
	}
	return by
}

func (w *watchedSource) begin(ctx context.Context) {
	before := w.spent(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.before, w.readings = before, 0
}

func (w *watchedSource) end(ctx context.Context, source string, took, own float64) Cost {
	after := w.spent(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	c := Cost{Source: source, Readings: w.readings, Err: w.err}
	if w.readings == 0 || took <= 0 {
		return c
	}
	for pid, now := range after {
		own += max(0, now-w.before[pid])
	}
	c.Core = job.Known(max(0, own) / took)
	return c
}

// cpuOf gives the processor time of a process in seconds, 0 when it cannot be
// read.
func cpuOf(ctx context.Context, pid int) float64 {
	p, err := process.NewProcessWithContext(ctx, int32(pid)) //nolint:gosec // a process id is one
	if err != nil {
		return 0
	}
	t, err := p.TimesWithContext(ctx)
	if err != nil {
		return 0
	}
	return t.User + t.System
}
