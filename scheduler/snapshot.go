package scheduler

import "reckoner/scheduler/core"

type (
	// Snapshot is everything that the window shows. The core, which fills it,
	// defines it and each of its parts.
	Snapshot = core.Snapshot
	// TimeRange is [core.TimeRange].
	TimeRange = core.TimeRange
	// MachineView is [core.MachineView].
	MachineView = core.MachineView
	// MineState is [core.MineState].
	MineState = core.MineState
	// SourceError is [core.SourceError].
	SourceError = core.SourceError
	// ServerView is [core.ServerView].
	ServerView = core.ServerView
	// GPUView is [core.GPUView].
	GPUView = core.GPUView
	// Origin is [core.Origin].
	Origin = core.Origin
	// Origins is [core.Origins].
	Origins = core.Origins
	// JobView is [core.JobView].
	JobView = core.JobView
	// PastRun is [core.PastRun].
	PastRun = core.PastRun
)

// What a machine does for us.
const (
	MineNone     = core.MineNone
	MineRunning  = core.MineRunning
	MineStopping = core.MineStopping
)
