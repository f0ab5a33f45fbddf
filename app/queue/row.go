package queue

import (
	"fmt"
	"image"
	"path/filepath"
	"slices"
	"strings"

	"reckoner/app/theme"
	"reckoner/app/widgets"
	"reckoner/assets/text"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// What a row offers to do; the keys of widgets.Action.
const (
	doCancel  = "cancel"
	doAgain   = "again"
	doDismiss = "dismiss"
	doOpen    = "open"
	doSend    = "send"
	doMove    = "move" // with the machine's id after it
	doAnswer  = "answer"
	doMenu    = "menu" // what else can be done

	// Of a batch.
	doFailedAgain = "failed-again"
	doFirst       = "first"
	doLast        = "last"
)

// RunningRow makes the row of a job with an open run.
func RunningRow(s *scheduler.Snapshot, v *scheduler.JobView, w text.Language) widgets.TallState {
	t := widgets.TallState{Name: v.Job.Name, Kind: w.Type(v.Job.Type), HasBar: true, Bar: barState(v, w)}
	t.State, t.Tone = runState(v)
	if v.MachineName != "" {
		t.Where = "on " + v.MachineName
	}
	switch {
	case stopping(v):
		t.Fact = stopFact(s, v, w)
	case v.Step.Known():
		step, _ := v.Step.Get()
		t.StepsDone, t.StepsOf = int(v.StepsDone), int(v.StepsOf)
		t.Fact = []widgets.Span{
			widgets.Small("Server reports "),
			small(fmt.Sprintf("step %.0f of %.0f", step.Value, step.Max)),
		}
		if v.StepsOf > step.Max {
			t.Fact = append(t.Fact, widgets.Small(fmt.Sprintf(" (%.0f of %.0f in all)", v.StepsDone, v.StepsOf)))
		}
		if pace, ok := v.Pace.Get(); ok {
			t.Fact = append(t.Fact, widgets.Small(" · at this pace about "+w.About(pace, 0)+" in all"+against(v, pace)))
		}
	case v.Run != nil && !v.Run.Started.IsZero():
		t.Fact = []widgets.Span{widgets.Small("Started at " + w.Clock(v.Run.Started))}
		if v.Run.LimitS > 0 {
			t.Fact = append(t.Fact, widgets.Small(" · your limit is "+w.Usual(v.Run.LimitS)))
		}
	}
	if v.Trouble != nil {
		t.Tone = widgets.Odd
		t.Fact = append(doubt(v, w), t.Fact...)
	}
	return t
}

// against says when the pace of the live steps and the usual range disagree.
func against(v *scheduler.JobView, pace float64) string {
	f := v.Expected
	switch {
	case f.N == 0 || f.Level != job.LevelExact:
		return ""
	case pace > f.HighS:
		return ", longer than usual"
	case pace < f.LowS:
		return ", less than usual"
	}
	return ""
}

// doubt says since when a run was not heard of, or why its results are not here
// yet, and goes before what was last known. What is known of it may be old by now.
func doubt(v *scheduler.JobView, w text.Language) []widgets.Span {
	what := trouble(w, v.Trouble)
	lead := "Not heard of since " + w.Clock(v.TroubleSince)
	switch {
	case v.Job.State == job.JobCollecting:
		lead = "Results not fetched yet"
	case v.TroubleSince.IsZero():
		lead = "Not heard of"
	}
	return []widgets.Span{{Text: lead + ": ", Size: theme.SizeSmall, Color: theme.ColorOdd}, small(what + " ")}
}

// small is small text that does not step back.
func small(text string) widgets.Span {
	s := widgets.Small(text)
	s.Color = ""
	return s
}

func stopping(v *scheduler.JobView) bool {
	return v.Run != nil && v.Run.Stop != nil && v.Run.State != job.RunEnded
}

// runState says in a word what a run does.
func runState(v *scheduler.JobView) (string, widgets.Tone) {
	switch {
	case stopping(v):
		return "Stopping", widgets.Odd
	case v.Job.State == job.JobCollecting:
		return "Fetching", widgets.Quiet
	case v.Run == nil || v.Run.State == job.RunIntended:
		return "Sending", widgets.Quiet
	case v.Run.State == job.RunSubmitted:
		if v.Run.Handed {
			return "Handed over", widgets.Quiet
		}
		return "Sent", widgets.Quiet
	}
	return "Running", widgets.Quiet
}

func barState(v *scheduler.JobView, w text.Language) widgets.BarState {
	b := widgets.BarState{Caption: w.Say(v.Bar.Caption)}
	switch v.Bar.Kind {
	case job.BarEstimate:
		f, ok := v.Bar.Fraction.Get()
		if !ok {
			break
		}
		b.Kind, b.Fraction = widgets.BarEstimate, f
		if v.Run != nil && v.Run.Forecast.HighS > 0 {
			b.UsualFrom = v.Run.Forecast.LowS / v.Run.Forecast.HighS
		}
	case job.BarOver:
		b.Kind = widgets.BarOver
	case job.BarNone:
		// Empty is what a bar is by itself.
	}
	return b
}

// stopFact tells the two facts apart: what was decided, and what the server
// does.
func stopFact(s *scheduler.Snapshot, v *scheduler.JobView, w text.Language) []widgets.Span {
	stop, where := v.Run.Stop, v.MachineName
	why := "You cancelled it at " + w.Clock(stop.At) + ". "
	if stop.Why == job.StopLimit {
		why = "Your limit passed at " + w.Clock(v.Run.LimitPassed) + ". "
		if v.Run.SilentS > 0 {
			why = "No sign of life for " + w.Duration(v.Run.SilentS) + ". "
		}
	}
	is := "Told to stop; " + where + " has not stopped yet"
	since := stop.At
	if len(stop.Sent) == 0 {
		is = where + " has not taken the stop yet"
	} else {
		since = stop.Sent[0]
	}
	age := max(s.At.Wall.Sub(since), 0).Seconds()
	return []widgets.Span{widgets.Small(why), small(is), widgets.Small(" (" + w.Duration(age) + ")")}
}

// NeedsYouRow makes the row of a job that waits for its user.
func NeedsYouRow(v *scheduler.JobView, w text.Language) widgets.TallState {
	t := widgets.TallState{
		Name: v.Job.Name, Kind: w.Type(v.Job.Type), Tone: widgets.Odd,
		Text:    outcome(v, w),
		Actions: []widgets.Action{{Key: doAgain, Label: "Run again"}, {Key: doDismiss, Label: "Dismiss"}},
	}
	if _, next := w.Error(v.Job.Why); next != "" {
		t.Fact = []widgets.Span{widgets.Small(next)}
	}
	return t
}

// QuestionBar makes the bar of a question. It says what happens without an
// answer, and when: a question never stops the night.
func QuestionBar(q job.Question, w text.Language) widgets.AskState {
	a := widgets.AskState{Text: w.Say(q.Say), Default: "Without an answer"}
	if !q.Due.IsZero() {
		a.Default += " at " + w.Clock(q.Due)
	}
	a.Default += ": " + lowerFirst(w.Answer(q.Default)) + ". Other jobs go on."
	for _, x := range q.Answers {
		a.Answers = append(a.Answers, widgets.Action{Key: doAnswer + " " + string(x), Label: w.Answer(x)})
	}
	return a
}

// WaitingRow makes the line of a waiting job. next says that nothing waits
// before it.
func WaitingRow(s *scheduler.Snapshot, v *scheduler.JobView, next bool, w text.Language) widgets.LineState {
	l := widgets.LineState{Name: v.Job.Name, Right: whereTo(s, v)}
	takes := "first of its kind, so no estimate yet"
	if e := v.Expected; e.N > 0 {
		takes = "takes about " + w.About(e.MidS, e.HighS-e.LowS) + " (estimate, " + plural(e.N, "run", "runs") + ")"
	}
	switch at, ok := v.StartsAbout.Get(); {
	case len(v.Holds) > 0:
		l.Text = holdText(v.Holds, w)
		if v.Expected.N > 0 {
			l.Text += " · about " + w.About(v.Expected.MidS, 0)
		}
		l.Action = holdAction(s, v)
	case ok && next:
		l.Text = "next about " + w.Clock(at) + ", " + takes
	case ok:
		l.Text = "about " + w.Clock(at) + ", " + takes
	default:
		l.Text = takes
	}
	return l
}

// holdText says the first reasons why a job waits; all of them are in its
// details.
func holdText(holds []job.Hold, w text.Language) string {
	const shown = 2
	text := w.Holds(holds[:min(len(holds), shown)])
	if more := len(holds) - shown; more > 0 {
		text += ", and " + plural(more, "more reason", "more reasons")
	}
	return text
}

// holdAction is what would let a held job go: to another machine, or on past
// other people's work.
func holdAction(s *scheduler.Snapshot, v *scheduler.JobView) widgets.Action {
	if tied := tiedTo(s, v.Job); tied != "" {
		for _, m := range s.Machines {
			if m.Machine.ID != tied && takesJobs(m) {
				return widgets.Action{Key: doMove + " " + string(m.Machine.ID), Label: "Move to " + m.Machine.Name}
			}
		}
	}
	foreign := func(h job.Hold) bool {
		return h.Code == job.HoldForeign || h.Code == job.HoldForeignProc || h.Code == job.HoldBusyUnnamed
	}
	if !v.Job.SendAnyway && slices.ContainsFunc(v.Holds, foreign) {
		return widgets.Action{Key: doSend, Label: "Send anyway"}
	}
	return widgets.Action{}
}

// takesJobs tells whether a machine is open to a job now or soon.
func takesJobs(m scheduler.MachineView) bool {
	if m.Machine.Paused || m.Foreign {
		return false
	}
	return slices.ContainsFunc(m.Servers, func(v scheduler.ServerView) bool {
		return v.Err == nil && !v.Server.WatchOnly
	})
}

// tiedTo gives the one machine that a job may run on, or "".
func tiedTo(s *scheduler.Snapshot, j *job.Job) job.ID {
	tied := job.ID("")
	for _, id := range j.Servers {
		for _, m := range s.Machines {
			for _, v := range m.Servers {
				switch {
				case v.Server.ID != id:
				case tied != "" && tied != m.Machine.ID:
					return ""
				default:
					tied = m.Machine.ID
				}
			}
		}
	}
	return tied
}

// whereTo names where a waiting job may run.
func whereTo(s *scheduler.Snapshot, v *scheduler.JobView) string {
	switch v.Job.Priority() {
	case job.PriorityHigh:
		return "high · " + machineFor(s, v)
	case job.PriorityLow:
		return "low · " + machineFor(s, v)
	case job.PriorityNormal:
	}
	return machineFor(s, v)
}

func machineFor(s *scheduler.Snapshot, v *scheduler.JobView) string {
	if len(v.Job.Servers) == 0 {
		return "any machine"
	}
	tied := tiedTo(s, v.Job)
	for _, m := range s.Machines {
		if m.Machine.ID == tied {
			return m.Machine.Name
		}
	}
	return plural(len(v.Job.Servers), "server", "servers")
}

// DoneRow makes the line of an ended job.
func DoneRow(v *scheduler.JobView, w text.Language) widgets.LineState {
	l := widgets.LineState{Name: v.Job.Name, Text: outcome(v, w)}
	switch v.Job.Outcome {
	case job.JobDone, job.JobCancelled:
	case job.JobFailed, job.JobLost:
		l.Tone = widgets.Bad
	case job.JobTimedOut, job.JobNoOutput, job.JobNeedsYou:
		l.Tone = widgets.Odd
	}
	switch {
	case len(results(v)) > 0:
		l.Action = widgets.Action{Key: doOpen, Label: "Open"}
	case v.Job.Outcome != job.JobDone:
		l.Action = widgets.Action{Key: doAgain, Label: "Run again"}
	}
	return l
}

// outcome says how a job ended.
func outcome(v *scheduler.JobView, w text.Language) string {
	says := []string{w.Outcome(v.Job.Outcome)}
	if v.Job.Outcome == job.JobDone {
		says[0] = took(v, w)
	}
	if v.Job.Why != nil && v.Job.Outcome != job.JobDone {
		says[0] = strings.TrimSuffix(said(w, v.Job.Why), ".")
	}
	if v.Job.FinishedLate {
		says = append(says, "finished after your limit had passed")
	}
	if made := outputs(v); made != "" {
		says = append(says, made)
	}
	return strings.Join(says, " · ")
}

// took says how long a run took, and whether that is usual.
func took(v *scheduler.JobView, w text.Language) string {
	if v.Run == nil {
		return "done"
	}
	if v.Run.Start == job.Cached {
		return w.Start(job.Cached)
	}
	seconds, ok := v.Run.Seconds.Get()
	if !ok {
		return "done, how long it took is not known"
	}
	text, f := "took "+w.Duration(seconds), v.Run.Forecast
	switch {
	case f.N == 0:
	case seconds > f.HighS:
		text += ", longer than usual"
	case seconds < f.LowS:
		text += ", shorter than usual"
	default:
		text += ", as usual"
	}
	return text
}

// results are a job's fetched files that are no previews.
func results(v *scheduler.JobView) []job.Output {
	if v.Run == nil {
		return nil
	}
	out := make([]job.Output, 0, len(v.Run.Outputs))
	for _, o := range v.Run.Outputs {
		if !o.Preview {
			out = append(out, o)
		}
	}
	return out
}

// outputs counts what a job made.
func outputs(v *scheduler.JobView) string {
	var k kinds
	k.count(results(v))
	return k.String()
}

// kinds counts results by what they are.
type kinds struct{ pictures, videos, others int }

func (k *kinds) count(made []job.Output) {
	for _, o := range made {
		switch strings.ToLower(filepath.Ext(o.File)) {
		case ".png", ".jpg", ".jpeg", ".webp", ".gif":
			k.pictures++
		case ".mp4", ".webm", ".mov", ".mkv", ".avi":
			k.videos++
		default:
			k.others++
		}
	}
}

func (k *kinds) String() string {
	var says []string
	for _, x := range []struct {
		n         int
		one, many string
	}{{k.videos, "video", "videos"}, {k.pictures, "picture", "pictures"}, {k.others, "file", "files"}} {
		if x.n > 0 {
			says = append(says, plural(x.n, x.one, x.many))
		}
	}
	return strings.Join(says, ", ")
}

// picture gives what shows a job: what its server works on, what it made, or else
// what it reads.
func picture(v *scheduler.JobView) job.Picture {
	if v == nil {
		return job.Picture{}
	}
	if v.Live != (job.Picture{}) {
		return v.Live
	}
	if v.Run != nil {
		if p := job.PictureOfResults(v.Run.Outputs); p != (job.Picture{}) {
			return p
		}
	}
	return job.PictureOfInputs(v.Job.Inputs)
}

// thumb gives a picture for a row, which has no room for the reason why there is
// none.
func thumb(p Pictures, of job.Picture, width, height int) image.Image {
	picture, _ := p.Get(of, width, height)
	return picture
}
