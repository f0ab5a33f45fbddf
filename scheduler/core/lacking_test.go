package core_test

import (
	"slices"
	"testing"
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

// needing makes a job need a node class.
func needing(class string) func(*job.Job) { return func(j *job.Job) { j.Needs = class } }

// lacking is what a server tells of what jobs need.
func (h *host) lacking(needs string) job.Lacks {
	if !h.says && slices.Contains(h.lacks, needs) {
		return job.Lacks{Nodes: []string{needs}}
	}
	return job.Lacks{}
}

func (w *world) heldBy(id job.ID) []job.HoldCode {
	var codes []job.HoldCode
	for _, row := range w.s.Snapshot(w.now).Waiting {
		for _, h := range row.Holds {
			if row.Job.ID == id {
				codes = append(codes, h.Code)
			}
		}
	}
	return codes
}

func TestAServerThatLacksANodeIsPassedOver(t *testing.T) {
	// Given a free server that lacks a node class, and a busy one that has it
	w := newWorld(t, "gpu-1", "attic")
	w.usual(12)
	w.host("gpu-1").lacks = []string{"Odd"}
	w.run(time.Second)
	first := w.add("busy", on("attic"))
	w.run(time.Second)
	// when a job that needs the class may go to either, and both have told what they lack
	w.step(core.Pause{On: true})
	id := w.add("odd", needing("Odd"))
	other := w.add("plain", needing("Plain"))
	w.run(time.Second)
	w.step(core.Pause{})
	w.runUntil("ended", time.Hour, w.ended(id))
	// then it waits for the one that has it, is never sent to the other, and holds nobody up
	if r := w.disk.runs[job.RunID(id, 1)]; r.Server != "attic" || w.job(id).Outcome != job.JobDone {
		t.Errorf("it ran on %q and is %s", r.Server, w.job(id).Outcome)
	}
	if w.host("gpu-1").turned > 0 {
		t.Error("it was sent to the server that lacks its class")
	}
	if r := w.disk.runs[job.RunID(other, 1)]; r.Server != "gpu-1" {
		t.Errorf("the job behind it ran on %q", r.Server)
	}
	if w.job(first).Outcome != job.JobDone {
		t.Errorf("the first job is %s", w.job(first).Outcome)
	}
}

func TestARefusalForAMissingNodeDoesNotFailTheJob(t *testing.T) {
	// Given a server that says that it has everything, and refuses a job for a class that it lacks
	w := newWorld(t, "gpu-1", "attic")
	w.usual(12)
	w.run(time.Second)
	w.host("gpu-1").lacks, w.host("gpu-1").says = []string{"Odd"}, true
	// when the job is sent there
	id := w.add("odd", needing("Odd"))
	w.runUntil("ended", time.Hour, w.ended(id))
	// then it goes to the other server, in its first attempt
	if r := w.disk.runs[job.RunID(id, 1)]; r.Server != "attic" || w.job(id).Outcome != job.JobDone {
		t.Errorf("it ran on %q and is %s", r.Server, w.job(id).Outcome)
	}
	if w.host("gpu-1").turned != 1 {
		t.Errorf("it was refused %d times", w.host("gpu-1").turned)
	}
}

func TestAServerThatRefusesWhatItSaysItHasEndsTheJob(t *testing.T) {
	// Given one server, which refuses what its own list has
	w := newWorld(t, "gpu-1")
	w.run(time.Second)
	w.host("gpu-1").lacks, w.host("gpu-1").says = []string{"Odd"}, true
	// when a job comes for it
	id := w.add("odd", needing("Odd"))
	w.runUntil("ended", 24*time.Hour, w.ended(id))
	// then it is tried again a little, and not without end
	if n, j := w.host("gpu-1").turned, w.job(id); n > 3 || j.Outcome == job.JobDone || j.Why.Code != job.ErrMissingNode {
		t.Errorf("after %d refusals it is %s, %v", n, j.Outcome, j.Why)
	}
}

func TestAJobThatNoServerCanRunIsAskedAbout(t *testing.T) {
	// Given two servers that lack a class
	w := newWorld(t, "gpu-1", "attic")
	w.run(time.Second)
	for _, h := range w.hosts {
		h.lacks = []string{"Odd"}
	}
	// when a job that needs it is added, and one that does not, and both have told what they lack
	w.step(core.Pause{On: true})
	id := w.add("odd", needing("Odd"))
	w.run(time.Second)
	w.step(core.Pause{})
	other := w.add("plain", needing("Plain"))
	w.runUntil("asked", time.Minute, func() bool { return w.count(job.EventQuestion) == 1 })
	// then it is held by both, the user is asked, and the other goes on
	if held := w.heldBy(id); len(held) != 2 || held[0] != job.HoldMissingNode {
		t.Errorf("it is held by %v", held)
	}
	w.runUntil("the other has ended", time.Hour, w.ended(other))
	w.runUntil("ended", time.Hour, w.ended(id))
	// and unanswered it ends and says what is missing
	if j := w.job(id); j.Outcome != job.JobNeedsYou || j.Why.Code != job.ErrMissingNode || j.Why.Args.Class != "Odd" {
		t.Errorf("it is %s, %v", j.Outcome, j.Why)
	}
	if w.host("gpu-1").turned+w.host("attic").turned > 0 {
		t.Error("it was sent")
	}
}

func TestANodeThatIsInstalledLetsItsJobGo(t *testing.T) {
	for name, told := range map[string]func(*world){
		"the server restarts": func(w *world) {
			w.host("gpu-1").up = false
			w.run(time.Minute)
			w.host("gpu-1").up = true
			w.host("gpu-1").restart()
		},
		"the user says to look again": func(w *world) {
			w.step(core.Reply{Question: w.s.Snapshot(w.now).Questions[0].ID, Answer: job.TryAgain})
		},
		"nothing is said": func(*world) {},
	} {
		t.Run(name, func(t *testing.T) {
			// Given a job held for a class that its server lacks
			w := newWorld(t, "gpu-1")
			w.run(time.Second)
			w.host("gpu-1").lacks = []string{"Odd"}
			id := w.add("odd", needing("Odd"))
			w.runUntil("held", time.Minute, func() bool { return w.count(job.EventQuestion) == 1 })
			// when the class is installed
			w.host("gpu-1").lacks = nil
			told(w)
			w.runUntil("ended", time.Hour, w.ended(id))
			// then the job goes, and the question is no more
			if j := w.job(id); j.Outcome != job.JobDone {
				t.Errorf("it is %s, %v", j.Outcome, j.Why)
			}
			if asked := w.s.Snapshot(w.now).Questions; len(asked) > 0 {
				t.Errorf("still asked: %v", asked)
			}
		})
	}
}

func TestAServerIsAskedOnceForWhatManyJobsNeed(t *testing.T) {
	// Given a server
	w := newWorld(t, "gpu-1")
	w.run(time.Second)
	// when a hundred jobs with the same needs come
	for range 100 {
		w.add("one of many", needing("Plain"))
	}
	w.run(time.Hour)
	// then it is asked once
	if n := w.host("gpu-1").checked; n != 1 {
		t.Errorf("it was asked %d times", n)
	}
}

func TestAJobCancelledWhileAskedAboutIsAskedAboutNoMore(t *testing.T) {
	// Given a job that no server can run
	w := newWorld(t, "gpu-1")
	w.run(time.Second)
	w.host("gpu-1").lacks = []string{"Odd"}
	id := w.add("odd", needing("Odd"))
	w.runUntil("asked", time.Minute, func() bool { return w.count(job.EventQuestion) == 1 })
	// when it is cancelled
	w.step(core.Cancel{Job: id})
	// then there is no question left
	if asked := w.s.Snapshot(w.now).Questions; len(asked) > 0 {
		t.Errorf("still asked: %v", asked)
	}
}

func TestWhereAJobCannotRunIsSaidWhileItCanElsewhere(t *testing.T) {
	// Given a server that lacks a node class, and one that has it
	w := newWorld(t, "gpu-1", "attic")
	w.host("gpu-1").lacks = []string{"Odd"}
	w.run(time.Second)
	w.add("busy", on("attic"))
	w.run(time.Second)
	w.add("odd", needing("Odd"))
	w.add("plain", on("attic"))
	w.run(10 * time.Second)
	// then the job that needs it says where it cannot run, and no other does
	for _, v := range w.s.Snapshot(w.now).Waiting {
		want := 0
		if v.Job.Name == "odd" {
			want = 1
		}
		if len(v.NotOn) != want || want == 1 && (v.NotOn[0].Server != "gpu-1" || v.NotOn[0].Code != job.HoldMissingNode) {
			t.Errorf("%s: %+v", v.Job.Name, v.NotOn)
		}
	}
	// Once no server has it, that is why it waits, and said once.
	w.host("attic").up = false
	w.run(time.Minute)
	for _, v := range w.s.Snapshot(w.now).Waiting {
		if len(v.NotOn) > 0 {
			t.Errorf("%s: %+v beside %+v", v.Job.Name, v.NotOn, v.Holds)
		}
	}
}
