package core_test

import (
	"slices"
	"testing"
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

func (w *world) count(kind job.EventKind) int {
	n := 0
	for _, ev := range w.told {
		if ev.Kind == kind {
			n++
		}
	}
	return n
}

func TestResultsThatCannotBeKeptAreToldAndHoldTheRest(t *testing.T) {
	// Given a full disk where results go
	w := newWorld(t, "gpu-1")
	w.hosts[0].seconds = 10
	w.noRoom = job.Errorf(job.ErrDisk, job.Args{Detail: "no space left"}, nil)
	first, second, third := w.add("first"), w.add("second"), w.add("third")
	w.runUntil("told", time.Minute, func() bool { return w.count(job.EventFetch) == 2 })
	w.run(5 * time.Minute)
	// then it is told once for each run, tried again with growing pauses, and
	// nothing is sent beyond the one that went before it was known
	if w.count(job.EventFetch) != 2 || w.fetched < 10 || w.fetched > 40 || len(w.hosts[0].received) != 2 {
		t.Errorf("told %d times, %d tries, %d sent", w.count(job.EventFetch), w.fetched, len(w.hosts[0].received))
	}
	view := w.s.Snapshot(w.now)
	if view.Running[0].Trouble == nil || view.Waiting[0].Holds[0].Code != job.HoldDiskLow {
		t.Errorf("the row says %v, the next is held by %v", view.Running[0].Trouble, view.Waiting[0].Holds)
	}
	// and all goes on once there is room
	w.noRoom = nil
	for _, id := range []job.ID{first, second, third} {
		w.runUntil("done", 5*time.Minute, w.ended(id))
		if w.job(id).Outcome != job.JobDone {
			t.Errorf("%s ended %s", w.job(id).Name, w.job(id).Outcome)
		}
	}
}

func TestFetchingCanBeGivenUp(t *testing.T) {
	w := newWorld(t, "gpu-1")
	w.hosts[0].seconds = 10
	w.noRoom = job.Errorf(job.ErrShortFile, job.Args{}, nil)
	id := w.add("x")
	w.runUntil("told", time.Minute, func() bool { return w.count(job.EventFetch) == 1 })
	w.step(core.Cancel{Job: id})
	if j := w.job(id); j.State != job.JobEnded || j.Outcome != job.JobCancelled || j.Why == nil {
		t.Errorf("it is %s, %s, %v", j.State, j.Outcome, j.Why)
	}
	if r := w.disk.runs[job.RunID(id, 1)]; r.Outcome != job.RunSucceeded {
		t.Errorf("the run is %s: what the server did is another thing", r.Outcome)
	}
}

func TestAServerThatTurnsSubmissionsAwayIsAskedWithGrowingPauses(t *testing.T) {
	// Given a login in front of the submissions alone
	w := newWorld(t, "gpu-1")
	h := w.hosts[0]
	h.refuse = job.Errorf(job.ErrLogin, job.Args{}, nil)
	tries := 0
	h.turnedAway = func() { tries++ }
	id := w.add("x")
	w.run(10 * time.Minute)
	if tries < 5 || tries > 20 {
		t.Errorf("%d submissions in ten minutes", tries)
	}
	// then the job is held all the while, and that is told once
	kinds := w.kinds(id)
	held := 0
	for _, k := range kinds {
		if k == job.EventHeld {
			held++
		}
	}
	if w.job(id).State != job.JobWaiting || held > 2*tries {
		t.Errorf("it is %s, held was told %d times", w.job(id).State, held)
	}
	h.refuse = nil
	w.runUntil("done", 10*time.Minute, w.ended(id))
	if w.job(id).Outcome != job.JobDone || w.job(id).Attempt != 1 {
		t.Errorf("ended %s at attempt %d", w.job(id).Outcome, w.job(id).Attempt)
	}
}

func TestAServerThatFallsSilentUnderARunIsTold(t *testing.T) {
	w := newWorld(t, "gpu-1")
	h := w.hosts[0]
	id := w.add("x")
	w.runUntil("runs", time.Minute, func() bool { return slices.Contains(w.kinds(id), job.EventStarted) })
	h.up = false
	w.run(2 * time.Minute)
	if w.count(job.EventTrouble) != 1 || w.s.Snapshot(w.now).Running[0].Trouble == nil {
		t.Errorf("told %d times, the row says %v", w.count(job.EventTrouble), w.s.Snapshot(w.now).Running[0].Trouble)
	}
	h.up = true
	w.runUntil("told that it is back", 2*time.Minute, func() bool { return w.count(job.EventTroubleOver) == 1 })
	w.run(time.Minute)
	if w.s.Snapshot(w.now).Running[0].Trouble != nil {
		t.Error("the row still doubts it")
	}
}

func TestAPaceIsNotMadeUp(t *testing.T) {
	// Given two prompts of somebody at the first look
	w := newWorld(t, "gpu-1")
	w.hosts[0].foreign()
	w.hosts[0].foreign()
	w.run(30 * time.Second)
	work := w.s.Snapshot(w.now).Machines[0].Servers[0].Foreign
	if work.Prompts != 2 || work.EveryS.Known() {
		t.Errorf("said %+v", work)
	}
}

func TestWhatIsNotCountedIsSaidForItsReason(t *testing.T) {
	w := newWorld(t, "gpu-1", "attic")
	w.usual(41)
	w.hosts[0].up = false
	w.run(3 * time.Second)
	w.add("held", on("gpu-1"))
	w.add("runs", on("attic"))
	w.add("first of its kind", on("attic"), func(j *job.Job) { j.Type.Key = "new" })
	w.run(2 * time.Second)
	view := w.s.Snapshot(w.now)
	if view.NotCounted != 2 || view.NotCountedHeld != 1 || !view.AllDone.Known() {
		t.Errorf("not counted %d, of them held %d, all done %v", view.NotCounted, view.NotCountedHeld, view.AllDone)
	}
}
