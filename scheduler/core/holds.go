package core

import (
	"slices"
	"strings"
	"time"

	"reckoner/scheduler/job"
)

// diskLow is the free space under which nothing is sent: results must have
// room to arrive.
const diskLow = 1 << 30 // bytes

// holdsOn gives every reason why a job cannot go to a server now, apart from an
// ordinary run of ours that is going on there: that is a turn to wait for, not
// a hold. What is unknown never holds, except whether the server is there at
// all.
func (s *State) holdsOn(srv *server, anyway bool, now job.Instant) []job.Hold {
	var holds []job.Hold
	add := func(code job.HoldCode, since job.Instant, what string, args job.Args) {
		if args.Server == "" {
			args.Server = srv.rec.Name
		}
		holds = append(holds, job.Hold{
			Code: code, Server: srv.rec.ID, Since: since.Wall, Say: job.Say{Code: what, Args: args},
		})
	}
	m := s.machine(srv.rec.Machine)
	if m != nil && m.rec.Paused {
		since := s.mark(srv, job.HoldMachinePaused, now)
		add(job.HoldMachinePaused, since, job.SayMachinePaused, job.Args{Machine: m.rec.Name})
	} else if delete(srv.since, job.HoldMachinePaused); m != nil {
		if until, on := m.trippedUntil(now); on {
			since, _ := m.tripped.Get()
			add(job.HoldMachinePaused, since, job.SayTripped, job.Args{Machine: m.rec.Name, Count: m.lost, At: until.Wall})
		}
	}
	switch {
	case srv.send.err != nil && now.Mono < srv.send.after.Mono:
		add(job.HoldUnreachable, srv.send.since, job.SayUnreachable, job.Args{Detail: srv.send.err.Code})
	case srv.err != nil:
		add(job.HoldUnreachable, srv.errAt, job.SayUnreachable, job.Args{Detail: srv.err.Code})
	case !srv.seen.Known():
		add(job.HoldUnreachable, srv.errAt, job.SayNotProbed, job.Args{})
	}
	if o := s.open[srv.run]; o != nil && o.rec.Stop != nil {
		name := s.jobName(o.rec.Job)
		stop := job.Instant{Wall: o.rec.Stop.At}
		switch {
		case srv.outOfUse:
			add(job.HoldOutOfUse, stop, job.SayOutOfUse, job.Args{Job: name})
		case !o.rec.Stop.Unconfirmed.IsZero():
			add(job.HoldUnconfirmed, job.Instant{Wall: o.rec.Stop.Unconfirmed}, job.SayUnconfirmed, job.Args{Job: name})
		default:
			add(job.HoldRunOpen, stop, job.SayStopping, job.Args{Job: name})
		}
	} else if o != nil && o.checking && o.recovered {
		add(job.HoldRunOpen, o.sent, job.SayRunOpen, job.Args{Job: s.jobName(o.rec.Job)})
	}
	holds = append(holds, s.faultHolds(srv, m, now)...)
	if srv.strays > 0 {
		add(job.HoldRunOpen, s.mark(srv, job.HoldRunOpen, now), job.SayStray, job.Args{Count: srv.strays})
	} else {
		delete(srv.since, job.HoldRunOpen)
	}
	if !anyway {
		holds = append(holds, s.foreignHolds(srv, now)...)
		if h, busy := s.busyHold(srv, now); busy && len(holds) == 0 {
			holds = append(holds, h)
		}
	}
	return slices.DeleteFunc(holds, func(h job.Hold) bool { return m.ignores(h.Code, now) })
}

// foreignHolds are the holds for other people's prompts on a server's GPU. They
// are bounded by how long they alone have kept a job from the server: the time
// in which a run of ours was there does not count.
func (s *State) foreignHolds(srv *server, now job.Instant) []job.Hold {
	var holds []job.Hold
	for other := range s.neighbours(srv) {
		if !other.answers() || !other.foreign.busy(now) {
			delete(other.since, job.HoldForeign)
			continue
		}
		since := s.mark(other, job.HoldForeign, now)
		code := job.SayForeign
		if other != srv {
			code = job.SayForeignGPU
		}
		work := other.foreign.work(now)
		holds = append(holds, job.Hold{
			Code: job.HoldForeign, Server: other.rec.ID, Since: since.Wall,
			Say: job.Say{Code: code, Args: job.Args{
				Server: other.rec.Name, Count: work.Ahead, Of: work.Prompts, Seconds: work.EveryS.Or(0),
			}},
		})
	}
	holds = append(holds, s.programHolds(srv, now)...)
	if m := s.machine(srv.rec.Machine); m != nil && m.rec.Others == job.OthersBehind {
		return nil
	}
	switch {
	case len(holds) == 0, srv.run != "":
		srv.behind, srv.enough = job.Maybe[job.Instant]{}, false
	case !srv.behind.Known():
		srv.behind = job.Known(now)
	default:
		at, _ := srv.behind.Get()
		if srv.enough = now.Since(at) > s.patienceFor(srv); srv.enough {
			return nil
		}
	}
	return holds
}

// patienceFor is for how long other people's work may hold jobs from a server.
func (s *State) patienceFor(srv *server) time.Duration {
	if m := s.machine(srv.rec.Machine); m != nil && m.rec.OthersFor > 0 {
		return m.rec.OthersFor
	}
	return holdForeignFor
}

