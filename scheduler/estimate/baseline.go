package estimate

import (
	"math"
	"slices"
)

// window is how many of the newest runs a baseline looks at (estimation, 0 and
// 3.5).
const window = 41

// rankedFrom is the number of runs from which their own ranks give an 80 %
// range (estimation, 3.6). With fewer the range is shortest to longest.
const rankedFrom = 9

// Baseline is what the counted runs of one job type on one GPU come to. It is
// made anew whenever they change, and never changes itself. The zero Baseline
// has no runs.
type Baseline struct {
	sorted    []float64 // seconds
	unwatched int
	mid       float64 // seconds: the median in log time
	own       float64 // spread in log time; 0 below three runs
}

// newBaseline makes the baseline of some durations, which it sorts in place and
// keeps.
func newBaseline(durations []float64, unwatched int, typical float64) Baseline {
	n := len(durations)
	if n == 0 {
		return Baseline{}
	}
	slices.Sort(durations)
	b := Baseline{sorted: durations, unwatched: unwatched, mid: middle(durations)}
	if n == 2 {
		b.mid = middleOfTwo(durations, typical)
	}
	if n >= spreadFrom {
		var room [window]float64
		logs := room[:0]
		for _, s := range durations {
			logs = append(logs, math.Log(s))
		}
		b.own = madScale(n) * mad(logs, math.Log(b.mid))
	}
	return b
}

// middleOfTwo is the centre of two runs. Of two that disagree by more than both
// 30 % and what is usual on the machine, the shorter counts: whatever disturbs a
// run lengthens it (estimation, 3.6).
func middleOfTwo(sorted []float64, typical float64) float64 {
	const apart, usual = 1.3, 3
	if ratio := sorted[1] / sorted[0]; ratio > apart && math.Log(ratio) > usual*typical {
		return sorted[0]
	}
	return middle(sorted)
}

// N is how many runs it rests on.
func (b Baseline) N() int { return len(b.sorted) }

// MidS is the median in log time, in seconds; 0 without runs.
func (b Baseline) MidS() float64 { return b.mid }

// ShortestS and LongestS are its ends in seconds; 0 without runs.
func (b Baseline) ShortestS() float64 {
	if len(b.sorted) == 0 {
		return 0
	}
	return b.sorted[0]
}

// LongestS is the longest run in seconds; 0 without runs.
func (b Baseline) LongestS() float64 {
	if len(b.sorted) == 0 {
		return 0
	}
	return b.sorted[len(b.sorted)-1]
}

// Spread is its robust spread in log time (0.05 is 5 %), pulled towards what is
// typical of the machine.
func (b Baseline) Spread(typical float64) float64 { return pulled(b.own, typical, len(b.sorted)) }

// Usual gives P10 and P90 by rank; with fewer than nine runs the shortest and
// the longest.
func (b Baseline) Usual() (low, high float64) {
	if len(b.sorted) == 0 {
		return 0, 0
	}
	low, lok := shareOf(b.sorted, 0.1)
	high, hok := shareOf(b.sorted, 0.9)
	if !lok || !hok || len(b.sorted) < rankedFrom {
		return b.ShortestS(), b.LongestS()
	}
	return low, high
}

// The alarm's line, as a multiple of the middle: no type is so steady that 1.3
// is not worth a look at most, none so unsteady that 3 is not (estimation,
// 3.11).
const (
	alarmAtLeast = 1.3
	alarmAtMost  = 3
)

// Reach is the range in which the baseline takes in a run by itself: shortest to
// longest, and at least what its own spread would call extreme. A run outside of
// it waits for others like it (rule 7). It depends on nothing but the baseline's
// runs, so that a log is judged the same whatever else is known.
func (b Baseline) Reach() (low, high float64) {
	const extreme = 3.5 // predictive spreads
	p := predictive(b.Spread(typicalAtFirst), len(b.sorted))
	times := min(max(math.Exp(extreme*p), alarmAtLeast), alarmAtMost)
	return min(b.ShortestS(), b.mid/times), max(b.LongestS(), b.mid*times)
}

// Modes are the times around which the runs gather when there are two of them: a
// gap of 35 % with at least three runs on either side (estimation, 3.7). ok is
// false when one time is all there is to say.
func (b Baseline) Modes() (short, long float64, ok bool) {
	const gap, side = 1.35, 3
	at, widest := 0, gap
	for i := side; i <= len(b.sorted)-side; i++ {
		if ratio := b.sorted[i] / b.sorted[i-1]; ratio > widest {
			at, widest = i, ratio
		}
	}
	if at == 0 {
		return 0, 0, false
	}
	return middle(b.sorted[:at]), middle(b.sorted[at:]), true
}

// Seconds are its runs' durations, shortest first. They must not be changed.
func (b Baseline) Seconds() []float64 { return b.sorted }
