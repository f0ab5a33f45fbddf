package note

import (
	"math"
	"slices"

	"reckoner/scheduler/job"
)

// Sample is what is known of a GPU, and of the work on it, at one moment. Every
// figure may be unknown; one that is adds nothing to a diagnosis.
type Sample struct {
	Util         job.Maybe[float64] // percent
	Power, Limit job.Maybe[float64] // watts
	Used, Total  job.Maybe[int64]   // bytes of memory
	SM, SMMax    job.Maybe[float64] // MHz
	// Throttled says that heat or the supply holds the clocks back; an ordinary
	// power cap does not.
	Throttled job.Maybe[bool]
	Parked    bool               // in its idle clocks (P8)
	BusIn     job.Maybe[float64] // share of the bus towards the card
	// ForeignMem and ForeignSM are what the processes hold and compute that are
	// not ours nor a desktop's, in bytes and percent. Known and 0 is not unknown.
	ForeignMem job.Maybe[int64]
	ForeignSM  job.Maybe[float64]
	// Ours says whether a prompt of ours runs on any known server of the GPU, and
	// ForeignPrompt that somebody else's does.
	Ours          job.Maybe[bool]
	ForeignPrompt bool
	Speed         job.Maybe[float64] // of our run against its baseline: 0.5 is half as fast
	SinceProgress job.Maybe[float64] // seconds
	// StepS is how long a step of that run takes at its present pace, in seconds.
	StepS job.Maybe[float64]
	// SinceOthers is how long ago a prompt of somebody else ended on the GPU, in
	// seconds: so long at least its work has gone on.
	SinceOthers job.Maybe[float64]
	// HostNode says that the node under way loads, decodes or saves.
	HostNode bool
	// Moved says how much of our memory the driver has moved into system memory
	// lately, in bytes.
	Moved job.Maybe[int64]
}

// FromReading makes the part of a sample that a reading knows.
func FromReading(r job.Reading) Sample {
	s := Sample{Util: r.Util, Power: r.Power, Limit: r.Limit, Used: r.MemUsed, Total: r.MemTotal}
	if len(r.Reasons) > 0 {
		s.Throttled = job.Known(slices.ContainsFunc(r.Reasons, Throttles))
	}
	return s
}

// Throttles tells whether a reason for held-back clocks, as readings name them,
// is one that slows work: heat, hardware or the supply. The software power cap is
// the normal state of a card at full work.
func Throttles(reason string) bool {
	return slices.Contains([]string{
		"hw_slowdown", "sw_thermal_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown",
	}, reason)
}

// medianOf is the median of the known values of a figure; ok is false without any.
func medianOf(window []Sample, figure func(Sample) job.Maybe[float64]) (float64, bool) {
	v := known(window, figure)
	if len(v) == 0 {
		return 0, false
	}
	slices.Sort(v)
	n := len(v)
	return (v[(n-1)/2] + v[n/2]) / 2, true
}

// deviation is the standard deviation of a figure; it needs three values.
func deviation(window []Sample, figure func(Sample) job.Maybe[float64]) (float64, bool) {
	v := known(window, figure)
	if len(v) < 3 {
		return 0, false
	}
	sum, squares := 0.0, 0.0
	for _, x := range v {
		sum += x
	}
	mean := sum / float64(len(v))
	for _, x := range v {
		squares += (x - mean) * (x - mean)
	}
	return math.Sqrt(squares / float64(len(v))), true
}

func known(window []Sample, figure func(Sample) job.Maybe[float64]) []float64 {
	v := make([]float64, 0, len(window))
	for _, s := range window {
		if x, ok := figure(s).Get(); ok && !math.IsNaN(x) {
			v = append(v, x)
		}
	}
	return v
}

// count counts the samples of which something holds.
func count(window []Sample, holds func(Sample) bool) int {
	n := 0
	for _, s := range window {
		if holds(s) {
			n++
		}
	}
	return n
}

func asFloat(m job.Maybe[int64]) job.Maybe[float64] {
	v, ok := m.Get()
	if !ok {
		return job.Maybe[float64]{}
	}
	return job.Known(float64(v))
}
