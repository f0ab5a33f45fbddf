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
	low, high := oneRank(before.sorted, math.Exp(r.centre))
	r.centre = min(max(median+leanHalf*(r.mean-median), math.Log(low)), math.Log(high))
	return r
}

// oneRank gives how far a middle may move by one rank among sorted runs. Runs of
// the same length are one rank.
func oneRank(sorted []float64, centre float64) (low, high float64) {
	// A centre on a member is on it whatever the last bit of its logarithm.
	const slack = 1e-9
	below, upTo := above(sorted, centre*(1-slack)), above(sorted, centre*(1+slack))
	at := func(i int) float64 { return sorted[min(max(i, 0), len(sorted)-1)] }
	return min(at(upTo-2), at(below-1)), max(at(below+1), at(upTo))
}

// seconds is the expected middle; the median's where nothing is known of late.
func (r recent) seconds(b Baseline) float64 {
	if !r.on || b.N() < settledFrom {
		return b.mid
	}
	return math.Exp(r.centre)
}
