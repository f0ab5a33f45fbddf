package estimate

import "math"

// What spreads are held to (estimation, 3.5).
const (
	typicalAtFirst = 0.10  // of a machine of which no type has eight runs
	typicalWeight  = 4     // the runs that a machine's typical spread counts for
	spreadAtLeast  = 0.005 // no type is known better than this
	spreadFrom     = 3     // runs from which a type has a spread of its own
)

// madScale makes the median absolute deviation of n runs comparable with a
// standard deviation (estimation, 3.5).
func madScale(n int) float64 {
	const normal = 1.4826
	small := [...]float64{1.495, 1.363, 1.206, 1.200, 1.140, 1.129, 1.107} // 3 to 9
	if i := n - spreadFrom; i < len(small) {
		return normal * small[i]
	}
	return normal * float64(n) / (float64(n) - 0.8)
}

// mad is the median absolute deviation of sorted logarithms from their median,
// walking outwards from it, so that nothing is sorted again.
func mad(logs []float64, centre float64) float64 {
	n := len(logs)
	low, high := (n-1)/2, (n-1)/2+1
	var last, before float64
	for range n/2 + 1 {
		before = last
		down, up := math.Inf(1), math.Inf(1)
		if low >= 0 {
			down = centre - logs[low]
		}
		if high < n {
			up = logs[high] - centre
		}
		if down <= up {
			last = down
			low--
		} else {
			last = up
			high++
		}
	}
	if n%2 == 1 {
		return last
	}
	return (before + last) / 2
}

// pulled is a type's spread, pulled towards what is typical of its machine: the
// fewer runs, the more.
func pulled(own, typical float64, n int) float64 {
	if n < spreadFrom {
		return max(typical, spreadAtLeast)
	}
	s2 := (typicalWeight*typical*typical + float64(n-1)*own*own) / float64(n-1+typicalWeight)
	return max(math.Sqrt(s2), spreadAtLeast)
}

// predictive is the spread of the next run around a middle that itself rests on
// n runs only.
func predictive(spread float64, n int) float64 {
	return spread * math.Sqrt(1+math.Pi/(2*float64(n)))
}
