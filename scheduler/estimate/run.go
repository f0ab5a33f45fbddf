package estimate

import (
	"cmp"
	"math"
	"slices"
	"time"

	"reckoner/scheduler/job"
)

// Run is what a baseline needs to know of a run that ended.
type Run struct {
	ID      job.ID    // orders runs that ended at the same time; may be ""
	At      time.Time // when it ended
	GPU     string    // the GPU's key: model and uuid, never an address
	Seconds float64   // by the server's own stamps, from its start to its end
	Label   job.Label
	Start   job.StartKind
	// Bound says that the run was cut short, lost, or not seen to its end: it
	// would have taken longer than Seconds, nobody knows by how much.
	Bound bool
	// SetAside says that the user keeps the run out of the baseline.
	SetAside bool
	// SilenceS is the longest time between two signs of life, 0 when not known.
	SilenceS float64
	// AfterS is how long it went on after its last step, 0 when not known.
	AfterS float64
	// MemoryB is how much of the GPU's memory its server took, 0 when not known.
	MemoryB int64
	// Session tells starts of the server apart; "" when not known.
	Session string
	// Shown is the range that was shown when it started, the zero Shown when none
	// was.
	Shown Shown
}

// Shown is a range as it was shown, in seconds of the whole run.
type Shown struct {
	Level       job.Level
	N           int // runs that it rests on, of the same type on the same GPU
	LowS, HighS float64
}

// Why says why a run is not counted, "" when it may be. A run's length never
// is a reason here (rule 7).
func (r Run) Why() WhyNot {
	switch {
	case r.SetAside:
		return WhyNotSetAside
	case r.Start == job.Cached:
		return WhyNotCached
	case !(r.Seconds > 0) || math.IsInf(r.Seconds, 0):
		return WhyNotMeasured
	case r.Bound:
		return WhyNotEnded
	case r.Label == job.Shared:
		return WhyNotShared
	}
	return ""
}

// WhyNot says why a run is not part of its baseline.
type WhyNot string

// Why a run is not counted.
const (
	WhyNotSetAside WhyNot = "set_aside" // by the user
	WhyNotMeasured WhyNot = "not_measured"
	WhyNotEnded    WhyNot = "not_ended"  // cut short, lost, or not seen to its end: a bound
	WhyNotCached   WhyNot = "cached"     // the result came from the server's cache
	WhyNotShared   WhyNot = "shared"     // other work was seen on the GPU
	WhyNotCold     WhyNot = "cold"       // models were loaded first: counted apart
	WhyNotOutside  WhyNot = "outside"    // one run outside the baseline's range: waits for others like it
	WhyNotWatched  WhyNot = "unwatched"  // nobody knows what else ran, and watched runs are there
	WhyNotWaiting  WhyNot = "proposed"   // part of a change that waits for the user
	WhyNotReplaced WhyNot = "superseded" // from before a change of the baseline, or older than the newest 41
)

// began is when a run started.
func (r Run) began() time.Time { return r.At.Add(-time.Duration(r.Seconds * float64(time.Second))) }

// compareRuns orders runs by when they ended. It is a total order of all that a
// baseline looks at, so that no other order has a say.
func compareRuns(a, b Run) int {
	return cmp.Or(
		a.At.Compare(b.At), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Seconds, b.Seconds),
		cmp.Compare(a.Label, b.Label), cmp.Compare(a.Start, b.Start), cmp.Compare(a.GPU, b.GPU),
	)
}

// inOrder gives runs as they ended, in a slice of its own.
func inOrder(runs []Run) []Run { return slices.SortedFunc(slices.Values(runs), compareRuns) }

// FromRun gives what a baseline needs of a run that ended, and whether that says
// anything of how long such a run takes. A run that was stopped went on until
// then at least; one that failed by itself, or whose start was not seen, says
// nothing.
func FromRun(r *job.Run) (Run, bool) {
	run := Run{
		ID: r.ID, At: r.Ended, GPU: r.GPU, Label: r.Judged(), Start: r.Start, SetAside: r.Aside(), SilenceS: r.SilenceS,
		AfterS: r.AfterS, MemoryB: r.MemoryB, Shown: shown(r.Forecast),
	}
	if r.Outcome == job.RunSucceeded {
		seconds, ok := r.Seconds.Get()
		run.Seconds = seconds
		return run, ok
	}
	if r.Started.IsZero() || r.Stop == nil {
		return Run{}, false
	}
	run.Bound, run.Seconds = true, r.Stop.At.Sub(r.Started).Seconds()
	return run, run.Seconds > 0
}

func shown(f job.Forecast) Shown {
	if f.MidS <= 0 || f.HighS <= 0 {
		return Shown{}
	}
	return Shown{Level: f.Level, N: f.N, LowS: f.LowS, HighS: f.HighS}
}
