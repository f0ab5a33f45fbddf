package scheduler

import (
	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

// What the user can want; the core, which carries them out, defines them.
type (
	Command        = core.Command
	Cancel         = core.Cancel
	Move           = core.Move
	Pause          = core.Pause
	PauseMachine   = core.PauseMachine
	SendAnyway     = core.SendAnyway
	SetLimit       = core.SetLimit
	CancelOn       = core.CancelOn
	RunFailedAgain = core.RunFailedAgain
	Ignore         = core.Ignore
	MoveTo         = core.MoveTo
	Again          = core.Again
	Dismiss        = core.Dismiss
	Reply          = core.Reply
)

// AddRequest asks for files to become jobs.
type AddRequest struct {
	Files      []string // paths on this computer
	Servers    []job.ID // where they may run; empty means anywhere
	Limit      job.Limit
	OutDir     string // "" means the settings' folder, with date and batch
	Repeat     int    // jobs a file; 0 means 1
	SendAnyway bool
	// Resume makes a file whose path and content equal a job that has not ended
	// stand for that job instead of a new one.
	Resume bool
}

// Added is what became of an AddRequest. A file that was refused queued nothing;
// the others were queued.
type Added struct {
	Batch   job.ID
	Jobs    []*job.Job
	Resumed []*job.Job // see AddRequest.Resume
	Refused []Refusal
}

// Refusal is a file that is no job, and why.
type Refusal struct {
	File string
	Err  *job.Error
}
