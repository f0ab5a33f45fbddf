package scheduler

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

// giveLate gives files that no job of a request takes to jobs that ended for
// want of them, and puts these back into the queue.
func (a *adding) giveLate(ctx context.Context, d *drop) error {
	for _, m := range d.media {
		at := slices.IndexFunc(d.refused, func(r Refusal) bool { return r.File == m.given && r.Err == m.err })
		if m.err == nil || at < 0 {
			continue
		}
		taken := false
		for _, j := range a.e.lacking(filepath.Base(m.path)) {
			inputs := slices.Clone(j.Inputs)
			for i := range inputs {
				if inputs[i].Blob != "" || baseOf(inputs[i].File) != filepath.Base(m.path) {
					continue
				}
				inputs[i].Path = m.path
				if err := a.e.keepInput(ctx, &inputs[i], j.File); err != nil {
					return err
				}
			}
			if err := a.e.wait(ctx, core.InputsGiven{Job: j.ID, Inputs: inputs}); err != nil {
				return fmt.Errorf("give %s to %s: %w", m.path, j.Name, err)
			}
			a.resumed = append(a.resumed, j.ID)
			taken = true
		}
		if taken {
			d.refused = slices.Delete(d.refused, at, at+1)
		}
	}
	return nil
}

// lacking gives the jobs that ended for want of a file of a name.
func (e *Engine) lacking(name string) []*job.Job {
	var jobs []*job.Job
	s := e.Snapshot()
	for _, section := range [][]JobView{s.NeedsYou, s.Done} {
		for _, v := range section {
			why := v.Job.Why
			if v.Job.State == job.JobEnded && why != nil && why.Code == job.ErrMissingInput && baseOf(why.Args.File) == name {
				jobs = append(jobs, v.Job)
			}
		}
	}
	return jobs
}
