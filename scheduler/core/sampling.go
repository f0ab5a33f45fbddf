package core

import (
	"slices"

	"reckoner/scheduler/job"
)

// sampling is how far a run is in its steps, over all of its samplers. A server
// reports the steps of one node at a time, in a count that begins anew with each
// node and each tile, and may count more of them than the workflow asks for: some
// samplers call the model twice a step.
type sampling struct {
	seen   map[string]bool // nodes that reported steps, or came from the cache
	ended  float64         // steps of the nodes and rounds before this one
	node   string
	value  float64
	max    float64
	factor float64 // steps that the server counts for one of the workflow's
	share  float64 // as last told: it never goes back

	first job.Instant // of this node's steps
	from  float64
	last  job.Instant
}

// skip takes in which nodes came from the cache: they report no steps.
func (s *sampling) skip(nodes []string) {
	for _, id := range nodes {
		s.see(id)
	}
}

func (s *sampling) see(node string) {
	if s.seen == nil {
		s.seen = map[string]bool{}
	}
	s.seen[node] = true
}

// step takes in that a node has done value of its steps, of a plan.
func (s *sampling) step(plan []job.Sampler, node string, value, most float64, now job.Instant) {
	if node != s.node || value < s.value || most != s.max {
		s.ended += s.value
		s.node, s.max, s.first, s.from = node, most, now, value
		s.see(node)
	}
	s.value, s.last = value, now
	i := slices.IndexFunc(plan, func(p job.Sampler) bool { return p.Node == node })
	if i >= 0 && plan[i].Steps > 0 {
		s.factor = most / float64(plan[i].Steps)
	}
	if whole := s.whole(plan); whole > 0 {
		s.share = max(s.share, min(1, (s.ended+s.value)/whole))
	}
}

// whole is how many steps the run has, as far as can be told now.
func (s *sampling) whole(plan []job.Sampler) float64 {
	n := s.ended + s.max
	for _, p := range plan {
		if !s.seen[p.Node] {
			n += float64(p.Steps) * s.factor
		}
	}
	return n
}

// done is how many steps of how many the run has done.
func (s *sampling) done(plan []job.Sampler) (done, of float64) {
	of = s.whole(plan)
	return s.share * of, of
}

// pace is how long a step of this node takes, in seconds. It needs two or more.
func (s *sampling) pace() job.Maybe[float64] {
	done := s.value - s.from
	if done < 1 || s.max <= s.from {
		return job.Maybe[float64]{}
	}
	return job.Known(s.last.Since(s.first).Seconds() / done)
}

// left is how long the steps that are left take at the pace of this node's, in
// seconds after the last of them; false when that is not known yet.
func (s *sampling) left(plan []job.Sampler) (float64, bool) {
	each, ok := s.pace().Get()
	if !ok {
		return 0, false
	}
	return each * max(0, s.whole(plan)-s.ended-s.value), true
}
