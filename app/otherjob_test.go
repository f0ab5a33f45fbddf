package app

import (
	"reflect"
	"strings"
	"testing"

	"reckoner/app/scenetest"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// twoJobs is what became of files of which one carries two jobs.
func twoJobs() scheduler.Added {
	two := func(id job.ID, picture string) *job.Job {
		return &job.Job{ID: id, File: "/jobs/two.png", Inputs: []job.InputFile{{Path: picture}, {File: "on-server.png"}}}
	}
	return scheduler.Added{
		Jobs:   []*job.Job{two("1", "/p/a.png"), two("2", "/p/b.png"), {ID: "3", File: "/jobs/other.json"}},
		Warned: []scheduler.Warning{{File: "/jobs/two.png", Say: job.Say{Code: job.WarnOtherJob, Args: job.Args{Count: 1, Node: "3"}}}},
	}
}

func TestTheOtherOfTwoJobsIsPickedInTheWindow(t *testing.T) {
	// Given a file that carries two jobs, queued with what really ran
	f := &fakeFarm{snap: scenetest.Story(), added: twoJobs()}
	w := open(t, f)
	w.add([]string{"/jobs/two.png", "/p", "/jobs/other.json"})
	if len(f.sent) > 0 || !strings.Contains(overlay(w), "carries two jobs") {
		t.Fatalf("sent %v, said %q", f.sent, overlay(w))
	}
	// when the other one is wanted, once and once more
	f.added = scheduler.Added{Jobs: []*job.Job{{ID: "4"}, {ID: "5"}}}
	pressed(t, w, runOther)
	pressed(t, w, otherQueued)
	// then it is queued with the same pictures, and what it replaces is cancelled
	want := scheduler.AddRequest{Files: []string{"/jobs/two.png", "/p/a.png", "/p/b.png"}, UseWorkflow: true}
	if n := len(f.asked); n != 2 || !reflect.DeepEqual(f.asked[1], want) {
		t.Errorf("asked %+v, want %+v last", f.asked, want)
	}
	if want := []scheduler.Command{scheduler.Cancel{Job: "1"}, scheduler.Cancel{Job: "2"}}; !reflect.DeepEqual(f.sent, want) {
		t.Errorf("sent %v, want %v", f.sent, want)
	}
}

func TestAnOtherJobThatIsRefusedReplacesNothing(t *testing.T) {
	f := &fakeFarm{snap: scenetest.Story(), added: twoJobs()}
	w := open(t, f)
	w.add([]string{"/jobs/two.png"})
	refusal := job.Errorf(job.ErrUnknownClass, job.Args{File: "two.png", Count: 1, Allowed: []string{"Magic"}}, nil)
	f.added = scheduler.Added{Refused: []scheduler.Refusal{{File: "/jobs/two.png", Err: refusal}}}
	pressed(t, w, runOther)
	if len(f.sent) > 0 || !strings.Contains(overlay(w), "Magic") {
		t.Errorf("sent %v, said %q", f.sent, overlay(w))
	}
}
