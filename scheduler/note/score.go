package note

import (
	"math"

	"reckoner/scheduler/job"
)

// mechanisms are what a window is held against, in a fixed order.
var mechanisms = [...]job.Mechanism{ //nolint:gochecknoglobals // a constant list
	job.Idle, job.Healthy, job.SharedGPU, job.Spill, job.Throttled, job.HostBound, job.Stalled, job.Unclear,
}

const unclearPrior = 2.0 // log-odds: what the others must beat

// sign is a kind of observation, to tell which ones weigh most.
type sign uint8

const (
	signUtil sign = iota
	signPower
	signMemory
	signBus
	signSpeed
	signOurs
	signOthers
	signThrottle
	signProgress
	signNode
	signs
)

// score is what a window adds up to: log-odds of each mechanism, and how much
// each sign had to say.
type score struct {
	odds   map[job.Mechanism]float64
	weight [signs]float64
	last   Sample
	facts  facts
}

// facts are the figures that scoring is done on, medians of the window.
type facts struct {
	util, power, limit, used, total float64
	// share is the power above idle as a share of what the limit leaves above it.
	share                                float64
	hasUtil, hasPower, hasShare, hasFull bool
	full                                 float64 // memory used, as a share
	window                               []Sample
}

func (s *score) add(m job.Mechanism, by float64, why sign) {
	s.odds[m] += by
	s.weight[why] += math.Abs(by)
}

// shares turns the log-odds into shares that add up to 1.
func (s *score) shares() map[job.Mechanism]float64 {
	top := math.Inf(-1)
	for _, m := range mechanisms {
		top = max(top, s.odds[m])
	}
	sum, out := 0.0, make(map[job.Mechanism]float64, len(mechanisms))
	for _, m := range mechanisms {
		out[m] = math.Exp(s.odds[m] - top)
		sum += out[m]
	}
	for _, m := range mechanisms {
		out[m] /= sum
	}
	return out
}

// idleOfLimit is what an idle card draws while its own idle power is not known.
const idleOfLimit = 0.12

func factsOf(window []Sample, idle job.Maybe[float64]) facts {
	f := facts{window: window}
	f.util, f.hasUtil = medianOf(window, func(s Sample) job.Maybe[float64] { return s.Util })
	var hasLimit, hasUsed, hasTotal bool
	f.power, f.hasPower = medianOf(window, func(s Sample) job.Maybe[float64] { return s.Power })
	f.limit, hasLimit = medianOf(window, func(s Sample) job.Maybe[float64] { return s.Limit })
	if base := idle.Or(idleOfLimit * f.limit); f.hasPower && hasLimit && f.limit > base {
		f.share, f.hasShare = min(1, max(0, (f.power-base)/(f.limit-base))), true
	}
	f.used, hasUsed = medianOf(window, func(s Sample) job.Maybe[float64] { return asFloat(s.Used) })
	f.total, hasTotal = medianOf(window, func(s Sample) job.Maybe[float64] { return asFloat(s.Total) })
	if hasUsed && hasTotal && f.total > 0 {
		f.full, f.hasFull = f.used/f.total, true
	}
	return f
}

// scoreOf holds a window of samples against the mechanisms. What is unknown adds
// nothing.
func scoreOf(window []Sample, idle job.Maybe[float64]) *score {
	s := &score{odds: map[job.Mechanism]float64{job.Unclear: unclearPrior}, last: window[len(window)-1]}
	s.facts = factsOf(window, idle)
	s.utilisation()
	s.power()
	s.memory()
	s.speed()
	s.work()
	s.throttle()
	s.progress()
	return s
}

func (s *score) utilisation() {
	f := s.facts
	if !f.hasUtil {
		return
	}
	if f.util <= 3 {
		s.add(job.Idle, 4, signUtil)
	}
	if f.util > 10 {
		s.add(job.Idle, -4, signUtil)
	}
	if f.util >= 80 {
		s.add(job.Healthy, 1, signUtil)
	}
	if f.util < 50 {
		s.add(job.HostBound, 2, signUtil)
	}
	if f.util >= 95 {
		s.add(job.HostBound, -3, signUtil)
	}
}

func (s *score) power() {
	f := s.facts
	if !f.hasShare {
		return
	}
	if f.share < .08 {
		s.add(job.Idle, 1, signPower)
	}
	if f.share > .20 {
		s.add(job.Idle, -3, signPower)
	}
	switch {
	case f.share >= .55:
		s.add(job.Healthy, 3, signPower)
		s.add(job.Spill, -2, signPower)
	case f.share >= .35:
		s.add(job.Healthy, 1, signPower)
	case f.share >= .15:
		s.add(job.Healthy, -1.5, signPower)
	default:
		s.add(job.Healthy, -3, signPower)
	}
	if f.share < .35 {
		s.add(job.HostBound, 1, signPower)
		if f.hasUtil && f.util >= 80 && f.hasFull && f.full >= .90 {
			s.add(job.Spill, 2, signPower)
		}
	}
	if !f.hasUtil || f.share >= .15 {
		return
	}
	steady, ok := deviation(f.window, func(x Sample) job.Maybe[float64] { return x.Util })
	if f.util >= 95 && (!ok || steady <= 1) {
		s.add(job.Stalled, 2.5, signPower)
	}
	flat, ok := deviation(f.window, func(x Sample) job.Maybe[float64] { return x.Power })
	if ok && flat < 1.5 && f.util >= 50 {
		s.add(job.Stalled, 1, signPower)
	}
}

