package note

import (
	"math"
	"slices"
	"strconv"
	"time"

	"reckoner/scheduler/job"
)

// How a test is laid out (estimation, 3.12).
const (
	failsAtMost = 0.05 // of usual machines
	slowTimes   = 1.5  // the slowness that a test is to tell from usual
	spreadLeast = 0.02 // of log time: no type is known to be steadier
	needRuns    = 3    // of the baseline, for any bound
)

// Plan writes down, before a test starts, what counts as back to usual: the
// duration up to which one run counts so, by the ranks of the baseline's runs,
// with the odds of both errors. ok is false when the baseline has too few runs to
// say anything.
//
// durations are the baseline's runs in seconds, in any order.
func Plan(durations []float64) (t job.NoteTest, ok bool) {
	n := len(durations)
	if n < needRuns {
		return job.NoteTest{N: n}, false
	}
	sorted := slices.Clone(durations)
	slices.Sort(sorted)
	t.N, t.MidS = n, (sorted[(n-1)/2]+sorted[n/2])/2
	t.Spread = spreadOf(sorted, t.MidS)
	t.Rank, t.FailsUsual = rankFor(n, 1)
	t.BoundS = sorted[t.Rank-1]
	// Of a machine that needs slowTimes its usual time, log durations scatter as
	// the baseline's around the slowed middle.
	p := t.Spread * math.Sqrt(1+math.Pi/(2*float64(n)))
	t.PassesSlow = normal((math.Log(t.BoundS/t.MidS) - math.Log(slowTimes)) / p)
	return t, true
}

// rankFor gives the rank whose run bounds the median of k runs such that a usual
// machine fails under 5 % of the time, and with how many it does so. With too few
// runs it is the longest, and the odds are what they are.
func rankFor(n, k int) (rank int, fails float64) {
	for r := 1; r <= n; r++ {
		if fails = failing(n, r, k); fails < failsAtMost {
			return r, fails
		}
	}
	return n, fails
}

// failing is the chance that the median of k further runs of a usual machine is
// over the r-th shortest of n: exact, as all orders of n+k runs are equally
// likely. k is odd.
func failing(n, r, k int) float64 {
	sum := 0.0
	for below := 0; 2*below < k; below++ {
		sum += math.Exp(logChoose(r-1+below, below) + logChoose(n-r+k-below, k-below) - logChoose(n+k, k))
	}
	return sum
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}

// normal is the standard normal distribution.
func normal(z float64) float64 { return 0.5 * math.Erfc(-z/math.Sqrt2) }

// spreadOf is the robust spread in log time: 1.4826 times the median deviation,
// widened for few runs.
func spreadOf(sorted []float64, mid float64) float64 {
	devs := make([]float64, len(sorted))
	for i, s := range sorted {
		devs[i] = math.Abs(math.Log(s / mid))
	}
	slices.Sort(devs)
	n := len(devs)
	mad := (devs[(n-1)/2] + devs[n/2]) / 2
	return max(spreadLeast, 1.4826*mad*float64(n)/(float64(n)-0.8))
}

// Probe is the run of a test, at its end or as far as it is.
type Probe struct {
	Run job.ID
	// Seconds is what it took, or has taken so far while Open.
	Seconds float64
	Open    bool
	Well    bool // it ended with the server's own success
	Cut     bool // it was stopped by its time limit: it would have taken longer
	Label   job.Label
	Start   job.StartKind
	// Disturbed says that somebody else's work was seen on the GPU meanwhile.
	Disturbed bool
}

