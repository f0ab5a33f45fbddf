package core_test

import (
	"slices"
	"testing"
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

// handed gives a world with a running job and four that were handed over behind
// it.
func handed(t *testing.T, servers ...string) (*world, []job.ID) {
	t.Helper()
	w := newWorld(t, servers...)
	w.usual(12)
	w.run(time.Second)
	var jobs []job.ID
	for range 5 {
		jobs = append(jobs, w.add("night"))
	}
	w.run(time.Minute)
	w.step(core.HandOver{})
	w.run(time.Minute)
	return w, jobs
}

// order gives the jobs as a server received them.
func (h *host) order() []job.ID {
	var jobs []job.ID
	for _, id := range h.received {
		jobs = append(jobs, h.w.disk.runs[job.ID(id)].Job)
	}
	return jobs
}

func TestHandedOverJobsRunWhileTheComputerSleeps(t *testing.T) {
	// Given a queue that was handed over to its server
	w, jobs := handed(t, "gpu-1")
	if n := w.host("gpu-1").ours(); n != 5 || w.count(job.EventHandedOver) != 4 {
		t.Fatalf("%d prompts are there, %d were told of", n, w.count(job.EventHandedOver))
	}
	if got := w.host("gpu-1").order(); !slices.Equal(got, jobs) {
		t.Fatalf("sent as %v, queued as %v", got, jobs)
	}
	for i, row := range w.s.Snapshot(w.now).Running {
		if row.Job.ID != jobs[i] || i > 0 && row.Bar.Caption.Args.Count != i {
			t.Fatalf("row %d is %s, and says %+v", i, row.Job.ID, row.Bar.Caption)
		}
	}
	// when Reckoner is away until all have run
	w.life++
	w.run(time.Hour)
	w.boot()
	// then it finds all results, each job has run once, and the server is free again
	w.runUntil("all have ended", 5*time.Minute, w.ended(jobs[4]))
	for _, id := range jobs {
		if j := w.job(id); j.Outcome != job.JobDone || j.Attempt != 1 {
			t.Errorf("%s is %s after %d attempts", id, j.Outcome, j.Attempt)
		}
	}
	w.runUntil("another ends", time.Hour, w.ended(w.add("later")))
}

func TestHandedOverJobsAreSpreadOverServers(t *testing.T) {
	// Given two servers, one of which stops whatever runs when it is told to stop
	w := newWorld(t, "gpu-1", "attic")
	w.host("attic").old = true
	w.usual(12)
	w.run(time.Second)
	for range 6 {
		w.add("night")
	}
	w.run(time.Minute)
	// when three of the four that wait are handed over
	w.step(core.HandOver{Count: 3})
	w.run(time.Minute)
	// then they go to the other server, and one still waits here
	if a, b := w.host("gpu-1").ours(), w.host("attic").ours(); a != 4 || b != 1 {
		t.Errorf("%d are on gpu-1 and %d on attic", a, b)
	}
	if n := len(w.s.Snapshot(w.now).Waiting); n != 1 {
		t.Errorf("%d wait here", n)
	}
}

func TestJobsOfAnUnknownKindAreHandedOverToo(t *testing.T) {
	// Given jobs of which nothing is known, and two servers that are at work on others
	w := newWorld(t, "gpu-1", "attic")
	w.run(time.Second)
	for range 6 {
		w.add("first of its kind")
	}
	w.run(time.Minute)
	// when they are handed over
	w.step(core.HandOver{})
	w.run(time.Minute)
	// then they are spread evenly
	if a, b := w.host("gpu-1").ours(), w.host("attic").ours(); a != 3 || b != 3 {
		t.Errorf("%d are on gpu-1 and %d on attic", a, b)
	}
}

func TestWhatWasHandedOverIsTakenBack(t *testing.T) {
	// Given a queue that was handed over
	w, jobs := handed(t, "gpu-1")
	// when it is taken back
	w.step(core.TakeBack{})
	w.run(time.Minute)
	// then the run under way goes on, and the others wait here again, in their order
	if n := w.host("gpu-1").ours(); n != 1 || w.count(job.EventTakenBack) != 4 {
		t.Fatalf("%d prompts are there, %d were taken back\n%s", n, w.count(job.EventTakenBack), w.story())
	}
	var waiting []job.ID
	for _, row := range w.s.Snapshot(w.now).Waiting {
		waiting = append(waiting, row.Job.ID)
	}
	if !slices.Equal(waiting, jobs[1:]) {
		t.Errorf("waiting: %v, want %v", waiting, jobs[1:])
	}
	w.runUntil("all have ended", 2*time.Hour, w.ended(jobs[4]))
	for _, id := range jobs {
		if j := w.job(id); j.Outcome != job.JobDone {
			t.Errorf("%s is %s", id, j.Outcome)
		}
	}
}

func TestAHandedOverJobThatHasStartedIsNotTakenBack(t *testing.T) {
	// Given a queue that was handed over, of which the second job starts just now
	w, jobs := handed(t, "gpu-1")
	w.runUntil("the second runs", time.Hour, func() bool {
		r := w.host("gpu-1").running
		return r != nil && r.tag.Job == jobs[1]
	})
	// when it is taken back before that was seen
	w.step(core.TakeBack{})
	w.runUntil("it has ended", time.Hour, w.ended(jobs[1]))
	// then it was left alone
	if j := w.job(jobs[1]); j.Outcome != job.JobDone || j.Attempt != 1 {
		t.Errorf("it is %s after %d attempts\n%s", j.Outcome, j.Attempt, w.story())
	}
}

func TestAHandedOverJobIsCancelledAlone(t *testing.T) {
	// Given a queue that was handed over
	w, jobs := handed(t, "gpu-1")
	// when one of it is cancelled
	w.step(core.Cancel{Job: jobs[2]})
	w.runUntil("all have ended", 2*time.Hour, w.ended(jobs[4]))
	// then it ends so, and the others run
	for i, id := range jobs {
		want := job.JobDone
		if i == 2 {
			want = job.JobCancelled
		}
		if got := w.job(id).Outcome; got != want {
			t.Errorf("job %d is %s, want %s", i, got, want)
		}
	}
}

func TestAServerThatDiesDuringTheHandOverKeepsTheRestHere(t *testing.T) {
	// Given a server that stops answering with the second job that is handed over
	w := newWorld(t, "gpu-1")
	w.usual(12)
	w.run(time.Second)
	var jobs []job.ID
	for range 5 {
		jobs = append(jobs, w.add("night"))
	}
	w.run(time.Minute)
	w.step(core.HandOver{})
	w.runUntil("one is handed over", time.Minute, func() bool { return w.count(job.EventHandedOver) == 1 })
	w.host("gpu-1").up = false
	w.run(time.Minute)
	// then the rest waits here
	if n := len(w.s.Snapshot(w.now).Waiting); n != 3 {
		t.Errorf("%d wait here\n%s", n, w.story())
	}
	// and all run in the end
	w.host("gpu-1").up = true
	w.host("gpu-1").next()
	w.runUntil("all have ended", 3*time.Hour, w.ended(jobs[4]))
}

func TestARunThatWaitsOnItsServerForTooLongComesBack(t *testing.T) {
	// Given a job that was sent behind other people's work, and that work never ends
	w := newWorld(t, "gpu-1", "attic")
	w.usual(12)
	w.step(core.PauseMachine{Machine: "attic", On: true})
	w.run(time.Second)
	w.host("gpu-1").foreign()
	w.host("gpu-1").running.ends = 1 << 62
	w.run(time.Minute)
	id := w.add("behind")
	w.step(core.SendAnyway{Job: id})
	w.run(time.Hour)
	if n := w.host("gpu-1").ours(); n != 1 {
		t.Fatalf("%d of ours are there", n)
	}
	// when it has waited there for two hours, and another machine can take it
	w.step(core.PauseMachine{Machine: "attic"})
	w.runUntil("ended", 2*time.Hour, w.ended(id))
	// then it is taken off that queue and runs there, and nothing of ours is left
	if r := w.disk.runs[job.RunID(id, 2)]; r.Server != "attic" || w.job(id).Outcome != job.JobDone {
		t.Errorf("its second run was on %q, it is %s\n%s", r.Server, w.job(id).Outcome, w.story())
	}
	if n := w.host("gpu-1").ours(); n != 0 {
		t.Errorf("%d of ours are left", n)
	}
}

func TestWaitingOnAServerHasAnEnd(t *testing.T) {
	// Given one server, whose other work never ends
	w := newWorld(t, "gpu-1")
	w.usual(12)
	w.run(time.Second)
	w.host("gpu-1").foreign()
	w.host("gpu-1").running.ends = 1 << 62
	w.run(time.Minute)
	// when a job is for it
	id := w.add("behind")
	w.runUntil("ended", 24*time.Hour, w.ended(id))
	// then it needs the user in the end
	if j := w.job(id); j.Outcome != job.JobNeedsYou || j.Why.Code != job.ErrWaitedLong {
		t.Errorf("it is %s, %v\n%s", j.Outcome, j.Why, w.story())
	}
}
