package core_test

import (
	"slices"
	"testing"
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

func TestALimitCanBeChangedWhileTheJobRuns(t *testing.T) {
	w := newWorld(t, "gpu-1")
	w.hosts[0].seconds = 500
	id := w.add("x", limit(100*time.Second))
	w.run(50 * time.Second)
	w.step(core.SetLimit{Job: id, Limit: job.Limit{Kind: job.LimitSet, For: 1000 * time.Second}})
	w.runUntil("ended", time.Hour, w.ended(id))
	if w.job(id).Outcome != job.JobDone || slices.Contains(w.kinds(id), job.EventLimit) {
		t.Errorf("ended %s", w.job(id).Outcome)
	}
}

func TestCancelEverythingOnAMachine(t *testing.T) {
	w := newWorld(t, "gpu-1", "attic")
	running, bound := w.add("running", on("gpu-1")), w.add("bound", on("gpu-1"))
	elsewhere := w.add("elsewhere", on("attic"))
	either := w.add("either", on("gpu-1", "attic"))
	w.run(10 * time.Second)
	w.step(core.CancelOn{Machine: "gpu-1"})
	for _, id := range []job.ID{running, bound} {
		w.runUntil("cancelled", time.Minute, w.ended(id))
		if w.job(id).Outcome != job.JobCancelled {
			t.Errorf("%s ended %s", w.job(id).Name, w.job(id).Outcome)
		}
	}
	for _, id := range []job.ID{elsewhere, either} {
		w.runUntil("done", time.Hour, w.ended(id))
		if w.job(id).Outcome != job.JobDone {
			t.Errorf("%s ended %s", w.job(id).Name, w.job(id).Outcome)
		}
	}
}

func TestTheFailedOfABatchRunAgain(t *testing.T) {
	w := newWorld(t, "gpu-1")
	h := w.hosts[0]
	h.seconds = 5
	good := w.add("good", batch("b"))
	w.runUntil("ended", time.Minute, w.ended(good))
	h.fail = job.Errorf(job.ErrNodeFailed, job.Args{Class: "KSampler"}, nil)
	bad, other := w.add("bad", batch("b")), w.add("other", batch("c"))
	w.runUntil("ended", time.Minute, w.ended(other))
	h.fail = nil
	w.step(core.RunFailedAgain{Batch: "b"})
	w.runUntil("again", time.Minute, func() bool { return w.job(bad).Outcome == job.JobDone })
	if w.job(good).Attempt != 1 || w.job(bad).Attempt != 2 || w.job(other).Attempt != 1 {
		t.Errorf("attempts %d %d %d", w.job(good).Attempt, w.job(bad).Attempt, w.job(other).Attempt)
	}
}

func TestAReasonCanBeIgnoredUntilATime(t *testing.T) {
	w := newWorld(t, "gpu-1", "gpu-1/watched")
	for i := range 60 {
		w.later(time.Duration(i)*35*time.Second, w.hosts[1].foreign)
	}
	w.hosts[0].seconds = 5
	w.run(100 * time.Second)
	w.step(core.Ignore{Machine: "gpu-1", Code: job.HoldForeign, Until: w.now.Wall.Add(5 * time.Minute)})
	first := w.add("first")
	w.runUntil("goes", 10*time.Second, w.ended(first))
	w.run(6 * time.Minute)
	late := w.add("late")
	w.run(30 * time.Second)
	if w.job(late).State != job.JobWaiting {
		t.Errorf("after that time it is %s", w.job(late).State)
	}
	// What cannot be done cannot be ignored.
	w.step(core.Ignore{Machine: "gpu-1", Code: job.HoldUnreachable, Until: w.now.Wall.Add(time.Hour)})
	w.hosts[0].up = false
	w.run(time.Minute)
	if w.job(late).State != job.JobWaiting {
		t.Errorf("sent to a server that is down: %s", w.job(late).State)
	}
}

func TestAMachineMayQueueBehindOthers(t *testing.T) {
	w := newWorld(t, "gpu-1")
	w.step(core.MachineAdded{Machine: job.Machine{ID: "gpu-1", Name: "gpu-1", Others: job.OthersBehind}})
	w.hosts[0].foreign()
	w.run(5 * time.Second)
	id := w.add("x")
	w.run(2 * time.Second)
	if w.job(id).State != job.JobRunning {
		t.Errorf("it is %s", w.job(id).State)
	}
}
