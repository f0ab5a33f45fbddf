package core

import (
	"slices"
	"time"

	"reckoner/scheduler/job"
)

// site is a machine's servers with everything of ours that is open on them. It is
// the unit of work: an event concerns one site, and a step costs what that site
// has on it, however many others there are. It wakes by itself at its deadline.
type site struct {
	m       *machine // nil: only its servers are known
	servers []*server
	runs    []*openRun // by id
	fetches []*fetch   // by run

	wake    spot[*site]  // in State.deadlines
	touched bool         // in this step
	view    *MachineView // as it was last shown; nil since something changed
}

// site gives the site of a machine, made when it is new. "" is the site of runs
// whose server is not known: machines of a command line are not kept.
func (s *State) site(machine job.ID) *site {
	at := s.sites[machine]
	if at == nil {
		s.ranks++
		at = &site{}
		at.wake = spot[*site]{of: at, rank: s.ranks}
		s.sites[machine] = at
	}
	return at
}

// siteOf gives the site of a server.
func (s *State) siteOf(id job.ID) *site {
	if srv := s.servers[id]; srv != nil {
		return srv.site
	}
	return s.site("")
}

// settle puts a server on the site of its machine, with what is open on it.
func (s *State) settle(srv *server) {
	at := s.site(srv.rec.Machine)
	from := srv.site
	if from == at {
		return
	}
	srv.site = at
	at.servers = append(at.servers, srv)
	if from == nil {
		from = s.site("")
	} else {
		from.servers = slices.DeleteFunc(from.servers, func(x *server) bool { return x == srv })
	}
	for _, o := range slices.Clone(from.runs) {
		if o.rec.Server == srv.rec.ID {
			from.leave(o)
			at.join(o)
		}
	}
	for _, f := range slices.Clone(from.fetches) {
		if f.rec.Server == srv.rec.ID {
			from.unfetch(f)
			at.fetch(f)
		}
	}
}

func (at *site) join(o *openRun) {
	o.site = at
	i, _ := slices.BinarySearchFunc(at.runs, o.rec.ID, func(x *openRun, id job.ID) int { return compare(x.rec.ID, id) })
	at.runs = slices.Insert(at.runs, i, o)
}

func (at *site) leave(o *openRun) {
	at.runs = slices.DeleteFunc(at.runs, func(x *openRun) bool { return x == o })
}

func (at *site) fetch(f *fetch) {
	f.site = at
	i, _ := slices.BinarySearchFunc(at.fetches, f.rec.ID, func(x *fetch, id job.ID) int { return compare(x.rec.ID, id) })
	at.fetches = slices.Insert(at.fetches, i, f)
}

func (at *site) unfetch(f *fetch) {
	at.fetches = slices.DeleteFunc(at.fetches, func(x *fetch) bool { return x == f })
}

// touch notes that a step concerns a site: what is due there is carried out, and
// what follows from its state is worked out anew.
func (t *turn) touch(at *site) {
	if at == nil || at.touched {
		return
	}
	at.touched = true
	at.view = nil
	t.touched = append(t.touched, at)
}

// touchAll is for what concerns every site.
func (t *turn) touchAll() {
	for _, m := range t.State.machines {
		t.touch(t.site(m.rec.ID))
	}
	for _, srv := range t.order {
		t.touch(srv.site)
	}
	t.touch(t.site(""))
}

// touchDue touches the sites whose deadline has come.
func (t *turn) touchDue() {
	for first := t.deadlines.first(); first != nil && first.at <= int64(t.now.Mono); first = t.deadlines.first() {
		t.deadlines.remove(first)
		t.touch(first.of)
	}
}

// due carries out what the time has come for on the sites touched. More may be
// touched meanwhile.
func (t *turn) due() {
	for i := range len(t.touched) {
		at := t.touched[i]
		for _, srv := range at.servers {
			t.lookIfDue(srv)
		}
		for _, o := range slices.Clone(at.runs) {
			t.runIfDue(o)
		}
		for _, f := range slices.Clone(at.fetches) {
			t.fetchIfDue(f)
		}
	}
}

// setDeadlines works out when the sites touched have to be looked at again.
func (t *turn) setDeadlines() {
	for _, at := range t.touched {
		at.touched = false
		if next, wanted := t.deadline(at, t.now); wanted {
			t.deadlines.put(&at.wake, int64(next))
		} else {
			t.deadlines.remove(&at.wake)
		}
	}
}

// deadline is when something becomes due on a site by itself.
func (s *State) deadline(at *site, now job.Instant) (time.Duration, bool) {
	w := wake{}
	for _, srv := range at.servers {
		if !srv.probing {
			w.at(srv.probeAt.Mono)
		}
		if !srv.looking {
			w.at(srv.lookAt.Mono)
		}
		s.wakeForHolds(&w, srv, now)
	}
	for _, o := range at.runs {
		s.wakeForRun(&w, o)
	}
	for _, f := range at.fetches {
		if next, ok := f.at.Get(); ok {
			w.at(next.Mono)
		}
	}
	return w.next, w.any
}
