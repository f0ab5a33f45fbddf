package job

import "slices"

// JobState is where a job stands in Reckoner.
type JobState string

// The states of a job.
const (
	JobWaiting    JobState = "waiting"    // in our queue
	JobRunning    JobState = "running"    // a run of it is open
	JobCollecting JobState = "collecting" // the run succeeded; its outputs are being fetched
	JobEnded      JobState = "ended"
)

// RunState is how far a run is known to have come.
type RunState string

// The states of a run.
const (
	RunIntended  RunState = "intended"  // on disk here; not known to have been sent
	RunSubmitted RunState = "submitted" // the server took it, or listed it
	RunStarted   RunState = "started"   // the server said that it started
	RunEnded     RunState = "ended"
)

var jobMoves = map[JobState][]JobState{
	JobWaiting:    {JobRunning, JobEnded},
	JobRunning:    {JobCollecting, JobEnded, JobWaiting},
	JobCollecting: {JobEnded},
	// Run again; or a run that was cut ended well after all.
	JobEnded: {JobWaiting, JobCollecting},
}

var runMoves = map[RunState][]RunState{
	RunIntended:  {RunSubmitted, RunStarted, RunEnded},
	RunSubmitted: {RunStarted, RunEnded},
	RunStarted:   {RunEnded},
	RunEnded:     {},
}

// CanBecome tells whether a job may go from state s to state to.
func (s JobState) CanBecome(to JobState) bool { return slices.Contains(jobMoves[s], to) }

// CanBecome tells whether a run may go from state s to state to.
func (s RunState) CanBecome(to RunState) bool { return slices.Contains(runMoves[s], to) }
