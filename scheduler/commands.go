package scheduler

import "reckoner/scheduler/job"

// Command is something the user wants. The engine takes it at once and answers
// with the next snapshot.
type Command interface{ command() }

type (
	// Cancel ends a waiting job, or stops a running one.
	Cancel struct{ Job job.ID }
	// Move puts a waiting job before another one, or last when Before is "".
	Move struct{ Job, Before job.ID }
	// Pause holds the whole queue, or lets it go on.
	Pause struct{ On bool }
	// PauseMachine holds jobs for a machine, or lets them go there.
	PauseMachine struct {
		Machine job.ID
		On      bool
	}
	// SendAnyway lets a job go although other people's work is where it goes.
	SendAnyway struct{ Job job.ID }
	// MoveTo restricts a waiting job to the servers of a machine; "" allows any.
	MoveTo struct{ Job, Machine job.ID }
	// Again puts an ended job back into the queue.
	Again struct{ Job job.ID }
	// Dismiss takes an ended job off the list; the history keeps its runs.
	Dismiss struct{ Job job.ID }
	// Reply answers a question.
	Reply struct {
		Question job.ID
		Answer   job.Answer
	}
)

func (Cancel) command()       {}
func (Move) command()         {}
func (Pause) command()        {}
func (PauseMachine) command() {}
func (SendAnyway) command()   {}
func (MoveTo) command()       {}
func (Again) command()        {}
func (Dismiss) command()      {}
func (Reply) command()        {}

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
