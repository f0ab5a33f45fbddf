package core_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

// written is a job as it is kept.
func written(t *testing.T, j *job.Job) string {
	t.Helper()
	text, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestWhatWasCancelledWhileItWaitedComesBackToItsPlace(t *testing.T) {
	// Given a paused queue of three
	w := newWorld(t, "gpu-1")
	w.run(2 * time.Second)
	w.step(core.Pause{On: true})
	ids := []job.ID{w.add("a"), w.add("b"), w.add("c")}
	before := written(t, w.job(ids[1]))
	// when the second is cancelled and that is taken back, also twice
	w.step(core.Cancel{Job: ids[1]})
	if got := w.names(); !slices.Equal(got, []string{"a", "c"}) {
		t.Fatalf("%v", got)
	}
	w.step(core.Restore{Job: ids[1]})
	w.step(core.Restore{Job: ids[1]})
	// then it is there as it was, bit for bit, here and on disk
	w.run(time.Second)
	if got := w.names(); !slices.Equal(got, []string{"a", "b", "c"}) || written(t, w.job(ids[1])) != before {
		t.Errorf("%v: %s, was %s", got, written(t, w.job(ids[1])), before)
	}
	if kept := w.disk.jobs[ids[1]]; written(t, &kept) != before {
		t.Errorf("on disk it is %s", written(t, &kept))
	}
	w.step(core.Pause{})
	w.runUntil("it runs to its end", time.Hour, w.ended(ids[1]))
	if w.job(ids[1]).Outcome != job.JobDone {
		t.Errorf("%+v", w.job(ids[1]))
	}
}

func TestARunThatWasStoppedIsNotTakenBack(t *testing.T) {
	w := newWorld(t, "gpu-1")
	id := w.add("a")
	w.runUntil("it runs", time.Minute, func() bool { return w.hosts[0].running != nil })
	w.run(5 * time.Second)
	w.step(core.Cancel{Job: id})
	w.runUntil("it ends", time.Minute, w.ended(id))
	w.step(core.Restore{Job: id})
	w.step(core.Restore{Job: "nobody"})
	if j := w.job(id); j.State != job.JobEnded || j.Outcome != job.JobCancelled {
		t.Errorf("%+v", j)
	}
}

func TestWhatWasDismissedComesBackToTheList(t *testing.T) {
	w := newWorld(t, "gpu-1")
	id := w.add("a")
	w.runUntil("it ends", time.Hour, w.ended(id))
	shown := func() bool {
		w.run(time.Second)
		return len(w.s.Snapshot(w.now).Done) == 1
	}
	w.step(core.Dismiss{Job: id})
	if shown() {
		t.Fatal("it is still there")
	}
	w.step(core.Restore{Job: id})
	if !shown() || w.job(id).State != job.JobEnded {
		t.Error("it did not come back")
	}
}
