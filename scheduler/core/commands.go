package core

import (
	"time"

	"reckoner/scheduler/job"
)

// Command is something the user wants: an event that a person caused. Its
// answer is the next snapshot.
type Command interface {
	Event
	command()
}

type (
	// Cancel ends a waiting job, or stops a running one.
	Cancel struct{ Job job.ID }
	// Move puts a waiting job before another one, or last when Before is "".
	Move struct{ Job, Before job.ID }
	// Restore takes back that a waiting job was cancelled or an ended one dismissed.
	Restore struct{ Job job.ID }
	// Prioritize puts a waiting job last among those of a priority.
	Prioritize struct {
		Job      job.ID
		Priority job.Priority
	}
	// Pause holds the whole queue, or lets it go on.
	Pause struct{ On bool }
	// Configure takes over settings. Whether the queue is paused is Pause's.
	Configure struct{ Settings job.Settings }
	// PauseMachine holds jobs for a machine, or lets them go there.
	PauseMachine struct {
		Machine job.ID
		On      bool
	}
	// SendAnyway lets a job go although other people's work is where it goes.
	SendAnyway struct{ Job job.ID }
	// SetLimit changes a job's time limit, also while it runs.
	SetLimit struct {
		Job   job.ID
		Limit job.Limit
	}
	// CancelOn cancels everything of ours that runs on a machine, and the
	// waiting jobs that may run nowhere else.
	CancelOn struct{ Machine job.ID }
	// RunFailedAgain puts the jobs of a batch that did not end well back into
	// the queue.
	RunFailedAgain struct{ Batch job.ID }
	// Ignore ignores a reason to hold on a machine until a time; a zero time
	// ends that.
	Ignore struct {
		Machine job.ID
		Code    job.HoldCode
		Until   time.Time
	}
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
	// HandOver sends the next jobs to their servers' own queues at once, so that
	// they run while this computer sleeps: the one exception to at most one run of
	// ours a server (rule 4). Count 0 means all that can go.
	HandOver struct{ Count int }
	// TakeBack takes back what was handed over and has not started.
	TakeBack struct{}
	// Leave goes before the end of the program when what runs shall not go on
	// without it: every run is stopped, and nothing more is sent. It is not
	// kept, so that the next start goes on with the queue. On false takes it
	// back; what was stopped stays so.
	Leave struct{ On bool }
)

// AnswerBaseline is the user's word about a baseline: to take or to refuse a
// change that is proposed, or to undo one. About is the revision that is meant.
type AnswerBaseline struct {
	TypeKey string
	GPU     string
	Kind    job.AnswerKind
	About   int
}

func (AnswerBaseline) command() {}

func (Cancel) command()         {}
func (Move) command()           {}
func (Pause) command()          {}
func (Configure) command()      {}
func (PauseMachine) command()   {}
func (SendAnyway) command()     {}
func (SetLimit) command()       {}
func (Prioritize) command()     {}
func (Restore) command()        {}
func (CancelOn) command()       {}
func (RunFailedAgain) command() {}
func (Ignore) command()         {}
func (MoveTo) command()         {}
func (Again) command()          {}
func (Dismiss) command()        {}
func (Reply) command()          {}
func (HandOver) command()       {}
func (TakeBack) command()       {}
func (Leave) command()          {}
