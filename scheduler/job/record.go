package job

import "time"

// Kept is what the store has from before.
type Kept struct {
	// App is the id of this data folder, made when it was made.
	App      ID
	Jobs     []Job // all that have not ended, and the newest of those that have; no hidden ones
	Runs     []Run // the newest run of each of these jobs
	Machines []Machine
	Servers  []Server
	Settings Settings
}

// Changes are records to write in one transaction: all of them or none.
type Changes struct {
	Jobs           []*Job
	Runs           []*Run
	Machines       []Machine
	Servers        []Server
	RemoveMachines []ID // with their servers
	Settings       *Settings
	// Lazy says that losing this write in a crash loses nothing that cannot be
	// found again, so it need not be synced at once.
	Lazy bool
}

// HistoryQuery chooses a page of history. Empty fields choose all.
type HistoryQuery struct {
	Before  time.Time // ended earlier than this
	TypeKey string
	GPU     string
	Outcome RunOutcome
	Limit   int // at most this many rows; 0 means 100
}

// HistoryRow is an ended run with its job.
type HistoryRow struct {
	Job Job
	Run Run
}
