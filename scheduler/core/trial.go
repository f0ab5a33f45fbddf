package core

import (
	"slices"

	"reckoner/scheduler/estimate"
	"reckoner/scheduler/job"
)

// trial is the first job of a batch of its type on a machine: until one has ended
// well there, the others of the batch wait or go elsewhere. A machine with several
// servers would else fail all at once.
type trial struct {
	batch   job.ID
	typeKey string
}

// isTrial tells whether a job's run on a server would be its batch's first of its
// type on that machine, while others of the batch could go beside it.
func (s *State) isTrial(j *job.Job, srv *server) bool {
	takers := 0
	for _, other := range srv.site.servers {
		if !other.rec.WatchOnly {
			takers++
		}
	}
	return takers > 1 && j.Batch != "" && !s.provenOn(j.Type.Key, srv.site)
}

// provenOn tells whether a run of a type ended well on a machine, as far as is
// known.
func (s *State) provenOn(typeKey string, at *site) bool {
	return slices.ContainsFunc(s.past[typeKey], func(r estimate.Run) bool {
		return !r.Bound && slices.ContainsFunc(at.servers, func(srv *server) bool { return s.gpuKey(srv) == r.GPU })
	})
}

// setTrial notes that a run is a trial, or no longer.
func (t *turn) setTrial(o *openRun, on bool) {
	if o.trial == on {
		return
	}
	o.trial = on
	j := t.jobs[o.rec.Job]
	of := trial{batch: j.Batch, typeKey: j.Type.Key}
	switch {
	case on:
		if t.trials[of]++; t.trials[of] == 1 {
			t.regrouped = true
		}
	default:
		if t.trials[of]--; t.trials[of] == 0 {
			delete(t.trials, of)
			t.regrouped = true
		}
	}
}

// onTrial tells whether jobs of a job's batch and type are tried anywhere.
func (s *State) onTrial(j *job.Job) bool {
	return j.Batch != "" && s.trials[trial{batch: j.Batch, typeKey: j.Type.Key}] > 0
}

// awaitsTrial tells whether a job waits for the first of its batch on a server's
// machine.
func (s *State) awaitsTrial(j *job.Job, srv *server) bool {
	return s.onTrial(j) && slices.ContainsFunc(srv.site.runs, func(o *openRun) bool {
		of := s.jobs[o.rec.Job]
		return o.trial && o.rec.Server != srv.rec.ID && of.Batch == j.Batch && of.Type.Key == j.Type.Key
	})
}
