package core

import (
	"slices"
	"time"

	"reckoner/scheduler/estimate"
	"reckoner/scheduler/job"
)

// lookAhead is how many jobs may wait for a better server that is still taken.
// Behind so many, a free server is not kept idle for another one.
const lookAhead = 100

// replanEvery is how often jobs that wait for a better server are placed again
// while nothing else happens.
const replanEvery = time.Second

// dispatch sends waiting jobs, in their order, each to the server on which it is
// expected to end first. A job whose best server is still taken by a run of ours
// waits for it and lets later jobs have the free ones. A run is written down
// before it is sent: its record is part of this step's write, which the engine
// syncs before it makes the submission.
func (t *turn) dispatch() {
	if at, ok := t.replanAt.Get(); ok && t.now.Mono >= at.Mono || t.notes.testing > 0 {
		t.replan = true
	}
	if !t.replan || t.leaving || t.waiting.n == 0 || t.free.first() == nil || len(t.holdsOnAll(t.now)) > 0 {
		return
	}
	t.replan, t.replanAt = false, job.Maybe[job.Instant]{}
	p := t.dispatchPlan(t.now)
	heads := t.heads()
	for looked := 0; t.free.first() != nil; {
		h := foremost(heads)
		if h == nil {
			break
		}
		j := t.jobs[h.next.id]
		h.next = h.group.after(h.next.spotInLine)
		srv, some := t.choose(j, p, looked < lookAhead)
		switch {
		case srv != nil:
			if warm, passes := t.together(j, srv); len(passes) > 0 {
				t.pass(warm, srv, passes)
				heads = t.heads() // it may be among them
				continue
			}
			t.start(j.ID, srv)
		case some:
			looked++
			t.replanAt = job.Known(t.now.Add(replanEvery))
		default:
			h.next = nil // no free server is left for its group
		}
	}
	for _, srv := range p.reserved {
		t.refresh(srv)
	}
	t.replan = false
}

// head is the next job of a group.
type head struct {
	group *group
	next  *link
}

// heads gives the groups that may have a free server.
func (t *turn) heads() []*head {
	heads := make([]*head, 0, len(t.waiting.anywhere))
	for _, g := range t.waiting.anywhere {
		if !g.unconverted {
			heads = append(heads, &head{g, g.first()})
		}
	}
	if len(t.waiting.bound) == 0 {
		return heads
	}
	seen := map[*group]bool{}
	for _, free := range t.free.spots {
		for _, g := range t.waiting.bound[free.of.rec.ID] {
			if !seen[g] && !g.unconverted {
				seen[g] = true
				heads = append(heads, &head{g, g.first()})
			}
		}
	}
	return heads
}

// foremost gives the head whose job comes first, or nil.
func foremost(heads []*head) *head {
	var best *head
	for _, h := range heads {
		if h.next != nil && (best == nil || h.next.before(best.next.spotInLine)) {
			best = h
		}
	}
	return best
}

// choose gives the free server that a job goes to now. It is nil when the job
// waits: for a better one that is taken, which the plan then reserves, or since
// no free one is for it, and then some is false. A job that may not wait takes
// the best of the free ones.
func (t *turn) choose(j *job.Job, p *plan, mayWait bool) (srv *server, some bool) {
	if _, failing := t.batchHold(j); failing {
		return nil, false
	}
	anywhere := len(j.Servers) == 0 && !j.SendAnyway && !t.apart(j) && t.notes.testing == 0
	if !anywhere {
		return t.chooseAmong(j, p, mayWait)
	}
	for _, f := range t.fleets.list {
		for first := f.servers.first(); first != nil && first.at == freeNow; first = f.servers.first() {
			if first.of.fresh(t.now) {
				some = true
				break
			}
			t.refresh(first.of) // its queue has become too old meanwhile
		}
	}
	if !some {
		return nil, false
	}
	best, ends := p.bestOfAll(j)
	if !mayWait && best.isFree.pos == 0 {
		best, ends = p.best(j, func(srv *server) bool { return srv.isFree.pos > 0 })
	}
	return t.takeOrReserve(best, ends, p), true
}

// chooseAmong is choose for a job that may not go just anywhere.
func (t *turn) chooseAmong(j *job.Job, p *plan, mayWait bool) (srv *server, some bool) {
	goes := func(srv *server) bool {
		return srv.isFree.pos > 0 && srv.fresh(t.now) && t.goesTo(j, srv)
	}
	some = slices.ContainsFunc(t.serversFor(j), goes)
	if !some {
		return nil, false
	}
	best, ends := p.best(j, func(srv *server) bool {
		if srv.run != "" {
			return mayWait && t.allows(j, srv) && srv.signs[signOf(j)] == "" && len(t.holdsAlike(j, srv, t.now)) == 0
		}
		return goes(srv)
	})
	return t.takeOrReserve(best, ends, p), true
}

