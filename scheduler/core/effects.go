package core

import "reckoner/scheduler/job"

// Effects are what a step asks of the engine, in this order: write, then act,
// then tell.
type Effects struct {
	// Write must be on disk before any action is carried out. When that fails
	// the engine makes no submission of Do, carries out the other actions, and
	// answers with WriteFailed.
	Write job.Changes
	// All says that Write holds everything that an earlier write may have failed
	// to keep; when it succeeds the engine answers with Written.
	All  bool
	Do   []Action
	Tell []job.Event
}

// Action is something the engine does for the core, each on its own; it answers
// with the event that the action's comment names.
type Action interface{ action() }

type (
	// Probe asks a server what it is; answered by Probed.
	Probe struct{ Server job.ID }
	// LookAtQueue reads a server's queue; answered by QueueSeen.
	LookAtQueue struct{ Server job.ID }
	// LookAtRecord reads a prompt's entry in a server's history; answered by
	// RecordSeen. PromptID "" means that the server's id is not known: the
	// record is found by the run's tag.
	LookAtRecord struct {
		Server   job.ID
		Run      job.ID
		PromptID string
	}
	// Submit sends a run's graph, after the files that it reads; answered by
	// Submitted.
	Submit struct {
		Server   job.ID
		Run      *job.Run
		File     string // the job's: input files lie next to it
		Graph    string // the blob
		Workflow string // likewise, "" for none
		Inputs   []job.InputFile
		// Serial tells this submission from an earlier one of the same run; its answer
		// carries it.
		Serial int
	}
	// StopRun asks a server to stop a prompt: to interrupt it when Running, else
	// to take it off the queue; answered by StopSent.
	StopRun struct {
		Server   job.ID
		Run      job.ID
		PromptID string
		Running  bool
		// OnlyWaiting leaves alone a prompt that runs by now.
		OnlyWaiting bool
	}
	// Free asks a server to free its memory; nothing answers it.
	Free struct{ Server job.ID }
	// Convert makes a job of a workflow in the format of ComfyUI's page, with a
	// server's node classes; answered by Converted.
	Convert struct {
		Server job.ID
		Job    job.ID
		Source string // the blob
		Name   string // the job's
		File   string // likewise
		Inputs []job.InputFile
	}
	// Check asks whether a server has the node classes and the model files of a
	// graph, for all jobs with these needs; answered by Checked.
	Check struct {
		Server job.ID
		Needs  string
		Graph  string // the blob of one of them
	}
	// Fetch brings a run's results here; answered by Fetched.
	Fetch struct {
		Server job.ID
		Run    job.ID
		Refs   []job.OutputRef
		To     job.Destination // but for the seed
		Graph  string          // what was sent: see job.Job
	}
)

func (Probe) action()        {}
func (LookAtQueue) action()  {}
func (LookAtRecord) action() {}
func (Submit) action()       {}
func (StopRun) action()      {}
func (Free) action()         {}
func (Convert) action()      {}
func (Check) action()        {}
func (Fetch) action()        {}
