package scheduler

import (
	"context"
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

// programsPeriod is how often, in real time, it is looked which programs hold a
// machine's GPUs.
const programsPeriod = 5 * time.Second

// watchPrograms follows which programs hold a machine's GPUs until ctx ends,
// starting again with growing pauses. That it cannot be told is no failure: the
// readings go on without.
func (e *Engine) watchPrograms(ctx context.Context, machine job.ID, source string, lister ProgramMeter) {
	pause := meterAgain
	for ctx.Err() == nil {
		err := lister.Programs(ctx, programsPeriod, func(p job.Programs) {
			pause = meterAgain
			e.inbox.push(item{event: core.ProgramsSeen{Machine: machine, Programs: p}})
		})
		if err != nil {
			e.log.Debug("the programs on a machine's GPUs are not known", "source", source, "err", err)
		}
		if !sleep(ctx, pause) {
			return
		}
		pause = min(2*pause, meterAtMost)
	}
}
