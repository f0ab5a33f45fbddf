package queue

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"reckoner/app/away"
	"reckoner/app/widgets"
	"reckoner/assets/text"
	"reckoner/scheduler"
)

// What the report of an absence offers; the index of a cause goes after the last
// two.
const (
	sinceResults = "results"
	sinceDismiss = "dismiss"
	sinceAgain   = "again"
	sinceMove    = "elsewhere"
)

// mostCauses and mostDecided are how many of each are told one by one.
const (
	mostCauses  = 6
	mostDecided = 4
)

// Since makes the notice of what happened while nobody was there.
func Since(r *away.Report, w text.Language) widgets.NoticeState {
	var says []string
	for _, c := range []struct {
		n    int
		what string
	}{{r.Done, "done"}, {r.Failed(), "without success"}, {r.Waiting, "waiting"}} {
		if c.n > 0 {
			says = append(says, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	if len(says) == 0 {
		says = []string{"no job ended"}
	}
	n := widgets.NoticeState{
		Title:   "Since you left at " + w.Clock(r.From) + ": " + strings.Join(says, ", "),
		Actions: []widgets.Action{{Key: sinceDismiss, Label: "Dismiss"}},
	}
	if r.Done > 0 {
		n.Actions = append([]widgets.Action{{Key: sinceResults, Label: "Open results"}}, n.Actions...)
	}
	for i, c := range r.Causes {
		if i == mostCauses {
			n.Lines = append(n.Lines, widgets.NoticeLine{Text: "and " + plural(len(r.Causes)-i, "more cause", "more causes")})
			break
		}
		n.Lines = append(n.Lines, causeLine(i, c, w))
	}
	for i, d := range r.Decided {
		if i == mostDecided {
			more := "and " + plural(len(r.Decided)-i, "more default", "more defaults")
			n.Lines = append(n.Lines, widgets.NoticeLine{Text: more})
			break
		}
		n.Lines = append(n.Lines, widgets.NoticeLine{
			Tone: widgets.Mine,
			Text: fmt.Sprintf("%s: %s Unanswered, so: %s", w.Clock(d.At), w.Say(d.Question), lowerFirst(w.Answer(d.Answer))),
		})
	}
	for _, h := range r.Hours {
		n.Lines = append(n.Lines, widgets.NoticeLine{Text: h.Name + ": " + hours(h, w)})
	}
	return n
}

func causeLine(i int, c away.Cause, w text.Language) widgets.NoticeLine {
	why := w.Outcome(c.Outcome)
	if c.Why != nil {
		why = strings.TrimSuffix(said(w, c.Why), ".")
	}
	l := widgets.NoticeLine{
		Tone: widgets.Odd, Text: plural(len(c.Jobs), "job", "jobs") + ": " + why,
		Action: widgets.Action{Key: sinceAgain + " " + strconv.Itoa(i), Label: "Run again"},
	}
	if c.Machine != "" && !strings.Contains(why, c.Machine) {
		l.Text += " (on " + c.Machine + ")"
	}
	if c.Again {
		l.Action, l.Tone = widgets.Action{}, widgets.Quiet
		l.Text += " · queued again"
		return l
	}
	if c.ElsewhereName != "" {
		l.Action = widgets.Action{Key: sinceMove + " " + strconv.Itoa(i), Label: "Run again on " + c.ElsewhereName}
	}
	return l
}

// hours says what a machine did with the time, without what it did not.
func hours(h away.Hours, w text.Language) string {
	var says []string
	for _, part := range []struct {
		d    time.Duration
		what string
	}{
		{h.Rendering, "rendering"}, {h.Others, "busy with other work"}, {h.Unreachable, "not reachable"}, {h.Idle, "idle"},
	} {
		if part.d >= time.Minute {
			says = append(says, w.Duration(part.d.Round(time.Minute).Seconds())+" "+part.what)
		}
	}
	if len(says) == 0 {
		return "not known"
	}
	return strings.Join(says, ", ")
}

// ShowSince shows the report of an absence on top, until it is dismissed. A later
// one takes its place.
func (p *Page) ShowSince(r *away.Report) {
	p.since = r
	p.tall.since.Set(Since(r, p.words))
	p.tall.again = true
	if p.snapshot != nil {
		p.Apply(p.snapshot)
	}
}

// actSince carries out what was asked of the report.
func (p *Page) actSince(key string) {
	if p.since == nil {
		return
	}
	verb, index, _ := strings.Cut(key, " ")
	switch verb {
	case sinceResults:
		call(p.OnResults)
	case sinceDismiss:
		p.since, p.tall.again = nil, true
		p.focus(p.list)
		p.Apply(p.snapshot)
	case sinceAgain, sinceMove:
		i, err := strconv.Atoi(index)
		if err != nil || i >= len(p.since.Causes) {
			return
		}
		p.runAgain(&p.since.Causes[i], verb == sinceMove)
	}
}

// runAgain puts the jobs of a cause back into the queue, once.
func (p *Page) runAgain(c *away.Cause, elsewhere bool) {
	for _, id := range c.Jobs {
		p.send(scheduler.Again{Job: id})
		if elsewhere {
			p.send(scheduler.MoveTo{Job: id, Machine: c.Elsewhere})
		}
	}
	c.Again = true
	p.tall.since.Set(Since(p.since, p.words))
	p.tall.again = true
	p.Apply(p.snapshot)
}
