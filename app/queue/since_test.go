package queue

import (
	"slices"
	"strings"
	"testing"
	"time"

	"reckoner/app/away"
	"reckoner/app/scenetest"
	"reckoner/app/widgets"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

func night() *away.Report {
	memory := job.Errorf(job.ErrOutOfMemory, job.Args{Node: "8", Class: "VAEDecode", Server: "gpu-1"}, nil)
	return &away.Report{
		From: scenetest.Now().Add(-9 * time.Hour), To: scenetest.Now(), Done: 87, Waiting: 4,
		Causes: []away.Cause{
			{
				Outcome: job.JobFailed, Why: memory, Jobs: []job.ID{"a", "b"}, Machine: "gpu-1",
				Elsewhere: scenetest.Attic, ElsewhereName: "attic",
			},
			{Outcome: job.JobTimedOut, Jobs: []job.ID{"c"}, Machine: "attic"},
		},
		Decided: []away.Decision{{
			At: scenetest.Now().Add(-5 * time.Hour), Answer: job.OutOfUse,
			Question: job.Say{Code: job.AskUnconfirmed, Args: job.Args{Job: "harbour-night", Server: "gpu-1", Seconds: 60}},
		}},
		Hours: []away.Hours{
			{Name: "gpu-1", Rendering: 6*time.Hour + 10*time.Minute, Others: 2 * time.Hour, Unreachable: 20 * time.Minute},
			{Name: "attic", Rendering: 8 * time.Hour, Idle: time.Hour},
		},
	}
}

func TestTheReportOfANight(t *testing.T) {
	n := Since(night(), w)
	if want := "Since you left at 12:14: 87 done, 3 without success, 4 waiting"; n.Title != want {
		t.Errorf("the title is %q, want %q", n.Title, want)
	}
	var lines []string
	for _, l := range n.Lines {
		lines = append(lines, l.Text+"|"+l.Action.Label)
	}
	want := []string{
		"2 jobs: gpu-1 ran out of memory", // and what follows of the sentence
		"1 job: " + w.Outcome(job.JobTimedOut) + " (on attic)|Run again",
		"16:14: harbour-night was told to stop on gpu-1 1 min ago and is still listed there. " +
			"What now? Unanswered, so: put this server out of use|",
		"gpu-1: 6 h 10 min rendering, 2 h busy with other work, 20 min not reachable|",
		"attic: 8 h rendering, 1 h idle|",
	}
	if len(lines) != len(want) || !slices.Equal(lines[1:], want[1:]) || !strings.HasPrefix(lines[0], "2 jobs: ") ||
		!strings.HasSuffix(lines[0], "|Run again on attic") {
		t.Errorf("the lines are\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

func TestAManifoldNightIsCutShort(t *testing.T) {
	r := night()
	for range 20 {
		r.Causes = append(r.Causes, r.Causes[1])
		r.Decided = append(r.Decided, r.Decided[0])
	}
	if n := len(Since(r, w).Lines); n != mostCauses+1+mostDecided+1+2 {
		t.Errorf("%d lines", n)
	}
}

func TestWhatTheReportOffersIsDoneOnce(t *testing.T) {
	p, sent := newTestPage(t, scenetest.Story())
	before := p.tall.scroll.HeightFor(900)
	p.ShowSince(night())
	if p.tall.scroll.HeightFor(900) <= before {
		t.Fatal("the report is not shown")
	}
	p.actSince("elsewhere 0")
	want := []scheduler.Command{
		scheduler.Again{Job: "a"},
		scheduler.MoveTo{Job: "a", Machine: scenetest.Attic},
		scheduler.Again{Job: "b"},
		scheduler.MoveTo{Job: "b", Machine: scenetest.Attic},
	}
	if !slices.Equal(*sent, want) {
		t.Errorf("sent %v, want %v", *sent, want)
	}
	if l := Since(p.since, w).Lines[0]; l.Action != (widgets.Action{}) || !strings.HasSuffix(l.Text, "queued again") {
		t.Errorf("the line is now %+v", l)
	}
	p.Apply(scenetest.Story()) // it stays until it is dismissed
	if p.since == nil {
		t.Fatal("the report went away by itself")
	}
	p.actSince(sinceDismiss)
	if p.tall.scroll.HeightFor(900) != before {
		t.Error("the report is still shown")
	}
}
