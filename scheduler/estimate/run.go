package estimate

import (
	"time"

	"reckoner/scheduler/job"
)

// Run is what a baseline needs to know of a finished run.
type Run struct {
	At      time.Time // when it ended
	GPU     string    // the GPU's key
	Seconds float64   // by the server's own stamps
	Label   job.Label
	Start   job.StartKind
}
