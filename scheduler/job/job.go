package job

import "time"

// Job is what the user queued. A Job is never changed in place: who changes one
// makes a copy, so snapshots can share it.
type Job struct {
	ID    ID     `json:"id"`
	Batch ID     `json:"batch"`
	Name  string `json:"name"` // the file's name without its ending
	File  string `json:"file"` // absolute path at the time it was added
	// Source is a SHA-256, a name in blobs/: of a text as it was dropped; of a
	// picture, a video or a sound of its workflow with its length and its first
	// bytes. It tells a job from an earlier one of the same path.
	Source string `json:"source"`
	Graph  string `json:"graph"` // SHA-256 of Graph.Raw, a name in blobs/
	// Unconverted says that Source holds a workflow in the format of ComfyUI's
	// page, and no server has told its node classes yet: there is no Graph, Type,
	// Nodes or Loaders so far, and the job is not sent.
	Unconverted bool      `json:"unconverted,omitempty"`
	Type        Type      `json:"type"`
	Added       time.Time `json:"added"`
	// Place orders the queue: smaller goes first. Places are unique.
	Place int64 `json:"place"`
	// ByHand says that the user put it there: no job passes it for the sake of the
	// models that a server has loaded.
	ByHand bool `json:"by_hand,omitempty"`
	// Servers are where the job may run; empty means on any that takes jobs.
	Servers []ID   `json:"servers,omitempty"`
	Limit   Limit  `json:"limit"`
	OutDir  string `json:"out_dir"` // absolute; results go there or below
	// Names is the template of the names of results below OutDir, and BatchName
	// what it calls the batch: see Destination.
	Names     string `json:"names,omitempty"`
	BatchName string `json:"batch_name,omitempty"`
	// Nodes counts the graph's nodes, and Loaders are the ids of those that load
	// model files: a server's list of cached nodes is held against them.
	Nodes   int      `json:"nodes,omitempty"`
	Loaders []string `json:"loaders,omitempty"`
	// Samplers are the graph's nodes that work in steps, in its order; empty where
	// that cannot be read from it.
	Samplers []Sampler `json:"samplers,omitempty"`
	// Needs is equal for jobs that need the same node classes and model files of a
	// server, and "" while those are not known.
	Needs string `json:"needs,omitempty"`
	// Workflow is a blob: the page's own format of the Graph, which goes along so
	// that results open in ComfyUI's page. "" where the file has none.
	Workflow string `json:"workflow,omitempty"`
	// Inputs are the files that the job reads on its server.
	Inputs []InputFile `json:"inputs,omitempty"`
	// Copy counts the copies of one file added by --repeat: 0, 1, ...
	Copy int `json:"copy,omitempty"`

	State   JobState `json:"state"`
	Attempt int      `json:"attempt"` // of the newest run; 0 before the first
	// Outcome, Why and FinishedLate are set once State is JobEnded.
	Outcome      JobOutcome `json:"outcome,omitempty"`
	Why          *Error     `json:"why,omitempty"`
	FinishedLate bool       `json:"finished_late,omitempty"`
	Ended        time.Time  `json:"ended,omitzero"`
	// Tries counts the runs of this job that ended through no fault of its own,
	// so that none is tried again without end.
	Tries Tries `json:"tries,omitzero"`
	// SendAnyway says that the user told us to ignore other people's work for
	// this job.
	SendAnyway bool `json:"send_anyway,omitempty"`
	// Hidden says that the user took the ended job off the list. The history
	// keeps its runs.
	Hidden bool `json:"hidden,omitempty"`
}

// Tries counts a job's runs that did not count against it.
type Tries struct {
	Cut    int `json:"cut,omitempty"`    // stopped by the limit while the GPU was shared
	Lost   int `json:"lost,omitempty"`   // lost with their server
	Memory int `json:"memory,omitempty"` // ended out of memory
	Disk   int `json:"disk,omitempty"`   // ended since the server's disk was full
	Waited int `json:"waited,omitempty"` // waited on a server for longer than it may
}

// Limit is how long the user is willing to wait for a run, counted from the
// moment the server says it started.
type Limit struct {
	// Kind says who set the limit.
	Kind LimitKind `json:"kind"`
	// For is the limit when Kind is LimitSet.
	For time.Duration `json:"for,omitempty"`
}

// LimitKind says where a time limit comes from.
type LimitKind string

// The kinds of time limit.
const (
	LimitDefault LimitKind = "default" // worked out from past runs (estimation, 3.11)
	LimitSet     LimitKind = "set"     // by the user, and exact
	LimitOff     LimitKind = "off"
)

// JobOutcome is how a job ended.
type JobOutcome string

// The outcomes of a job.
const (
	JobDone      JobOutcome = "done"
	JobFailed    JobOutcome = "failed"
	JobTimedOut  JobOutcome = "timed_out"
	JobCancelled JobOutcome = "cancelled"
	JobLost      JobOutcome = "lost"
	JobNoOutput  JobOutcome = "no_output"
	JobNeedsYou  JobOutcome = "needs_you"
)
