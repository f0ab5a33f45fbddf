package core

import (
	"time"

	"reckoner/scheduler/job"
	"reckoner/scheduler/note"
)

// Snapshot is everything that the window shows, as it was at one moment. It is
// immutable and shares what did not change with the one before.
type Snapshot struct {
	At     job.Instant
	Speed  float64 // of the clock; 1 outside demonstrations
	Paused bool    // the whole queue
	// Settings are those that are kept; what a command line sets for this start
	// only is not among them.
	Settings job.Settings

	Machines []MachineView
	// Running, NeedsYou, Waiting and Done are the sections of the list. Waiting
	// is in queue order, Done newest first.
	Running, NeedsYou, Waiting, Done []JobView

	// AllDone is when everything will be done, as a range of wall times, with
	// NotCounted jobs left out because nothing is known of their duration.
	// Unknown when no job can be counted.
	AllDone    job.Maybe[TimeRange]
	NotCounted int
	// Proposals are changes of a usual time that wait for the user; each log ends
	// with the proposal.
	Proposals []job.BaselineLog
	// NotCountedHeld are those of them that are held: what is known of their
	// duration says nothing while it is not known when they go.
	NotCountedHeld int
	Questions      []job.Question
	Host           job.HostReading
	// Unwritable says that the last write to the store failed, and why.
	Unwritable *job.Error
	// Notes are all of them, oldest first.
	Notes []*job.Note
}

// TimeRange is a range of wall times.
type TimeRange struct{ From, To time.Time }

// MachineView is a machine's card.
type MachineView struct {
	Machine job.Machine
	Servers []ServerView
	GPUs    []GPUView
	// Mine tells whether a run of ours is running or stopping here; Foreign
	// whether anybody else's prompt runs or waits on a known server of it.
	Mine      MineState
	Foreign   bool
	SourceErr []SourceError
	// Notes are the machine's: open ones about now, other open ones, settled ones,
	// each newest first.
	Notes []*job.Note
}

// MineState is what a machine does for us.
type MineState string

// What a machine does for us.
const (
	MineNone     MineState = ""
	MineRunning  MineState = "running"
	MineStopping MineState = "stopping"
)

// SourceError is why a telemetry source gives nothing.
type SourceError struct {
	Source string
	Err    *job.Error
	Since  time.Time
}

// ServerView is a render server as it was last seen.
type ServerView struct {
	Server job.Server
	Info   job.Maybe[job.ServerInfo]
	// Seen is when it last answered; zero when it never did. Err is why it does
	// not answer now, nil when it does.
	Seen time.Time
	Err  *job.Error
	// LiveSince is since when its websocket brings news; unknown when it does
	// not.
	LiveSince job.Maybe[time.Time]
	// AskEvery is how often it is asked over HTTP while a run of ours is open there;
	// 0 while none is.
	AskEvery time.Duration
	// Process is what listens at its port, when that is on this computer.
	Process job.Maybe[job.LocalProcess]
	Foreign job.ForeignWork
}

// GPUView is a GPU's gauges.
type GPUView struct {
	GPU job.GPU
	// Last are its newest figures, put together from all its sources, under the name
	// and at the time of the one that knows most; Origins are each figure's own.
	Last    job.Reading
	Origins Origins
	// Recent are the readings of the last ten minutes, oldest first, at most one
	// every five seconds.
	Recent []job.Reading
	// LowPower says that the GPU is as good as fully busy and draws far less
	// than a computing card does: the odd figure, not the busy one.
	LowPower bool
	// Diagnosis is what its readings and the work on it add up to. Seen are the two
	// strongest observations while it is busy and nothing is sure.
	Diagnosis note.Diagnosis
	Seen      []job.Say
	// Verdict is the strongest sentence that may be said of it, nil when there is
	// none. Evidence is what it, or Seen, rests on.
	Verdict  *job.Say
	Evidence []job.Say
	// Programs are those of others that compute on it, or hold a good part of its
	// memory.
	Programs []job.Process
	// IdleW is what it is known to draw at rest, as full as it is now, in watts.
	IdleW job.Maybe[float64]
}

// JobView is a row of the list, and what its details show.
type JobView struct {
	Job *job.Job
	Run *job.Run // the newest; nil before the first
	// MachineName is where it runs or ran, "" before.
	MachineName string
	// ElapsedS is how long the run has been going by the server's start, Bar and
	// Step are its progress. They are meaningful while the job runs.
	ElapsedS float64
	Bar      job.Bar
	Step     job.Maybe[job.Step]
	// StepsDone of StepsOf are the steps of all its samplers, as far as they can be
	// told now; StepsOf is 0 before the first. Their quotient never goes back.
	StepsDone, StepsOf float64
	// Live is what its server shows of its work; the zero Picture when it shows
	// nothing.
	Live job.Picture
	// Pace is what live steps say the whole run would take, in seconds.
	Pace job.Maybe[float64]
	// Trouble is why the run cannot be seen now, or its results not be fetched,
	// and TroubleSince since when; nil while all is well.
	Trouble      *job.Error
	TroubleSince time.Time
	// Holds are all reasons why it waits, empty when it goes next.
	Holds []job.Hold
	// NotOn are the servers to which it cannot go, while it can to another, for what
	// they lack.
	NotOn []job.Hold
	// Expected is what past runs say it will take where it is likely to run.
	Expected job.Forecast
	// StartsAbout is when it is likely to start; unknown when it is held or
	// something before it cannot be estimated.
	StartsAbout job.Maybe[time.Time]
	// Past are the finished runs of its job type on its GPU, oldest first.
	Past []PastRun
}

// PastRun is a dot on the strip of past runs.
type PastRun struct {
	At      time.Time
	Seconds float64
	Label   job.Label
}
