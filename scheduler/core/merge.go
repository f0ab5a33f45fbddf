package core

import (
	"slices"
	"strings"
	"time"

	"reckoner/scheduler/job"
)

// staleAfter is the age at which a source's figures no longer stand in for another
// source's, in real time.
const staleAfter = 30 * time.Second

// Origin is where a figure comes from, and when it was read. It is zero for a
// figure that is not known.
type Origin struct {
	Source string
	At     time.Time
}

// Origins are those of a GPU's figures.
type Origins struct{ Util, Power, Memory, Temp Origin }

// read takes in a reading of one source and tells whether it brings the GPU's
// gauges forward: that is for the source that knows most. What it does not know is
// taken from the others, each figure with its own source and time. stale is the
// age at which a source counts as gone.
func (m *machine) read(r job.Reading, stale time.Duration) bool {
	g := m.find(r.GPU)
	if g == nil {
		g = &gpu{gpu: r.GPU}
		m.gpus = append(m.gpus, g)
	}
	g.adopt(r.GPU)
	if i := slices.IndexFunc(g.newest, func(x job.Reading) bool { return x.Source == r.Source }); i >= 0 {
		g.newest[i] = r
	} else {
		g.newest = append(g.newest, r)
	}
	g.newest = slices.DeleteFunc(g.newest, func(x job.Reading) bool { return r.At.Sub(x.At) > stale })
	g.merge()
	if g.last.Source != r.Source {
		return false
	}
	g.remember()
	return true
}

// adopt takes the names of a GPU that an earlier source did not know.
func (g *gpu) adopt(from job.GPU) {
	if g.gpu.UUID == "" {
		g.gpu.UUID = from.UUID
	}
	if g.gpu.Name == "" {
		g.gpu.Name = from.Name
	}
	if !g.gpu.Index.Known() {
		g.gpu.Index = from.Index
	}
}

// merge puts the newest readings of all sources together.
func (g *gpu) merge() {
	best := 0
	for i := range g.newest {
		if knows(g.newest[i]) > knows(g.newest[best]) {
			best = i
		}
	}
	r := g.newest[best]
	r.GPU = g.gpu
	own := Origin{Source: r.Source, At: r.At}
	of := Origins{}
	mark := func(known bool, to *Origin) {
		if known {
			*to = own
		}
	}
	mark(r.Util.Known(), &of.Util)
	mark(r.Power.Known(), &of.Power)
	mark(r.MemUsed.Known(), &of.Memory)
	mark(r.Temp.Known(), &of.Temp)
	for i, x := range g.newest {
		if i != best {
			fill(&r, &of, x)
		}
	}
	g.last, g.of = r, of
}

// fill takes the figures that a reading lacks from another source's.
func fill(r *job.Reading, of *Origins, x job.Reading) {
	from := Origin{Source: x.Source, At: x.At}
	if !r.Util.Known() && x.Util.Known() {
		r.Util, of.Util = x.Util, from
	}
	if !r.Power.Known() && x.Power.Known() {
		r.Power, of.Power = x.Power, from
	}
	if !r.Limit.Known() {
		r.Limit = x.Limit
	}
	// Used and total belong together: sources count reserved memory differently.
	if !r.MemUsed.Known() && x.MemUsed.Known() {
		r.MemUsed, r.MemTotal, of.Memory = x.MemUsed, x.MemTotal, from
	}
	if !r.MemTotal.Known() {
		r.MemTotal = x.MemTotal
	}
	if !r.Temp.Known() && x.Temp.Known() {
		r.Temp, of.Temp = x.Temp, from
	}
	if r.Driver == "" {
		r.Driver = x.Driver
	}
	if len(r.Reasons) == 0 {
		r.Reasons = x.Reasons
	}
}

// knows counts what a reading tells.
func knows(r job.Reading) int {
	n := 0
	for _, known := range [...]bool{r.Util.Known(), r.Power.Known(), r.MemUsed.Known(), r.Temp.Known(), r.Limit.Known()} {
		if known {
			n++
		}
	}
	return n
}

// remember keeps the gauges for sparklines, and for what only a moment shows.
func (g *gpu) remember() {
	r := g.last
	g.latest = append(slices.Clip(g.latest[max(0, len(g.latest)-latestKept+1):]), r)
	n := len(g.recent)
	if n > 0 && r.At.Sub(g.recent[n-1].At) < recentEvery {
		return
	}
	// The slice is shared with snapshots: what they see of it never changes,
	// since it only grows, or is cut from the front.
	first := 0
	for first < n && r.At.Sub(g.recent[first].At) > recentFor {
		first++
	}
	g.recent = append(g.recent[first:], r)
}

// find gives the GPU that a source names: by uuid; where one of the two does not
// know it, by index among cards of one name, since a program may count only some
// of the cards; else by a name that no other card has.
func (m *machine) find(want job.GPU) *gpu {
	var named []*gpu
	for _, g := range m.gpus {
		if want.UUID != "" && g.gpu.UUID != "" {
			if strings.EqualFold(want.UUID, g.gpu.UUID) {
				return g
			}
			continue
		}
		if want.Name == "" || g.gpu.Name == "" || want.Name == g.gpu.Name {
			named = append(named, g)
		}
	}
	for _, g := range named {
		if want.Index.Known() && want.Index == g.gpu.Index {
			return g
		}
	}
	for _, g := range named {
		if !want.Index.Known() || !g.gpu.Index.Known() {
			return g
		}
	}
	// The index is another one: a render server that may use one card of several
	// counts from 0.
	if len(named) != 1 {
		return nil
	}
	only := named[0]
	if want.Name != "" && want.Name == only.gpu.Name && (want.UUID == "") != (only.gpu.UUID == "") {
		return only
	}
	return nil
}
