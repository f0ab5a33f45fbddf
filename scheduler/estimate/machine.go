package estimate

import (
	"math"

	"reckoner/scheduler/job"
)

// What a machine must have shown before its own residuals are taken for the
// shape of what is to come (estimation, 3.7 and 3.11).
const (
	shapeFrom = 30  // residuals for a range
	tailFrom  = 200 // residuals for an alarm
	ownFrom   = 8   // runs from which a type's spread says something of the machine's
)

// experience is what all job types of a machine have shown together: how widely
// runs of one type spread there, how they fell around what was said, and how
// often a range held.
type experience struct {
	spreads []float64 // of the types with eight runs or more, sorted
	exact   [buckets]residuals
	other   residuals // residuals in log time of runs told by another GPU
	similar residuals // and of those told by similar types
	// widths are of the 80 and the 90 % range, by the runs' own ranks and by
	// shape.
	ranked, shaped [len(nominals)]width
	fallback       map[job.Level]*width
}

// nominals are the shares of runs that the two ranges are to miss.
var nominals = [...]float64{0.2, 0.1}

// buckets are by the number of runs that a middle rested on: 1, 2, 3, 4-5, 6-9,
// 10-19, 20 and more.
const buckets = 7

func bucketOf(n int) int {
	for i, upTo := range [...]int{1, 2, 3, 5, 9, 19} {
		if n <= upTo {
			return i
		}
	}
	return buckets - 1
}

// typical is the spread of one type that is usual on the machine.
func (x *experience) typical() float64 {
	if len(x.spreads) == 0 {
		return typicalAtFirst
	}
	return (x.spreads[(len(x.spreads)-1)/2] + x.spreads[len(x.spreads)/2]) / 2
}

// spreadChanged takes in that the own spread of a type became another.
func (x *experience) spreadChanged(before, after Baseline) {
	if before.N() >= ownFrom {
		x.spreads = remove(x.spreads, before.own)
	}
	if after.N() >= ownFrom {
		x.spreads = insert(x.spreads, after.own)
	}
}

// tookFor takes in how a run ended of which e was said.
func (x *experience) tookFor(e *Estimate, seconds float64) {
	residual := math.Log(seconds / e.midS)
	switch e.level {
	case job.LevelExact:
		for i, misses := range nominals {
			low, high, byRank, ok := e.rangeOf(i)
			if !ok {
				continue
			}
			w := &x.shaped[i]
			if byRank {
				w = &x.ranked[i]
			}
			w.told(low <= seconds && seconds <= high, misses)
		}
		b := bucketOf(e.n)
		x.exact[b].add(residual / e.scale)
	case job.LevelOtherGPU, job.LevelSimilar:
		if low, high, _, ok := e.rangeOf(0); ok {
			if x.fallback == nil {
				x.fallback = map[job.Level]*width{}
			}
			if x.fallback[e.level] == nil {
				x.fallback[e.level] = &width{}
			}
			x.fallback[e.level].told(low <= seconds && seconds <= high, nominals[0])
		}
		if e.level == job.LevelOtherGPU {
			x.other.add(residual)
		} else {
			x.similar.add(residual)
		}
	case job.LevelNone:
	}
}
