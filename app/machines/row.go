package machines

import (
	"fmt"
	"strings"
	"time"

	"reckoner/app/widgets"
	"reckoner/assets/text"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// Checked is what a check of a render server came to.
type Checked struct {
	At      time.Time // of its end
	Running bool      // it is under way
	Found   job.Checkup
	Err     *job.Error // why it could not be checked; nil when Found says all
}

// What the row of a machine offers. Those that end with a colon are followed by
// what they are about.
const (
	doPause  = "pause"
	doEdit   = "edit"
	doRemove = "remove"
	doCheck  = "check:" // a server's id
	doTrust  = "trust:" // a server's id: its certificate
	doKnow   = "know:"  // an address: the key of its computer
	doLook   = "look"   // for other render servers of the machine
	doWatch  = "watch:" // a URL that was found so
)

// Row makes the row of a machine, with what its servers were last checked for.
func Row(m scheduler.MachineView, checks map[job.ID]Checked, looked Looked, w text.Language) widgets.NoticeState {
	n := widgets.NoticeState{Title: text.Plain(m.Machine.Name), Plain: true, Actions: []widgets.Action{
		{Key: doPause, Label: "Pause"}, {Key: doEdit, Label: "Change"},
	}}
	if m.Mine == scheduler.MineNone {
		n.Actions = append(n.Actions, widgets.Action{Key: doRemove, Label: "Remove…"})
	}
	if m.Machine.Paused {
		n.Actions[0].Label = "Resume"
		n.Title += " · paused by you"
	}
	for _, v := range m.Servers {
		n.Lines = append(n.Lines, serverLines(v, checks[v.Server.ID], w)...)
	}
	n.Lines = append(n.Lines, lookedLines(m, looked, w)...)
	n.Lines = append(n.Lines, sourceLines(m, w)...)
	if says := othersLine(m.Machine, w); says != "" {
		n.Lines = append(n.Lines, widgets.NoticeLine{Text: says})
	}
	if len(m.Servers) > 0 && !looked.Running {
		n.Actions = append(n.Actions, widgets.Action{Key: doLook, Label: "Look for others"})
	}
	return n
}

// serverLines say what is known of a render server: where it is, how its news
// come, what is in the way, and what a check found.
func serverLines(v scheduler.ServerView, c Checked, w text.Language) []widgets.NoticeLine {
	first := widgets.NoticeLine{Tone: widgets.Mine, Text: v.Server.URL}
	if info, ok := v.Info.Get(); ok && info.Version != "" {
		first.Text += ", ComfyUI " + text.Plain(info.Version)
	}
	if v.Server.WatchOnly {
		first.Text += " (watched only)"
	} else if !c.Running {
		first.Action = widgets.Action{Key: doCheck + string(v.Server.ID), Label: "Check"}
	}
	lines := []widgets.NoticeLine{first}
	switch {
	case v.Err != nil:
		lines = append(lines, trouble(v.Err, v.Server, w)...)
	case v.Seen.IsZero():
		lines = append(lines, widgets.NoticeLine{Text: "It has not answered yet."})
	default:
		lines = append(lines, widgets.NoticeLine{Text: news(v, w)})
	}
	if p, ok := v.Process.Get(); ok {
		lines = append(lines, widgets.NoticeLine{Text: process(p)})
	}
	return append(lines, ExplainCheck(c, w)...)
}

// news says how a server's news come: by its websocket, or because it is asked.
func news(v scheduler.ServerView, w text.Language) string {
	if since, ok := v.LiveSince.Get(); ok {
		return "Live news since " + w.Clock(since) + "."
	}
	if v.AskEvery > 0 {
		return fmt.Sprintf("No live news: it is asked every %s.", w.Duration(v.AskEvery.Seconds()))
	}
	return "No live news: it is asked instead."
}

func process(p job.LocalProcess) string {
	switch {
	case p.Name == "":
		return "A program of this computer that you may not see listens there."
	case p.PID == 0:
		return text.Plain(p.Name) + " of this computer listens there."
	}
	return fmt.Sprintf("%s (process %d of this computer) listens there.", text.Plain(p.Name), p.PID)
}

// trouble says why a server is of no use now, and offers what would help.
func trouble(e *job.Error, srv job.Server, w text.Language) []widgets.NoticeLine {
	what, next := w.Trouble(e)
	first := widgets.NoticeLine{Tone: widgets.Bad, Text: what}
	switch {
	case e.Args.Fingerprint == "":
	case e.Code == job.ErrTLS:
		first.Action = widgets.Action{Key: doTrust + string(srv.ID), Label: "Trust this certificate…"}
	case e.Code == job.ErrHostKey:
		first.Action = widgets.Action{Key: doKnow + srv.URL, Label: "Trust this computer…"}
	}
	lines := []widgets.NoticeLine{first}
	if next != "" {
		lines = append(lines, widgets.NoticeLine{Text: next})
	}
	return lines
}

// sourceLines say where a machine's readings come from, and what is in the way.
func sourceLines(m scheduler.MachineView, w text.Language) []widgets.NoticeLine {
	says := "No source of GPU readings was named: what its render server tells is read."
	if len(m.Machine.Sources) > 0 {
		says = "GPU readings from " + strings.Join(m.Machine.Sources, ", ") + "."
	}
	lines := []widgets.NoticeLine{{Text: says}}
	for _, e := range m.SourceErr {
		if sameWay(e, m) {
			continue // it is said at the server
		}
		what, _ := w.Trouble(e.Err)
		l := widgets.NoticeLine{Tone: widgets.Odd, Text: what}
		if e.Err.Code == job.ErrHostKey && e.Err.Args.Fingerprint != "" {
			l.Action = widgets.Action{Key: doKnow + e.Source, Label: "Trust this computer…"}
		}
		lines = append(lines, l)
	}
	return lines
}

// sameWay tells whether a source fails because its render server does: the source
// is then the server, or reached the same way.
func sameWay(e scheduler.SourceError, m scheduler.MachineView) bool {
	if len(m.Machine.Sources) > 0 {
		return false
	}
	for _, v := range m.Servers {
		if v.Err != nil && v.Err.Code == e.Err.Code {
			return true
		}
	}
	return false
}

// ExplainCheck says what a check found. A server that was not checked has no
// lines.
func ExplainCheck(c Checked, w text.Language) []widgets.NoticeLine {
	at := " (" + w.Clock(c.At) + ")"
	switch {
	case c.Running:
		return []widgets.NoticeLine{{Text: "Checking: a tiny job that needs no model is sent …"}}
	case c.At.IsZero():
		return nil
	case c.Err != nil:
		what, next := w.FinalError(c.Err)
		return []widgets.NoticeLine{{Tone: widgets.Odd, Text: strings.TrimSpace(what+" "+next) + at}}
	}
	f := c.Found
	var lines []widgets.NoticeLine
	switch {
	case f.Err != nil:
		what, next := w.FinalError(f.Err)
		lines = append(lines, widgets.NoticeLine{Tone: widgets.Bad, Text: strings.TrimSpace(what+" "+next) + at})
	case f.Ran:
		lines = append(lines, widgets.NoticeLine{
			Tone: widgets.Mine,
			Text: "A tiny job that needs no model went through in " + w.Duration(f.Took.Seconds()) + "." + at,
		})
	case f.Ahead > 0:
		jobs := "a job runs or waits there"
		if f.Ahead > 1 {
			jobs = fmt.Sprintf("%d jobs run or wait there", f.Ahead)
		}
		lines = append(lines, widgets.NoticeLine{
			Tone: widgets.Mine, Text: "It answers. Nothing was sent, because " + jobs + "." + at,
		})
	}
	if f.SocketErr != nil {
		what, next := w.Trouble(f.SocketErr)
		says := "There will be no live news, so it is asked instead: " + what + " " + next
		lines = append(lines, widgets.NoticeLine{Tone: widgets.Odd, Text: strings.TrimSpace(says)})
	}
	return lines
}
