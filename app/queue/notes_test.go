package queue

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"reckoner/app/notes"
	"reckoner/app/scenetest"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// noted is the story with its note.
func noted(change func(*job.Note)) *scheduler.Snapshot {
	s := scenetest.Story()
	n := &job.Note{
		ID: "n1", Machine: s.Machines[0].Machine.ID, Cause: job.CauseOtherClient, Status: job.NoteProbable,
		Claim: job.Say{Code: job.NoteOtherClient, Args: job.Args{Machine: "gpu-1"}},
		Finding: job.Say{Code: job.NoteSawPrompts, Args: job.Args{
			Server: "gpu-1 second", Of: 2, Count: 14, UpTo: 480, Seconds: 35,
		}},
		Evidence: []job.Evidence{
			{Kind: job.SawLowPower, Last: s.At.Wall, Say: job.Say{
				Code: job.NoteSawLowPower, Args: job.Args{Percent: 100, Watts: 43, OfWatts: 180},
			}},
			{Kind: job.SawUsualShared, Against: true, Last: s.At.Wall, Say: job.Say{
				Code: job.NoteUsualShared, Args: job.Args{Job: "old-town", Seconds: 282},
			}},
		},
		Test: job.NoteTest{N: 41, MidS: 282, BoundS: 309.6, FailsUsual: .048, PassesSlow: .0001},
	}
	if change != nil {
		change(n)
	}
	s.Machines[0].Notes = []*job.Note{n}
	return s
}

func TestTheCardAsksTheNotesQuestion(t *testing.T) {
	s := noted(nil)
	c := CardState(s, s.Machines[0], w)
	if c.OtherLead != "Is another client slowing gpu-1?" ||
		c.Other != "Probable, not tested. Its second server took 14 jobs in 8 min, one about every 35 s; none are yours." {
		t.Errorf("the card says %q %q", c.OtherLead, c.Other)
	}
	for name, change := range map[string]func(*job.Note){
		"quiet":     func(n *job.Note) { n.Quiet = true },
		"withdrawn": func(n *job.Note) { n.Status = job.NoteWithdrawn },
		"supported": func(n *job.Note) { n.Status = job.NoteSupported },
	} {
		s := noted(change)
		if c := CardState(s, s.Machines[0], w); strings.Contains(c.OtherLead, "slowing") {
			t.Errorf("a %s note is on the card", name)
		}
	}
}

func TestTheDetailsShowTheNoteOfTheMachine(t *testing.T) {
	s := noted(nil)
	d := Details(s, &s.Running[1], w)
	if len(d.Notes) != 1 {
		t.Fatalf("%d notes", len(d.Notes))
	}
	n := d.Notes[0]
	if n.Title != "NOTE ON gpu-1" || n.Claim != "Is another client slowing gpu-1?" || n.Says != "Probable, not tested. "+
		"Would test it: stop that client, run one such job, see whether it takes about 4.7 min." {
		t.Errorf("%q, %q, %q", n.Title, n.Claim, n.Says)
	}
	if len(n.Actions) != 2 || n.Actions[0].Label != "Run this test..." || n.Actions[1].Label != "Evidence" {
		t.Errorf("actions %+v", n.Actions)
	}
	if len(n.Evidence) != 2 || n.Evidence[0].Text != "100 % busy at 43 of 180 W" || !strings.HasPrefix(n.Evidence[1].Text, "Against: ") {
		t.Errorf("evidence %+v", n.Evidence)
	}
	for _, part := range []string{"You stop the other work", "5 min 10 s", "4.7 min", "41 runs", "4.8 %", "under 0.1 %"} {
		if !strings.Contains(n.Plan, part) {
			t.Errorf("the plan lacks %q: %s", part, n.Plan)
		}
	}
	// Jobs on other machines have nothing to do with it.
	if other := Details(s, &s.Running[0], w); len(other.Notes) != 0 {
		t.Errorf("a job on another machine shows %d notes", len(other.Notes))
	}
}

func TestATestUnderWayCanBeEnded(t *testing.T) {
	s := noted(func(n *job.Note) { n.Test.State, n.Test.QuietForS = job.TestWaiting, 70 })
	n := Details(s, &s.Running[1], w).Notes[0]
	if n.Says != "Probable; its test waits. The test waits until nobody else was seen for 1 min 10 s." ||
		n.Actions[0].Label != "End the test" {
		t.Errorf("%q, %+v", n.Says, n.Actions)
	}
	s = noted(func(n *job.Note) {
		n.Status = job.NoteSupported
		n.Job = s.Running[1].Job.ID
		n.Results = []job.TestResult{{At: time.Unix(1, 0), Verdict: job.TestReturned, Say: job.Say{
			Code: job.NoteReturned, Args: job.Args{Seconds: 288, UpTo: 282, Value: "under 0.1 %"},
		}}}
	})
	n = Details(s, &s.Running[1], w).Notes[0]
	if !strings.HasPrefix(n.Says, "Supported by a test. Tested once") || n.Actions[0].Label != "Test again..." {
		t.Errorf("%q, %+v", n.Says, n.Actions)
	}
}

// What changes with every look does not build the details anew.
func TestNewerEvidenceBuildsNothing(t *testing.T) {
	s := noted(nil)
	a := Details(s, &s.Running[1], w)
	s = noted(func(n *job.Note) { n.Evidence[0].Say.Args.Watts = 44 })
	b := Details(s, &s.Running[1], w)
	if a.Notes[0].Evidence[0] == b.Notes[0].Evidence[0] {
		t.Fatal("the evidence is the same")
	}
	if withoutEvidence(a).Notes[0].Evidence != nil || a.Notes[0].Evidence == nil {
		t.Error("the state itself must keep its evidence")
	}
}

// The test of a note is explained before it starts, and started and ended from
// the details.
func TestANotesTestIsStartedFromTheDetails(t *testing.T) {
	p, sent := newTestPage(t, noted(nil))
	p.details.onAction(notes.Test + " n1")
	if len(*sent) != 0 || p.details.opened != notes.Test+" n1" {
		t.Fatalf("asking for the plan sent %v, opened %q", *sent, p.details.opened)
	}
	p.details.onAction(notes.BeginTest + " n1")
	p.details.onAction(notes.ShowEvidence + " n1")
	p.details.onAction(notes.EndTest + " n1")
	want := []scheduler.Command{scheduler.StartTest{Note: "n1"}, scheduler.EndTest{Note: "n1"}}
	if !slices.Equal(*sent, want) {
		t.Errorf("sent %v, want %v", *sent, want)
	}
	if p.details.opened != notes.ShowEvidence+" n1" {
		t.Errorf("open is %q, want the evidence", p.details.opened)
	}
}

// The cards end at a whole pixel, also with a note of three lines: their lowest
// line is cut off otherwise.
func TestACardWithALongNoteKeepsItsEdge(t *testing.T) {
	s := noted(func(n *job.Note) { n.Finding.Args.Count, n.Finding.Args.UpTo = 4800, 2307 })
	p, _ := newTestPage(t, s)
	for _, width := range []float32{900, 1010, 1280, 1290} {
		p.layout.Layout(nil, fyne.NewSize(width, 800))
		if h, need := p.machine.Size().Height, p.machine.HeightFor(p.machine.Size().Width); h < min(need, 400) || h != float32(int(h)) {
			t.Errorf("at %v the cards have %v, and need %v", width, h, need)
		}
	}
}
