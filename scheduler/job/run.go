package job

import "time"

// Run is one submission of a job to a render server. It keeps apart what was
// wanted here, what was sent and when, and what the server confirmed. A Run is
// never changed in place.
type Run struct {
	ID      ID     `json:"id"` // RunID(Job, Attempt): the prompt_id asked for
	Job     ID     `json:"job"`
	Attempt int    `json:"attempt"`
	Server  ID     `json:"server"`
	URL     string `json:"url"` // the server's bare URL at the time
	GPU     string `json:"gpu"` // the GPU's key (GPU.Key), "" when not known
	TypeKey string `json:"type_key"`
	// PromptID is the id the server uses: ID, except on servers that choose ids
	// themselves. "" until a reply or a listing told it.
	PromptID string   `json:"prompt_id,omitempty"`
	ClientID string   `json:"client_id"`
	State    RunState `json:"state"`

	// Wall times here. Zero means: has not happened.
	Intended  time.Time `json:"intended"`
	Sent      time.Time `json:"sent,omitzero"`
	Submitted time.Time `json:"submitted,omitzero"`
	Started   time.Time `json:"started,omitzero"`
	Ended     time.Time `json:"ended,omitzero"`

	// The server's own stamps (its wall clock), from its terminal messages.
	ServerStarted time.Time `json:"server_started,omitzero"`
	ServerEnded   time.Time `json:"server_ended,omitzero"`
	// Seconds is the duration by the server's own stamps, start to end.
	Seconds Maybe[float64] `json:"seconds,omitzero"`

	Outcome RunOutcome `json:"outcome,omitempty"`
	Err     *Error     `json:"err,omitempty"`
	// Label is what was seen. What counts is Judged: Corrections are the user's
	// word, oldest first.
	Label       Label        `json:"label,omitempty"`
	Corrections []Correction `json:"corrections,omitempty"`
	Start       StartKind    `json:"start,omitempty"`

	// Forecast is what past runs said when this one started. It is frozen then.
	Forecast Forecast `json:"forecast,omitzero"`
	// LimitS is the time limit in seconds, 0 for none. LimitPassed says when it
	// passed.
	LimitS      float64   `json:"limit_s,omitempty"`
	LimitPassed time.Time `json:"limit_passed,omitzero"`
	// SilentS is how long, in seconds, nothing was heard of the run when that was its
	// limit; 0 when it was LimitS that passed.
	SilentS  float64 `json:"silent_s,omitempty"`
	Extended bool    `json:"extended,omitempty"` // a default limit, doubled once
	// Handed says that it was handed over: sent to its server's own queue behind
	// earlier runs, at the user's command.
	Handed bool `json:"handed,omitempty"`
	// Stop is set once we want the run stopped.
	Stop *Stop `json:"stop,omitempty"`
	// Witnesses are what showed that the run ended: the certificate.
	Witnesses []Witness `json:"witnesses,omitempty"`
	// FinishedLate says that the run ended well after its limit had passed.
	FinishedLate bool `json:"finished_late,omitempty"`

	// Listed is what the server says it made; Outputs is what was fetched.
	Listed  []OutputRef `json:"listed,omitempty"`
	Outputs []Output    `json:"outputs,omitempty"`
	// Foreign is other people's work seen on this run's GPU while it ran.
	Foreign []ForeignSeen `json:"foreign,omitempty"`
	// Gaps counts the times when a server of this GPU was not read for over 15 s
	// of the run: what happened then is not known.
	Gaps int `json:"gaps,omitempty"`
	// SilenceS is the longest time, in seconds, between two signs of life while the
	// server's news came live all along; 0 when they did not. A stop lands between
	// two of them.
	SilenceS float64 `json:"silence_s,omitempty"`
	// AfterS is how long, in seconds, it went on after its last step while the
	// server's news came live all along; 0 when that is not known.
	AfterS float64 `json:"after_s,omitempty"`
	// Conditions are those under which it went.
	Conditions Conditions `json:"conditions,omitzero"`
	// MemoryB is how many bytes of its GPU's memory its server took at most while
	// it ran; 0 when that was not seen.
	MemoryB int64 `json:"memory_b,omitempty"`
	// Story is what happened, oldest first, for people.
	Story []Happening `json:"story,omitempty"`
}

// RunOutcome is how a run ended, by the server's own last word.
type RunOutcome string

// The outcomes of a run.
const (
	RunSucceeded   RunOutcome = "succeeded"
	RunFailed      RunOutcome = "failed"
	RunInterrupted RunOutcome = "interrupted"
	RunLost        RunOutcome = "lost"
)

// Label says whether we had the GPU to ourselves, judged by evidence that is
// not the run's own duration.
type Label string

// The labels of a run.
const (
	Clean        Label = "clean"   // every known server of the GPU was read at least every 15 s; nobody else was there
	Shared       Label = "shared"  // somebody else's prompt was seen
	LabelUnknown Label = "unknown" // not enough was seen
)

// StartKind says what the server had ready when a run started.
type StartKind string

// How a run started. "" is unknown.
const (
	Warm   StartKind = "warm"
	Cold   StartKind = "cold"
	Cached StartKind = "cached" // the whole result came from the server's cache
)

// Stop is our wish that a run ends, and what was done about it.
type Stop struct {
	Why  StopReason  `json:"why"`
	At   time.Time   `json:"at"`
	Sent []time.Time `json:"sent,omitempty"` // each interrupt or delete that the server answered
	// Confirmed is when the run was known to have ended; zero until then.
	Confirmed time.Time `json:"confirmed,omitzero"`
	// Unconfirmed is when we gave up waiting for a prompt end and asked; zero
	// when that did not happen.
	Unconfirmed time.Time `json:"unconfirmed,omitzero"`
}

