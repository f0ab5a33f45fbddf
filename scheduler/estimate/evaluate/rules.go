package evaluate

import (
	"math"
	"slices"
)

// ruleNames are the rules that are measured beside the estimator, in the order
// in which they are shown: the last run; the mean of the last two (Tsafrir,
// Etsion, Feitelson 2007); the mean of all; a moving mean that gives the newest
// run .3; the median of all; and the mean of the last three (Jenkins). They know
// no labels.
var ruleNames = [...]string{"last", "last_two", "mean", "ewma", "running_median", "jenkins"}

// Jenkins' rule and the weight of the moving mean.
const (
	jenkinsRuns = 3
	ewmaWeight  = 0.3
)

// rules are the simple rules for one key.
type rules struct {
	n      int
	last   []float64 // at most the newest three
	sum    float64
	ewma   float64
	sorted []float64
}

func (r *rules) tell(seconds float64) {
	r.n++
	r.last = append(r.last, seconds)
	r.last = r.last[max(0, len(r.last)-jenkinsRuns):]
	r.sum += seconds
	if r.n == 1 {
		r.ewma = seconds
	}
	r.ewma += ewmaWeight * (seconds - r.ewma)
	i, _ := slices.BinarySearch(r.sorted, seconds)
	r.sorted = slices.Insert(r.sorted, i, seconds)
}

// say gives what each rule predicts, in the order of ruleNames. There must have
// been a run.
func (r *rules) say() [len(ruleNames)]float64 {
	mean := func(values []float64) float64 {
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		return sum / float64(len(values))
	}
	n := len(r.sorted)
	return [len(ruleNames)]float64{
		r.last[len(r.last)-1],
		mean(r.last[max(0, len(r.last)-2):]),
		r.sum / float64(r.n),
		r.ewma,
		(r.sorted[(n-1)/2] + r.sorted[n/2]) / 2,
		mean(r.last),
	}
}

// accuracy collects how near predictions came.
type accuracy struct {
	apart []float64 // |P-T|/T
	near  float64   // sum of min/max (Tsafrir)
	off2  int       // off by a factor of two or more
}

func (a *accuracy) add(predicted, took float64) {
	a.apart = append(a.apart, math.Abs(predicted-took)/took)
	ratio := min(predicted, took) / max(predicted, took)
	a.near += ratio
	if ratio <= 0.5 {
		a.off2++
	}
}

// Accuracy is how near predictions came, in percent.
type Accuracy struct {
	MdAPE    float64 `json:"mdape_pct"`    // median of |predicted - took| / took
	Accuracy float64 `json:"accuracy_pct"` // mean of the smaller over the larger
	Off2     float64 `json:"off2_pct"`     // off by a factor of two or more
}

func (a *accuracy) result() Accuracy {
	n := float64(len(a.apart))
	if n == 0 {
		return Accuracy{}
	}
	return Accuracy{MdAPE: 100 * medianOf(a.apart), Accuracy: 100 * a.near / n, Off2: 100 * float64(a.off2) / n}
}

func medianOf(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
