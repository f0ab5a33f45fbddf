package core

import (
	"time"

	"reckoner/scheduler/job"
)

// jumpFrom is how far the wall clock may run away from the monotonic one before
// the difference counts as time that was not seen (INTERFACES, ids and time):
// the computer slept, or its clock was set.
const jumpFrom = 5 * time.Second

// notSeen notes on the runs under way that a stretch of time was not seen.
// Limits run on the monotonic clock, so a jump neither fires nor loses one.
func (t *turn) notSeen() {
	last := t.State.lastStep
	t.State.lastStep = job.Known(t.now)
	before, ok := last.Get()
	if !ok {
		return
	}
	jump := t.now.Wall.Sub(before.Wall) - (t.now.Mono - before.Mono)
	if jump < jumpFrom && jump > -jumpFrom {
		return
	}
	for _, o := range t.openInOrder() {
		if !o.started.Known() {
			continue
		}
		r := t.editRun(o)
		r.Gaps++
		if jump > 0 {
			t.story(r, job.StoryNoNews, job.Args{Server: t.State.servers[r.Server].name(), Seconds: jump.Seconds()})
		}
	}
	t.touchAll()
	for _, srv := range t.order {
		srv.lookAt = t.now
		srv.queueAt = job.Maybe[job.Instant]{}
	}
}
