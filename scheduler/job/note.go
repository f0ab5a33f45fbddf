package job

import "time"

// Note is a claim about a cause, with what speaks for it and against it, the test
// that would settle it, and what the tests said. It is probable until a test's
// result or the user says otherwise (rule 8); nothing in it is ever deleted. A
// Note is never changed in place: who changes one makes a copy.
//
// There is one open note for a machine and a suspected cause. Further runs are
// evidence in it.
type Note struct {
	ID      ID         `json:"id"`
	Machine ID         `json:"machine"`
	Cause   NoteCause  `json:"cause"`
	Server  ID         `json:"server,omitempty"` // whose clients are suspected, "" where that is not the claim
	Status  NoteStatus `json:"status"`

	// Claim is the question that the note asks. Finding is what was seen when it
	// was last looked at, in one sentence, with no cause in it.
	Claim   Say `json:"claim"`
	Finding Say `json:"finding,omitzero"`
	// Text is the claim in the user's words, "" for ours.
	Text string `json:"text,omitempty"`
	// Mechanism is how the work is slowed, as far as gauges tell. Who causes it is
	// Cause: the two are never merged (gpu-telemetry, 3.4).
	Mechanism Mechanism `json:"mechanism,omitempty"`
	Strength  Strength  `json:"strength,omitempty"`

	Opened  time.Time `json:"opened"`
	Changed time.Time `json:"changed"`
	// LastSeen is when something last spoke for it; Quiet says that it is gone
	// since: the note is still open, and no longer about now.
	LastSeen time.Time `json:"last_seen"`
	Quiet    bool      `json:"quiet,omitempty"`

	// Evidence is at most NoteEvidenceKept lines, oldest first; LeftOut counts
	// those of further runs, which the history has.
	Evidence []Evidence `json:"evidence,omitempty"`
	LeftOut  int        `json:"left_out,omitempty"`
	// Wordings are the earlier claims, oldest first.
	Wordings []Wording `json:"wordings,omitempty"`

	// Run is the run that raised it, of Job, and TypeKey and GPU name its baseline.
	Run     ID     `json:"run,omitempty"`
	Job     ID     `json:"job,omitempty"`
	TypeKey string `json:"type_key,omitempty"`
	GPU     string `json:"gpu,omitempty"`
	// Test is what would settle it, and how far that is. Results are what earlier
	// tests said, oldest first.
	Test    NoteTest     `json:"test,omitzero"`
	Results []TestResult `json:"results,omitempty"`
}

// NoteEvidenceKept is how many lines of evidence a note keeps.
const NoteEvidenceKept = 200

// NoteCause names what is suspected.
type NoteCause string

// The suspected causes.
const (
	CauseOtherClient  NoteCause = "other_client"  // somebody else's prompts on a render server of the GPU
	CauseOtherProgram NoteCause = "other_program" // another process that computes there or holds its memory
	CauseThrottled    NoteCause = "throttled"     // heat or supply
	CauseUnexplained  NoteCause = "unexplained"   // something is odd, and nobody is suspected
	CauseByHand       NoteCause = "by_hand"       // what the user wrote
)

// NoteStatus says where a note stands.
type NoteStatus string

// The statuses of a note. Only a test's result or the user changes one.
const (
	NoteProbable  NoteStatus = "probable"  // not tested
	NoteSupported NoteStatus = "supported" // a test fits it
	NoteRefuted   NoteStatus = "refuted"   // a test does not fit it
	NoteWithdrawn NoteStatus = "withdrawn" // by the user
)

// Open tells whether a note still asks something.
func (n *Note) Open() bool { return n.Status == NoteProbable }

// Mechanism is how a GPU's work is held up, or that it is not.
type Mechanism string

// The mechanisms, and Unclear when nothing is sure.
const (
	Idle      Mechanism = "idle"
	Healthy   Mechanism = "healthy"
	SharedGPU Mechanism = "shared"     // somebody else computes at the same time
	Spill     Mechanism = "spill"      // memory is full and is streamed over the bus
	Throttled Mechanism = "throttled"  // by heat or by its supply
	HostBound Mechanism = "host_bound" // it waits: loading, decoding, saving
	Stalled   Mechanism = "stalled"    // busy, and getting nowhere
	Unclear   Mechanism = "unclear"
)

// Strength is how sure a finding is, and so how it may be said (gpu-telemetry,
// 3.3).
type Strength string

