package estimate

import (
	"math"
	"slices"

	"reckoner/scheduler/job"
)

// resume takes up a baseline where its kept log ends. What the runs of that time
// would come to by themselves no longer matters: the log is what was said.
func (l *ledger) resume(log []job.Revision) {
	if len(log) == 0 {
		return
	}
	l.revisions = slices.Clone(log)
	l.pending, l.sides, l.newest, l.before = nil, nil, nil, map[int]*snapshot{}
	undone := map[int]bool{}
	for _, r := range log {
		if r.Kind == job.RevisionUndone {
			undone[r.About] = true
		}
	}
	for _, r := range log {
		seq := r.Seq
		switch r.Kind {
		case job.RevisionApplied:
		case job.RevisionCorrected:
			clear(l.before) // what stands under other labels is in this line
			seq = r.About
		default:
			continue
		}
		if seq != 0 && !undone[seq] {
			was := runsOf(r.Before)
			l.before[seq] = &snapshot{accepted: was, current: fitted(was, l.typical)}
		}
	}
	last := log[len(log)-1]
	l.accepted, l.lately = runsOf(last.Runs), recent{}
	if last.Kind == job.RevisionProposed {
		l.accepted = runsOf(last.Before)
	}
	l.refit()
	if last.Kind == job.RevisionProposed {
		runs := runsOf(last.Runs)
		l.pending = &proposal{seq: last.Seq, side: 1, runs: runs, why: last.Why, base: baselineOf(runs)}
	}
}

// runsOf gives the runs that members were.
func runsOf(members []job.Member) []Run {
	runs := make([]Run, 0, len(members))
	for _, m := range members {
		if m.Seconds > 0 && !math.IsInf(m.Seconds, 0) {
			runs = append(runs, Run{ID: m.ID, At: m.At, Seconds: m.Seconds, Label: m.Label})
		}
	}
	return runs
}

// last is the newest line of a log, the zero one where there is none.
func last(log []job.Revision) job.Revision {
	if len(log) == 0 {
		return job.Revision{}
	}
	return log[len(log)-1]
}
