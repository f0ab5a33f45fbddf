package job

import "time"

// Revision is a line in a baseline's log: what it became, or would become, by
// whose word and why. Lines are only ever added.
type Revision struct {
	Seq  int          `json:"seq"` // from 1, in the order in which they were made
	At   time.Time    `json:"at"`  // when the run ended, or the word was given, that made it
	Kind RevisionKind `json:"kind"`
	By   RevisedBy    `json:"by"`
	Why  RevisionWhy  `json:"why"`
	// About is the revision that this one answers, withdraws or undoes; after a
	// correction, the change that still stands under it; 0 for none.
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
	// Before are the members that it replaced, or that stand while it is
	// proposed, so that it can be undone; after a correction, those that undoing
	// About brings back.
	Before []Member `json:"before,omitempty"`
	// Corrected is the run of which the user said something else, nil in other
	// lines.
	Corrected *CorrectedRun `json:"corrected,omitempty"`
}

// CorrectedRun is a run of which the user said something else than what was seen,
// with the label and the place that it has since then.
type CorrectedRun struct {
	Member
	Kind  CorrectionKind `json:"kind"`
	Aside bool           `json:"aside,omitempty"`
}

// Member is a run of a baseline, with what is needed to make it again.
type Member struct {
	ID      ID        `json:"id,omitempty"`
	At      time.Time `json:"at"`
	Seconds float64   `json:"s"`
	Label   Label     `json:"label,omitempty"`
}

// RevisionKind says what a revision did.
type RevisionKind string

// The kinds of revision.
const (
	RevisionFounded   RevisionKind = "founded"   // ten runs: from here on it moves by several of them only
	RevisionProposed  RevisionKind = "proposed"  // upwards: waits for the user
	RevisionApplied   RevisionKind = "applied"   // the runs of the proposal are the baseline now
	RevisionWithdrawn RevisionKind = "withdrawn" // runs fell inside again before the user answered
	RevisionKept      RevisionKind = "kept"      // the user keeps the baseline as it is
	RevisionUndone    RevisionKind = "undone"    // back to what it was before another revision
	RevisionCorrected RevisionKind = "corrected" // worked out anew: the user said something else of a run
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

// RevisedBy says whose word a revision rests on.
type RevisedBy string

// Who makes revisions.
const (
	ByRule RevisedBy = "rule"
	ByUser RevisedBy = "user"
)

// BaselineAnswer is the user's word about a baseline.
type BaselineAnswer struct {
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
func (r Revision) Say() Say {
	if r.Kind == RevisionCorrected && r.Corrected != nil {
		return r.sayCorrected()
	}
	codes := map[RevisionKind]string{
		RevisionFounded: BaselineFounded, RevisionProposed: BaselineProposed, RevisionApplied: BaselineApplied,
		RevisionWithdrawn: BaselineWithdrawn, RevisionKept: BaselineKept, RevisionUndone: BaselineUndone,
	}
	return Say{Code: codes[r.Kind], Args: Args{
		At: r.At, Count: len(r.Runs), Seconds: r.MidS, UpTo: r.WasMidS, Value: string(r.By),
	}}
}

// sayCorrected names the run and what the user said of it beside what the baseline
// became.
func (r Revision) sayCorrected() Say {
	what := string(r.Corrected.Label)
	if r.Corrected.Kind != CorrectLabel {
		what = string(r.Corrected.Kind)
	}
	return Say{Code: BaselineCorrected, Args: Args{
		At: r.At, RunS: r.Corrected.Seconds, Value: what, Count: len(r.Runs), Of: r.Was, Seconds: r.MidS, UpTo: r.WasMidS,
	}}
}

// BaselineLog is the log of one baseline: of a job type on a GPU.
type BaselineLog struct {
	TypeKey   string     `json:"type_key"`
	GPU       string     `json:"gpu"`
	Revisions []Revision `json:"revisions"` // by Seq
}
