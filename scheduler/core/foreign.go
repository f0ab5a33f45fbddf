package core

import (
	"slices"
	"time"

	"reckoner/scheduler/job"
)

// How other people's work holds jobs here. A client that comes back every half
// minute is one piece of work, not many: between two of its prompts the GPU is
// not free. So after a third prompt its server counts as busy until it has been
// quiet for twice the usual gap. No hold for other people's work lasts all night:
// after holdForeignFor the job goes and queues behind them.
const (
	regularFrom    = 3 // prompts
	quietAtMost    = 5 * time.Minute
	holdForeignFor = 60 * time.Minute
	rememberFor    = time.Hour
	tellForeign    = time.Minute
)

// foreign is other people's work on one server.
type foreign struct {
	ids   map[string]bool
	first []job.Instant // when each was first seen, oldest first, of the last hour
	ahead int           // running and pending now
	last  job.Maybe[job.Instant]
	// reckoners counts those of ahead that another Reckoner sent. lastPlain is when
	// a prompt of anybody else was there.
	reckoners int
	lastPlain job.Maybe[job.Instant]
	// left is when one of their prompts was last found gone from the queue.
	left  job.Maybe[job.Instant]
	told  job.Instant
	toldN int
}

// see takes in a server's queue; mine tells our prompts from others'.
func (f *foreign) see(q job.Queue, mine func(job.Prompt) bool, now job.Instant) {
	f.ahead, f.reckoners = 0, 0
	ids := map[string]bool{}
	for _, list := range [][]job.Prompt{q.Running, q.Pending} {
		for _, p := range list {
			if mine(p) {
				continue
			}
			f.ahead++
			if p.Tag.App != "" {
				f.reckoners++
			}
			ids[p.ID] = true
			if !f.ids[p.ID] {
				f.first = append(slices.Clip(f.first), now)
			}
		}
	}
	if f.ahead > 0 {
		f.last = job.Known(now)
	}
	if f.ahead > f.reckoners {
		f.lastPlain = job.Known(now)
	}
	for id := range f.ids {
		if !ids[id] {
			f.left = job.Known(now)
		}
	}
	// Ids are unique on a server, so one that left the queue does not come back.
	f.ids = ids
	drop := 0
	for drop < len(f.first) && now.Since(f.first[drop]) > rememberFor {
		drop++
	}
	f.first = f.first[drop:]
}

// gap is the median time between the prompts seen. It is known from three looks
// on that saw a new one: when the prompts of one look came cannot be told, and
// one gap is no pace.
func (f *foreign) gap() (time.Duration, bool) {
	gaps := make([]time.Duration, 0, len(f.first))
	for i := 1; i < len(f.first); i++ {
		if gap := f.first[i].Since(f.first[i-1]); gap > 0 {
			gaps = append(gaps, gap)
		}
	}
	if len(gaps)+1 < regularFrom {
		return 0, false
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/2], true
}

// busy tells whether the server is taken by others now: they have prompts on
// it, or they come so regularly that the pause is only a gap. Another Reckoner has
// one prompt there at a time, as this one has: they queue behind each other, and
// the server's order alternates. If each waited for the other to be gone, one of
// them would wait for the other's whole queue.
func (f *foreign) busy(now job.Instant) bool {
	if f.ahead > f.reckoners {
		return true
	}
	last, ok := f.lastPlain.Get()
	gap, regular := f.gap()
	if !ok || !regular || len(f.first) < regularFrom {
		return false
	}
	return now.Since(last) < min(2*gap, quietAtMost)
}

// work is the same for people.
func (f *foreign) work(now job.Instant) job.ForeignWork {
	w := job.ForeignWork{Prompts: len(f.first), Ahead: f.ahead, Reckoners: f.reckoners}
	if len(f.first) > 0 {
		w.OverS = now.Since(f.first[0]).Seconds()
	}
	if gap, ok := f.gap(); ok {
		w.EveryS = job.Known(gap.Seconds())
	}
	return w
}

// seeForeign updates what is known of others on a server, notes it on the runs
// that share its GPU, and tells.
func (t *turn) seeForeign(srv *server) {
	before := len(srv.foreign.first)
	srv.foreign.see(srv.queue, func(p job.Prompt) bool { return t.mine(srv, p) }, t.now)
	if srv.foreign.ahead > 0 {
		srv.forgets()
	}
	fresh := len(srv.foreign.first) - before
	for _, o := range srv.site.runs {
		on := t.State.servers[o.rec.Server]
		if on == nil || !t.sharesGPU(on, srv) || !o.started.Known() {
			continue
		}
		if srv.foreign.ahead > 0 {
			t.noteForeign(o, srv, max(fresh, 0))
		}
	}
	n := len(srv.foreign.first)
	if srv.foreign.ahead == 0 || n == srv.foreign.toldN || t.now.Since(srv.foreign.told) < tellForeign {
		return
	}
	srv.foreign.told, srv.foreign.toldN = t.now, n
	work := srv.foreign.work(t.now)
	rec := srv.rec
	ev := job.Event{Kind: job.EventForeign, Server: &rec, Foreign: &work}
	if m := t.machine(srv.rec.Machine); m != nil {
		mrec := m.rec
		ev.Machine = &mrec
	}
	t.say(ev)
}

// mine tells whether a prompt is a run of this data folder: by tag, or by id on
// a server that dropped the tag.
func (s *State) mine(srv *server, p job.Prompt) bool {
	if p.Tag.App != "" {
		return p.Tag.App == string(s.opts.App)
	}
	return s.open[job.ID(p.ID)] != nil ||
		slices.ContainsFunc(srv.site.runs, func(o *openRun) bool { return o.rec.PromptID == p.ID })
}

func (t *turn) noteForeign(o *openRun, srv *server, fresh int) {
	r := t.editRun(o)
	list := slices.Clone(r.Foreign)
	i := slices.IndexFunc(list, func(f job.ForeignSeen) bool { return f.Server == srv.rec.ID })
	if i < 0 {
		// Those that were there when the run started were not counted then.
		n := max(fresh, srv.foreign.ahead)
		list = append(list, job.ForeignSeen{Server: srv.rec.ID, Prompts: n, First: t.now.Wall, Last: t.now.Wall})
		t.story(r, job.StoryForeign, job.Args{Server: srv.rec.Name, Count: n})
	} else {
		list[i].Prompts += fresh
		list[i].Last = t.now.Wall
	}
	r.Foreign = list
}
