package estimate

import (
	"time"

	"reckoner/scheduler/job"
)

// Revision is a line in a baseline's log: what it became, or would become, by
// whose word and why. Lines are only ever added.
type Revision struct {
	Seq  int          `json:"seq"` // from 1, in the order in which they were made
	At   time.Time    `json:"at"`  // when the run ended, or the word was given, that made it
	Kind RevisionKind `json:"kind"`
	By   By           `json:"by"`
	Why  RevisionWhy  `json:"why"`
	// About is the revision that this one answers, withdraws or undoes; 0 for
	// none.
	About int `json:"about,omitempty"`
	// Runs are the members of the baseline after it, oldest first; of a proposal,
	// those that it would have.
	Runs []Member `json:"runs"`
	// MidS and LongestS are the baseline's after it; of a proposal, what they
	// would be. WasMidS and Was are the middle and the number of runs before it.
	MidS     float64 `json:"mid_s"`
	LongestS float64 `json:"longest_s"`
	WasMidS  float64 `json:"was_mid_s,omitempty"`
	Was      int     `json:"was,omitempty"`
}

// Member is a run of a baseline, with what is needed to make it again.
type Member struct {
	ID      job.ID    `json:"id,omitempty"`
	At      time.Time `json:"at"`
	Seconds float64   `json:"s"`
	Label   job.Label `json:"label,omitempty"`
}

// RevisionKind says what a revision did.
type RevisionKind string

// The kinds of revision.
const (
	Founded   RevisionKind = "founded"   // ten runs: from here on it moves by several of them only
	Proposed  RevisionKind = "proposed"  // upwards: waits for the user
	Applied   RevisionKind = "applied"   // the runs of the proposal are the baseline now
	Withdrawn RevisionKind = "withdrawn" // runs fell inside again before the user answered
	Kept      RevisionKind = "kept"      // the user keeps the baseline as it is
	Undone    RevisionKind = "undone"    // back to what it was before another revision
)

// RevisionWhy says what led to a revision.
type RevisionWhy string

// What leads to revisions.
const (
	WhyTenRuns     RevisionWhy = "ten_runs"
	WhyFiveOfSix   RevisionWhy = "five_of_six"    // newest clean runs outside on one side, agreeing
	WhyFifteen     RevisionWhy = "fifteen_newest" // of a type that scatters: they differ by rank
	WhyInsideAgain RevisionWhy = "inside_again"   // three in a row
	WhyUserDecided RevisionWhy = "user"
)

// By says whose word a revision rests on.
type By string

// Who makes revisions.
const (
	ByRule By = "rule"
	ByUser By = "user"
)

// Answer is the user's word about a baseline.
type Answer struct {
	At   time.Time  `json:"at"`
	Kind AnswerKind `json:"kind"`
	// About is the revision that is meant: the proposal that is taken or refused,
	// or the one that is undone.
	About int `json:"about"`
}

// AnswerKind says what the user wants.
type AnswerKind string

// The answers.
const (
	AnswerUse  AnswerKind = "use"  // take the proposal
	AnswerKeep AnswerKind = "keep" // refuse it
	AnswerUndo AnswerKind = "undo" // go back to what was before a revision
)

// Say gives the revision as a sentence.
func (r Revision) Say() job.Say {
	codes := map[RevisionKind]string{
		Founded: job.BaselineFounded, Proposed: job.BaselineProposed, Applied: job.BaselineApplied,
		Withdrawn: job.BaselineWithdrawn, Kept: job.BaselineKept, Undone: job.BaselineUndone,
	}
	return job.Say{Code: codes[r.Kind], Args: job.Args{
		At: r.At, Count: len(r.Runs), Seconds: r.MidS, UpTo: r.WasMidS, Value: string(r.By),
	}}
}

// Say says why a run is not counted.
func (w WhyNot) Say(r Run) job.Say {
	return job.Say{Code: job.BaselineLeftOut, Args: job.Args{At: r.At, Seconds: r.Seconds, Value: string(w)}}
}

// Say gives what is known as a sentence, with the time since which it is so.
func (e *Estimate) Say(since time.Time) job.Say {
	f := e.Forecast()
	switch f.Level {
	case job.LevelExact:
		return job.Say{Code: job.BaselineUsual, Args: job.Args{Seconds: f.MidS, Count: f.N, Of: f.Unwatched, At: since}}
	case job.LevelOtherGPU:
		return job.Say{Code: job.BaselineOther, Args: job.Args{
			Seconds: f.LowS, UpTo: f.HighS, Count: f.Basis, GPU: f.BasisGPU,
		}}
	case job.LevelSimilar:
		return job.Say{Code: job.BaselineSimilar, Args: job.Args{Seconds: f.LowS, UpTo: f.HighS, Count: f.Basis}}
	case job.LevelNone:
	}
	return job.Say{Code: job.BaselineNone}
}