// The strengths, each with its word.
const (
	Certain  Strength = "is"
	Probably Strength = "probably"
	MayBe    Strength = "may_be"
	Unsure   Strength = "" // no verdict: only what was seen is shown
)

// Evidence is one thing that was seen, for a claim or against it.
type Evidence struct {
	Kind EvidenceKind `json:"kind"`
	// Against says that it speaks against the claim.
	Against  bool     `json:"against,omitempty"`
	Strength Strength `json:"strength,omitempty"`
	Say      Say      `json:"say"`
	// First and Last are when it was seen; Source is who saw it: a server's URL, a
	// telemetry source, or "history".
	First  time.Time `json:"first"`
	Last   time.Time `json:"last"`
	Source string    `json:"source,omitempty"`
	Run    ID        `json:"run,omitempty"`
}

// EvidenceKind names what was seen.
type EvidenceKind string

// The kinds of evidence.
const (
	SawPrompts     EvidenceKind = "foreign_prompts"
	SawProgram     EvidenceKind = "foreign_program"
	SawBusyAlone   EvidenceKind = "busy_without_ours" // none of ours ran anywhere on it
	SawThrottle    EvidenceKind = "throttled"
	SawLowPower    EvidenceKind = "low_power" // as good as fully busy, at low power
	SawFullMemory  EvidenceKind = "memory_full"
	SawMechanism   EvidenceKind = "mechanism" // what the gauges add up to
	SawSlowShared  EvidenceKind = "slow_while_shared"
	SawSlowAlone   EvidenceKind = "slow_alone"   // slow, and nobody else was there
	SawUsualShared EvidenceKind = "usual_shared" // as usual, and somebody was there
	SawUsualAlone  EvidenceKind = "usual_alone"
	SawTest        EvidenceKind = "test"
)

// Wording is a claim as it was before, and why it changed.
type Wording struct {
	Claim Say       `json:"claim"`
	Text  string    `json:"text,omitempty"`
	Until time.Time `json:"until"`
	Why   Say       `json:"why"`
}

// NoteTest is the test that would settle a note: without what is suspected, run
// one job of this kind and compare. What counts as yes is written down before it
// starts (estimation, 3.12).
type NoteTest struct {
	State TestState `json:"state,omitempty"`
	// N runs of the baseline with middle MidS and spread Spread (log time) were
	// held to. A run up to BoundS, the Rank-th shortest of them, counts as back to
	// usual.
	N      int     `json:"n,omitempty"`
	MidS   float64 `json:"mid_s,omitempty"`
	Spread float64 `json:"spread,omitempty"`
	Rank   int     `json:"rank,omitempty"`
	BoundS float64 `json:"bound_s,omitempty"`
	// FailsUsual is the chance that a usual machine fails the test all the same,
	// and PassesSlow that one slowed to 1.5 times its usual time passes.
	FailsUsual float64 `json:"fails_usual,omitempty"`
	PassesSlow float64 `json:"passes_slow,omitempty"`

	Asked time.Time `json:"asked,omitzero"`
	Job   ID        `json:"job,omitempty"` // what is run for it
	Run   ID        `json:"run,omitempty"` // once it is under way
	// QuietSince is since when nobody else was seen; QuietForS is how long that
	// must be before the job goes.
	QuietSince time.Time `json:"quiet_since,omitzero"`
	QuietForS  float64   `json:"quiet_for_s,omitempty"`
}

// TestState says how far a note's test is.
type TestState string

// The states of a test.
const (
	TestNone    TestState = ""        // not asked for
	TestWaiting TestState = "waiting" // for the other work to be gone
	TestRunning TestState = "running"
)

// Under tells whether the test is going on.
func (t NoteTest) Under() bool { return t.State == TestWaiting || t.State == TestRunning }

// TestVerdict is what a test showed.
type TestVerdict string

// The verdicts.
const (
	TestReturned TestVerdict = "returned"     // back to the usual time
	TestStayed   TestVerdict = "not_returned" // still slow, with nobody else there
	TestVoid     TestVerdict = "void"         // its condition did not hold
)

// TestResult is what one test run said.
type TestResult struct {
	At      time.Time      `json:"at"`
	Verdict TestVerdict    `json:"verdict"`
	Run     ID             `json:"run,omitempty"`
	Seconds Maybe[float64] `json:"seconds,omitzero"` // a lower bound where the run was not waited for
	// Say is the result for people: what one run can say, with its odds, or why
	// the test is void.
	Say  Say      `json:"say"`
	Test NoteTest `json:"test"` // as it was written down before
}
