package job

import "slices"

// The limits of LowPower. Utilisation is a duty cycle: 100 % says only that the
// GPU was never without a kernel. Power above idle, as a share of what the limit
// leaves above idle, tells work from waiting: cards that compute flat out stand
// at .55 to 1, a large language model at .62, and the reports of stalled, frozen
// or memory-starved jobs at 0 to .16. Between lies what small or memory-bound
// work draws, from .35 on.
const (
	lowPowerUtil  = 90   // percent, at least
	lowPowerShare = 0.35 // of the range above idle, below
	lowPowerIdle  = 0.12 // of the limit: what an idle card draws, while its own idle power is not known
	lowPowerCount = 3    // readings, at least
)

// LowPower tells whether a GPU is as good as fully busy while it draws far less
// power than a computing card: in the median, utilisation of at least 90 % and
// power below 35 % of the range between idle (12 % of the limit) and limit.
//
// recent are the readings of one GPU in the last ten seconds or so. At least
// three of them must know all three figures; otherwise it is false, as nothing
// is known. True says that this is not one job running flat out. It does not say
// why.
func LowPower(recent []Reading) bool {
	var utils, shares []float64
	for _, r := range recent {
		util, okU := r.Util.Get()
		power, okP := r.Power.Get()
		limit, okL := r.Limit.Get()
		if !okU || !okP || !okL || limit <= 0 {
			continue
		}
		idle := lowPowerIdle * limit
		utils = append(utils, util)
		shares = append(shares, (power-idle)/(limit-idle))
	}
	if len(utils) < lowPowerCount {
		return false
	}
	return median(utils) >= lowPowerUtil && median(shares) < lowPowerShare
}

// median sorts v. It must not be empty.
func median(v []float64) float64 {
	slices.Sort(v)
	n := len(v)
	return (v[(n-1)/2] + v[n/2]) / 2
}
