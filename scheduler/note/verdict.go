package note

import (
	"cmp"
	"slices"

	"reckoner/scheduler/job"
)

// Verdict is the strongest sentence that a diagnosis carries about how a GPU's
// work is held up, worded as surely as it is known: what was seen comes before
// what is likely. ok is false when there is nothing to say beyond the gauges: the
// GPU rests or works normally, or nothing is sure.
//
// It never says who is the cause: that is another sentence, by other witnesses.
func (d Diagnosis) Verdict() (say job.Say, ok bool) {
	if len(d.Facts) > 0 {
		return sayMechanism(d.Facts[0], job.Certain), true
	}
	if d.BusyAlone {
		return job.Say{Code: job.NoteBusyAlone}, true
	}
	switch d.Mechanism {
	case job.SharedGPU, job.Spill, job.Throttled, job.HostBound, job.Stalled:
		return sayMechanism(d.Mechanism, d.Strength), d.Strength != job.Unsure
	default:
		return job.Say{}, false
	}
}

func sayMechanism(m job.Mechanism, how job.Strength) job.Say {
	return job.Say{Code: job.NoteSawMechanism, Args: job.Args{Value: string(m), Detail: string(how)}}
}

// observations gives what was seen in a window, what weighs most first, in words
// of its own: facts, none of them a cause.
func (s *score) observations() []job.Say {
	type weighed struct {
		say job.Say
		by  float64
	}
	f := s.facts
	var all []weighed
	add := func(by float64, code string, args job.Args) {
		if by > 0 {
			all = append(all, weighed{job.Say{Code: code, Args: args}, by})
		}
	}
	if f.hasUtil && f.hasPower && f.limit > 0 {
		add(s.weight[signUtil]+s.weight[signPower], job.NoteSawLowPower,
			job.Args{Percent: f.util, Watts: f.power, OfWatts: f.limit})
	}
	if f.hasFull {
		add(s.weight[signMemory], job.NoteSawFull, job.Args{Bytes: int64(f.used), OfBytes: int64(f.total)})
	}
	if throttled(f.window) {
		add(s.weight[signThrottle], job.NoteSawThrottle, job.Args{})
	}
	if ours, ok := s.last.Ours.Get(); ok && !ours && f.hasUtil && f.util >= busyAloneUtil {
		add(s.weight[signOurs], job.NoteSawBusyAlone, job.Args{Percent: f.util})
	}
	if bus, ok := medianOf(f.window, func(x Sample) job.Maybe[float64] { return x.BusIn }); ok {
		add(s.weight[signBus], job.NoteSawBus, job.Args{Percent: 100 * bus})
	}
	speed, ok := medianOf(f.window, func(x Sample) job.Maybe[float64] { return x.Speed })
	if ok && speed > 0 && speed < slowFrom {
		add(s.weight[signSpeed], job.NoteSawSlow, job.Args{Percent: 100 * speed})
	}
	if since, ok := s.last.SinceProgress.Get(); ok && since > silentFrom {
		add(s.weight[signProgress], job.NoteSawNoProgress, job.Args{Seconds: since})
	}
	slices.SortStableFunc(all, func(a, b weighed) int { return cmp.Compare(b.by, a.by) })
	says := make([]job.Say, 0, len(all))
	for _, w := range all {
		says = append(says, w.say)
	}
	return says
}

const (
	slowFrom   = .8 // of the usual speed: below it a run counts as slow
	silentFrom = 30 // seconds without a sign of progress that are worth a word
)