// StopReason says who wanted a run stopped.
type StopReason string

// The reasons to stop a run.
const (
	StopLimit  StopReason = "time_limit"
	StopCancel StopReason = "cancelled"
	// These two are about a prompt that waits on its server. One that has started
	// is left alone.
	StopWaited    StopReason = "waited" // it waited there for longer than it may
	StopTakenBack StopReason = "taken_back"
)

// OnlyWaiting tells whether a stop is meant only while the prompt still waits.
func (r StopReason) OnlyWaiting() bool { return r == StopWaited || r == StopTakenBack }

// Witness is one thing that showed that a run ended.
type Witness struct {
	Kind WitnessKind `json:"kind"`
	At   time.Time   `json:"at"`
}

// WitnessKind names what a witness saw.
type WitnessKind string

// The kinds of witness.
const (
	SawLeaveSlot WitnessKind = "left_running_slot" // no longer in queue_running
	SawTerminal  WitnessKind = "terminal_message"  // success, error or interrupted, on the websocket
	SawHistory   WitnessKind = "history"           // the server's record holds it
	SawAbsent    WitnessKind = "absent"            // not in /queue, then not in /history
	SawRestart   WitnessKind = "server_restarted"
	SawGPUIdle   WitnessKind = "gpu_idle"
)

// Forecast is what past runs of one job type on one GPU say about the next, in
// seconds from the start to the end. N 0 means that nothing is known.
type Forecast struct {
	N        int     `json:"n"`
	LowS     float64 `json:"low_s,omitempty"`
	MidS     float64 `json:"mid_s,omitempty"`
	HighS    float64 `json:"high_s,omitempty"`    // the end of the bar
	LongestS float64 `json:"longest_s,omitempty"` // past this there is no estimate
	// Unwatched counts the runs among N whose label is unknown.
	Unwatched int `json:"unwatched,omitempty"`
	// Level says what the figures rest on; "" in records of before levels, where
	// N tells. At the two levels between exact and none N and LongestS are 0:
	// LowS to HighS is then where 8 of 10 runs fell that were told so.
	Level Level `json:"level,omitempty"`
	// Basis is what a fallback rests on: the runs on the other GPU, or the job
	// types that are nearest. BasisGPU is that other GPU's key.
	Basis    int    `json:"basis,omitempty"`
	BasisGPU string `json:"basis_gpu,omitempty"`
	// AlarmS is from when on something is slowing or holding the run, 0 when
	// that cannot be told.
	AlarmS float64 `json:"alarm_s,omitempty"`
	// ColdS is how much longer a run takes that loads models first, 0 when not
	// known.
	ColdS float64 `json:"cold_s,omitempty"`
	// ProposedS is the longest run of a change of the baseline that waits for the
	// user, 0 without one. Until then no run is called long that it would hold.
	ProposedS float64 `json:"proposed_s,omitempty"`
	// LimitS is the time limit in seconds that past runs suggest, 0 for none.
	LimitS float64 `json:"limit_s,omitempty"`
}

// Level says how near past runs are to the one that a forecast is for.
type Level string

// The levels of a forecast, from the nearest on.
const (
	LevelExact    Level = "exact"     // this job type on this GPU
	LevelOtherGPU Level = "other_gpu" // this job type on another GPU, times a factor between the two
	LevelSimilar  Level = "similar"   // the nearest job types on this GPU
	LevelNone     Level = ""          // nothing is known
)

// OutputRef is a file that a render server says it made.
type OutputRef struct {
	Node      string `json:"node"`
	Kind      string `json:"kind"` // images, gifs, audio, ...
	Filename  string `json:"filename"`
	Subfolder string `json:"subfolder,omitempty"`
	Type      string `json:"type"` // output, temp, input or ViaSocket
}

// ViaSocket is the type of an output that came over the websocket only: its
// Subfolder is the SHA-256 under which it was kept in blobs.
const ViaSocket = "via_socket"

// Output is a result on this computer.
type Output struct {
	File       string `json:"file"` // absolute path
	ServerName string `json:"server_name"`
	Bytes      int64  `json:"bytes_b"`
	SHA256     string `json:"sha256,omitempty"`  // of the content, in hexadecimal
	Preview    bool   `json:"preview,omitempty"` // the server keeps it as temporary
}

// ForeignSeen is other people's prompts on one server during a run, or a program
// of theirs that computed on its GPU.
type ForeignSeen struct {
	Server  ID        `json:"server,omitempty"`
	Prompts int       `json:"prompts,omitempty"`
	Program string    `json:"program,omitempty"`
	PID     int       `json:"pid,omitempty"`
	First   time.Time `json:"first"`
	Last    time.Time `json:"last"`
}

// Happening is a line of a run's story.
type Happening struct {
	At time.Time `json:"at"`
	Say
}

// Bar is what a progress bar shows.
type Bar struct {
	Kind BarKind
	// Fraction of the way to the upper end of the usual range; unknown unless
	// Kind is BarEstimate.
	Fraction Maybe[float64]
	Caption  Say
}

// BarKind says what moves a bar.
type BarKind string

// The kinds of bar.
const (
	BarEstimate BarKind = "estimate" // a clock, against past runs
	BarOver     BarKind = "over"     // past the longest known run: hollow
	BarNone     BarKind = "none"     // no past runs: empty
)

// Step is progress that a server reported: a fact.
type Step struct {
	Value float64   `json:"value"`
	Max   float64   `json:"max"`
	Node  string    `json:"node"`
	At    time.Time `json:"-"`
}
