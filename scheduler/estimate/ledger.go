package estimate

import (
	"slices"

	"reckoner/scheduler/job"
)

const (
	// settledFrom is how many runs found a baseline: from here on one run outside
	// its range moves it by exactly 0 (rule 7).
	settledFrom = 10
	// keptBack is how many runs beyond the window are remembered, so that those
	// that a proposal takes out leave no gap.
	keptBack = 60
)

// ledger is the log of one job type's runs on one GPU, told one by one in the
// order in which they ended. What it holds depends on that log alone.
type ledger struct {
	accepted  []Run // the baseline is the newest 41 of them
	cold      []Run // clean or unknown runs that loaded models first, the newest
	bounds    []float64
	sides     []sided // the newest six clean runs since the last revision
	newest    []Run   // the newest fifteen clean runs since then
	pending   *proposal
	revisions []Revision
	before    map[int]*snapshot // by the revision that replaced it
	typical   float64           // the machine's spread; it has no say in what is a member
	heard     []heard           // what it was when each run was told

	current Baseline
	lately  recent
	members int // how many of accepted are the current baseline
}

// snapshot is what an undone revision brings back, with what came since.
type snapshot struct {
	accepted []Run
	current  Baseline
	lately   recent
	later    []Run
}

func newLedger() *ledger { return &ledger{before: map[int]*snapshot{}, typical: typicalAtFirst} }

// tell takes in a run that ended after those before it, and says why it is not
// part of the baseline.
func (l *ledger) tell(r Run, auto bool) WhyNot {
	why := r.Why()
	switch {
	case why == WhyNotEnded && r.Label != job.Shared:
		l.bounds = insert(l.bounds, r.Seconds)
		if len(l.bounds) > window {
			l.bounds = l.bounds[1:]
		}
		return why
	case why != "":
		return why
	case r.Start == job.Cold:
		l.cold = newestOf(append(l.cold, r), window)
		return WhyNotCold
	}
	if n := len(l.accepted); n < settledFrom {
		if n >= rankedFrom && l.beyond(r.Seconds) {
			return l.notice(r, auto)
		}
		l.accept(r)
		if len(l.accepted) == settledFrom {
			l.found(r)
		}
		return ""
	}
	if r.Label != job.Clean {
		return l.tellUnwatched(r)
	}
	return l.notice(r, auto)
}

// tellUnwatched takes in a run of which nobody knows what else ran. Such runs
// found a baseline, and go on making one of which no run was watched; they never
// move one that has watched runs.
func (l *ledger) tellUnwatched(r Run) WhyNot {
	switch {
	case slices.ContainsFunc(l.membersOf(), func(m Run) bool { return m.Label == job.Clean }):
		return WhyNotWatched
	case l.beyond(r.Seconds):
		return WhyNotOutside
	}
	l.accept(r)
	return ""
}

// notice takes in a clean run of a settled baseline.
func (l *ledger) notice(r Run, auto bool) WhyNot {
	side := l.sideOf(r.Seconds)
	l.remember(r, side)
	for _, was := range l.before {
		was.later = newestOf(append(was.later, r), window)
	}
	if l.pending != nil {
		return l.noticeInProposal(r, side)
	}
	outside := l.beyond(r.Seconds)
	if !outside {
		l.accept(r)
	}
	if p := l.propose(); p != nil {
		l.open(p, r, auto)
		return ""
	}
	if outside {
		return WhyNotOutside
	}
	return ""
}

// beyond tells whether a duration is outside the range that the baseline takes
// in by itself.
func (l *ledger) beyond(seconds float64) bool {
	low, high := l.current.Reach()
	return seconds < low || seconds > high
}

func (l *ledger) sideOf(seconds float64) int {
	low, high := l.current.Usual()
	switch {
	case seconds < low:
		return -1
	case seconds > high:
		return 1
	}
	return 0
}

// accept makes a run part of the baseline. Of more than 41 the oldest leaves.
func (l *ledger) accept(r Run) {
	before := l.current
	l.accepted = newestOf(append(l.accepted, r), keptBack)
	l.refit()
	l.lately = l.lately.after(before, l.current, r.Seconds, l.typical)
}

// membersOf are the runs that the baseline is made of.
func (l *ledger) membersOf() []Run { return newestOf(l.accepted, window) }

func (l *ledger) refit() {
	l.members = len(l.membersOf())
	l.current = fitted(l.accepted, l.typical)
}

// fitted is the baseline of the newest runs of a list.
func fitted(accepted []Run, typical float64) Baseline {
	members := newestOf(accepted, window)
	durations := make([]float64, 0, len(members))
	unwatched := 0
	for _, m := range members {
		durations = append(durations, m.Seconds)
		if m.Label != job.Clean {
			unwatched++
		}
	}
	return newBaseline(durations, unwatched, typical)
}

func newestOf(runs []Run, n int) []Run { return runs[max(0, len(runs)-n):] }

// write adds a line to the log.
func (l *ledger) write(rev Revision) {
	rev.Seq = len(l.revisions) + 1
	l.revisions = append(l.revisions, rev)
}

func (l *ledger) found(r Run) {
	l.write(Revision{
		At: r.At, Kind: job.RevisionFounded, By: job.ByRule, Why: job.WhyTenRuns, Runs: membersIn(l.membersOf()),
		MidS: l.current.MidS(), LongestS: l.current.LongestS(),
	})
}

func membersIn(runs []Run) []job.Member {
	members := make([]job.Member, 0, len(runs))
	for _, r := range runs {
		members = append(members, job.Member{ID: r.ID, At: r.At, Seconds: r.Seconds, Label: r.Label})
	}
	return members
}