// mark remembers since when a reason holds.
func (s *State) mark(srv *server, code job.HoldCode, now job.Instant) job.Instant {
	since, ok := srv.since[code]
	if !ok {
		since = now
		srv.since[code] = now
	}
	return since
}

// holdsOnAll gives the reasons that hold every job, wherever it may run.
func (s *State) holdsOnAll(now job.Instant) []job.Hold {
	var holds []job.Hold
	reason := func(on bool, code job.HoldCode, say job.Say) {
		if !on {
			delete(s.since, code)
			return
		}
		if _, ok := s.since[code]; !ok {
			s.since[code] = now
		}
		holds = append(holds, job.Hold{Code: code, Since: s.since[code].Wall, Say: say})
	}
	reason(s.settings.Paused, job.HoldQueuePaused, job.Say{Code: job.SayQueuePaused})
	unwritable := job.Say{Code: job.SayUnwritable}
	if s.unwritable != nil {
		unwritable.Args.Detail = s.unwritable.Error()
	}
	reason(s.unwritable != nil, job.HoldUnwritable, unwritable)
	free, known := s.host.DiskFree.Get()
	low := job.Say{Code: job.SayDiskLow, Args: job.Args{Bytes: free}}
	trouble := s.fetchTrouble()
	if trouble != nil {
		low = job.Say{Code: job.SayNoRoom, Args: job.Args{Detail: trouble.Args.Detail, File: trouble.Args.File}}
	}
	reason(trouble != nil || known && free < diskLow, job.HoldDiskLow, low)
	return holds
}

// holdsOf gives the reasons why a waiting job is held, all of them, or none when
// at least one of its servers would take it now or after our own run there.
func (s *State) holdsOf(j *job.Job, now job.Instant) []job.Hold {
	holds := s.holdsOnAll(now)
	if h, on := s.batchHold(j); on {
		holds = append(holds, h)
	}
	if h, on := s.convertHold(j); on {
		holds = append(holds, h)
	}
	general := len(holds)
	if len(j.Servers) == 0 && s.heldServers[signOf(j)] < s.takers && !s.apart(j) {
		return holds // a server is there that would take it
	}
	candidates, held := 0, 0
	for _, srv := range s.serversFor(j) {
		if !s.allows(j, srv) {
			continue
		}
		candidates++
		on := append(s.holdsOn(srv, j.SendAnyway, now), s.holdsAlike(j, srv, now)...)
		if len(on) > 0 {
			held++
		}
		holds = append(holds, on...)
	}
	switch {
	case candidates == 0:
		holds = append(holds, job.Hold{Code: job.HoldUnreachable, Since: j.Added, Say: job.Say{Code: job.SayNoServer}})
	case held < candidates:
		holds = holds[:general]
	}
	return holds
}

// allows tells whether a job may run on a server at all.
func (s *State) allows(j *job.Job, srv *server) bool {
	if srv.rec.WatchOnly {
		return false
	}
	return len(j.Servers) == 0 || index(j.Servers, srv.rec.ID) >= 0
}

// tellHolds tells which waiting jobs are held since this step, and which no
// longer.
func (t *turn) tellHolds() {
	if all := signature(t.holdsOnAll(t.now)); all != t.heldAll {
		t.State.heldAll = all
		t.holdsAnew()
	}
	if t.stale || len(t.entered) > 0 {
		for _, key := range sortedStrings(t.waiting.groups) {
			if g := t.waiting.groups[key]; g.stale {
				t.holdGroup(g)
			}
		}
	}
	for _, id := range t.entered {
		if at, waits := t.waiting.members[id]; waits {
			t.tellHold(id, at.group)
		}
	}
	for _, id := range t.left {
		if _, waits := t.waiting.members[id]; waits {
			continue
		}
		if j := t.jobs[id]; t.held[id] != "" && j != nil && j.State != job.JobEnded {
			t.say(job.Event{Kind: job.EventReleased, Job: j})
		}
		delete(t.held, id)
	}
}

// holdGroup works out the holds of a group anew, and tells each of its jobs'
// when they are others.
func (t *turn) holdGroup(g *group) {
	g.stale = false
	g.holds = t.holdsOf(t.jobs[g.first().id], t.now)
	sign := signature(g.holds)
	if sign == g.sign {
		return
	}
	g.sign = sign
	for id := range g.all() {
		t.tellHold(id, g)
	}
}

func (t *turn) tellHold(id job.ID, g *group) {
	was, told := t.held[id]
	if told && was == g.sign {
		return
	}
	t.held[id] = g.sign
	switch {
	case len(g.holds) > 0:
		t.say(job.Event{Kind: job.EventHeld, Job: t.jobs[id], Holds: g.holds})
	case was != "":
		t.say(job.Event{Kind: job.EventReleased, Job: t.jobs[id]})
	}
}

// signature is equal for lists of holds that say the same to people, figures
// apart.
func signature(holds []job.Hold) string {
	if len(holds) == 0 {
		return ""
	}
	var b strings.Builder
	for _, h := range holds {
		for _, part := range [...]string{string(h.Code), "@", string(h.Server), "/", h.Say.Args.Job, ","} {
			b.WriteString(part)
		}
	}
	return b.String()
}

func (s *State) jobName(id job.ID) string {
	if j := s.jobs[id]; j != nil {
		return j.Name
	}
	return ""
}
