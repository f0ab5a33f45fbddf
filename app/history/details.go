package history

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"reckoner/app/widgets"
	"reckoner/assets/text"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// The letters, and keys of the buttons, that say something of the chosen run.
const (
	sayClean   = "c"
	sayShared  = "s"
	sayUnknown = "u"
	sayAside   = "a" // and back
	sayUndo    = "z"
)

// at is the place of a run among the chosen rows, -1 when it is not there.
func (p *Page) at(run job.ID) int {
	if run == "" {
		return -1
	}
	return slices.IndexFunc(p.chosen, func(i int) bool { return p.rows[i].Run.ID == run })
}

// letter says something of the chosen run.
func (p *Page) letter(r rune) { p.correct(string(unicode.ToLower(r))) }

// correct hands the user's word about the chosen run on. One that changes nothing
// is not said.
func (p *Page) correct(key string) {
	at := p.at(p.selected)
	if at < 0 || p.OnCorrect == nil {
		return
	}
	r := &p.rows[p.chosen[at]].Run
	c, ok := correction(key, r)
	if said := (job.Correction{Kind: c.Kind, Label: c.Label}); ok && said.Changes(r) {
		p.OnCorrect(c)
	}
}

// correction reads a key as the user's word about a run.
func correction(key string, r *job.Run) (scheduler.Correction, bool) {
	c := scheduler.Correction{Job: r.Job, Attempt: r.Attempt, Kind: job.CorrectLabel}
	switch key {
	case sayClean:
		c.Label = job.Clean
	case sayShared:
		c.Label = job.Shared
	case sayUnknown:
		c.Label = job.LabelUnknown
	case sayAside:
		c.Kind = job.SetAside
		if r.Aside() {
			c.Kind = job.TakeIn
		}
	case sayUndo:
		c.Kind = job.CorrectUndo
	default:
		return c, false
	}
	return c, true
}

// Corrected brings a run's record after the user's word about it. problem is said
// when it is not "".
func (p *Page) Corrected(r job.Run, problem string) {
	if problem != "" {
		p.problem = problem
		p.say()
		return
	}
	for i := range p.rows {
		if p.rows[i].Run.ID == r.ID {
			p.rows[i].Run = r
		}
	}
	p.apply()
	p.askUsual()
}

// sayDetails shows what is known of the chosen run, and what can be said of it.
func (p *Page) sayDetails() {
	at := p.at(p.selected)
	if at < 0 {
		p.details.Hide()
	} else {
		h := p.rows[p.chosen[at]]
		p.details.Set(Details(h, p.machine(h), p.words))
		p.details.Show()
	}
	p.view.Layout(nil, p.Size())
}

// Details makes a notice of a past run: what was seen of it, what the user said of
// it, and what can be said.
func Details(h job.HistoryRow, machine string, w text.Language) widgets.NoticeState {
	r := &h.Run
	n := widgets.NoticeState{Title: h.Job.Name, Plain: true}
	for _, l := range []struct {
		label      job.Label
		key, words string
	}{
		{job.Clean, sayClean, "It had the GPU to itself (C)"},
		{job.Shared, sayShared, "The GPU was shared (S)"},
		{job.LabelUnknown, sayUnknown, "Not known (U)"},
	} {
		if l.label != r.Judged() {
			n.Actions = append(n.Actions, widgets.Action{Key: l.key, Label: l.words})
		}
	}
	n.Lines = append(n.Lines, widgets.NoticeLine{Text: about(h, machine, w) + "."},
		widgets.NoticeLine{Tone: widgets.Quiet, Text: evidence(r, w) + "."})
	if under := conditions(r.Conditions); under != "" {
		n.Lines = append(n.Lines, widgets.NoticeLine{Tone: widgets.Quiet, Text: under + "."})
	}
	for _, c := range r.Corrections {
		n.Lines = append(n.Lines, widgets.NoticeLine{Text: w.Correction(c) + "."})
	}
	if len(r.Standing()) > 0 {
		n.Lines[len(n.Lines)-1].Action = widgets.Action{Key: sayUndo, Label: "Take it back (Z)"}
	}
	aside := widgets.NoticeLine{
		Text:   "If you set it aside, it does not count for the usual time.",
		Action: widgets.Action{Key: sayAside, Label: "Set it aside (A)"},
	}
	if r.Aside() {
		aside.Text, aside.Action.Label = "It does not count for the usual time.", "Let it count again (A)"
	}
	n.Lines = append(n.Lines, aside)
	return n
}

// about is how a run ended, when and where.
func about(h job.HistoryRow, machine string, w text.Language) string {
	says := []string{when(h.Run.Ended), w.RunOutcome(h.Run.Outcome)}
	if s, ok := h.Run.Seconds.Get(); ok {
		says = append(says, "took "+w.Duration(s))
	}
	if machine != "" {
		says = append(says, "on "+text.Plain(machine))
	}
	return strings.Join(append(says, w.Type(h.Job.Type)), " · ")
}

// evidence is what was seen of the GPU during a run.
func evidence(r *job.Run, w text.Language) string {
	seen := "nothing was seen of what else was on the GPU"
	if r.Label != "" {
		seen = "as seen: " + w.Label(r.Label)
	}
	prompts := 0
	var first, last time.Time
	for _, f := range r.Foreign {
		prompts += f.Prompts
		if first.IsZero() || f.First.Before(first) {
			first = f.First
		}
		if f.Last.After(last) {
			last = f.Last
		}
	}
	if prompts > 0 {
		seen += fmt.Sprintf(", %d of other people's prompts, from ", prompts) + w.Clock(first) + " to " + w.Clock(last)
	}
	return capital(seen)
}

// capital begins a line.
func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