func (s *score) memory() {
	f := s.facts
	if f.hasFull && f.full >= .95 {
		s.add(job.Spill, 1.5, signMemory)
	}
	if f.hasFull && f.full < .85 {
		s.add(job.Spill, -3, signMemory)
	}
	if bus, ok := medianOf(f.window, func(x Sample) job.Maybe[float64] { return x.BusIn }); ok {
		switch {
		case bus >= .30:
			s.add(job.Spill, 3, signBus)
		case bus < .05:
			s.add(job.Spill, -2, signBus)
		}
		if bus < .01 {
			s.add(job.Stalled, 1, signBus)
		}
		if bus >= .10 && f.hasUtil && f.util < 50 {
			s.add(job.HostBound, .5, signBus)
		}
	}
	if moved(f.window) {
		s.add(job.Spill, 5, signMemory)
	}
}

// moved tells whether the driver moves our memory into system memory.
func moved(window []Sample) bool {
	return count(window, func(x Sample) bool { return x.Moved.Or(0) > movedFrom }) >= 5
}

const movedFrom = 512 << 20 // bytes

func (s *score) speed() {
	f := s.facts
	speed, ok := medianOf(f.window, func(x Sample) job.Maybe[float64] { return x.Speed })
	if !ok {
		return
	}
	if speed >= .8 {
		s.add(job.Healthy, 3, signSpeed)
	}
	if speed <= .6 {
		s.add(job.Healthy, -4, signSpeed)
	}
	if speed >= .3 && speed <= .7 && f.hasShare && f.share >= .35 {
		s.add(job.SharedGPU, 3, signSpeed)
	}
	if speed < .5 {
		s.add(job.Spill, 1.5, signSpeed)
	}
}

// foreignMemFrom is from how much memory on a process counts as somebody's work,
// not a desktop's.
const foreignMemFrom = 300 << 20 // bytes

// foreignSMFrom is from which share of the multiprocessors' time on a process
// computes.
const foreignSMFrom = 10 // percent

func (s *score) work() {
	f := s.facts
	if ours, ok := s.last.Ours.Get(); ok && ours {
		s.add(job.Healthy, 2, signOurs)
		s.add(job.Idle, -2, signOurs)
		s.add(job.HostBound, 1, signOurs)
		s.add(job.Stalled, .5, signOurs)
	} else if ok {
		s.add(job.Healthy, -3, signOurs)
		s.add(job.HostBound, -3, signOurs)
		if f.hasUtil && f.util >= 20 {
			s.add(job.SharedGPU, 4, signOurs)
		}
		if f.hasShare && f.share >= .35 {
			s.add(job.SharedGPU, 1.5, signOurs)
		}
	}
	mem, hasMem := medianOf(f.window, func(x Sample) job.Maybe[float64] { return asFloat(x.ForeignMem) })
	if sm, ok := medianOf(f.window, func(x Sample) job.Maybe[float64] { return x.ForeignSM }); ok {
		if sm >= foreignSMFrom {
			s.add(job.SharedGPU, 5, signOthers)
			s.add(job.Healthy, -2, signOthers)
		} else if hasMem && mem < foreignMemFrom {
			s.add(job.SharedGPU, -4, signOthers)
		}
	}
	if hasMem && mem >= foreignMemFrom {
		s.add(job.SharedGPU, 1, signOthers)
	}
	if s.last.ForeignPrompt {
		s.add(job.SharedGPU, 5, signOthers)
	}
}

func (s *score) throttle() {
	f := s.facts
	if throttled(f.window) {
		s.add(job.Throttled, 5, signThrottle)
		s.add(job.Healthy, -2, signThrottle)
	} else {
		s.add(job.Throttled, -3, signThrottle)
	}
	clock, ok := medianOf(f.window, func(x Sample) job.Maybe[float64] { return x.SM })
	most, known := medianOf(f.window, func(x Sample) job.Maybe[float64] { return x.SMMax })
	if ok && known && most > 0 && f.hasUtil && f.util >= 80 && clock/most < .7 {
		s.add(job.Throttled, 2, signThrottle)
	}
}

// throttled tells whether half of a window says so.
func throttled(window []Sample) bool {
	return 2*count(window, func(x Sample) bool { return x.Throttled.Or(false) }) >= len(window)
}

// When nothing moves for so long it may be called stuck: a slow run is none whose
// steps still come at its own pace (gpu-telemetry, 3.3).
const (
	stuckAfter = 60 // seconds
	stuckSteps = 5
)

// isStill tells whether nothing has moved on a GPU for too long: neither our run
// nor, as far as is seen, anybody else's.
func (s Sample) isStill() bool {
	long := max(stuckAfter, stuckSteps*s.StepS.Or(0))
	others, seen := s.SinceOthers.Get()
	return s.SinceProgress.Or(0) > long && (!seen || others > long)
}

func (s *score) progress() {
	if s.last.HostNode {
		s.add(job.HostBound, 2.5, signNode)
	}
	if since, ok := s.last.SinceProgress.Get(); ok {
		if s.last.isStill() && s.last.Ours.Or(false) {
			s.add(job.Stalled, 3.5, signProgress)
		}
		switch {
		case since <= 5:
			s.add(job.Stalled, -5, signProgress)
		case since <= 30:
			s.add(job.Stalled, -2, signProgress)
		}
	}
	if s.last.Parked && s.facts.hasUtil && s.facts.util >= 90 {
		s.add(job.Stalled, 2, signUtil)
	}
}
