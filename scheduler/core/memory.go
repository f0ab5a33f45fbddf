package core

import (
	"reckoner/scheduler/job"
	"reckoner/scheduler/note"
)

// shortage is that jobs of a type need more memory than other programs leave them
// on a server's GPU.
type shortage struct {
	since job.Instant
	need  int64 // bytes, by past runs
	runs  int   // how many those are
	held  int64 // bytes, by others
	of    int64 // bytes of the GPU
	by    string
	over  bool // it has held jobs for long enough
}

// room is what past runs of a job type took of a GPU's memory.
type room struct {
	bytes int64
	runs  int
}

// roomFor gives what jobs of a type need of a GPU's memory, which is what the most
// modest of its clean runs took: a server keeps what it has loaded for others as
// long as nobody needs the room.
func (s *State) roomFor(typeKey, gpu string) room {
	at := [2]string{typeKey, gpu}
	known, ok := s.rooms[at]
	if !ok {
		for _, r := range s.past[typeKey] {
			if r.GPU != gpu || r.MemoryB <= 0 || r.Label != job.Clean {
				continue
			}
			if known.runs++; known.runs == 1 || r.MemoryB < known.bytes {
				known.bytes = r.MemoryB
			}
		}
		s.rooms[at] = known
	}
	return known
}

// noteMemory notes how much of a GPU's memory the servers take on which runs of
// ours go on, those servers that are known by the port on which they listen.
func (t *turn) noteMemory(m *machine, g *gpu, here []job.Process, all job.Programs) {
	for _, o := range t.site(m.rec.ID).runs {
		srv := t.State.servers[o.rec.Server]
		if srv == nil || t.gpuOf(srv) != g || !o.started.Known() {
			continue
		}
		pid, listens := all.Listeners[portOf(srv.rec.URL)]
		if !listens {
			continue
		}
		held := int64(0)
		for _, p := range here {
			if descends(p.PID, map[int]bool{pid: true}, all.Parents) {
				held += p.Mem.Or(0)
			}
		}
		o.memory = max(o.memory, held)
	}
}

// shortages works out anew which kinds of jobs would find too little memory: on the
// machines that the step is about, or on all when a kind waits that did not.
func (t *turn) shortages() {
	if t.newType {
		for _, srv := range t.order {
			t.shortOn(srv)
		}
		return
	}
	for _, at := range t.touched {
		for _, srv := range at.servers {
			if t.programsAnew || len(srv.short) > 0 {
				t.shortOn(srv)
			}
		}
	}
}

func (t *turn) shortOn(srv *server) {
	if srv.rec.WatchOnly || srv.site.m == nil {
		return
	}
	others, known := t.leftByOthers(srv, t.now)
	for _, key := range sortedStrings(srv.short) {
		need := t.roomFor(key, t.gpuKey(srv))
		if t.waiting.types[key] == 0 || !known || others.of-others.held >= need.bytes {
			t.setShort(srv, key, nil)
		}
	}
	if !known {
		return
	}
	for _, key := range sortedStrings(t.waiting.types) {
		need := t.roomFor(key, t.gpuKey(srv))
		if need.runs == 0 || others.of-others.held >= need.bytes {
			continue
		}
		now := others
		now.need, now.runs, now.since = need.bytes, need.runs, t.now
		if was := srv.short[key]; was != nil {
			now.since, now.over = was.since, was.over
		}
		now.over = now.over || t.now.Since(now.since) > t.patienceFor(srv)
		t.setShort(srv, key, &now)
	}
}

// leftByOthers is what other programs hold of a server's GPU. It is not known
// without a list of programs that can be trusted, and says nothing of a server
// that fills the card on purpose.
func (s *State) leftByOthers(srv *server, now job.Instant) (shortage, bool) {
	g := s.gpuOf(srv)
	info, answers := srv.info.Get()
	if g == nil || !answers || info.FillsCard {
		return shortage{}, false
	}
	var seen note.Sample
	s.whoHolds(&seen, g, now)
	held, told := seen.ForeignMem.Get()
	total, has := g.last.MemTotal.Get()
	if !told || !has {
		return shortage{}, false
	}
	left := shortage{held: held, of: total}
	most := int64(0)
	for _, p := range g.programs.list {
		if mem := p.Mem.Or(0); p.owner == theirs && p.present && mem > most {
			most, left.by = mem, job.ProgramName(p.Name)
		}
	}
	return left, true
}

// setShort notes that jobs of a type find too little memory on a server, or no
// longer.
func (t *turn) setShort(srv *server, typeKey string, is *shortage) {
	was := srv.short[typeKey]
	counted := func(s *shortage) bool { return s != nil && !s.over }
	if is == nil {
		delete(srv.short, typeKey)
	} else {
		if srv.short == nil {
			srv.short = map[string]*shortage{}
		}
		srv.short[typeKey] = is
	}
	switch {
	case counted(is) && !counted(was):
		if t.shortTypes[typeKey]++; t.shortTypes[typeKey] == 1 {
			t.regrouped = true
		}
	case counted(was) && !counted(is):
		if t.shortTypes[typeKey]--; t.shortTypes[typeKey] == 0 {
			delete(t.shortTypes, typeKey)
			t.regrouped = true
		}
	default:
		return
	}
	t.holdsAnew()
}

// memoryHold is the hold of a job for want of memory on a server.
func (s *State) memoryHold(j *job.Job, srv *server, m *machine, now job.Instant) (job.Hold, bool) {
	is := srv.short[j.Type.Key]
	if is == nil || is.over || j.SendAnyway || m.ignores(job.HoldMemoryShort, now) {
		return job.Hold{}, false
	}
	if m != nil && m.rec.Others == job.OthersBehind {
		return job.Hold{}, false
	}
	return job.Hold{Code: job.HoldMemoryShort, Server: srv.rec.ID, Since: is.since.Wall, Say: job.Say{
		Code: job.SayMemoryShort, Args: job.Args{
			Server: srv.rec.Name, Value: is.by, Bytes: is.need, OfBytes: is.of, Count: is.runs,
			Percent: 100 * float64(is.held) / float64(is.of),
		},
	}}, true
}

// wakeForShortage wakes when a look at the programs is too old to hold for, or has
// held for long enough.
func (s *State) wakeForShortage(at func(job.Instant), srv *server) {
	if len(srv.short) == 0 {
		return
	}
	if g := s.gpuOf(srv); g != nil {
		if seen, ok := g.programs.at.Get(); ok {
			at(seen.Add(s.programsStand() + 1))
		}
	}
	for _, key := range sortedStrings(srv.short) {
		if is := srv.short[key]; !is.over {
			at(is.since.Add(s.patienceFor(srv) + 1))
		}
	}
}

// typeApart tells whether jobs of a type may be held otherwise than most.
func (s *State) typeApart(typeKey string) bool {
	return s.cutTypes[typeKey] > 0 || s.shortTypes[typeKey] > 0
}
