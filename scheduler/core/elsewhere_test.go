package core_test

import (
	"testing"
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

// busyWith gives a world in which other people work on gpu-1 without end, and a
// job that is for that machine.
func busyWith(t *testing.T, policy job.OthersPolicy, patience time.Duration, servers ...string) (*world, job.ID) {
	t.Helper()
	w := newWorld(t, servers...)
	w.usual(12)
	w.step(core.MachineAdded{Machine: job.Machine{ID: "gpu-1", Name: "gpu-1", Others: policy, OthersFor: patience}})
	w.run(time.Second)
	w.host("gpu-1").foreign()
	w.host("gpu-1").running.ends = 1 << 62
	w.run(10 * time.Second)
	return w, w.add("bound", on("gpu-1"))
}

func TestWhatAMachineDoesWhileOthersWorkThereIsTheUsersChoice(t *testing.T) {
	for name, c := range map[string]struct {
		policy   job.OthersPolicy
		patience time.Duration
		within   time.Duration
		where    job.ID // the job is after that
	}{
		"waits here":               {job.OthersHold, 0, 50 * time.Minute, ""},
		"then queues behind them":  {job.OthersHold, 0, 65 * time.Minute, "gpu-1"},
		"for as long as is set":    {job.OthersHold, 5 * time.Minute, 6 * time.Minute, "gpu-1"},
		"queues behind them":       {job.OthersBehind, 0, time.Second, "gpu-1"},
		"does not go at once":      {job.OthersElsewhere, 0, 30 * time.Second, ""},
		"goes to another machine":  {job.OthersElsewhere, 0, 90 * time.Second, "attic"},
		"unless it is to stay put": {job.OthersHold, 0, 90 * time.Second, ""},
	} {
		t.Run(name, func(t *testing.T) {
			// Given a machine with other people's work and a job for it
			w, id := busyWith(t, c.policy, c.patience, "gpu-1", "attic")
			// when a while passes
			w.run(c.within)
			// then the job is where the user wants it
			r, ran := w.disk.runs[job.RunID(id, 1)]
			if ran != (c.where != "") || r.Server != c.where {
				t.Errorf("it is on %q, want %q\n%s", r.Server, c.where, w.story())
			}
		})
	}
}

func TestAJobThatNobodyElseTakesWaits(t *testing.T) {
	// Given such a machine and no other, when a while passes
	w, id := busyWith(t, job.OthersElsewhere, 0, "gpu-1")
	w.run(30 * time.Minute)
	// then the job waits, and is still for that machine
	if j := w.job(id); j.State != job.JobWaiting || len(j.Servers) != 1 {
		t.Errorf("it is %s, for %v", j.State, j.Servers)
	}
	w.runUntil("it queues behind them", time.Hour, func() bool { return w.job(id).State == job.JobRunning })
}
