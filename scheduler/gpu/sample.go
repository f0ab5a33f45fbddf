package gpu

import (
	"strconv"
	"strings"
	"time"

	"reckoner/scheduler/job"
)

// sample is everything that a source says about a GPU at one moment, before it
// is a job.Reading. Sizes are in bytes, power in watts, clocks in MHz.
type sample struct {
	index       job.Maybe[int]
	uuid        string // as job.GPU.UUID
	name        string
	pstate      string // "P0" (fastest) to "P12"
	persistence string // "Enabled", "Disabled" or ""
	driver      string

	util, memBusy       job.Maybe[float64] // percent of the time
	power, powerInstant job.Maybe[float64]
	// The power limits, best denominator first.
	limitEnforced, limitAsked, limitDefault job.Maybe[float64]

	memTotal, memReserved, memUsed, memFree job.Maybe[int64]

	temp, smClock, smMax, memClock, pcieGen, pcieWidth job.Maybe[float64]

	// reasons are the decoded clock event bits: nil when not known, empty when
	// none is set.
	reasons []string
}

// Above idleUtil percent, and in a faster state than idlePState, the clock
// event reasons mean something: a 2080 SUPER reports sw_power_cap at 39 of 250 W
// while idle in P8 (captures in utkuozdemir/nvidia_gpu_exporter).
const (
	idleUtil   = 20
	idlePState = 5
)

// reading makes a job.Reading of what was said, without what is known to be
// false.
func (s sample) reading(at time.Time, source string) job.Reading {
	return job.Reading{
		At:       at,
		Source:   source,
		GPU:      job.GPU{UUID: s.uuid, Index: s.index, Name: s.name},
		Util:     within(s.util, 0, 100),
		Power:    within(s.power, 0, 5000),
		Limit:    s.limit(),
		MemUsed:  s.memUsed,
		MemTotal: positive(s.memTotal),
		Temp:     within(s.temp, -50, 200),
		SM:       within(s.smClock, 0, 1e5),
		SMMax:    within(s.smMax, 1, 1e5),
		PState:   s.pstate,
		Driver:   s.driver,
		Link:     s.link(),
		Reasons:  s.heldBack(),
	}
}

// link gives what the bus carries one way at its present speed, in bytes a second:
// a lane of the first generation carries 250 MB, each later one about twice as
// much (984.6 MB in the third, with its denser code).
func (s sample) link() job.Maybe[float64] {
	lane := map[int]float64{1: 250e6, 2: 500e6, 3: 984.6e6, 4: 1969e6, 5: 3938e6, 6: 7563e6}
	gen, okG := s.pcieGen.Get()
	width, okW := within(s.pcieWidth, 1, 32).Get()
	if each := lane[int(gen)]; okG && okW && each > 0 {
		return job.Known(each * width)
	}
	return job.Maybe[float64]{}
}

// limit gives the power limit in force, or the best that stands for it. A limit
// of 0 is a source's way to say that it has none.
func (s sample) limit() job.Maybe[float64] {
	for _, l := range []job.Maybe[float64]{s.limitEnforced, s.limitAsked, s.limitDefault} {
		if w, ok := within(l, 0, 5000).Get(); ok && w > 0 {
			return l
		}
	}
	return job.Maybe[float64]{}
}

// heldBack gives the reasons that hold the clocks back. Being idle is none, and
// an idle GPU's reasons are not to be believed.
func (s sample) heldBack() []string {
	if u, ok := s.util.Get(); !ok || u < idleUtil {
		return nil
	}
	if p, err := strconv.Atoi(strings.TrimPrefix(s.pstate, "P")); err == nil && p >= idlePState {
		return nil
	}
	var held []string
	for _, r := range s.reasons {
		if r != reasonIdle {
			held = append(held, r)
		}
	}
	return held
}

// waking tells whether the sample looks like that of a driver which the question
// itself woke: work without any memory is not work. An idle L40S with
// persistence off said 100 % and 145 W with 0 MiB in use, and zero seconds later
// (captures in utkuozdemir/nvidia_gpu_exporter).
func (s sample) waking() bool {
	used, ok := s.memUsed.Get()
	return ok && used == 0 && s.util.Or(0) > 0 && s.persistence != "Enabled"
}

// withoutLoad is the sample without the figures that waking makes false.
func (s sample) withoutLoad() sample {
	s.util, s.memBusy = job.Maybe[float64]{}, job.Maybe[float64]{}
	s.power, s.powerInstant = job.Maybe[float64]{}, job.Maybe[float64]{}
	return s
}

// within gives m when it lies between low and high, else unknown. Old exporters
// spell "blank" as numbers near 2^31 and 2^63, and others as NaN or -1.
func within(m job.Maybe[float64], low, high float64) job.Maybe[float64] {
	if v, ok := m.Get(); ok && v >= low && v <= high {
		return m
	}
	return job.Maybe[float64]{}
}

func positive(m job.Maybe[int64]) job.Maybe[int64] {
	if v, ok := m.Get(); ok && v > 0 {
		return m
	}
	return job.Maybe[int64]{}
}

// plainUUID gives a uuid as job.GPU.UUID has it: lower case, without "GPU-".
func plainUUID(s string) string {
	return strings.TrimPrefix(strings.ToLower(strings.TrimSpace(s)), "gpu-")
}

// bytesOf gives a size as whole bytes, or unknown when it is none: negative, not
// a number, or over a pebibyte, which no GPU has.
func bytesOf(size, unit float64) job.Maybe[int64] {
	b := size * unit
	if b >= 0 && b < 1<<50 {
		return job.Known(int64(b + 0.5))
	}
	return job.Maybe[int64]{}
}

const mib = 1 << 20
