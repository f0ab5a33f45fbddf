package core

import (
	"slices"
	"time"

	"reckoner/scheduler/job"
)

// How a stop is asked for, and how long it may take. A stop lands between two
// steps, never inside a decode, and one that arrives in the gap before a run's
// start is lost (comfyui-protocol, 3.4), so it is repeated at a bounded rate.
const (
	stopAgain      = 2 * time.Second
	stopAgainLater = 10 * time.Second
	stopHurried    = 5                // requests at the first rate
	stopWaitKnown  = 60 * time.Second // at least
	stopWait       = 5 * time.Minute  // when nothing is known of its silences
	silences       = 3                // as long as the longest silence, so many times
)

// wantStop notes the wish that a run ends, and asks its server. From here on the
// run is looked at until the server's own answers show that it is gone.
func (t *turn) wantStop(o *openRun, why job.StopReason) {
	r := t.editRun(o)
	if r.Stop != nil && (why.OnlyWaiting() || !r.Stop.Why.OnlyWaiting()) {
		return
	}
	r.Stop = &job.Stop{Why: why, At: t.now.Wall}
	switch why {
	case job.StopCancel:
		t.story(r, job.StoryCancelled, job.Args{})
	case job.StopTakenBack:
		t.story(r, job.StoryTaking, job.Args{Server: t.State.servers[r.Server].name()})
	case job.StopLimit, job.StopWaited:
		// Its story is told by who decided it.
	}
	t.urgent = true
	o.stopNext, o.stopTries = t.now, 0
	if srv := t.State.servers[r.Server]; srv != nil {
		t.look(srv)
	}
}

// stopIfDue asks the server again to stop a run, and judges how long that has
// been going on.
func (t *turn) stopIfDue(o *openRun) {
	if o.rec.Stop == nil {
		return
	}
	srv := t.State.servers[o.rec.Server]
	if srv == nil {
		return
	}
	ready := o.rec.PromptID != "" || o.started.Known()
	if ready && !o.stopping && !o.submitting && !o.checking && srv.err == nil && t.now.Mono >= o.stopNext.Mono {
		t.askStop(o)
	}
	t.stopUnconfirmedIfDue(o, srv)
}

func (t *turn) askStop(o *openRun) {
	o.stopping = true
	o.stopTries++
	wait := stopAgain
	if o.stopTries > stopHurried {
		wait = stopAgainLater
	}
	o.stopNext = t.now.Add(wait)
	id := o.rec.PromptID
	if id == "" {
		id = string(o.rec.ID)
	}
	t.act(StopRun{
		Server: o.rec.Server, Run: o.rec.ID, PromptID: id, Running: o.running || o.started.Known(),
		OnlyWaiting: o.rec.Stop.Why.OnlyWaiting(),
	})
}

// stopSent takes in that a server answered a request to stop, or did not. An
// answer says only that the request arrived: servers say yes to everything.
func (t *turn) stopSent(e StopSent) {
	o := t.open[e.Run]
	if o == nil || !o.stopping {
		return
	}
	o.stopping = false
	if o.rec.Stop == nil {
		return // it has started meanwhile, and is left alone
	}
	srv := t.State.servers[o.rec.Server]
	if e.Err != nil {
		if srv != nil && e.Err.Code != job.ErrUnsupported {
			srv.failed(e.Err, t.now)
		}
		return
	}
	r := t.editRun(o)
	stop := *r.Stop
	first := len(stop.Sent) == 0
	stop.Sent = append(slices.Clip(stop.Sent), t.now.Wall)
	r.Stop = &stop
	if first {
		t.story(r, job.StoryToldToStop, job.Args{Server: srv.name()})
	}
	t.say(job.Event{Kind: job.EventInterrupt, Run: r, AfterS: t.sinceStop(r)})
	if srv != nil {
		t.lookSoon(srv)
	}
}

func (t *turn) sinceStop(r *job.Run) float64 {
	return max(0, t.now.Wall.Sub(r.Stop.At).Seconds())
}

// stopUnconfirmedIfDue says that a stop is not confirmed when it takes longer
// than it may, and asks the user when the server lists the run and shows no
// progress (rule 4, c). While it shows progress the stop waits without asking
// (b); while it does not answer, looking goes on (d).
func (t *turn) stopUnconfirmedIfDue(o *openRun, srv *server) {
	if o.excused || t.sinceStop(o.rec) < t.stopWaitOf(o).Seconds() {
		return
	}
	if t.now.Since(o.lastSign) <= signFor && o.lastSign.Wall.After(o.rec.Stop.At) {
		return
	}
	if o.rec.Stop.Unconfirmed.IsZero() {
		r := t.editRun(o)
		stop := *r.Stop
		stop.Unconfirmed = t.now.Wall
		r.Stop = &stop
		t.story(r, job.StoryUnconfirmed, job.Args{Server: srv.name(), Seconds: t.sinceStop(r)})
		t.say(job.Event{Kind: job.EventUnconfirmed, Run: r, AfterS: t.sinceStop(r)})
		t.urgent = true
	}
	if srv.err == nil && o.listed && t.now.Mono >= o.askNext.Mono {
		t.ask(o, srv)
	}
}

// stopWaitOf is how long a run's stop may take before it counts as unconfirmed.
func (t *turn) stopWaitOf(o *openRun) time.Duration {
	switch {
	case t.opts.StopWait > 0:
		return t.opts.StopWait
	case t.State.settings.StopWait > 0:
		return t.State.settings.StopWait
	}
	if longest := max(o.silence, t.pastSilence(t.jobs[o.rec.Job].Type.Key)); longest > 0 {
		return max(stopWaitKnown, silences*longest)
	}
	return stopWait
}
