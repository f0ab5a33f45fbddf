package core

import (
	"slices"
	"time"

	"reckoner/scheduler/job"
)

// recordPauses are between asking for the record of a run that a message said is
// over: history is written a moment after (comfyui-protocol, 2.4).
var recordPauses = [...]time.Duration{
	0, 200 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second, 5 * time.Second,
}

const (
	// absencePause is between two looks that find a run neither on the queue nor
	// in the history; absencesEnough of them mean that it is gone (rule 4).
	absencePause   = 5 * time.Second
	absencesEnough = 3
	progressEvery  = time.Second // of real time
)

// heard takes in a hint from a server's websocket. Nothing ends by a hint alone:
// it only says when to look.
func (t *turn) heard(e Heard) {
	srv := t.State.servers[e.Server]
	if srv == nil {
		return
	}
	n := e.News
	switch n.Kind {
	case job.NewsUp:
		if !srv.live {
			srv.live, srv.liveSince = true, t.now
		}
		t.lookSoon(srv)
		return
	case job.NewsDown:
		srv.live = false
		t.lookSoon(srv)
		return
	case job.NewsStatus:
		t.lookSoon(srv)
		return
	default:
		// It is about a prompt.
	}
	for _, o := range srv.runs() {
		if t.about(n, o) {
			t.hint(o, srv, n)
			return
		}
	}
}

// hint takes in what a websocket said about our run.
func (t *turn) hint(o *openRun, srv *server, n job.News) {
	if o.checking || o.rec.State == job.RunIntended {
		t.accepted(o, n.PromptID, job.StorySubmitted)
	}
	switch n.Kind {
	case job.NewsStarted:
		o.sign(t.now)
		if !o.started.Known() {
			t.started(o)
		}
	case job.NewsCached:
		o.sign(t.now)
		o.sampling.skip(n.Nodes)
	case job.NewsPreview, job.NewsImage:
		o.sign(t.now)
		o.frames++
	case job.NewsNode:
		o.sign(t.now)
		if !o.started.Known() {
			t.started(o)
		}
	case job.NewsStep:
		t.stepped(o, n)
	case job.NewsEnding, job.NewsEnded:
		t.witness(o, job.SawTerminal)
		if n.Outcome != "" {
			o.heardEnd = n.Outcome
		}
		o.asks = 0
		if o.rec.Stop != nil {
			// The queue is read first, as a witness that it left its slot; what
			// that says leads on to the record.
			t.look(srv)
			return
		}
		t.askRecord(o)
	case job.NewsUp, job.NewsDown, job.NewsStatus, job.NewsReadings:
		// It is about the server.
	}
}

// about tells whether news is about a run: by the server's id, or by the id we
// asked for while its own is not known.
func (t *turn) about(n job.News, o *openRun) bool {
	if n.PromptID == "" {
		return false
	}
	return n.PromptID == o.rec.PromptID || n.PromptID == string(o.rec.ID)
}

// lookSoon looks at a server's queue as soon as the last look is a second old.
func (t *turn) lookSoon(srv *server) {
	t.touch(srv.site)
	if srv.err != nil {
		srv.lookAt = t.now
		return
	}
	soon := t.now
	if at, ok := srv.queueAt.Get(); ok {
		soon = at.Add(lookAtMost)
	}
	if soon.Mono < srv.lookAt.Mono {
		srv.lookAt = soon
	}
	if srv.looking {
		srv.lookAgain = true
	}
}

// started notes that the server started a run: the clock of its limit and of its
// bar begins, and the forecast is frozen.
func (t *turn) started(o *openRun) {
	r := t.editRun(o)
	srv := t.State.servers[r.Server]
	o.started = job.Known(t.now)
	o.lastSign, o.nextTold = t.now, t.now
	if r.State == job.RunIntended {
		t.accepted(o, r.PromptID, job.StorySubmitted)
	}
	t.startedYet(r)
	r.State = job.RunStarted
	r.Started = t.now.Wall
	r.GPU = t.gpuKey(srv)
	srv.loads(t.jobs[r.Job].Type.Models)
	known := t.State.said(t.jobs[r.Job].Type, srv)
	o.said, r.Forecast = known.estimate, known.forecast
	if !r.Extended {
		r.LimitS = t.limitOf(t.jobs[r.Job].Limit, r.Forecast)
	}
	t.story(r, job.StoryStarted, job.Args{Server: srv.name()})
	t.say(job.Event{Kind: job.EventStarted, Run: r})
	for other := range t.neighbours(srv) {
		if other.foreign.ahead > 0 && other.answers() {
			t.noteForeign(o, other, 0)
		}
		if other != srv {
			t.lookSoon(other)
		}
	}
}

// elapsed is how long a run has been going since the server started it.
func (o *openRun) elapsed(now job.Instant) float64 {
	started, ok := o.started.Get()
	if !ok {
		return 0
	}
	return max(0, now.Since(started).Seconds())
}

