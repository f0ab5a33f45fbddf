package note

import (
	"slices"

	"reckoner/scheduler/job"
)

// What a card draws at rest is learned apart for an empty one and one that holds
// models: that differs by up to 40 % of the limit (gpu-telemetry, section 2).
const (
	idleUtil    = 2   // percent, at most
	idleEnough  = 30  // samples
	idleKept    = 120 // samples
	loadedFrom  = .15 // of the memory
	idleQuantil = 20  // the 5th percentile: one in so many
)

type idlePower struct {
	empty, loaded []float64 // watts, newest last
	before        job.IdlePower
}

func loaded(s Sample) bool {
	used, okU := s.Used.Get()
	total, okT := s.Total.Get()
	return okU && okT && total > 0 && float64(used)/float64(total) >= loadedFrom
}

func (p *idlePower) learn(s Sample) {
	watts, ok := s.Power.Get()
	util, known := s.Util.Get()
	if !ok || !known || util > idleUtil || watts <= 0 {
		return
	}
	list := &p.empty
	if loaded(s) {
		list = &p.loaded
	}
	if len(*list) == idleKept {
		copy(*list, (*list)[1:])
		*list = (*list)[:idleKept-1]
	}
	*list = append(*list, watts)
}

// at gives the learned figure. Before there are enough samples it is what was
// known before this start, if anything.
func (p *idlePower) at(loaded bool) job.Maybe[float64] {
	list, before := p.empty, p.before.Empty
	if loaded {
		list, before = p.loaded, p.before.Loaded
	}
	if len(list) < idleEnough {
		return before
	}
	sorted := slices.Clone(list)
	slices.Sort(sorted)
	return job.Known(sorted[len(sorted)/idleQuantil])
}
