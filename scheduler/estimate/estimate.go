package estimate

import (
	"math"

	"reckoner/scheduler/job"
)

// Estimate is everything that is known before a run of one job type on one GPU,
// with how well such things held. It never changes. The zero Estimate knows
// nothing.
type Estimate struct {
	level     job.Level
	n         int // runs of this very type on this GPU
	base      Baseline
	midS      float64 // seconds
	scale     float64 // of residuals, in log time
	spread    float64 // of the runs themselves, in log time
	shape     shape   // residuals in units of scale
	df        float64 // of Student's curve, while the shape is thin
	misses    [len(nominals)]float64
	basis     int
	basisGPU  string
	noCeiling bool // no similar type is as large: the upper end is unknown
	coldS     float64
	proposed  Baseline
	bounds    []float64 // sorted seconds of runs that were not seen to their end
}

// Known tells whether anything is known.
func (e *Estimate) Known() bool { return e.midS > 0 }

// quantile is the total below which a run stays with probability q, by the
// shape of past residuals, or by Student's curve while there are too few.
func (e *Estimate) quantile(q float64, from int) float64 {
	if len(e.shape) >= from {
		if z, ok := shareOf(e.shape, q); ok {
			return e.midS * math.Exp(e.scale*z)
		}
	}
	return e.midS * math.Exp(e.scale*studentAt(q, e.df))
}

// rangeOf gives the range that is to miss one of the nominal shares of runs, in
// seconds of the whole run, and whether it is by the type's own ranks. ok is
// false when nothing is known.
func (e *Estimate) rangeOf(i int) (low, high float64, byRank, ok bool) {
	if !e.Known() {
		return 0, 0, false, false
	}
	misses := e.misses[i]
	if e.level == job.LevelExact && float64(e.n) >= 2/nominals[i]-1 {
		low, lok := shareOf(e.base.sorted, misses/2)
		high, hok := shareOf(e.base.sorted, 1-misses/2)
		if !lok {
			low = min(e.base.ShortestS(), e.quantile(misses/2, shapeFrom))
		}
		if !hok {
			high = max(e.base.LongestS(), e.quantile(1-misses/2, shapeFrom))
		}
		return low, high, true, true
	}
	return e.quantile(misses/2, shapeFrom), e.quantile(1-misses/2, shapeFrom), false, true
}

// Range80 gives the range that holds 8 of 10 runs, in seconds of the whole run.
// ok is false when nothing is known.
func (e *Estimate) Range80() (low, high float64, ok bool) {
	low, high, _, ok = e.rangeOf(0)
	return low, high, ok
}

// Range90 gives the range that holds 9 of 10 runs, in seconds of the whole run.
func (e *Estimate) Range90() (low, high float64, ok bool) {
	low, high, _, ok = e.rangeOf(1)
	return low, high, ok
}

// NoticeS is the total past which a run is longer than all past ones: for one in
// n+1 normal runs it would be. It needs nine runs. While a change of the
// baseline is proposed, what that would hold is not noticed.
func (e *Estimate) NoticeS() (float64, bool) {
	if e.level != job.LevelExact || e.n < rankedFrom {
		return 0, false
	}
	return max(e.base.LongestS(), e.proposed.LongestS()), true
}

// alarmShare is the share of normal runs that stay below the alarm's line.
const alarmShare = 0.995

// AlarmS is the total past which something is slowing or holding a run. It needs
// three runs: of fewer any may have been the odd one.
func (e *Estimate) AlarmS() (float64, bool) {
	if e.level != job.LevelExact || e.n < spreadFrom {
		return 0, false
	}
	q := alarmShare
	if len(e.shape) < tailFrom {
		q = 0.999
	}
	times := min(max(e.quantile(q, tailFrom)/e.midS, alarmAtLeast), alarmAtMost)
	return max(e.midS*times, e.proposed.LongestS()), true
}

// Modes gives the two times around which past runs gather, where they do.
func (e *Estimate) Modes() (short, long float64, ok bool) { return e.base.Modes() }

// Forecast gives the figures that are frozen when a run starts.
func (e *Estimate) Forecast() job.Forecast {
	if !e.Known() {
		return job.Forecast{}
	}
	f := job.Forecast{
		Level: e.level, MidS: e.midS, Basis: e.basis, BasisGPU: e.basisGPU, ColdS: e.coldS, ProposedS: e.proposed.LongestS(),
		LimitS: e.Limit().Seconds(),
	}
	low, high, byRank, _ := e.rangeOf(0)
	if e.level != job.LevelExact {
		f.LowS, f.HighS = low, high
		if e.noCeiling {
			f.HighS = 0
		}
		return f
	}
	f.N, f.Unwatched, f.LongestS = e.n, e.base.unwatched, e.base.LongestS()
	f.LowS, f.HighS = e.base.ShortestS(), e.base.LongestS()
	if byRank {
		f.LowS, f.HighS = low, high
	}
	f.LongestS = max(f.LongestS, f.HighS)
	if s, ok := e.AlarmS(); ok {
		f.AlarmS = s
	}
	return f
}
