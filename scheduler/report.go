package scheduler

import (
	"context"
	"slices"
	"sync"
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

// Report is what became of the jobs of a batch, as far as they are. Rows are in
// the order of the queue; To is where the results of the first go.
type Report struct {
	Batch job.ID
	To    job.Destination
	Rows  []JobView
}

// reportPause is, in real time, between two writings of reports: many jobs may
// end in it.
const reportPause = 2 * time.Second

// reports are the batches of which a job ended since their report was written.
type reports struct {
	mu      sync.Mutex
	batches []job.ID
	ready   chan struct{} // capacity 1
}

func newReports() *reports { return &reports{ready: make(chan struct{}, 1)} }

func (r *reports) due(batch job.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Contains(r.batches, batch) {
		r.batches = append(r.batches, batch)
	}
	select {
	case r.ready <- struct{}{}:
	default:
	}
}

func (r *reports) take() []job.ID {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.batches
	r.batches = nil
	return all
}

// writeReports writes what is due until ctx ends.
func (e *Engine) writeReports(ctx context.Context) {
	for {
		select {
		case <-e.reports.ready:
		case <-ctx.Done():
			return
		}
		for _, batch := range e.reports.take() {
			var r Report
			if err := e.ask(ctx, func(s *core.State) { r = reportOf(s, batch) }); err != nil {
				e.reports.due(batch) // Stop writes it
				return
			}
			e.report(ctx, r)
		}
		if !sleep(ctx, reportPause) {
			return
		}
	}
}

// lastReports writes what is due once nothing else looks at the state.
func (e *Engine) lastReports() {
	for _, batch := range e.reports.take() {
		e.report(context.Background(), reportOf(e.state, batch))
	}
}

// report hands a report on. A job by itself needs none.
func (e *Engine) report(ctx context.Context, r Report) {
	if e.cfg.Report == nil || len(r.Rows) < 2 || r.To.Dir == "" {
		return
	}
	if err := e.cfg.Report(ctx, r); err != nil {
		e.log.Warn("what became of a batch could not be written", "batch", r.Batch, "err", err)
	}
}

func reportOf(s *core.State, batch job.ID) Report {
	r := Report{Batch: batch, Rows: s.Batch(batch)}
	if len(r.Rows) > 0 {
		j := r.Rows[0].Job
		r.To = job.Destination{Dir: j.OutDir, Names: j.Names, Date: j.Added, Batch: j.BatchName}
	}
	return r
}
