package estimate

import "math"

// How the middle of the next run leans towards the newest ones. A median of 41
// runs is slow where a machine drifts, a moving mean is carried off by every
// disturbed run. These are choices made on made-up logs with and without drift;
// the last one is since the coarse keys of an HPC log (KTH) have no such trend.
const (
	leanWeight = 0.3 // of the newest run, in the moving mean
	leanBound  = 1.5 // spreads that one run may pull by at most
	leanHalf   = 0.5 // the moving mean's share; the rest is the median's
	leanUpTo   = 0.5 // of spread: what scatters more is no one kind of work, and has no trend
)

// recent is where a settled baseline's next run is expected, in log time: half
// way between the median and a moving mean that no run pulls far. One run moves
// it by at most one rank (rule 7).
type recent struct {
	mean, centre float64
	on           bool
}

// after gives what it becomes when a run joins: before and now are the baseline
// without and with it.
func (r recent) after(before, now Baseline, seconds, typical float64) recent {
	median := math.Log(now.mid)
	if before.N() < settledFrom {
		return recent{mean: median, centre: median}
	}
	if !r.on {
		r = recent{mean: math.Log(before.mid), centre: math.Log(before.mid), on: true}
	}
	spread := before.Spread(typical)
	most := leanBound * spread
	r.mean += leanWeight * min(max(math.Log(seconds)-r.mean, -most), most)
	if spread > leanUpTo {
		r.mean = median
	}
	// A centre on a member is on it whatever the last bit of its logarithm.
	const slack = 1e-9
	centre := math.Exp(r.centre)
	low := before.sorted[max(0, above(before.sorted, centre*(1+slack))-2)]
	high := before.sorted[min(above(before.sorted, centre*(1-slack))+1, before.N()-1)]
	r.centre = min(max(median+leanHalf*(r.mean-median), math.Log(low)), math.Log(high))
	return r
}

// seconds is the expected middle; the median's where nothing is known of late.
func (r recent) seconds(b Baseline) float64 {
	if !r.on || b.N() < settledFrom {
		return b.mid
	}
	return math.Exp(r.centre)
}
