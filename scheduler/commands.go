package scheduler

import (
	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

type (
	// Command is something the user wants. The core, which carries it out, defines
	// it and each of the following.
	Command = core.Command
	// Cancel is [core.Cancel].
	Cancel = core.Cancel
	// Move is [core.Move].
	Move = core.Move
	// Pause is [core.Pause].
	Pause = core.Pause
	// Configure is [core.Configure].
	Configure = core.Configure
	// PauseMachine is [core.PauseMachine].
	PauseMachine = core.PauseMachine
	// SendAnyway is [core.SendAnyway].
	SendAnyway = core.SendAnyway
	// Restore is [core.Restore].
	Restore = core.Restore
	// Prioritize is [core.Prioritize].
	Prioritize = core.Prioritize
	// SetLimit is [core.SetLimit].
	SetLimit = core.SetLimit
	// CancelOn is [core.CancelOn].
	CancelOn = core.CancelOn
	// RunFailedAgain is [core.RunFailedAgain].
	RunFailedAgain = core.RunFailedAgain
	// Ignore is [core.Ignore].
	Ignore = core.Ignore
	// MoveTo is [core.MoveTo].
	MoveTo = core.MoveTo
	// Again is [core.Again].
	Again = core.Again
	// Dismiss is [core.Dismiss].
	Dismiss = core.Dismiss
	// Reply is [core.Reply].
	Reply = core.Reply
	// AnswerBaseline is [core.AnswerBaseline].
	AnswerBaseline = core.AnswerBaseline
	// HandOver is [core.HandOver].
	HandOver = core.HandOver
	// TakeBack is [core.TakeBack].
	TakeBack = core.TakeBack
	// Leave is [core.Leave].
	Leave = core.Leave
	// StartTest is [core.StartTest].
	StartTest = core.StartTest
	// EndTest is [core.EndTest].
	EndTest = core.EndTest
	// WithdrawNote is [core.WithdrawNote].
	WithdrawNote = core.WithdrawNote
	// RewordNote is [core.RewordNote].
	RewordNote = core.RewordNote
	// WriteNote is [core.WriteNote].
	WriteNote = core.WriteNote
)

// AddRequest asks for files to become jobs.
type AddRequest struct {
	// Files are paths on this computer: jobs, and pictures, videos and sounds
	// without a workflow, which become inputs of the jobs; and folders of these.
	Files []string
	// Input names the node, by id or title, that reads the pictures, where a job
	// has several that could.
	Input string
	// UseWorkflow takes the page's workflow of files that carry another job than
	// that beside it.
	UseWorkflow bool
	Servers     []job.ID // where they may run; empty means anywhere
	Limit       job.Limit
	OutDir      string // "" means the settings' folder, with date and batch
	Repeat      int    // jobs a file; 0 means 1
	SendAnyway  bool
	// Resume makes a file whose path and content equal a job of a batch that has
	// not ended completely stand for that job instead of a new one, also when
	// that job has ended: the same request goes on where it broke off.
	Resume bool
}

// Added is what became of an AddRequest. A file that was refused queued nothing;
// the others were queued.
type Added struct {
	Batch   job.ID
	Jobs    []*job.Job
	Resumed []*job.Job // see AddRequest.Resume
	Refused []Refusal
	Warned  []Warning
}

// Warning is what is to be said about a file that was queued.
type Warning struct {
	File string
	Say  job.Say
}

// Loud tells whether a warning is worth a thought before the file runs. The others
// are about how it was read.
func (w Warning) Loud() bool {
	return w.Say.Code == job.WarnOtherJob || w.Say.Code == job.WarnCost || w.Say.Code == job.WarnAccount
}

// Refusal is a file that is no job, and why.
type Refusal struct {
	File string
	Err  *job.Error
}
