package core

import (
	"math"
	"slices"
	"time"

	"reckoner/scheduler/job"
)

// handOver sends the next jobs to their servers' own queues: each to the server
// on which it is expected to end first, behind what is there already. Jobs that
// are held stay here.
func (t *turn) handOver(count int) {
	if count <= 0 {
		count = math.MaxInt
	}
	if t.leaving || len(t.holdsOnAll(t.now)) > 0 {
		return
	}
	load := map[*server]time.Duration{}
	for _, srv := range t.order {
		load[srv] = t.loadOf(srv)
	}
	for _, id := range t.waiting.ids() {
		if count == 0 {
			break
		}
		j := t.jobs[id]
		if _, failing := t.batchHold(j); failing || j.Unconverted {
			continue
		}
		var best *server
		var ends time.Duration
		for _, srv := range t.serversFor(j) {
			if !t.takesHanded(j, srv) {
				continue
			}
			if at := load[srv] + workOf(t.forecast(j.Type, srv), 0); best == nil || at < ends {
				best, ends = srv, at
			}
		}
		if best != nil {
			load[best] = ends
			t.handTo(id, best)
			count--
		}
	}
}

// loadOf is how long a server is likely to be at work on what is there, ours and
// others'.
func (t *turn) loadOf(srv *server) time.Duration {
	load := time.Duration(srv.foreign.ahead) * unknownWork
	for _, o := range srv.runs() {
		load += workOf(o.rec.Forecast, o.elapsed(t.now))
	}
	return load
}

// workOf is how long a run is likely to go on that has gone on for elapsed
// seconds; one of which nothing is known counts as any piece of work.
func workOf(f job.Forecast, elapsedS float64) time.Duration {
	if f.MidS == 0 {
		return unknownWork
	}
	return seconds(max(0, f.MidS-elapsedS))
}

// HandedOver counts the runs that were handed over and have not started: those
// that wait on their servers, and those that are still being sent.
func (s *State) HandedOver() (waiting, sending int) {
	for _, o := range s.open {
		switch {
		case !o.rec.Handed || o.started.Known():
		case o.rec.State == job.RunIntended:
			sending++
		default:
			waiting++
		}
	}
	return waiting, sending
}

// takesHanded tells whether a job may be handed over to a server: one that stops
// only what it is told to, answers, and is held by nothing. Beside a run of ours
// that is being stopped nothing is sent.
func (t *turn) takesHanded(j *job.Job, srv *server) bool {
	info, known := srv.info.Get()
	if !known || !info.TargetedInterrupt || !srv.fresh(t.now) || !t.allows(j, srv) {
		return false
	}
	for _, o := range srv.runs() {
		if o.rec.Stop != nil || o.checking {
			return false
		}
	}
	return len(t.holdsOn(srv, j.SendAnyway, t.now)) == 0 && len(t.holdsAlike(j, srv, t.now)) == 0 &&
		!t.keptForTest(j, srv, t.now)
}

// handTo hands one job over. It is sent once all before it have arrived, so that
// the server has them in our order.
func (t *turn) handTo(id job.ID, srv *server) {
	if srv.run == "" {
		t.start(id, srv)
		return
	}
	o := t.intend(id, srv)
	o.rec.Handed = true
	srv.handed = append(slices.Clip(srv.handed), o.rec.ID)
	t.urgent = true
	t.touch(srv.site)
	t.sendHanded(srv)
}

// sendHanded sends the next run that is handed over and not sent yet, once all
// before it have arrived.
func (t *turn) sendHanded(srv *server) {
	if srv == nil {
		return
	}
	for _, o := range srv.runs() {
		switch {
		case o.rec.State != job.RunIntended:
		case !o.rec.Handed || o.sends > 0 || o.recovered:
			return // it is on its way, or looked for
		default:
			t.send(o)
			return
		}
	}
}

