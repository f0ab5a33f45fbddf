package core

import (
	"reckoner/scheduler/estimate"
	"reckoner/scheduler/job"
)

// Event is something that happened outside the core.
type Event interface{ event() }

type (
	// Tick says that time has passed; see State.NextWake.
	Tick struct{}

	// JobsAdded brings new jobs, complete but for their place in the queue. One
	// that has a Why needs the user before it can be sent, and ends so.
	JobsAdded struct {
		Jobs []job.Job
		// Past are finished runs by job type, for types that the core may not
		// know yet.
		Past map[string][]estimate.Run
	}

	// InputsGiven brings files that a job lacked. One that ended for want of them
	// goes back into the queue.
	InputsGiven struct {
		Job    job.ID
		Inputs []job.InputFile
	}

	// JobRevised gives a waiting job other values of its nodes, with what follows
	// from them. Of is the graph that they were made from: when it is another one
	// by now, or the job no longer waits, nothing changes.
	JobRevised struct {
		Job  job.Job
		Of   string
		Past map[string][]estimate.Run // as in JobsAdded
	}

	// MachineAdded brings a machine with its servers, new or changed.
	MachineAdded struct {
		Machine job.Machine
		Servers []job.Server
	}

	// MachineRemoved takes a machine and its servers away, unless a run of ours is
	// open there or its results are being fetched.
	MachineRemoved struct{ Machine job.ID }

	// Probed answers the action Probe.
	Probed struct {
		Server job.ID
		Info   job.ServerInfo
		Err    *job.Error
	}
	// QueueSeen answers the action LookAtQueue.
	QueueSeen struct {
		Server job.ID
		Queue  job.Queue
		Err    *job.Error
	}
	// RecordSeen answers the action LookAtRecord.
	RecordSeen struct {
		Server job.ID
		Run    job.ID
		Record job.Record
		Found  bool
		Err    *job.Error
	}
	// Submitted answers the action Submit.
	Submitted struct {
		Run     job.ID
		Serial  int // the submission's
		Receipt job.Receipt
		// Renamed are model files that were sent under the server's name for them
		// (job.StoryRenamed).
		Renamed []job.Args
		Err     *job.Error
	}
	// StopSent answers the action StopRun: the server answered, or did not.
	StopSent struct {
		Run job.ID
		Err *job.Error
	}
	// Heard is something a server's websocket said.
	Heard struct {
		Server job.ID
		News   job.News
	}
	// Converted answers the action Convert. With an error, Refused says that it is
	// about the workflow, not about reaching the server.
	Converted struct {
		Job, Server job.ID
		Graph       string // the blob
		Workflow    string // likewise
		Inputs      []job.InputFile
		Type        job.Type
		Nodes       int
		Loaders     []string
		Samplers    []job.Sampler
		Needs       string
		Past        map[string][]estimate.Run // as in JobsAdded
		Err         *job.Error
		Refused     bool
	}
	// Checked answers the action Check.
	Checked struct {
		Server job.ID
		Needs  string
		Lacks  job.Lacks
		Err    *job.Error // it could not be found out
	}
	// Fetched answers the action Fetch. Outputs may be there beside an error.
	Fetched struct {
		Run     job.ID
		Outputs []job.Output
		Err     *job.Error
	}
	// ReadingsSeen brings the readings of one tick of a machine's source.
	ReadingsSeen struct {
		Machine  job.ID
		Source   string
		Readings []job.Reading
	}
	// ProgramsSeen brings which programs held a machine's GPUs at one moment.
	ProgramsSeen struct {
		Machine  job.ID
		Programs job.Programs
	}
	// SourceFailed says that a telemetry source gives nothing.
	SourceFailed struct {
		Machine job.ID
		Source  string
		Err     *job.Error
	}
	// ProcessSeen says which process of this computer is behind a server's port.
	ProcessSeen struct {
		Server  job.ID
		Process job.Maybe[job.LocalProcess]
	}
	// HostSeen brings a sample of this computer.
	HostSeen struct{ Reading job.HostReading }
	// WriteFailed says that records could not be written. The submissions that
	// depended on them, in Unsent, were not made.
	WriteFailed struct {
		Err    *job.Error
		Unsent []job.ID
	}
	// Written says that a write of everything succeeded; see Effects.All.
	Written struct{}
)

func (Tick) event()           {}
func (JobsAdded) event()      {}
func (InputsGiven) event()    {}
func (JobRevised) event()     {}
func (MachineAdded) event()   {}
func (MachineRemoved) event() {}
func (Probed) event()         {}
func (QueueSeen) event()      {}
func (RecordSeen) event()     {}
func (Submitted) event()      {}
func (StopSent) event()       {}
func (Heard) event()          {}
func (Converted) event()      {}
func (Checked) event()        {}
func (Fetched) event()        {}
func (ReadingsSeen) event()   {}
func (ProgramsSeen) event()   {}
func (SourceFailed) event()   {}
func (ProcessSeen) event()    {}
func (HostSeen) event()       {}
func (WriteFailed) event()    {}
func (Written) event()        {}

func (Cancel) event()         {}
func (Move) event()           {}
func (Pause) event()          {}
func (Configure) event()      {}
func (PauseMachine) event()   {}
func (SendAnyway) event()     {}
func (SetLimit) event()       {}
func (Prioritize) event()     {}
func (Restore) event()        {}
func (CancelOn) event()       {}
func (RunFailedAgain) event() {}
func (Ignore) event()         {}
func (MoveTo) event()         {}
func (Again) event()          {}
func (Dismiss) event()        {}
func (Reply) event()          {}
func (AnswerBaseline) event() {}
func (HandOver) event()       {}
func (TakeBack) event()       {}
func (Leave) event()          {}
