package core

import (
	"slices"
	"time"

	"reckoner/scheduler/job"
)

// signFor is how lately a run must have shown progress to count as going on.
const signFor = 60 * time.Second

// stepped takes in a step that the server reported: a fact.
func (t *turn) stepped(o *openRun, n job.News) {
	if !(n.Max > 0) {
		return
	}
	o.sign(t.now)
	o.step = job.Known(job.Step{Value: n.Value, Max: n.Max, Node: n.Node, At: t.now.Wall})
	o.sampling.step(t.jobs[o.rec.Job].Samplers, n.Node, n.Value, n.Max, t.now)
	if !o.started.Known() {
		t.started(o)
	}
}

// total is what a run would take at the pace of its live steps, in seconds from
// its start, with what past runs of its type took after their last one.
func (s *State) total(o *openRun) (float64, bool) {
	started, ok := o.started.Get()
	j := s.jobs[o.rec.Job]
	if !ok || j == nil {
		return 0, false
	}
	left, ok := o.sampling.left(j.Samplers)
	if !ok {
		return 0, false
	}
	return o.sampling.last.Since(started).Seconds() + left + s.pastAfter(j.Type.Key), true
}

// pastAfter is how long past runs of a job type went on after their last step, in
// seconds: their median, 0 when it is not known.
func (s *State) pastAfter(typeKey string) float64 {
	var all []float64
	for _, r := range s.past[typeKey] {
		if r.AfterS > 0 {
			all = append(all, r.AfterS)
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// limitIfDue decides what to do when a run's time limit has passed: a default
// limit is doubled once while steps arrive at a pace that ends in time; else the
// run is stopped. The limit counts from the server's start.
func (t *turn) limitIfDue(o *openRun) {
	if o.rec.LimitS <= 0 || o.rec.Stop != nil || !o.started.Known() {
		return
	}
	if at, ok := t.silentAt(o); ok && t.now.Mono >= at.Mono {
		t.editRun(o).SilentS = silentAtMost.Seconds()
		t.limitPassed(o, job.StorySilent, silentAtMost.Seconds())
		return
	}
	if o.elapsed(t.now) < o.rec.LimitS {
		return
	}
	r := t.editRun(o)
	if t.limitIn(t.jobs[r.Job].Limit).Kind == job.LimitDefault && !r.Extended && t.inTime(o, 2*r.LimitS) {
		r.Extended = true
		r.LimitS *= 2
		t.story(r, job.StoryExtended, job.Args{Seconds: r.LimitS})
		t.say(job.Event{Kind: job.EventExtended, Run: r, ToS: r.LimitS})
		return
	}
	t.limitPassed(o, job.StoryLimit, r.LimitS)
}

// limitPassed stops a run whose limit passed, and says which: code is its story's,
// and seconds the limit.
func (t *turn) limitPassed(o *openRun, code string, seconds float64) {
	r := t.editRun(o)
	r.LimitPassed = t.now.Wall
	t.story(r, code, job.Args{Seconds: seconds})
	t.say(job.Event{Kind: job.EventLimit, Run: r})
	t.wantStop(o, job.StopLimit)
}

// inTime tells whether a run's steps still arrive, at a pace that ends within a
// limit.
func (t *turn) inTime(o *openRun, limitS float64) bool {
	total, ok := t.total(o)
	return ok && total <= limitS && t.now.Since(o.lastSign) <= signFor
}
