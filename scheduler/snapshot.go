package scheduler

import "reckoner/scheduler/core"

// What the window shows; the core, which fills them, defines them.
type (
	Snapshot    = core.Snapshot
	TimeRange   = core.TimeRange
	MachineView = core.MachineView
	MineState   = core.MineState
	SourceError = core.SourceError
	ServerView  = core.ServerView
	GPUView     = core.GPUView
	JobView     = core.JobView
	PastRun     = core.PastRun
)

// What a machine does for us.
const (
	MineNone     = core.MineNone
	MineRunning  = core.MineRunning
	MineStopping = core.MineStopping
)
