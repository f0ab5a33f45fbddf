package core

import (
	"time"

	"reckoner/scheduler/job"
)

// restore takes back what was done to a job: one that was taken off the list comes
// back to it, and one that was cancelled while it waited waits again, at its old
// place. A run that was stopped stays so.
func (t *turn) restore(id job.ID) {
	j := t.jobs[id]
	if j == nil || j.State != job.JobEnded {
		return
	}
	if j.Hidden {
		t.editJob(id).Hidden = false
		t.urgent = true
		return
	}
	run := t.newest[id]
	stopped := run != nil && run.Attempt == j.Attempt && run.Stop != nil && run.Stop.Why == job.StopCancel
	if j.Outcome != job.JobCancelled || stopped || t.open[job.RunID(j.ID, j.Attempt)] != nil {
		return
	}
	j = t.editJob(id)
	j.State, j.Outcome, j.Why, j.Ended = job.JobWaiting, "", nil, time.Time{}
	t.ended = without(t.ended, id)
	t.enqueue(j)
	t.toConvert(j)
	t.urgent = true
	t.say(job.Event{Kind: job.EventJobAdded, Job: j})
}