// signOf tells which of a server's holds hold a job.
func signOf(j *job.Job) int {
	if j.SendAnyway {
		return 1
	}
	return 0
}

// takeOrReserve gives a job's best server when it is free; else it is reserved.
func (t *turn) takeOrReserve(best *server, ends span, p *plan) *server {
	if best == nil {
		return nil
	}
	if best.isFree.pos > 0 {
		return best
	}
	p.reserve(best, ends)
	return nil
}

// goesTo tells whether a job may be sent to a free server now.
func (t *turn) goesTo(j *job.Job, srv *server) bool {
	return t.allows(j, srv) && srv.signs[signOf(j)] == "" && len(t.holdsAlike(j, srv, t.now)) == 0 &&
		!t.awaitsTrial(j, srv) && !t.keptForTest(j, srv, t.now)
}

// start makes the next run of a job on a server, and sends it.
func (t *turn) start(id job.ID, srv *server) {
	why, chosen := t.reasonFor(t.jobs[id], srv)
	o := t.intend(id, srv)
	if chosen {
		t.story(o.rec, why.Code, why.Args)
	}
	srv.run = o.rec.ID
	t.setTrial(o, t.isTrial(t.jobs[id], srv))
	t.send(o)
	t.refresh(srv)
}

// intend writes down the next run of a job on a server.
func (t *turn) intend(id job.ID, srv *server) *openRun {
	j := t.editJob(id)
	j.Attempt++
	j.State = job.JobRunning
	r := &job.Run{
		ID: job.RunID(j.ID, j.Attempt), Job: j.ID, Attempt: j.Attempt,
		Server: srv.rec.ID, URL: srv.rec.URL, GPU: t.gpuKey(srv), TypeKey: j.Type.Key,
		ClientID: srv.rec.ClientID, State: job.RunIntended, Intended: t.now.Wall,
	}
	r.Forecast = t.forecast(j.Type, srv)
	r.LimitS = t.limitOf(j.Limit, r.Forecast)
	t.story(r, job.StoryIntended, job.Args{Server: srv.rec.Name})
	o := &openRun{rec: r, sent: t.now, lastSign: t.now, nextTold: t.now}
	t.dequeue(id)
	t.open[r.ID] = o
	srv.site.join(o)
	t.newest[j.ID] = r
	t.writeRun(r)
	return o
}

// sendsAtMost is how often a run is sent that never arrives although its server
// answers everything else: by then it is the workflow that the server cannot
// take.
const sendsAtMost = 3

// send asks for the submission of a run that no server is known to have.
func (t *turn) send(o *openRun) {
	j := t.editJob(o.rec.Job) // written with the run: it says which attempt is the newest
	r := t.editRun(o)
	r.Sent = t.now.Wall
	o.submitting, o.checking, o.absences = true, false, 0
	o.sent = t.now
	o.sends++
	t.State.serial++
	o.serial = t.State.serial
	t.urgent = true
	t.act(Submit{
		Serial: o.serial,
		Server: r.Server, Run: r, File: j.File, Graph: j.Graph, Workflow: j.Workflow, Inputs: j.Inputs,
	})
}

// limitOf is a job's time limit in seconds, 0 for none: its own, else that of the
// settings, else what past runs say.
func (s *State) limitOf(l job.Limit, f job.Forecast) float64 {
	switch s.limitIn(l).Kind {
	case job.LimitOff:
		return 0
	case job.LimitSet:
		return s.limitIn(l).For.Seconds()
	case job.LimitDefault:
	}
	return estimate.DefaultLimit(f).Seconds()
}

// limitIn is the limit that holds for a job.
func (s *State) limitIn(l job.Limit) job.Limit {
	if l.Kind == job.LimitDefault && s.settings.Limit.Kind != "" {
		return s.settings.Limit
	}
	return l
}

