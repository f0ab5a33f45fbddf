package away

import (
	"testing"
	"time"

	"reckoner/app/scenetest"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// after is the story's moment and what was there, some time later.
func after(d time.Duration) *scheduler.Snapshot {
	s := scenetest.Story()
	s.At.Wall = s.At.Wall.Add(d)
	return s
}

func ended(id string, outcome job.JobOutcome, why *job.Error) job.Event {
	return job.Event{Kind: job.EventJobEnded, Job: &job.Job{ID: job.ID(id), State: job.JobEnded, Outcome: outcome, Why: why}}
}

func ranOn(id string, machine job.ID) job.Event {
	return job.Event{Kind: job.EventRunEnded, Run: &job.Run{Job: job.ID(id)}, Server: &job.Server{Machine: machine}}
}

func TestANightIsTold(t *testing.T) {
	w := New(scenetest.Now())
	memory := job.Errorf(job.ErrOutOfMemory, job.Args{Class: "VAEDecode", Server: "gpu-1"}, nil)
	for _, e := range []job.Event{
		ended("a", job.JobDone, nil), ended("b", job.JobDone, nil), ended("c", job.JobCancelled, nil),
		ended("x", job.JobLost, nil),
		ranOn("d", scenetest.GPU1), ended("d", job.JobFailed, memory),
		ranOn("e", scenetest.GPU1), ended("e", job.JobFailed, memory),
		// One that failed, went back and then was done, is done.
		ended("f", job.JobFailed, memory),
		{Kind: job.EventRequeued, Job: &job.Job{ID: "f"}},
		ended("f", job.JobDone, nil),
		{Kind: job.EventDecided, By: "user", Question: &job.Question{}, Answer: job.KeepWaiting},
		{Kind: job.EventDecided, By: "default", Question: &job.Question{}, Answer: job.OutOfUse},
	} {
		w.Event(e)
	}
	for m := range 8*6 + 1 {
		w.Sample(after(time.Duration(m) * 10 * time.Minute))
	}
	r := w.Here(after(8 * time.Hour))
	if r == nil {
		t.Fatal("no report after eight hours")
	}
	if r.Done != 3 || r.Failed() != 3 || r.Waiting != 3 || len(r.Causes) != 2 || len(r.Decided) != 1 || r.Decided[0].Answer != job.OutOfUse {
		t.Errorf("the report is %+v", r)
	}
	if c := r.Causes[0]; len(c.Jobs) != 2 || c.Machine != "gpu-1" || c.Elsewhere != scenetest.Attic || c.ElsewhereName != "attic" {
		t.Errorf("the first cause is %+v, want the two out of memory, to be tried where there is more", c)
	}
	if len(r.Hours) != 2 || r.Hours[0].Rendering != 8*time.Hour || r.Hours[1].Name != "attic" {
		t.Errorf("the hours are %+v", r.Hours)
	}
	if again := w.Here(after(20 * time.Hour)); again != nil {
		t.Errorf("what was told is told again: %+v", again)
	}
}

func TestNothingIsToldOfAShortAbsenceOrAQuietOne(t *testing.T) {
	w := New(scenetest.Now())
	if r := w.Here(after(10 * time.Hour)); r != nil {
		t.Errorf("nothing happened, and the report is %+v", r)
	}
	w.Event(ended("a", job.JobDone, nil))
	if r := w.Here(after(11*time.Hour + 59*time.Minute)); r != nil {
		t.Errorf("after less than two hours the report is %+v", r)
	}
}

func TestWhatMachinesDidIsToldApart(t *testing.T) {
	w := New(scenetest.Now())
	gone, others, idle := after(0), after(0), after(0)
	for _, s := range []*scheduler.Snapshot{gone, others, idle} {
		for i := range s.Machines {
			s.Machines[i].Mine, s.Machines[i].Foreign = scheduler.MineNone, false
		}
	}
	gone.Machines[1].Servers[0].Err = job.Errorf(job.ErrUnreachable, job.Args{}, nil)
	others.Machines[1].Foreign = true
	at := 0
	sample := func(s *scheduler.Snapshot) {
		s.At.Wall = scenetest.Now().Add(time.Duration(at) * 10 * time.Minute)
		at++
		w.Sample(s)
	}
	sample(idle)
	for _, s := range []*scheduler.Snapshot{gone, gone, others, idle, idle, idle} {
		sample(s)
	}
	at += 100 // the computer slept
	sample(idle)
	w.Event(ended("a", job.JobDone, nil))
	r := w.Here(after(30 * time.Hour))
	if r == nil || len(r.Hours) != 2 {
		t.Fatalf("the report is %+v", r)
	}
	got := r.Hours[1]
	if got.Unreachable != 20*time.Minute || got.Others != 10*time.Minute || got.Idle != 30*time.Minute || got.Rendering != 0 {
		t.Errorf("attic's hours are %+v", got)
	}
}

func TestWhatIsKeptIsBounded(t *testing.T) {
	w := New(scenetest.Now())
	for i := range 3 * mostKept {
		w.Event(ended(string(rune('a'+i%26))+time.Duration(i).String(), job.JobDone, nil))
	}
	if len(w.order) > mostKept || len(w.ended) > mostKept {
		t.Errorf("%d endings are kept", len(w.order))
	}
}
