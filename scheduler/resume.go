package scheduler

import (
	"context"
	"slices"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

// earlier are the jobs that files of a command may stand for because it is given
// again, after a crash or a second Ctrl-C: those of batches that have not ended
// completely. It is made once a request, so that a batch that ends meanwhile is
// still the same for all its files.
type earlier struct {
	jobs  []*job.Job
	taken map[job.ID]bool // stand for a file already
}

func (e *Engine) earlier(ctx context.Context) (*earlier, error) {
	found := &earlier{taken: map[job.ID]bool{}}
	err := e.ask(ctx, func(s *core.State) { found.jobs = s.UnfinishedBatches() })
	return found, err
}

// find gives the job that a copy of a file stands for, and gives each once: same
// path, same content, same copy. An open job comes before an ended one, then the
// newest batch, then the queue's order. What the user cancelled is not one of
// them: giving the command again asks for it anew.
func (f *earlier) find(in *intake, inputs []job.InputFile, copyNumber int) *job.Job {
	var best *job.Job
	for _, j := range f.jobs {
		if j.File != in.path || j.Source != in.hash || j.Copy != copyNumber || f.taken[j.ID] ||
			j.Outcome == job.JobCancelled || !sameInputs(j.Inputs, inputs) {
			continue
		}
		if best == nil || standsBefore(j, best) {
			best = j
		}
	}
	if best != nil {
		f.taken[best.ID] = true
	}
	return best
}

// sameInputs tells whether the same files were given for a job's inputs.
func sameInputs(a, b []job.InputFile) bool {
	given := map[string]string{}
	for _, in := range a {
		given[in.Node] = in.Blob
	}
	return !slices.ContainsFunc(b, func(in job.InputFile) bool {
		was, known := given[in.Node]
		return known && was != in.Blob && was != "" && in.Blob != ""
	})
}

func standsBefore(a, b *job.Job) bool {
	if open := a.State != job.JobEnded; open != (b.State != job.JobEnded) {
		return open
	}
	if a.State == job.JobEnded && !a.Added.Equal(b.Added) {
		return a.Added.After(b.Added)
	}
	return a.Place < b.Place
}
