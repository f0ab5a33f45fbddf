package queue

import (
	"fmt"
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"reckoner/app/theme"
	"reckoner/app/widgets"
	"reckoner/assets/text"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
	"reckoner/scheduler/note"
)

// What can be asked of a note; the note's id follows.
const (
	doTest     = "test_note"     // shows what the test will do
	doEvidence = "note_evidence" // shows the evidence, or hides it
	doBegin    = "begin_test"
	doEndTest  = "end_test"
)

// notesShown is how many notes the details of a job show.
const notesShown = 3

// NoteState is a note in the details of a job.
type NoteState struct {
	ID      job.ID
	Title   string // "NOTE ON gpu-1"
	Claim   string
	Says    string // where it stands, and what would settle it or did
	Actions []widgets.Action
	// Evidence is what was seen, and Plan what its test will do: both on a click.
	Evidence []Moment
	Plan     string
}

// cardNote is the line of a card for the newest open note that is about now: the
// question, where it stands, and what was seen. ok is false without one.
func cardNote(m scheduler.MachineView, w text.Language) (lead, rest string, ok bool) {
	for _, n := range m.Notes {
		if !n.Open() || n.Quiet {
			continue
		}
		rest = w.NoteStatus(n) + "."
		if n.Finding.Code != "" {
			rest += " " + w.Say(n.Finding) + "."
		}
		return w.NoteClaim(n), rest, true
	}
	return "", "", false
}

// notesFor are the notes of a job's machine: those about now, and those that this
// job raised or tested.
func notesFor(s *scheduler.Snapshot, v *scheduler.JobView, w text.Language) []NoteState {
	i := slices.IndexFunc(s.Machines, func(m scheduler.MachineView) bool {
		return v.MachineName != "" && m.Machine.Name == v.MachineName
	})
	if i < 0 {
		return nil
	}
	var list []NoteState
	for _, n := range s.Machines[i].Notes {
		concerns := n.Open() && !n.Quiet || n.Job == v.Job.ID || n.Test.Job == v.Job.ID ||
			slices.ContainsFunc(n.Results, func(r job.TestResult) bool { return r.Test.Job == v.Job.ID })
		if concerns && len(list) < notesShown {
			list = append(list, noteState(n, v.MachineName, w))
		}
	}
	return list
}

func noteState(n *job.Note, machine string, w text.Language) NoteState {
	s := NoteState{ID: n.ID, Title: "NOTE ON " + machine, Claim: w.NoteClaim(n)}
	says := []string{w.NoteStatus(n) + "."}
	act := func(key, label string) {
		s.Actions = append(s.Actions, widgets.Action{Key: key + " " + string(n.ID), Label: label})
	}
	switch {
	case n.Test.State == job.TestWaiting:
		says = append(says, w.Say(job.Say{Code: job.NoteTestWaits, Args: job.Args{Seconds: n.Test.QuietForS}})+".")
		act(doEndTest, "End the test")
	case n.Test.State == job.TestRunning:
		says = append(says, w.Say(job.Say{Code: job.NoteTestRuns, Args: job.Args{Seconds: n.Test.BoundS}})+".")
		act(doEndTest, "End the test")
	case len(n.Results) > 0:
		says = append(says, w.Say(n.Results[len(n.Results)-1].Say)+".")
		act(doTest, "Test again...")
	default:
		says = append(says, w.Say(note.Proposal(n.Cause, n.Test.MidS))+".")
		act(doTest, "Run this test...")
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
		s.Evidence = append(s.Evidence, Moment{At: w.Clock(e.Last), Text: line})
	}
	for _, was := range n.Wordings {
		asked := was.Text
		if asked == "" {
			asked = w.Say(was.Claim)
		}
		s.Evidence = append(s.Evidence, Moment{At: w.Clock(was.Until), Text: "Until then it asked: " + asked})
	}
	if len(s.Evidence) > 0 {
		act(doEvidence, "Evidence")
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
		who, machine, w.Duration(t.BoundS), w.Usual(t.MidS), plural(t.N, "run", "runs"),
		note.Percent(t.FailsUsual), note.Percent(t.PassesSlow))
}

// noteBox makes a note's box. opened is what its user opened: doTest or
// doEvidence with its id, "" for neither.
func noteBox(n NoteState, opened string, act func(key string)) fyne.CanvasObject {
	small := func(text string) fyne.CanvasObject {
		return widgets.NewParagraph(widgets.Span{Text: text, Size: theme.SizeSmall, Color: theme.ColorMuted})
	}
	objects := []fyne.CanvasObject{
		widgets.NewParagraph(widgets.Span{Text: n.Claim, Size: theme.SizeSmall, Bold: true}), small(n.Says),
	}
	button := func(key, label string) fyne.CanvasObject { return widgets.NewButton(label, func() { act(key) }) }
	var buttons []fyne.CanvasObject
	for _, a := range n.Actions {
		buttons = append(buttons, button(a.Key, a.Label))
	}
	objects = append(objects, widgets.NewFlow(6, buttons...))
	switch opened {
	case doTest + " " + string(n.ID):
		objects = append(objects, small(n.Plan),
			widgets.NewFlow(6, button(doBegin+" "+string(n.ID), "Start the test"), button(doTest+" "+string(n.ID), "Not now")))
	case doEvidence + " " + string(n.ID):
		objects = append(objects, moments(n.Evidence))
	}
	return widgets.NewNoteBox(objects...)
}

// actOnNote carries out what was asked of a note. ok is false for other keys.
func (p *Page) actOnNote(verb string, id job.ID) (ok bool) {
	switch verb {
	case doTest, doEvidence:
		p.details.toggle(verb + " " + string(id))
	case doBegin:
		p.details.toggle(doTest + " " + string(id))
		p.send(scheduler.StartTest{Note: id})
	case doEndTest:
		p.send(scheduler.EndTest{Note: id})
	default:
		return false
	}
	return true
}

// withoutEvidence leaves out what changes with every look: it is shown as it was
// when it was opened, so that buttons do not go away under a finger.
func withoutEvidence(d DetailState) DetailState {
	d.Notes = slices.Clone(d.Notes)
	for i := range d.Notes {
		d.Notes[i].Evidence = nil
	}
	return d
}
