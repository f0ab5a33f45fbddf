package core

import (
	"slices"
	"time"

	"reckoner/scheduler/job"
	"reckoner/scheduler/note"
)

// When a program on a GPU counts. One that computes holds jobs while it is seen
// and a minute after. Memory alone never holds: it is shown, since a card is
// filled on purpose and what a job needs is not known.
const (
	programsFor    = 20 * time.Second // how long a look stands for now, in real time
	computesSM     = 10.0             // percent of the multiprocessors' time
	computesOf     = 5                // looks, of which
	computesIn     = 3                // show it computing
	programLingers = time.Minute
)

// programs are those that hold a GPU.
type programs struct {
	at    job.Maybe[job.Instant] // of the newest look
	list  []*program             // of the newest look, and those that computed lately
	busIn job.Maybe[float64]     // bytes a second towards the GPU
	// unfound is how many render servers of the machine are not known among them:
	// so many of those that could be anybody's are likely theirs.
	unfound int
}

// program is one of them.
type program struct {
	job.Process
	owner    owner
	present  bool   // in the newest look
	computed []bool // in the last looks, newest last
	since    job.Instant
	last     job.Maybe[job.Instant] // when it was last found computing
}

// programsSeen takes in which programs hold a machine's GPUs.
func (t *turn) programsSeen(e ProgramsSeen) {
	m := t.machine(e.Machine)
	if m == nil {
		return
	}
	t.programsAnew = true
	whose, unfound := t.whose(m, e.Programs)
	for _, g := range m.gpus {
		var here []job.Process
		for _, p := range e.Programs.List {
			if m.find(job.GPU{UUID: p.GPU, Index: p.Index, Name: g.gpu.Name}) == g {
				here = append(here, p)
			}
		}
		g.programs.see(here, whose, t.now, t.linger())
		g.programs.busIn, g.programs.unfound = job.Maybe[float64]{}, unfound
		if i, ok := g.gpu.Index.Get(); ok {
			if in, told := e.Programs.BusIn[i]; told {
				g.programs.busIn = job.Known(in)
			}
		}
		t.noteProgramsOnRuns(m, g)
		t.noteMemory(m, g, here, e.Programs)
	}
}

// linger is how long a program holds after it was last found computing. In a
// story that passes faster than the looks it is a look's time.
func (s *State) linger() time.Duration {
	return max(programLingers, s.programsStand())
}

func (s *State) programsStand() time.Duration {
	return programsFor * time.Duration(max(1, s.opts.Speed))
}

// see takes in a look.
func (ps *programs) see(here []job.Process, whose func(job.Process) owner, now job.Instant, linger time.Duration) {
	ps.at = job.Known(now)
	list := make([]*program, 0, len(here))
	for _, p := range here {
		next := &program{Process: p, since: now}
		if i := slices.IndexFunc(ps.list, func(old *program) bool { return old.PID == p.PID }); i >= 0 {
			old := ps.list[i]
			next.since, next.last, next.computed = old.since, old.last, old.computed
		}
		next.present, next.owner = true, whose(p)
		before := next.computed[max(0, len(next.computed)-computesOf+1):]
		next.computed = append(slices.Clone(before), p.SM.Or(0) >= computesSM)
		if n := countTrue(next.computed); n >= computesIn {
			next.last = job.Known(now)
		}
		list = append(list, next)
	}
	for _, old := range ps.list {
		last, computed := old.last.Get()
		gone := !slices.ContainsFunc(list, func(p *program) bool { return p.PID == old.PID })
		if gone && computed && now.Since(last) < linger {
			left := *old
			left.present = false
			list = append(list, &left)
		}
	}
	ps.list = list
}

func countTrue(list []bool) int {
	n := 0
	for _, v := range list {
		if v {
			n++
		}
	}
	return n
}

// seesPrograms tells whether the newest look stands for now.
func (s *State) seesPrograms(g *gpu, now job.Instant) bool {
	at, ok := g.programs.at.Get()
	return ok && now.Since(at) <= s.programsStand()
}

// computing are the programs of others that compute on a GPU, or did until a
// moment ago.
func (s *State) computing(g *gpu, now job.Instant) []*program {
	if g == nil {
		return nil
	}
	var list []*program
	for _, p := range g.programs.list {
		if last, ok := p.last.Get(); p.owner == theirs && ok && now.Since(last) < s.linger() {
			list = append(list, p)
		}
	}
	return list
}

// others are the programs of others on a GPU that are worth a word: they compute,
// or hold a good part of its memory.
func (s *State) others(g *gpu, now job.Instant) []job.Process {
	var list []job.Process
	for _, p := range s.computing(g, now) {
		list = append(list, p.Process)
	}
	if !s.seesPrograms(g, now) {
		return list
	}
	for _, p := range g.programs.list {
		counted := slices.ContainsFunc(list, func(q job.Process) bool { return q.PID == p.PID })
		if p.owner == theirs && p.present && !counted && p.Mem.Or(0) >= note.BigProgram {
			list = append(list, p.Process)
		}
	}
	return list
}

// whoHolds fills in what is known of other programs. An empty list may be that of
// somebody who may not see them, so it says nothing; and nothing is said of how
// much is others' while more programs could be anybody's than servers are not
// found.
func (s *State) whoHolds(to *note.Sample, g *gpu, now job.Instant) {
	if !s.seesPrograms(g, now) {
		return
	}
	if in, ok := g.programs.busIn.Get(); ok {
		if link, known := g.last.Link.Get(); known && link > 0 {
			to.BusIn = job.Known(min(1, in/link))
		}
	}
	present, doubts := 0, 0
	var mem int64
	sm, hasMem, hasSM := 0.0, false, false
	for _, p := range g.programs.list {
		if !p.present {
			continue
		}
		present++
		hasMem, hasSM = hasMem || p.Mem.Known(), hasSM || p.SM.Known()
		if p.owner == anybodys {
			doubts++
		}
		if p.owner != theirs {
			continue
		}
		mem += p.Mem.Or(0)
		sm += p.SM.Or(0)
	}
	if present == 0 || doubts > g.programs.unfound {
		return
	}
	if hasMem {
		to.ForeignMem = job.Known(mem)
	}
	if hasSM {
		to.ForeignSM = job.Known(min(sm, 100))
	}
}
