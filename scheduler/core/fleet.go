package core

import (
	"slices"
	"time"

	"reckoner/scheduler/job"
)

// freeNow is when a free server is free: before one that should have been by now.
const freeNow = -1

// The plans that a server has a turn in.
const (
	ofDispatch = iota // kept up to date from step to step
	ofView            // made anew
)

// fleet is the servers with one kind of GPU, by when they are free: a job type
// takes equally long on all of them, so the first is the best.
type fleet struct {
	gpu     string
	servers heap[*server]
}

// fleets are all of a plan, as they were first seen.
type fleets struct {
	list  []*fleet
	byGPU map[string]*fleet
}

// turnAt is when a server is free in a plan, in nanoseconds of the monotonic
// clock, at the latest by high.
type turnAt struct {
	spot[*server]
	high  int64
	fleet *fleet // nil: never, or not known
}

func (f *fleets) of(gpu string) *fleet {
	of := f.byGPU[gpu]
	if of == nil {
		if f.byGPU == nil {
			f.byGPU = map[string]*fleet{}
		}
		of = &fleet{gpu: gpu}
		f.byGPU[gpu] = of
		f.list = append(f.list, of)
	}
	return of
}

// put gives a server its turn.
func (f *fleets) put(at *turnAt, gpu string, from, high int64) {
	if at.fleet != nil && at.fleet.gpu != gpu {
		f.drop(at)
	}
	if at.fleet == nil {
		at.fleet = f.of(gpu)
	}
	at.high = high
	at.fleet.servers.put(&at.spot, from)
}

// drop takes a server out.
func (f *fleets) drop(at *turnAt) {
	if at.fleet != nil {
		at.fleet.servers.remove(&at.spot)
		at.fleet = nil
	}
}

// freeAt is when a server is likely to be free for another job. It is not known
// for one whose run is longer than those before it, or is being stopped.
func (s *State) freeAt(srv *server, now job.Instant) (from, high int64, known bool) {
	o := s.open[srv.run]
	if o == nil {
		return freeNow, int64(now.Mono), true
	}
	midS, highS, known := o.ends(o.elapsed(now))
	if !known || o.rec.Stop != nil {
		return 0, 0, false
	}
	for _, id := range srv.handed {
		f := s.open[id].rec.Forecast
		if f.HighS == 0 {
			return 0, 0, false
		}
		midS, highS = midS+f.MidS, highS+f.HighS
	}
	return int64(now.Mono + seconds(midS)), int64(now.Mono + seconds(highS)), true
}

// refresh works out anew, for one server, what dispatch and holds need of it.
func (t *turn) refresh(srv *server) {
	if !srv.rec.WatchOnly && !srv.taker {
		t.State.takers++
		srv.taker = true
		t.holdsAnew()
	} else if srv.rec.WatchOnly && srv.taker {
		t.retire(srv)
	}
	if !srv.taker {
		return
	}
	anyway := t.holdsOn(srv, true, t.now)
	holds := t.holdsOn(srv, false, t.now)
	t.sign(srv, 0, holds)
	t.sign(srv, 1, anyway)
	idle := srv.run == ""
	free := idle && len(anyway) == 0 && srv.fresh(t.now)
	if free != (srv.isFree.pos > 0) {
		t.rows.stale = true
	}
	if free {
		t.free.put(&srv.isFree, 0)
		t.replan = true
	} else {
		t.free.remove(&srv.isFree)
	}
	turn := &srv.turns[ofDispatch]
	from, high, known := t.freeAt(srv, t.now)
	if len(holds) > 0 || !known || idle && !free {
		t.fleets.drop(turn)
		return
	}
	t.fleets.put(turn, t.gpuKey(srv), from, high)
}

// sign notes what holds a server, and marks what that may change.
func (t *turn) sign(srv *server, which int, holds []job.Hold) {
	sign := signature(holds)
	if sign == srv.signs[which] {
		return
	}
	switch {
	case sign == "":
		t.State.heldServers[which]--
	case srv.signs[which] == "":
		t.State.heldServers[which]++
	}
	srv.signs[which] = sign
	t.replan, t.rows.stale, t.convert = true, true, true
	for _, list := range [][]*group{t.waiting.anywhere, t.waiting.bound[srv.rec.ID]} {
		for _, g := range list {
			if g.anyway == (which == 1) {
				g.stale = true
				t.stale = true
			}
		}
	}
}

// retire takes a server out of what dispatch and holds know.
func (t *turn) retire(srv *server) {
	if !srv.taker {
		return
	}
	t.sign(srv, 0, nil)
	t.sign(srv, 1, nil)
	t.State.takers--
	srv.taker = false
	t.free.remove(&srv.isFree)
	for i := range srv.turns {
		t.fleets.drop(&srv.turns[i])
	}
	t.holdsAnew()
}

// holdsAnew lets the holds of every waiting job be worked out anew.
func (t *turn) holdsAnew() {
	for _, g := range t.waiting.groups {
		g.stale = true
	}
	t.stale, t.replan, t.rows.stale, t.convert = true, true, true, true
}

// refreshTouched does so for the sites touched.
func (t *turn) refreshTouched() {
	for _, at := range t.touched {
		for _, srv := range at.servers {
			t.refresh(srv)
		}
	}
}

// span is a range of instants, in nanoseconds of the monotonic clock.
type span struct{ from, to int64 }

// wall gives an instant of the monotonic clock as wall time.
func wall(mono int64, now job.Instant) time.Time {
	return now.Wall.Add(time.Duration(mono) - now.Mono)
}

// servers gives those that a job is restricted to, as added, or all.
func (s *State) serversFor(j *job.Job) []*server {
	if len(j.Servers) == 0 {
		return s.order
	}
	list := make([]*server, 0, len(j.Servers))
	for _, id := range j.Servers {
		if srv := s.servers[id]; srv != nil {
			list = append(list, srv)
		}
	}
	slices.SortFunc(list, func(a, b *server) int { return a.isFree.rank - b.isFree.rank })
	return list
}
