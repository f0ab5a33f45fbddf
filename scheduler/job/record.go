package job

import "time"

// Kept is what the store has from before.
type Kept struct {
	// App is the id of this data folder, made when it was made.
	App ID
	// Jobs are all that have not ended, the newest of those that have and are not
	// hidden, and any other that has a run which has not ended.
	Jobs []Job
	// Runs are the newest run of each of these jobs, and every other run that has
	// not ended: one of an earlier attempt, or of a job that was cancelled.
	Runs     []Run
	Machines []Machine
	Servers  []Server
	Settings Settings
	Notes    []Note // oldest first
	// Baselines are the logs of all baselines.
	Baselines []BaselineLog
	IdlePower []IdlePower
}

// IdlePower is what a GPU is known to draw at rest, in watts: empty, and with
// models loaded. It belongs to the GPU, not to an address.
type IdlePower struct {
	GPU    string         `json:"gpu"` // see GPU.Key
	Empty  Maybe[float64] `json:"empty_w,omitzero"`
	Loaded Maybe[float64] `json:"loaded_w,omitzero"`
}

// Changes are records to write in one transaction: all of them or none.
type Changes struct {
	Jobs           []*Job
	Runs           []*Run
	Machines       []Machine
	Servers        []Server
	RemoveMachines []ID // with their servers
	Settings       *Settings
	Notes          []*Note
	// Baselines are new lines of baselines' logs, by Seq. A line that is there
	// already stays as it is.
	Baselines []BaselineLog
	// IdlePower replaces what was kept of these GPUs.
	IdlePower []IdlePower
	// Lazy says that losing this write in a crash loses nothing that cannot be
	// found again, so it need not be synced at once.
	Lazy bool
}

// HistoryQuery chooses a page of history. Empty fields choose all.
type HistoryQuery struct {
	Before time.Time // ended earlier than this
	// BeforeRun goes with Before: of the runs that ended at that very time, those
	// whose id is smaller still belong to the page. With both from the last row
	// of a page, the next one neither repeats nor leaves out any.
	BeforeRun ID
	TypeKey   string
	GPU       string
	Outcome   RunOutcome
	Limit     int // at most this many rows; 0 means 100
}

// HistoryRow is an ended run with its job.
type HistoryRow struct {
	Job Job
	Run Run
}
