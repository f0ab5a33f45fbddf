package core

import (
	"time"

	"reckoner/scheduler/job"
)

// How long a run may wait on its server, behind other people's work, before that
// starts it, and how often: then its job is the user's again.
const (
	waitOnServer = 2 * time.Hour
	waitsAtMost  = 3
)

// queuedAt is when a run has waited on its server for long enough; false when it
// does not wait there, as far as is known, or may do so for ever.
func (s *State) queuedAt(o *openRun) (job.Instant, bool) {
	longest := s.settings.WaitOnServer
	if longest == 0 {
		longest = waitOnServer
	}
	waits := o.rec.State == job.RunSubmitted && !o.started.Known() && o.listed && !o.rec.Handed && o.rec.Stop == nil
	return o.sent.Add(longest), waits && longest > 0
}

// queuedIfDue takes a run off its server's queue that has waited there for too
// long. Its job goes elsewhere, or waits here.
func (t *turn) queuedIfDue(o *openRun) {
	if at, ok := t.queuedAt(o); ok && t.now.Mono >= at.Mono {
		t.story(t.editRun(o), job.StoryWaited, job.Args{
			Server: t.State.servers[o.rec.Server].name(), Seconds: t.now.Since(o.sent).Seconds(),
		})
		t.wantStop(o, job.StopWaited)
	}
}

// startedYet takes back a stop that was meant only while the run waited.
func (t *turn) startedYet(r *job.Run) {
	if r.Stop != nil && r.Stop.Why.OnlyWaiting() {
		r.Stop = nil
		t.story(r, job.StoryStartedYet, job.Args{Server: t.State.servers[r.Server].name()})
	}
}

// againQueued puts a job back whose run was taken off its server's queue.
func (t *turn) againQueued(j *job.Job, r *job.Run) bool {
	args := job.Args{Server: t.State.servers[r.Server].name(), Seconds: r.Stop.At.Sub(r.Submitted).Seconds()}
	switch {
	case r.Stop.Why == job.StopTakenBack:
		t.goBack(r, false, job.Say{Code: job.AgainTaken, Args: args})
		t.say(job.Event{Kind: job.EventTakenBack, Job: t.jobs[j.ID], Run: r})
		return true
	case j.Tries.Waited+1 < waitsAtMost:
		t.goBack(r, false, job.Say{Code: job.AgainWaited, Args: args}).Tries.Waited++
		return true
	}
	r.Err = job.Errorf(job.ErrWaitedLong, job.Args{Server: args.Server, Seconds: args.Seconds, Count: waitsAtMost}, nil)
	return false
}
