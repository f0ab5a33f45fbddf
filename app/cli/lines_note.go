package cli

import (
	"reckoner/scheduler/job"
	"reckoner/scheduler/note"
)

// noteLine is a claim about a cause, and what would settle it, in words. Seen is
// what was seen, with no cause in it; Quiet says that nothing of it was seen
// lately. BoundS is up to which a run of its test counts as back to usual, held
// to N past runs; Result is what the last test said.
type noteLine struct {
	head
	ID        job.ID         `json:"id"`
	Machine   *string        `json:"machine"`
	Status    job.NoteStatus `json:"status"`
	Claim     string         `json:"claim"`
	Seen      *string        `json:"seen"`
	Quiet     bool           `json:"quiet"`
	Test      string         `json:"test"`
	TestState *string        `json:"test_state"`
	BoundS    *float64       `json:"bound_s"`
	N         int            `json:"n"`
	Verdict   *string        `json:"verdict"`
	Result    *string        `json:"result"`
	Run       *string        `json:"run"`
}

func (e encoder) noteValue(h head, ev job.Event) noteLine {
	n := ev.Note
	l := noteLine{
		head: h, ID: n.ID, Machine: textOrNull(machineName(ev.Machine)), Status: n.Status,
		Claim: e.words.NoteClaim(n), Quiet: n.Quiet, Test: e.words.Say(note.Proposal(n.Cause, n.Test.MidS)),
		TestState: textOrNull(string(n.Test.State)), BoundS: figureOrNull(n.Test.BoundS), N: n.Test.N,
	}
	if n.Finding.Code != "" {
		l.Seen = textOrNull(e.words.Say(n.Finding))
	}
	if len(n.Results) > 0 {
		last := n.Results[len(n.Results)-1]
		l.Verdict, l.Result = textOrNull(string(last.Verdict)), textOrNull(e.words.Say(last.Say))
		l.Run = textOrNull(string(last.Run))
	}
	return l
}