// keepHere keeps what was to be handed over to a server and is not sent yet: the
// server does not take it now.
func (t *turn) keepHere(srv *server) {
	if srv == nil {
		return
	}
	for _, o := range srv.runs() {
		if o.rec.Handed && o.rec.State == job.RunIntended && o.sends == 0 && !o.recovered {
			t.unsendOne(o)
		}
	}
}

// runs are our open runs on a server, in the order in which it will run them: at
// most one, and those that were handed over.
func (srv *server) runs() []*openRun {
	var list []*openRun
	for _, id := range append([]job.ID{srv.run}, srv.handed...) {
		for _, o := range srv.site.runs {
			if o.rec.ID == id {
				list = append(list, o)
			}
		}
	}
	return list
}

// before counts our open runs on a server that it runs before one.
func (srv *server) before(o *openRun) int {
	if srv == nil {
		return 0
	}
	return max(0, slices.Index(srv.runs(), o))
}

// openAsTheyRun gives the open runs as a person reads them: what runs, then what
// waits on the same server.
func (s *State) openAsTheyRun() []*openRun {
	var list []*openRun
	for _, srv := range s.order {
		if srv.run != "" {
			list = append(list, srv.runs()...)
		}
	}
	if len(list) == len(s.open) {
		return list
	}
	for _, o := range s.openInOrder() { // those of servers that are not known
		if !slices.Contains(list, o) {
			list = append(list, o)
		}
	}
	return list
}

// handedOver notes that a server has a run that was handed over.
func (t *turn) handedOver(o *openRun) {
	if !o.rec.Handed || o.recovered {
		return
	}
	t.story(t.editRun(o), job.StoryHanded, job.Args{Server: t.State.servers[o.rec.Server].name()})
	t.say(job.Event{Kind: job.EventHandedOver, Job: t.jobs[o.rec.Job], Run: o.rec})
}

// takeBack takes back all that was handed over and waits on its server.
func (t *turn) takeBack() {
	for _, o := range t.openInOrder() {
		switch {
		case !o.rec.Handed || o.started.Known():
		case o.rec.State == job.RunIntended && o.sends == 0 && !o.recovered:
			t.unsendOne(o)
		default:
			t.wantStop(o, job.StopTakenBack)
		}
	}
}

// next makes the first of the runs that were handed over the server's run, when
// the one before it has ended, and looks what the server does with it.
func (t *turn) next(srv *server, ended job.ID) {
	if srv.run != ended {
		srv.handed = without(srv.handed, ended)
		return
	}
	srv.run, srv.outOfUse, srv.ours = "", false, job.Known(t.now)
	if len(srv.handed) > 0 {
		srv.run, srv.handed = srv.handed[0], srv.handed[1:]
		t.lookSoon(srv)
	}
}

// queueUp puts a run from before this start on its server: the earliest that was
// wanted is the server's run, the others were handed over.
func (s *State) queueUp(srv *server, o *openRun) {
	first := s.open[srv.run]
	if first == nil {
		srv.run, srv.outOfUse = o.rec.ID, o.excused
		return
	}
	if before(o.rec, first.rec) {
		srv.run, srv.outOfUse = o.rec.ID, o.excused
		o = first
	}
	i := 0
	for i < len(srv.handed) && before(s.open[srv.handed[i]].rec, o.rec) {
		i++
	}
	srv.handed = slices.Insert(slices.Clone(srv.handed), i, o.rec.ID)
}

// before tells which of two runs was wanted earlier. Of those that one command
// handed over the places of their jobs cannot tell any more: their ids do, so
// that it is the same every time.
func before(a, b *job.Run) bool {
	if !a.Intended.Equal(b.Intended) {
		return a.Intended.Before(b.Intended)
	}
	if !a.Submitted.Equal(b.Submitted) {
		return b.Submitted.IsZero() || !a.Submitted.IsZero() && a.Submitted.Before(b.Submitted)
	}
	return a.ID < b.ID
}
