package estimate

import "math"

// Widening of ranges that hold too rarely, and narrowing of those that hold too
// often: adaptive conformal inference (Gibbs and Candes 2021; estimation, 1.3).
// It repairs drift. It must not chase other people's work that nobody saw, which
// would widen every range, so it acts only on a share of misses that is clearly
// off, and forgets its nudge once that is over.
const (
	widenStep    = 0.01 // a choice of estimation, 3.7
	clearlyOff   = 0.05
	missesAtMost = 0.5 // a range is never nudged to less than a coin's toss
)

// scored is how many of the newest ranges a Score counts.
const scored = 50

// width is what a kind of range misses in the long run, and what it is asked to
// miss so that it does. The zero width is as nominal.
type width struct {
	nudge float64 // added to the share of misses that is asked for
	off   float64 // the share of misses of late, less the nominal one
	held  [scored]bool
	next  int
	n     int
}

// misses is the share of runs that a range is asked to miss, so that it misses
// the nominal share.
func (w *width) misses(nominal float64) float64 {
	return min(max(nominal+w.nudge, nominal/20), missesAtMost)
}

// told takes in whether a range held.
func (w *width) told(held bool, nominal float64) {
	miss := 1.0
	if held {
		miss = 0
	}
	w.off += widenStep * (miss - nominal - w.off)
	if math.Abs(w.off) > clearlyOff {
		w.nudge = min(max(w.nudge+widenStep*(nominal-miss), -nominal), missesAtMost-nominal)
	} else {
		w.nudge -= widenStep * w.nudge
	}
	w.held[w.next] = held
	w.next = (w.next + 1) % scored
	w.n = min(w.n+1, scored)
}

// Score is how many of the newest ranges of a kind held.
type Score struct{ Held, Of int }

func (w *width) score() Score {
	s := Score{Of: w.n}
	for i := range w.n {
		if w.held[i] {
			s.Held++
		}
	}
	return s
}