// submitted takes in a server's answer to a submission.
func (t *turn) submitted(e Submitted) {
	o := t.open[e.Run]
	if o == nil || !o.submitting || e.Serial != o.serial {
		return // it answers an earlier submission
	}
	o.submitting = false
	srv := t.State.servers[o.rec.Server]
	if e.Err == nil {
		if srv != nil {
			srv.counted(e.Receipt.Number, o.sent)
			srv.send = refusals{}
		}
		for _, args := range e.Renamed {
			args.Server = srv.name()
			t.story(t.editRun(o), job.StoryRenamed, args)
		}
		t.accepted(o, e.Receipt.PromptID, job.StorySubmitted)
		if len(e.Receipt.Faults) > 0 {
			err := job.Errorf(job.ErrPartial, job.Args{Server: srv.name()}, nil)
			err.Faults = e.Receipt.Faults
			t.editRun(o).Err = err
		}
		return
	}
	switch e.Err.Code {
	case job.ErrMissingNode, job.ErrMissingModel:
		if !t.refusedFor(o, srv, e.Err) {
			t.neverRan(o, e.Err)
		}
	case job.ErrRefused, job.ErrTooLarge, job.ErrUnsupported, job.ErrNotFound,
		job.ErrNotWorkflow:
		t.neverRan(o, e.Err)
	case job.ErrMissingInput:
		// Nothing was sent, and no other server has it either.
		id := o.rec.Job
		t.unsendOne(o)
		if t.jobs[id].State == job.JobWaiting {
			t.endJob(id, job.JobNeedsYou, e.Err)
		}
		t.sendHanded(srv)
	case job.ErrUnreachable, job.ErrLogin, job.ErrOrigin, job.ErrTLS, job.ErrHostKey, job.ErrHostKeyChanged,
		job.ErrKeyring:
		// Nothing was taken: the job goes back to its place, and the server is
		// asked again before anything is sent to it.
		t.unsend(o)
		if srv != nil {
			srv.send.refuse(e.Err, t.now)
			srv.failed(e.Err, t.now)
		}
	default:
		// It may have been taken. Look for it before anything is sent again.
		o.sendErr = e.Err
		t.check(o)
	}
}

// neverRan ends a run that its server did not take, and its job with it.
func (t *turn) neverRan(o *openRun, err *job.Error) {
	r := t.editRun(o)
	r.Outcome, r.Err = job.RunFailed, err
	t.story(r, job.StoryFailed, job.Args{Server: t.State.servers[r.Server].name(), Detail: err.Code})
	t.closeRun(o)
	t.sayEnded(r)
	t.endJobOf(r, job.JobFailed, err)
	t.sendHanded(t.State.servers[r.Server])
}

// unsend takes back a run that was certainly not taken by a server, and what was
// to be handed over to that server after it.
func (t *turn) unsend(o *openRun) {
	t.unsendOne(o)
	t.keepHere(t.State.servers[o.rec.Server])
}

// unsendOne takes back one run. Its record stays behind, with an attempt that its
// job does not count: the next run of the job has the same id and replaces it.
func (t *turn) unsendOne(o *openRun) {
	stop := o.rec.Stop
	t.closeRun(o)
	delete(t.runsOut, o.rec.ID)
	j := t.editJob(o.rec.Job)
	j.Attempt--
	delete(t.newest, j.ID)
	t.urgent = true
	if stop != nil {
		t.endJob(j.ID, job.JobCancelled, nil)
		return
	}
	j.State = job.JobWaiting
	t.enqueue(j)
}

// accepted notes that a server has a run, under the id that it uses.
func (t *turn) accepted(o *openRun, promptID, how string) {
	o.checking, o.absences = false, 0
	if o.rec.State != job.RunIntended && (promptID == "" || promptID == o.rec.PromptID) {
		return // nothing new: every look at a queue says it again
	}
	r := t.editRun(o)
	if promptID != "" {
		r.PromptID = promptID
	}
	if r.State != job.RunIntended {
		return
	}
	r.State = job.RunSubmitted
	r.Submitted = t.now.Wall
	t.story(r, how, job.Args{Server: t.State.servers[r.Server].name()})
	t.say(job.Event{Kind: job.EventSubmitted, Run: r})
	t.handedOver(o)
	if srv := t.State.servers[r.Server]; srv != nil && len(srv.handed) > 0 {
		t.sendHanded(srv)
	}
}

// check begins to look for a run of which it is not known whether its server
// has it.
func (t *turn) check(o *openRun) {
	o.checking, o.absences = true, 0
	if srv := t.State.servers[o.rec.Server]; srv != nil {
		t.look(srv)
	}
}

// name is a server's name, also of one that is no longer there.
func (srv *server) name() string {
	if srv == nil {
		return ""
	}
	return srv.rec.Name
}