// runIfDue carries out what the time has come for in an open run.
func (t *turn) runIfDue(o *openRun) {
	if at, ok := o.askAt.Get(); ok && t.now.Mono >= at.Mono && !o.asking {
		t.askRecord(o)
	}
	t.limitIfDue(o)
	t.queuedIfDue(o)
	t.stopIfDue(o)
	if o.started.Known() {
		t.progress(o)
	}
}

// progress tells how far a run is, once a second of real time, and notes when
// it becomes longer than all past runs.
func (t *turn) progress(o *openRun) {
	elapsed := o.elapsed(t.now)
	bar := o.progressBar(t.now)
	if bar.Kind == job.BarOver {
		t.longRun(o, bar)
	}
	if t.now.Mono < o.nextTold.Mono {
		return
	}
	o.nextTold = t.now.Add(time.Duration(float64(progressEvery) * t.opts.Speed))
	t.say(job.Event{Kind: job.EventProgress, Run: o.rec, Bar: bar, ElapsedS: elapsed, Step: o.step})
}

// longRun notes, once each, when a run becomes longer than all past ones, and
// when something must be slowing or holding it.
func (t *turn) longRun(o *openRun, bar job.Bar) {
	code, args := job.StoryLonger, job.Args{Count: o.rec.Forecast.N}
	if bar.Caption.Code == job.CaptionAlarm {
		code, args = job.StoryAlarm, bar.Caption.Args
	}
	if o.longTold == code {
		return
	}
	o.longTold = code
	if !slices.ContainsFunc(o.rec.Story, func(h job.Happening) bool { return h.Code == code }) {
		t.story(t.editRun(o), code, args)
	}
}

// askRecord asks for a run's entry in its server's history.
func (t *turn) askRecord(o *openRun) {
	if o.asking || t.now.Mono < o.askNot.Mono {
		return
	}
	o.asking = true
	o.askAt = job.Maybe[job.Instant]{}
	t.act(LookAtRecord{Server: o.rec.Server, Run: o.rec.ID, PromptID: o.rec.PromptID})
}

// recordSeen takes in a run's entry in a history, or that there is none.
func (t *turn) recordSeen(e RecordSeen) {
	o := t.open[e.Run]
	if o == nil || !o.asking {
		return
	}
	o.asking = false
	srv := t.State.servers[e.Server]
	switch {
	case e.Err != nil:
		o.asks, o.absences = 0, 0
		o.askNot = t.now.Add(min(firstRetry<<min(o.askFails, 6), lastRetry))
		o.askFails++
		if srv != nil {
			srv.failed(e.Err, t.now)
			t.tellTrouble(srv, e.Err)
		}
	case e.Found:
		t.endRun(o, e.Record)
	default:
		o.askFails = 0
		t.noRecord(o, srv)
	}
}

// noRecord decides what it means that a history has no entry: not yet, while the
// queue lists the run or a message has just said that it is over; gone, after
// three rounds through queue and history.
func (t *turn) noRecord(o *openRun, srv *server) {
	if o.listed || srv == nil {
		return
	}
	queueFirst := o.unlisted
	o.unlisted = false
	if o.saidOver() && o.asks < len(recordPauses) {
		o.askAt = job.Known(t.now.Add(recordPauses[o.asks]))
		o.asks++
		return
	}
	if !queueFirst {
		srv.lookAt = t.now.Add(absencePause)
		t.touch(t.site(srv.rec.Machine))
		return
	}
	// One more look ends each round. Where an address leads to several servers in
	// turn, rounds of three requests do not ask the same one each time.
	o.absences++
	o.confirming = true
	t.look(srv)
}

// stillAbsent takes in that the look at the end of a round lacks a run too.
func (t *turn) stillAbsent(o *openRun, srv *server) {
	o.confirming = false
	if o.absences < absencesEnough {
		srv.lookAt = t.now.Add(absencePause)
		return
	}
	if o.rec.State == job.RunIntended {
		// It was written down, and no sign of it was ever seen: it did not arrive.
		switch {
		case o.rec.Stop != nil, o.rec.Handed:
			t.unsend(o)
		case o.sends >= sendsAtMost && o.sendErr != nil:
			t.neverRan(o, o.sendErr)
		default:
			t.send(o)
		}
		return
	}
	t.gone(o)
}

// saidOver tells whether a message has said that the run is over.
func (o *openRun) saidOver() bool {
	return slices.ContainsFunc(o.rec.Witnesses, func(w job.Witness) bool { return w.Kind == job.SawTerminal })
}

// witness notes, once, what showed that a run ended.
func (t *turn) witness(o *openRun, kind job.WitnessKind) {
	for _, w := range o.rec.Witnesses {
		if w.Kind == kind {
			return
		}
	}
	r := t.editRun(o)
	r.Witnesses = append(slices.Clip(r.Witnesses), job.Witness{Kind: kind, At: t.now.Wall})
}
