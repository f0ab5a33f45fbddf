package core_test

import (
	"testing"
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

func TestLeavingStopsWhatRunsAndSendsNothingMore(t *testing.T) {
	w := newWorld(t, "gpu-1")
	a, b := w.add("a"), w.add("b")
	w.runUntil("the first runs", time.Minute, func() bool { return w.job(a).State == job.JobRunning && w.hosts[0].running != nil })
	w.step(core.Leave{On: true})
	w.runUntil("the first has stopped", time.Minute, w.ended(a))
	if got := w.job(a).Outcome; got != job.JobCancelled {
		t.Errorf("the first ended %s", got)
	}
	w.run(10 * time.Minute)
	if n := len(w.hosts[0].received); n != 1 || w.job(b).State != job.JobWaiting {
		t.Errorf("%d submissions, the second is %s; want it to wait for the next start", n, w.job(b).State)
	}
	w.crash() // the end of the program: the wish is not kept
	w.boot()
	w.runUntil("the second is done after the next start", time.Hour, w.ended(b))
}

func TestStayingLetsTheQueueGoOn(t *testing.T) {
	w := newWorld(t, "gpu-1")
	a := w.add("a")
	w.step(core.Leave{On: true})
	w.run(time.Minute)
	w.step(core.Leave{On: false})
	w.runUntil("done", time.Hour, w.ended(a))
	if got := w.job(a).Outcome; got != job.JobDone {
		t.Errorf("ended %s", got)
	}
}

func TestAMachineIsRemovedOnceNothingOfOursIsThere(t *testing.T) {
	w := newWorld(t, "gpu-1", "attic")
	a := w.add("a", on("gpu-1"))
	w.runUntil("it runs", time.Minute, func() bool { return w.hosts[0].running != nil })
	w.step(core.MachineRemoved{Machine: "gpu-1"})
	if n := len(w.s.Snapshot(w.now).Machines); n != 2 || !w.s.InUse("gpu-1") {
		t.Fatalf("%d machines are left while a run is open", n)
	}
	w.runUntil("done", time.Hour, w.ended(a))
	tied, free := w.add("tied", on("gpu-1")), w.add("free")
	w.step(core.Cancel{Job: tied})
	w.runUntil("the other is done", time.Hour, w.ended(free))
	w.runUntil("nothing is there", time.Hour, func() bool { return !w.s.InUse("gpu-1") })
	w.step(core.MachineRemoved{Machine: "gpu-1"})
	snap := w.s.Snapshot(w.now)
	if len(snap.Machines) != 1 || snap.Machines[0].Machine.ID != "attic" || len(snap.Done) != 3 {
		t.Fatalf("left are %d machines and %d ended jobs", len(snap.Machines), len(snap.Done))
	}
	// A job that may run only there says so; others go on elsewhere.
	lost, other := w.add("lost", on("gpu-1")), w.add("other")
	w.runUntil("the other is done", time.Hour, w.ended(other))
	if v := w.s.Snapshot(w.now).Waiting; len(v) != 1 || v[0].Job.ID != lost || len(v[0].Holds) != 1 ||
		v[0].Holds[0].Say.Code != job.SayNoServer {
		t.Errorf("waiting: %+v", v)
	}
}
