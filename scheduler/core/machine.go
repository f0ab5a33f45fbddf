package core

import (
	"slices"
	"strings"
	"time"

	"reckoner/scheduler/job"
)

// How much of a GPU's past readings is kept for its sparklines.
const (
	recentFor   = 10 * time.Minute
	recentEvery = 5 * time.Second
)

// machine is a host with GPUs.
type machine struct {
	rec     job.Machine
	gpus    []*gpu
	sources map[string]SourceError // failing ones
	// lost counts the jobs in a row that were lost here; two of them trip the
	// machine, and tripped says since when.
	lost    int
	tripped job.Maybe[job.Instant]
	// full is since when its disk is known to have no room left.
	full job.Maybe[job.Instant]
	// cuts counts, by job type, the runs in a row that their limit stopped here.
	cuts map[string]int
}

// gpu is a GPU's gauges.
type gpu struct {
	gpu    job.GPU
	last   job.Reading   // put together from all its sources
	of     Origins       // where its figures come from
	newest []job.Reading // of each source
	latest []job.Reading // the last few, for what only a moment shows
	recent []job.Reading // thinned, for sparklines
	idle   learning      // what it draws at rest
	// programs are those that hold it.
	programs programs
}

// latestKept is how many readings show what a GPU does at the moment.
const latestKept = 5

// ignorable tells whether a wish can lift a hold: those for other people's work
// and for caution. The others stand for something that cannot be done now.
func ignorable(code job.HoldCode) bool {
	return slices.Contains([]job.HoldCode{
		job.HoldForeign, job.HoldForeignProc, job.HoldBusyUnnamed, job.HoldMemoryShort,
		job.HoldMachinePaused, job.HoldCutTwice,
	}, code)
}

// ignores tells whether the user told us to ignore a reason to hold here.
func (m *machine) ignores(code job.HoldCode, now job.Instant) bool {
	if m == nil || !ignorable(code) {
		return false
	}
	until, ok := m.rec.Ignored[code]
	return ok && now.Wall.Before(until)
}

func newMachine(rec job.Machine) *machine {
	return &machine{rec: rec, sources: map[string]SourceError{}, cuts: map[string]int{}}
}

func (s *State) addMachine(rec job.Machine) {
	m := newMachine(rec)
	s.machines = append(s.machines, m)
	s.site(rec.ID).m = m
}

func (s *State) machine(id job.ID) *machine {
	if at := s.sites[id]; at != nil {
		return at.m
	}
	return nil
}

// lowPower tells whether the last few readings show a busy GPU at low power, and
// the very last one still does.
func (g *gpu) lowPower() bool {
	return job.LowPower(g.latest) && job.LowPower([]job.Reading{g.last, g.last, g.last})
}

// deviceKey names a device as torch describes it
// ("cuda:0 NVIDIA GeForce RTX 4090 : cudaMallocAsync") by its model alone.
func deviceKey(d job.Device) string {
	name := d.Name
	if _, rest, ok := strings.Cut(name, " "); ok && strings.Contains(name[:len(name)-len(rest)], ":") {
		name = rest
	}
	name, _, _ = strings.Cut(name, " : ")
	return strings.TrimSpace(name)
}

func sortedSources(m map[string]SourceError) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
