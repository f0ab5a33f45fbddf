package core

import (
	"slices"

	"reckoner/scheduler/job"
)

// reasonsAtMost bounds among how many servers a choice is explained.
const reasonsAtMost = 64

// worthSaying is how much longer it would have to take elsewhere.
const worthSaying = 1.02

// reasonFor says why a job that may go to several machines goes to a server, held
// against the next best; false when there was nothing to choose.
func (t *turn) reasonFor(j *job.Job, srv *server) (job.Say, bool) {
	if len(t.order) > reasonsAtMost {
		return job.Say{}, false
	}
	others := slices.DeleteFunc(slices.Clone(t.serversFor(j)), func(o *server) bool { return o == srv || !t.allows(j, o) })
	if len(others) == 0 {
		return job.Say{}, false
	}
	free := slices.DeleteFunc(others, func(o *server) bool {
		return o.signs[signOf(j)] != "" || len(t.holdsAlike(j, o, t.now)) > 0 || o.run == "" && o.isFree.pos == 0
	})
	if len(free) == 0 {
		return job.Say{Code: job.StoryOnlyOne, Args: job.Args{Server: srv.rec.Name}}, true
	}
	mine, known := t.endsIn(j, srv)
	var next *server
	nextIn := 0.0
	for _, o := range free {
		if in, ok := t.endsIn(j, o); ok && (next == nil || in < nextIn) {
			next, nextIn = o, in
		}
	}
	if !known || next == nil || nextIn < worthSaying*mine {
		return job.Say{Code: job.StoryFreeFirst, Args: job.Args{Server: srv.rec.Name}}, true
	}
	return job.Say{Code: job.StoryEndsFirst, Args: job.Args{
		Server: srv.rec.Name, Seconds: mine, Machine: next.rec.Name, UpTo: nextIn,
	}}, true
}

// endsIn is in how many seconds a job is likely to end on a server, after what
// runs there; false when that is not known.
func (t *turn) endsIn(j *job.Job, srv *server) (float64, bool) {
	f := t.forecast(j.Type, srv)
	from, _, known := t.freeAt(srv, t.now)
	if !known || f.MidS == 0 {
		return 0, false
	}
	wait := max(0, float64(from-int64(t.now.Mono))/1e9)
	return wait + f.MidS + srv.coldS(j.Type, f), true
}
