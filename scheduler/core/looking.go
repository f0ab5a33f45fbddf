package core

import (
	"time"

	"reckoner/scheduler/job"
)

// look asks for a server's queue now, or as soon as the look under way is over:
// what that one sees may be older than the reason to look.
func (t *turn) look(srv *server) {
	t.touch(srv.site)
	if srv.looking {
		srv.lookAgain = true
		return
	}
	srv.looking = true
	t.act(LookAtQueue{Server: srv.rec.ID})
}

// lookIfDue asks for what it is time to ask of a server.
func (t *turn) lookIfDue(srv *server) {
	if !srv.probing && t.now.Mono >= srv.probeAt.Mono {
		srv.probing = true
		t.act(Probe{Server: srv.rec.ID})
	}
	if !srv.looking && t.now.Mono >= srv.lookAt.Mono {
		t.look(srv)
	}
}

// pauseBetweenLooks is how long after a look at a server the next one is due.
func (t *turn) pauseBetweenLooks(srv *server) time.Duration {
	if o := t.open[srv.run]; o != nil {
		return t.pauseInRun(srv, o)
	}
	for other := range t.neighbours(srv) {
		if other.run != "" {
			return lookWatching
		}
	}
	if t.waiting.n > 0 {
		return lookWatching
	}
	return lookIdle
}

// pauseInRun is that pause while a run of ours is open on the server.
func (s *State) pauseInRun(srv *server, o *openRun) time.Duration {
	switch {
	case o.rec.Stop != nil:
		return lookStopping
	case !srv.live || o.checking || o.recovered:
		return lookDeaf
	}
	return lookWatching
}

// probed takes in what a server says about itself.
func (t *turn) probed(e Probed) {
	srv := t.State.servers[e.Server]
	if srv == nil {
		return
	}
	if !srv.probing {
		return
	}
	srv.probing = false
	srv.probeAt = t.now.Add(probeAgain)
	if e.Err != nil {
		if srv.info.Known() {
			return // its queue tells whether it is there
		}
		srv.probeAt = t.now.Add(min(firstRetry<<min(srv.fails, 6), lastRetry))
		if !srv.seen.Known() {
			srv.failed(e.Err, t.now)
		}
		return
	}
	srv.info = job.Known(e.Info)
}

// queueSeen takes in a server's queue: who is on it, and what that says of our
// run there. A queue is always read before a history: a prompt goes from one to
// the other in one piece, so absent from both, in that order, is gone.
func (t *turn) queueSeen(e QueueSeen) {
	srv := t.State.servers[e.Server]
	if srv == nil {
		return
	}
	if !srv.looking {
		return // it answers an earlier look
	}
	srv.looking = false
	if e.Err != nil {
		srv.failed(e.Err, t.now)
		srv.lookAgain = false
		t.tellTrouble(srv, e.Err)
		return
	}
	before := srv.queueAt
	if !srv.answers() {
		t.lookAgainOn(srv)
	}
	srv.answered(t.now)
	t.tellBack(srv)
	srv.queue, srv.queueAt = e.Queue, job.Known(t.now)
	srv.lookAt = t.now.Add(t.pauseBetweenLooks(srv))
	t.watch(srv, before)
	t.seeForeign(srv)
	srv.strays = t.straysOn(srv)
	for _, o := range srv.runs() {
		if !o.submitting && (o.sends > 0 || o.recovered) {
			t.matchQueue(o, srv)
		}
	}
	if srv.lookAgain {
		srv.lookAgain = false
		srv.lookAt = t.now.Add(lookAtMost)
	}
}

// straysOn counts the prompts of this data folder on a server that are none of
// its open runs.
func (t *turn) straysOn(srv *server) int {
	n := 0
	for _, list := range [][]job.Prompt{srv.queue.Running, srv.queue.Pending} {
		for _, p := range list {
			if p.Tag.App == string(t.opts.App) && t.open[p.Tag.Run] == nil {
				n++
			}
		}
	}
	return n
}

// watch notes on the runs of a GPU how long one of its servers was not read.
func (t *turn) watch(srv *server, before job.Maybe[job.Instant]) {
	last, ok := before.Get()
	for _, o := range srv.site.runs {
		on := t.State.servers[o.rec.Server]
		if on == nil || !o.started.Known() || !t.sharesGPU(on, srv) {
			continue
		}
		started, _ := o.started.Get()
		from := started
		if ok && last.Mono > started.Mono {
			from = last
		}
		if t.now.Since(from) > seenEvery {
			t.editRun(o).Gaps++
		}
	}
}

// matchQueue holds our open run against its server's queue.
func (t *turn) matchQueue(o *openRun, srv *server) {
	running, listed := false, false
	for _, p := range srv.queue.Running {
		if t.isRun(p, o.rec) {
			running, listed = true, true
			t.accepted(o, p.ID, job.StoryFound)
		}
	}
	for _, p := range srv.queue.Pending {
		if t.isRun(p, o.rec) {
			listed = true
			t.accepted(o, p.ID, job.StoryFound)
		}
	}
	wasRunning := o.running
	o.running, o.listed = running, listed
	switch {
	case running:
		o.absences, o.confirming = 0, false
		if !o.started.Known() {
			t.started(o)
		}
	case listed:
		o.absences, o.confirming = 0, false
	case o.confirming:
		t.stillAbsent(o, srv)
	default:
		if o.rec.Stop != nil && (wasRunning || o.started.Known()) {
			t.witness(o, job.SawLeaveSlot)
		}
		o.unlisted = true
		t.askRecord(o)
	}
}

// isRun tells whether a prompt on a queue is a run of ours: by tag, or by the id
// that we asked for or were given.
func (s *State) isRun(p job.Prompt, r *job.Run) bool {
	if p.Tag.Run != "" {
		return p.Tag.Run == r.ID
	}
	return p.ID == string(r.ID) || r.PromptID != "" && p.ID == r.PromptID
}

// tellTrouble tells that a server with an open run of ours does not answer, once
// for each reason.
func (t *turn) tellTrouble(srv *server, err *job.Error) {
	o := t.open[srv.run]
	if o == nil || srv.told == err.Code {
		return
	}
	srv.told = err.Code
	t.say(job.Event{Kind: job.EventTrouble, Run: o.rec, Err: err})
}

// tellBack tells that a server answers again which was told not to.
func (t *turn) tellBack(srv *server) {
	if srv.told == "" {
		return
	}
	srv.told = ""
	if o := t.open[srv.run]; o != nil {
		t.say(job.Event{Kind: job.EventTroubleOver, Run: o.rec})
	}
}