// Judge says what a test run shows, by what was written down before it. decided
// is false while a run is open: whether models had to be loaded shows at its end.
//
// Whatever disturbs a run lengthens it. So one within the bound is a proof that
// the usual time is still to be had, also with models to load; one over it says
// something only when nothing else can have lengthened it.
func Judge(t job.NoteTest, p Probe, now time.Time) (r job.TestResult, decided bool) {
	r = job.TestResult{At: now, Run: p.Run, Test: t}
	if p.Seconds > 0 {
		r.Seconds = job.Known(p.Seconds)
	}
	void := func(why string) (job.TestResult, bool) {
		r.Verdict = job.TestVoid
		r.Say = job.Say{Code: job.NoteVoid, Args: job.Args{Detail: why, Seconds: p.Seconds}}
		return r, true
	}
	over := p.Seconds > t.BoundS
	switch {
	case t.BoundS <= 0:
		return void(job.VoidNoBound)
	case p.Disturbed, p.Label == job.Shared:
		return void(job.VoidForeign)
	case p.Open:
		return r, false
	case !p.Well && (!p.Cut || !over):
		return void(job.VoidNotEnded)
	case p.Start == job.Cached:
		return void(job.VoidCached)
	case p.Label != job.Clean:
		return void(job.VoidUnwatched)
	case over && p.Start == job.Cold:
		return void(job.VoidCold)
	case over:
		r.Verdict = job.TestStayed
		r.Say = job.Say{Code: job.NoteStayed, Args: resultArgs(t, p.Seconds, t.FailsUsual)}
	default:
		r.Verdict = job.TestReturned
		r.Say = job.Say{Code: job.NoteReturned, Args: resultArgs(t, p.Seconds, t.PassesSlow)}
	}
	return r, true
}

func resultArgs(t job.NoteTest, took, odds float64) job.Args {
	return job.Args{Seconds: took, UpTo: t.MidS, Count: t.N, Value: Percent(odds)}
}

// Percent writes a chance so that none is called impossible.
func Percent(p float64) string {
	switch {
	case p < 0.001:
		return "under 0.1 %"
	case p < 0.0995:
		return strconv.FormatFloat(math.Round(1000*p)/10, 'f', -1, 64) + " %"
	default:
		return strconv.FormatFloat(math.Round(100*p), 'f', -1, 64) + " %"
	}
}

// Begin gives a note whose test was asked for.
func Begin(old *job.Note, t job.NoteTest, now time.Time) *job.Note {
	n := clone(old)
	n.Test, n.Changed = t, now
	n.Test.State, n.Test.Asked = job.TestWaiting, now
	return n
}

// Step gives a note whose test is at another point.
func Step(old *job.Note, t job.NoteTest) *job.Note {
	n := clone(old)
	n.Test = t
	return n
}

// Settle gives a note with a test's result. A void one changes no status.
func Settle(old *job.Note, r job.TestResult) *job.Note {
	n := clone(old)
	n.Results = append(n.Results, r)
	n.Test, n.Changed = job.NoteTest{}, r.At
	if len(n.Evidence) < job.NoteEvidenceKept {
		n.Evidence = append(n.Evidence, job.Evidence{
			Kind: job.SawTest, Against: r.Verdict == job.TestStayed, Strength: job.Certain, Say: r.Say,
			First: r.Test.Asked, Last: r.At, Run: r.Run, Source: "test",
		})
	}
	switch r.Verdict {
	case job.TestReturned:
		n.Status = job.NoteSupported
	case job.TestStayed:
		n.Status = job.NoteRefuted
	case job.TestVoid:
	}
	return n
}

// Void gives the result of a test that could not be made.
func Void(t job.NoteTest, why string, now time.Time) job.TestResult {
	return job.TestResult{
		At: now, Verdict: job.TestVoid, Run: t.Run, Test: t, Say: job.Say{Code: job.NoteVoid, Args: job.Args{Detail: why}},
	}
}

// Proposal says what would settle a note, for people: the code depends on what is
// suspected, Seconds is the usual time.
func Proposal(cause job.NoteCause, midS float64) job.Say {
	code := job.NoteTestUnexplained
	switch cause {
	case job.CauseOtherClient:
		code = job.NoteTestOtherClient
	case job.CauseOtherProgram:
		code = job.NoteTestProgram
	case job.CauseThrottled:
		code = job.NoteTestThrottled
	case job.CauseUnexplained, job.CauseByHand:
	}
	return job.Say{Code: code, Args: job.Args{Seconds: midS}}
}
