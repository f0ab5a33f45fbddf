package estimate

import (
	"math"
	"slices"

	"reckoner/scheduler/job"
)

// window is how many of the newest runs a baseline looks at (estimation, 3.5).
const window = 41

// rankedFrom is the number of runs from which their own ranks give an 80 %
// range (estimation, 3.6). With fewer the range is shortest to longest.
const rankedFrom = 9

// Fit says what the runs on one GPU say about the next run there. Only runs
// that had the GPU to themselves, or of which nothing else is known, count; a
// shared run or a cached one never does. The order of runs matters only in that
// the newest count.
func Fit(runs []Run, gpu string) job.Forecast {
	counted := Counted(runs, gpu)
	if len(counted) == 0 {
		return job.Forecast{}
	}
	f := job.Forecast{N: len(counted)}
	seconds := make([]float64, 0, len(counted))
	for _, r := range counted {
		seconds = append(seconds, r.Seconds)
		if r.Label != job.Clean {
			f.Unwatched++
		}
	}
	slices.Sort(seconds)
	f.MidS = middle(seconds)
	f.LowS, f.HighS = seconds[0], seconds[len(seconds)-1]
	f.LongestS = f.HighS
	if n := len(seconds); n >= rankedFrom {
		f.LowS = seconds[int(math.Floor(0.1*float64(n+1)))-1]
		f.HighS = seconds[int(math.Ceil(0.9*float64(n+1)))-1]
	}
	return f
}

// Counted gives the runs that make the baseline of a GPU: at most the newest
// 41, in the order given.
func Counted(runs []Run, gpu string) []Run {
	var counted []Run
	for _, r := range runs {
		if r.GPU != gpu || r.Label == job.Shared || r.Start == job.Cached || !(r.Seconds > 0) {
			continue
		}
		counted = append(counted, r)
	}
	slices.SortStableFunc(counted, func(a, b Run) int { return a.At.Compare(b.At) })
	if len(counted) > window {
		counted = counted[len(counted)-window:]
	}
	return counted
}

// middle is the median in log time: of an even number, the geometric mean of
// the two in the middle.
func middle(sorted []float64) float64 {
	n := len(sorted)
	if n%2 == 1 {
		return sorted[n/2]
	}
	return math.Sqrt(sorted[n/2-1] * sorted[n/2])
}
