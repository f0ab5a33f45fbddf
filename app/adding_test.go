package app

import (
	"slices"
	"strings"
	"testing"
	"time"

	"reckoner/app/scenetest"
	"reckoner/assets/text"
	"reckoner/scheduler"
	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

// night is a preview of n jobs, each ten minutes behind the one before.
func night(n int, from time.Time) scheduler.Preview {
	video := job.Type{Key: "v", Task: job.TaskImageToVideo, Cost: job.Cost{Width: 640, Height: 640, Frames: 161}}
	var p scheduler.Preview
	for i := range n {
		end := from.Add(time.Duration(i+1) * 10 * time.Minute)
		p.Jobs = append(p.Jobs, scheduler.PreviewJob{
			File: "/jobs/" + string(rune('a'+i)) + ".json", Name: "job", Type: video,
			Foreseen: core.Foreseen{End: job.Known(scheduler.TimeRange{From: end, To: end.Add(time.Minute)})},
		})
	}
	return p
}

func TestSeveralJobsAreShownBeforeTheyAreAdded(t *testing.T) {
	// given three files that are jobs and one that is none
	f := &fakeFarm{snap: scenetest.Story(), preview: night(3, scenetest.Now())}
	f.preview.Refused = []scheduler.Refusal{{File: "/jobs/notes.txt", Err: job.Errorf(job.ErrNotJSON, job.Args{}, nil)}}
	w := open(t, f)
	files := []string{"/jobs/a.json", "/jobs/b.json", "/jobs/c.json", "/jobs/notes.txt"}
	// when they are dropped
	w.consider(files)
	// then it is said what they are, and nothing is added yet
	said := overlay(w)
	for _, want := range []string{"3 × Image to video", "Done about", "Not added: notes.txt", "Run one now"} {
		if !strings.Contains(said, want) {
			t.Errorf("the dialog does not say %q:\n%s", want, said)
		}
	}
	if len(f.asked) > 0 {
		t.Fatal("they were added unasked")
	}
	pressed(t, w, "Add all 3 jobs")
	if len(f.asked) != 1 || !slices.Equal(f.asked[0].Files, files) {
		t.Errorf("asked for %+v", f.asked)
	}
}

func TestOneOfSeveralRunsFirst(t *testing.T) {
	f := &fakeFarm{snap: scenetest.Story(), preview: night(3, scenetest.Now())}
	f.added = scheduler.Added{Jobs: []*job.Job{{ID: "new"}}}
	w := open(t, f)
	w.consider([]string{"/jobs/a.json", "/jobs/b.json", "/jobs/c.json"})
	pressed(t, w, "Run one now")
	want := scheduler.Move{Job: "new", Before: f.snap.Waiting[0].Job.ID}
	if len(f.asked) != 1 || !slices.Equal(f.asked[0].Files, []string{"/jobs/a.json"}) || !slices.Contains(f.sent, scheduler.Command(want)) {
		t.Errorf("asked for %+v, sent %v", f.asked, f.sent)
	}
}

func TestAddingNoneAddsNone(t *testing.T) {
	f := &fakeFarm{snap: scenetest.Story(), preview: night(2, scenetest.Now())}
	w := open(t, f)
	w.consider([]string{"/jobs/a.json", "/jobs/b.json"})
	pressed(t, w, "Add none")
	if len(f.asked) != 0 || overlay(w) != "" {
		t.Errorf("asked for %+v; the window says %q", f.asked, overlay(w))
	}
}

func TestPicturesOfOneWorkflowAreNotOfferedOneByOne(t *testing.T) {
	p := night(2, scenetest.Now())
	p.Jobs[0].File, p.Jobs[0].Given, p.Jobs[1].Given = p.Jobs[1].File, 1, 1
	if one := oneOf(scheduler.AddRequest{Files: []string{"/jobs/b.json", "/1.png", "/2.png"}}, p); one != nil {
		t.Errorf("offered: %+v", one)
	}
}

func TestUntilWhenJobsTake(t *testing.T) {
	evening := time.Date(2026, 3, 4, 22, 0, 0, 0, time.UTC)
	words := text.English
	for name, c := range map[string]struct {
		jobs int
		hide int // so many of the last are not known
		want []string
	}{
		"done tonight":     {3, 0, []string{"Done about 22:30 to 22:31"}},
		"done after dawn":  {60, 0, []string{"Done about 08:00 to 08:01", "About 53 of 60 by 07:00"}},
		"one is not known": {3, 1, []string{"Done about 22:20 to 22:21", "1 of them is not counted"}},
		"nothing is known": {2, 2, []string{"is not known"}},
	} {
		p := night(c.jobs, evening)
		for i := range c.hide {
			p.Jobs[len(p.Jobs)-1-i].End = job.Maybe[scheduler.TimeRange]{}
		}
		got := untilWhen(p.Jobs, words, evening)
		if len(got) != len(c.want) {
			t.Errorf("%s: %q", name, got)
			continue
		}
		for i := range got {
			if !strings.Contains(got[i], c.want[i]) {
				t.Errorf("%s: %q, want %q", name, got[i], c.want[i])
			}
		}
	}
}

func TestAWorkflowIsPasted(t *testing.T) {
	// given a workflow in the clipboard
	f := &fakeFarm{snap: scenetest.Story()}
	w := open(t, f)
	w.app.Clipboard().SetContent(`{"1":{}}`)
	// when it is pasted
	w.paste()
	// then it is added as a file of its own
	if len(f.asked) != 1 || !strings.HasSuffix(f.asked[0].Files[0], pastedName) {
		t.Errorf("asked for %+v", f.asked)
	}
	// and an empty clipboard is said to be empty
	w.app.Clipboard().SetContent(" ")
	w.paste()
	if len(f.asked) != 1 || !strings.Contains(overlay(w), "no text") {
		t.Errorf("asked for %+v; the window says %q", f.asked, overlay(w))
	}
}
