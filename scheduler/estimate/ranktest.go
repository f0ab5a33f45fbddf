package estimate

import "math"

// exactUpTo is the number of new runs up to which their ranks are counted out
// exactly; of more, the normal curve is near enough.
const exactUpTo = 6

// ranksBy is the chance that, nothing having changed, the new runs stand so far
// to one side of the old ones (Mann and Whitney; one-sided). Both are sorted.
// Runs of equal length count for half.
func ranksBy(fresh, old []float64, side int) float64 {
	m, n := len(fresh), len(old)
	if m == 0 || n == 0 {
		return 1
	}
	u := 0.0 // pairs that speak against a shift to that side
	for _, f := range fresh {
		for _, o := range old {
			switch d := float64(side) * (f - o); {
			case d < 0:
				u++
			case d == 0:
				u += 0.5
			}
		}
	}
	if m <= exactUpTo {
		return atMost(int(math.Ceil(u)), m, n)
	}
	pairs := float64(m) * float64(n)
	z := (pairs/2 - u - 0.5) / math.Sqrt(pairs*float64(m+n+1)/12)
	return 0.5 * math.Erfc(z/math.Sqrt2)
}

// atMost is the share of all orders of m new and n old runs in which at most u
// pairs stand the wrong way round.
func atMost(u, m, n int) float64 {
	// ways[k][v] counts how k new runs can be placed among the old ones seen so
	// far with v pairs the wrong way round.
	ways := make([][]float64, m+1)
	for k := range ways {
		ways[k] = make([]float64, u+1)
	}
	ways[0][0] = 1
	for place := range m + n {
		for k := min(place+1, m); k >= 1; k-- {
			// The k-th new run at this place has place-(k-1) old ones before it.
			wrong := place - (k - 1)
			for v := u; v >= wrong; v-- {
				ways[k][v] += ways[k-1][v-wrong]
			}
		}
	}
	few, all := 0.0, 1.0
	for _, w := range ways[m] {
		few += w
	}
	for k := range m {
		all *= float64(m+n-k) / float64(k+1)
	}
	return few / all
}
