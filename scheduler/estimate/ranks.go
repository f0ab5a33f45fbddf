package estimate

import (
	"math"
	"slices"
)

// atRank gives the value of a rank among sorted values, 1 being the smallest;
// between two ranks it lies between their values. Ranks that n values do not
// have are not there: nothing is made up beyond the shortest or the longest.
func atRank(sorted []float64, rank float64) (float64, bool) {
	const slack = 1e-9 // of the arithmetic that made the rank
	n := float64(len(sorted))
	if n == 0 || rank < 1-slack || rank > n+slack {
		return 0, false
	}
	rank = min(max(rank, 1), n)
	below := math.Floor(rank)
	v := sorted[int(below)-1]
	if part := rank - below; part > 0 {
		v += part * (sorted[int(below)] - v)
	}
	return v, true
}

// shareOf gives the value below which the next of exchangeable values falls
// with probability q: rank q(n+1) (estimation, 1.3).
func shareOf(sorted []float64, q float64) (float64, bool) {
	return atRank(sorted, q*float64(len(sorted)+1))
}

// middle is the median in log time: of an even number, the geometric mean of
// the two in the middle. There must be at least one.
func middle(sorted []float64) float64 {
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return math.Sqrt(sorted[n/2-1] * sorted[n/2])
}

// median is the median of numbers that may be negative, in any order, which it
// leaves as they are.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// insert puts a value into a sorted slice, which it may change in place.
func insert(sorted []float64, v float64) []float64 {
	i, _ := slices.BinarySearch(sorted, v)
	return slices.Insert(sorted, i, v)
}

// remove takes one value out of a sorted slice, which it changes in place.
func remove(sorted []float64, v float64) []float64 {
	i, found := slices.BinarySearch(sorted, v)
	if !found {
		return sorted
	}
	return slices.Delete(sorted, i, i+1)
}

// above gives how many of the sorted values are not above v: the index of the
// first that is.
func above(sorted []float64, v float64) int {
	low, high := 0, len(sorted)
	for low < high {
		if m := int(uint(low+high) >> 1); sorted[m] > v {
			high = m
		} else {
			low = m + 1
		}
	}
	return low
}
