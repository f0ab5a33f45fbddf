package estimate

import (
	"math"

	"reckoner/scheduler/job"
)

// What must be left of past runs before they say when this one ends
// (estimation, 3.7).
const (
	leftForRange  = 9
	leftForMiddle = 4
)

// Left is what is known of the end of a run that is still going, in seconds of
// the whole run. A figure that is 0 is unknown.
type Left struct {
	MidS, LowS, HighS float64
	// Reached of Of past runs got this far; with this one itself on both sides
	// they are the share of normal runs that do.
	Reached, Of int
}

// At says what is known of the end of a run that has been going for elapsed
// seconds: the past runs that took longer are kept, and the new one is equally
// likely to fall into any gap between them, whatever their distribution is. It
// is a tick of the clock: it allocates nothing.
func (e *Estimate) At(elapsed float64) Left {
	if !e.Known() {
		return Left{}
	}
	past := e.base.sorted
	if e.level != job.LevelExact {
		past = nil
	}
	gone := above(past, elapsed)
	l := Left{Reached: len(past) - gone, Of: len(past)}
	switch {
	case gone == 0 && l.Of >= leftForRange:
		l.MidS = e.midS
		l.LowS, l.HighS, _, _ = e.rangeOf(0)
	case len(e.bounds) > 0 && e.bounds[len(e.bounds)-1] > elapsed:
		e.leftBounded(&l, elapsed, gone)
	default:
		still := past[gone:]
		if len(still) >= leftForMiddle {
			l.MidS = middle(still)
		}
		if len(still) >= leftForRange {
			l.LowS, _ = shareOf(still, nominals[0]/2)
			l.HighS, _ = shareOf(still, 1-nominals[0]/2)
		}
	}
	if l.MidS == 0 || l.HighS == 0 {
		e.leftByShape(&l, elapsed)
	}
	if e.noCeiling {
		l.HighS = 0
	}
	return l
}

// leftByShape fills in what the type's own runs are too few for, from the shape
// of past residuals.
func (e *Estimate) leftByShape(l *Left, elapsed float64) {
	if elapsed <= 0 {
		if l.MidS == 0 {
			l.MidS = e.midS
		}
		if l.HighS == 0 {
			l.LowS, l.HighS, _, _ = e.rangeOf(0)
		}
		return
	}
	z := math.Log(elapsed/e.midS) / e.scale
	if len(e.shape) < shapeFrom {
		e.leftByCurve(l, z)
		return
	}
	still := e.shape[above(e.shape, z):]
	total := func(z float64) float64 { return e.midS * math.Exp(e.scale*z) }
	if l.MidS == 0 && len(still) >= leftForMiddle {
		l.MidS = total((still[(len(still)-1)/2] + still[len(still)/2]) / 2)
	}
	if l.HighS == 0 && len(still) >= leftForRange {
		low, _ := shareOf(still, nominals[0]/2)
		high, _ := shareOf(still, 1-nominals[0]/2)
		l.LowS, l.HighS = total(low), total(high)
	}
}

// leftByCurve is leftByShape while there is no shape: Student's curve, but not
// into its far tail, of which nothing is known.
func (e *Estimate) leftByCurve(l *Left, z float64) {
	const farTail = 0.05
	over := 1 - 0.5*math.Erfc(-z/math.Sqrt2)
	if over < farTail {
		return
	}
	total := func(share float64) float64 {
		return max(e.midS*math.Exp(e.scale*studentAt(1-over*share, e.df)), e.midS*math.Exp(e.scale*z))
	}
	if l.MidS == 0 {
		l.MidS = total(0.5)
	}
	if l.HighS == 0 {
		l.LowS, l.HighS = total(1-nominals[0]/2), total(nominals[0]/2)
	}
}

// leftBounded is At where some run was cut short later than elapsed: it would
// have taken longer, so the runs that are known to their end stand for it
// beyond the time of the cut (Kaplan and Meier).
func (e *Estimate) leftBounded(l *Left, elapsed float64, gone int) {
	still := e.base.sorted[gone:]
	bounds := e.bounds[above(e.bounds, elapsed):]
	if len(still) < leftForMiddle {
		return
	}
	survive, cut := 1.0, 0
	for i, s := range still {
		for cut < len(bounds) && bounds[cut] < s {
			cut++
		}
		survive *= 1 - 1/float64(len(still)-i+len(bounds)-cut+1)
		reached := 1 - survive
		if l.LowS == 0 && reached >= nominals[0]/2 && len(still) >= leftForRange {
			l.LowS = s
		}
		if l.MidS == 0 && reached >= 0.5 {
			l.MidS = s
		}
		if l.HighS == 0 && reached >= 1-nominals[0]/2 && len(still) >= leftForRange {
			l.HighS = s
		}
	}
}
