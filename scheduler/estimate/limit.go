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
)

// DefaultLimit is the time limit of a job whose user set none: generous, so
// that it never cuts good work (estimation, 3.11: four times the middle, twice
// the longest, in steps of 30 s).
func DefaultLimit(f job.Forecast) time.Duration {
	if f.N == 0 {
		return limitUnknown
	}
	s := max(4*f.MidS, 2*f.LongestS, f.MidS+coldAllowance)
	limit := time.Duration(math.Ceil(s/30)*30) * time.Second
	return max(limit, shortestLimit)
}
