package core

import (
	"time"

	"reckoner/scheduler/job"
)

// signFor is how lately a run must have shown progress to count as going on.
const signFor = 60 * time.Second

// pace is what the steps of one node say about the speed of a run.
type pace struct {
	node  string
	first job.Instant
	from  float64
	last  job.Instant
	value float64
	max   float64
}

// stepped takes in a step that the server reported: a fact.
func (t *turn) stepped(o *openRun, n job.News) {
	if !(n.Max > 0) {
		return
	}
	o.sign(t.now)
	o.step = job.Known(job.Step{Value: n.Value, Max: n.Max, Node: n.Node, At: t.now.Wall})
	p := &o.pace
	if p.node != n.Node || n.Value < p.value || n.Max != p.max {
		*p = pace{node: n.Node, first: t.now, from: n.Value, max: n.Max}
	}
	p.last, p.value = t.now, n.Value
	if !o.started.Known() {
		t.started(o)
	}
}

// total is what the steps say the whole run would take, in seconds from the
// start to the last step of the present node. It needs two steps or more.
func (o *openRun) total() (float64, bool) {
	p := o.pace
	done := p.value - p.from
	started, ok := o.started.Get()
	if !ok || done < 1 || p.max <= p.from {
		return 0, false
	}
	each := p.last.Since(p.first).Seconds() / done
	return p.first.Since(started).Seconds() + each*(p.max-p.from), true
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
	total, ok := o.total()
	return ok && total <= limitS && t.now.Since(o.lastSign) <= signFor
}
