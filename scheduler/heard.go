package scheduler

import (
	"slices"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

// hearReadings takes what an extension of a render server told of its computer's
// GPUs over the websocket: a source that nobody had to name.
func (e *Engine) hearReadings(from job.Server, readings []job.Reading) {
	source, at := "crystools:"+from.URL, e.cfg.Clock.Now().Wall
	readings = slices.Clone(readings)
	for i := range readings {
		readings[i].Source, readings[i].At = source, at
	}
	e.inbox.push(item{event: core.ReadingsSeen{Machine: from.Machine, Source: source, Readings: readings}})
}
