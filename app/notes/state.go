package notes

import (
	"fmt"
	"strings"

	"reckoner/app/widgets"
	"reckoner/assets/text"
	"reckoner/scheduler/job"
	"reckoner/scheduler/note"
)

// What can be asked of a note; a space and the note's id follow.
const (
	Test         = "test_note"     // shows what the test will do
	ShowEvidence = "note_evidence" // shows the evidence, or hides it
	BeginTest    = "begin_test"
	EndTest      = "end_test"
)

// State is what is shown of a note.
type State struct {
	ID      job.ID
	Title   string // "NOTE ON gpu-1"
	Claim   string
	Says    string // where it stands, and what would settle it or did
	Actions []widgets.Action
	// Evidence is what was seen, and Plan what its test will do: both on a click.
	Evidence []Seen
	Plan     string
}

// Seen is a line of evidence, or an earlier wording, with its time of day.
type Seen struct{ At, Text string }

// StateOf makes what is shown of a note on a machine.
func StateOf(n *job.Note, machine string, w text.Language) State {
	s := State{ID: n.ID, Title: "NOTE ON " + machine, Claim: w.NoteClaim(n)}
	says := []string{w.NoteStatus(n) + "."}
	act := func(key, label string) {
		s.Actions = append(s.Actions, widgets.Action{Key: key + " " + string(n.ID), Label: label})
	}
	switch {
	case n.Status == job.NoteWithdrawn:
		// Nobody asks any more.
	case n.Test.State == job.TestWaiting:
		says = append(says, w.Say(job.Say{Code: job.NoteTestWaits, Args: job.Args{Seconds: n.Test.QuietForS}})+".")
		act(EndTest, "End the test")
	case n.Test.State == job.TestRunning:
		says = append(says, w.Say(job.Say{Code: job.NoteTestRuns, Args: job.Args{Seconds: n.Test.BoundS}})+".")
		act(EndTest, "End the test")
	case len(n.Results) > 0:
		says = append(says, w.Say(n.Results[len(n.Results)-1].Say)+".")
		act(Test, "Test again...")
	default:
		says = append(says, w.Say(note.Proposal(n.Cause, n.Test.MidS))+".")
		act(Test, "Run this test...")
	}
	if n.Quiet && n.Open() {
		says = append(says, "Nothing of it was seen lately.")
	}
	s.Says = strings.Join(says, " ")
	s.Plan = testPlan(n, machine, w)
	for _, e := range n.Evidence {
		line := w.Say(e.Say)
		if e.Against {
			line = "Against: " + line
		}
		s.Evidence = append(s.Evidence, Seen{At: w.Clock(e.Last), Text: line})
	}
	for _, was := range n.Wordings {
		asked := was.Text
		if asked == "" {
			asked = w.Say(was.Claim)
		}
		s.Evidence = append(s.Evidence, Seen{
			At: w.Clock(was.Until), Text: "Until then it asked: " + asked + " " + w.Say(was.Why) + ".",
		})
	}
	if len(s.Evidence) > 0 {
		act(ShowEvidence, "Evidence")
	}
	return s
}

// testPlan says before a test what it will do, what will count as what, and with
// which odds.
func testPlan(n *job.Note, machine string, w text.Language) string {
	t := n.Test
	if t.BoundS <= 0 {
		return "Too few past runs of this kind are known on " + machine +
			" to say what is usual, so a test would say nothing."
	}
	who := "no other work"
	if n.Cause == job.CauseOtherClient {
		who = "no other client's work"
	}
	return fmt.Sprintf("Reckoner waits until it has seen %s on %s for a while, then runs one job of this kind there, "+
		"before others. You stop the other work; Reckoner never does. Up to %s counts as back to the usual %s (%s). "+
		"A usual GPU would fail with %s, one at two thirds of its speed would pass with %s.",
		who, machine, w.Duration(t.BoundS), w.Usual(t.MidS), runs(t.N),
		note.Percent(t.FailsUsual), note.Percent(t.PassesSlow))
}

func runs(n int) string {
	if n == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", n)
}
