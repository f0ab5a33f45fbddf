package estimate

import (
	"math"
	"time"

	"reckoner/scheduler/job"
)

// The bounds of a default time limit. A cold load must not be cut, and without
// past runs only patience speaks.
const (
	shortestLimit = 10 * time.Minute
	limitUnknown  = 3 * time.Hour
	coldAllowance = 60.0 // seconds
	limitStep     = 30.0 // seconds
	limitMiddles  = 4    // the rivals that are tolerated, and this run
	limitLongests = 2
)

// Limit is the default time limit of a run (estimation, 3.11): four times the
// middle, twice the longest, or the middle with a cold load, whatever is most.
// While a change of the baseline is proposed the longer of the two counts. What
// rests on other runs than this type's on this GPU never shortens what would
// hold without it.
func (e *Estimate) Limit() time.Duration {
	if e.level != job.LevelExact {
		if _, high, ok := e.Range80(); ok {
			return max(limitUnknown, limitOf(high, high, 0))
		}
		return limitUnknown
	}
	limit := limitOf(e.midS, e.base.LongestS(), e.coldS)
	if p := e.proposed; p.N() > 0 {
		limit = max(limit, limitOf(p.MidS(), p.LongestS(), e.coldS))
	}
	return limit
}

// DefaultLimit is the time limit of a job whose user set none, from figures that
// were frozen before.
func DefaultLimit(f job.Forecast) time.Duration {
	switch {
	case f.LimitS > 0:
		return time.Duration(f.LimitS * float64(time.Second))
	case f.N == 0:
		return limitUnknown
	}
	return limitOf(f.MidS, f.LongestS, f.ColdS)
}

func limitOf(midS, longestS, coldS float64) time.Duration {
	s := max(limitMiddles*midS, limitLongests*longestS, midS+coldS+coldAllowance)
	limit := time.Duration(math.Ceil(s/limitStep)*limitStep) * time.Second
	return max(limit, shortestLimit)
}
