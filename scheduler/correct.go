package scheduler

import (
	"context"
	"fmt"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

// wholePast is how many runs of a type on a GPU a baseline is worked out anew from
// at most.
const wholePast = 100_000

// Correction is the user's word about a run that ended.
type Correction struct {
	Job     job.ID // of the run
	Attempt int
	Kind    job.CorrectionKind
	Label   job.Label // the new one, of job.CorrectLabel
}

// CorrectRun takes the user's word about a run that ended into its record, and works
// out anew what is usual. What was seen of the run stays beside it. It gives the
// record once it is on disk; a word that changes nothing leaves no trace.
func (e *Engine) CorrectRun(ctx context.Context, c Correction) (job.Run, error) {
	// One at a time: each rests on the records that the one before it left.
	e.correcting.Lock()
	defer e.correcting.Unlock()
	r, found, err := e.cfg.Store.RunOf(ctx, c.Job, c.Attempt)
	if err != nil {
		return job.Run{}, fmt.Errorf("read the run of job %s: %w", c.Job, err)
	}
	if !found || r.State != job.RunEnded {
		return job.Run{}, fmt.Errorf("correct the run of job %s: %w", c.Job, job.Errorf(job.ErrNotFound, job.Args{}, nil))
	}
	past, err := e.cfg.Store.PastRuns(ctx, r.TypeKey, wholePast)
	if err != nil {
		return job.Run{}, fmt.Errorf("load past runs: %w", err)
	}
	if err := e.wait(ctx, core.RunCorrected{Run: r, Past: past, Kind: c.Kind, Label: c.Label}); err != nil {
		return job.Run{}, fmt.Errorf("correct the run of job %s: %w", c.Job, err)
	}
	if r, _, err = e.cfg.Store.RunOf(ctx, c.Job, c.Attempt); err != nil {
		return job.Run{}, fmt.Errorf("read the run of job %s again: %w", c.Job, err)
	}
	return r, nil
}
