package core

import (
	"math"
	"time"

	"reckoner/scheduler/job"
	"reckoner/scheduler/note"
)

// What GPUs draw at rest is learned slowly and changes little, so it is looked at
// once a minute and written when it is news.
const (
	idleEvery = time.Minute
	idleNews  = 1.0 // watts
)

// idlePowers are what GPUs are known to draw at rest, by job.GPU.Key.
type idlePowers struct {
	kept map[string]job.IdlePower
	out  map[string]bool // to write in this step
}

// learning is a GPU's part in it.
type learning struct {
	key  string // under which the tracker was reminded
	next job.Instant
}

func (p *idlePowers) recall(kept []job.IdlePower) {
	p.kept, p.out = map[string]job.IdlePower{}, map[string]bool{}
	for _, k := range kept {
		p.kept[k.GPU] = k
	}
}

// follow reminds a GPU's tracker of what was learned before this start, and keeps
// what it has learned since.
func (p *idlePowers) follow(g *gpu, tr *note.Tracker, now job.Instant) {
	key := g.gpu.Key()
	if key == "" {
		return
	}
	known := p.kept[key]
	if g.idle.key != key {
		g.idle.key = key
		tr.Remind(known)
	}
	if now.Mono < g.idle.next.Mono {
		return
	}
	g.idle.next = now.Add(idleEvery)
	learned := job.IdlePower{GPU: key, Empty: tr.IdlePower(false), Loaded: tr.IdlePower(true)}
	if isNews(learned.Empty, known.Empty) || isNews(learned.Loaded, known.Loaded) {
		p.kept[key] = learned
		p.out[key] = true
	}
}

func isNews(learned, known job.Maybe[float64]) bool {
	now, ok := learned.Get()
	before, had := known.Get()
	return ok && (!had || math.Abs(now-before) >= idleNews)
}

// take gives what is to be written in this step.
func (p *idlePowers) take() []job.IdlePower {
	var list []job.IdlePower
	for _, key := range sortedStrings(p.out) {
		list = append(list, p.kept[key])
	}
	clear(p.out)
	return list
}
