package core_test

import (
	"slices"
	"testing"
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

// settledCuts gives a world in which jobs of the one type were cut twice on gpu-1
// and the question about that took its default, while attic is paused and a job of
// that type waits for it.
func settledCuts(t *testing.T, where ...func(*job.Job)) (*world, job.ID) {
	t.Helper()
	w := newWorld(t, "gpu-1", "attic")
	w.usual(41)
	w.run(time.Second)
	w.step(core.PauseMachine{Machine: "attic", On: true})
	for range 2 {
		w.runUntil("cut", time.Hour, w.ended(w.add("long", on("gpu-1"), limit(time.Minute))))
	}
	w.add("tied", on("gpu-1"))
	id := w.add("waiting", where...)
	w.runUntil("settled", time.Hour, func() bool {
		return slices.ContainsFunc(w.told, func(e job.Event) bool { return e.Kind == job.EventDecided })
	})
	w.run(time.Minute)
	if j := w.job(id); j.State != job.JobWaiting {
		t.Fatalf("the job is %s\n%s", j.State, w.story())
	}
	return w, id
}

func TestAJobThatTheUserMovesToAMachineIsTrustedThere(t *testing.T) {
	// Given a machine where jobs of this type go no more, and one that waits for another
	w, id := settledCuts(t, on("attic"))
	// when the user moves it there
	w.step(core.MoveTo{Job: id, Machine: "gpu-1"})
	w.runUntil("ended", time.Hour, w.ended(id))
	// then it goes there
	if j, r := w.job(id), w.disk.runs[job.RunID(id, 1)]; j.Outcome != job.JobDone || r.Server != "gpu-1" {
		t.Errorf("it is %s, on %q", j.Outcome, r.Server)
	}
}

func TestAJobThatLosesItsOtherWayIsAskedAboutAgain(t *testing.T) {
	// Given such a machine, and a job for any machine that waits for the other one
	w, id := settledCuts(t)
	asked := w.count(job.EventQuestion)
	// when the other one is removed
	w.step(core.MachineRemoved{Machine: "attic"})
	w.runUntil("ended", time.Hour, w.ended(id))
	// then the user is asked again, and the job does not wait for ever
	if j := w.job(id); j.Outcome != job.JobNeedsYou || w.count(job.EventQuestion) != asked+1 {
		t.Errorf("it is %s after %d more questions", j.Outcome, w.count(job.EventQuestion)-asked)
	}
}
