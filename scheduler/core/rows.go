package core

import (
	"time"

	"reckoner/scheduler/job"
)

// doneShown is how many ended jobs a snapshot lists.
const doneShown = 1000

// rowsFor is how long rows stand while nothing changes but the time, in real
// time: figures in holds grow, and a run that should have ended did not.
const rowsFor = time.Second

// rows are the lists of waiting and ended jobs as the last snapshot showed them.
// The next one shows the same unless something changed.
type rows struct {
	made  job.Maybe[job.Instant]
	stale bool

	waiting        []JobView
	allDone        job.Maybe[TimeRange]
	notCounted     int
	notCountedHeld int

	needsYou, done []JobView
}

// fill makes the rows anew where they are not as they would be now.
func (r *rows) fill(s *State, now job.Instant) {
	made, ok := r.made.Get()
	old := ok && now.Since(made) >= time.Duration(float64(rowsFor)*s.opts.Speed)
	if ok && !r.stale && !old {
		return
	}
	if !ok || r.stale {
		r.fillEnded(s)
	}
	r.fillWaiting(s, now)
	r.made, r.stale = job.Known(now), false
}

// fillWaiting fills in the waiting jobs, when they are likely to start, and when
// all will be done: each server takes the next job that may run on it as soon as
// it is free, which is what dispatch does.
func (r *rows) fillWaiting(s *State, now job.Instant) {
	plan := s.viewPlan(now)
	holds := make(map[*group][]job.Hold, len(s.waiting.groups))
	notOn := map[*group][]job.Hold{}
	for _, g := range s.waiting.groups {
		first := s.jobs[g.first().id]
		holds[g] = s.holdsOf(first, now)
		if len(holds[g]) == 0 && s.lacking(first) {
			notOn[g] = s.lackedBy(first)
		}
	}
	r.waiting = make([]JobView, 0, s.waiting.n)
	for id := range s.waiting.all() {
		g := s.waiting.members[id].group
		v := JobView{Job: s.jobs[id], Run: s.newest[id], Holds: holds[g], NotOn: notOn[g]}
		plan.place(&v)
		r.waiting = append(r.waiting, v)
	}
	r.allDone, r.notCounted = plan.end()
	r.notCountedHeld = plan.held
}

// fillEnded fills in the ended jobs that are shown, newest first.
func (r *rows) fillEnded(s *State) {
	r.needsYou, r.done = nil, nil
	for i := len(s.ended) - 1; i >= 0 && len(r.done)+len(r.needsYou) < doneShown; i-- {
		j := s.jobs[s.ended[i]]
		switch {
		case j.Hidden:
		case j.Outcome == job.JobNeedsYou:
			r.needsYou = append(r.needsYou, s.rowOf(j))
		default:
			r.done = append(r.done, s.rowOf(j))
		}
	}
}
