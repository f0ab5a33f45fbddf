package queue

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"reckoner/app/notes"
	"reckoner/app/theme"
	"reckoner/app/widgets"
	"reckoner/assets/text"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// Moment is a line with a time.
type Moment struct {
	At, Text string
	Now      bool
}

// DetailState is what the details of a job show. Empty parts are not shown.
type DetailState struct {
	ID      job.ID
	Name    string
	Actions []widgets.Action
	Picture job.Picture
	// NoPicture is why there is no small picture; the pane finds out.
	NoPicture string
	// Live says that the picture is what the server works on.
	Live     bool
	Kind     string
	HowLong  string // a heading
	Strip    widgets.StripState
	Usual    []widgets.Span
	Waits    []Moment // why it waits, since when
	NotOn    []Moment // where it cannot run
	Happened []Moment
	Stopped  []Moment // how we know that it stopped
	Results  []string
	Batch    []string // how the jobs of a batch stand
	Notes    []notes.State
}

// Details makes the details of a job.
func Details(s *scheduler.Snapshot, v *scheduler.JobView, w text.Language) DetailState {
	d := DetailState{
		ID: v.Job.ID, Name: v.Job.Name, Picture: picture(v), Live: v.Live != (job.Picture{}), Kind: w.Type(v.Job.Type),
		Actions: detailActions(v), Notes: notesFor(s, v, w),
	}
	howLong(&d, v, w)
	for _, h := range v.Holds {
		d.Waits = append(d.Waits, Moment{At: w.Clock(h.Since), Text: sentence(w.Hold(h))})
	}
	for _, h := range v.NotOn {
		d.NotOn = append(d.NotOn, Moment{At: w.Clock(h.Since), Text: w.Lacks(h)})
	}
	if v.Job.Why != nil {
		d.Happened = append(d.Happened, Moment{At: seconds(v.Job.Ended), Text: said(w, v.Job.Why)})
	}
	if v.Run == nil {
		return d
	}
	var story []Moment
	for _, h := range v.Run.Story {
		story = append(story, Moment{At: seconds(h.At), Text: w.Say(h.Say)})
	}
	d.Happened = append(story, d.Happened...)
	if stopping(v) {
		d.Happened = append(d.Happened, Moment{
			At: "now", Now: true, Text: "No proof yet that " + v.MachineName + " stopped it",
		})
	}
	if v.Run.Stop != nil {
		for _, saw := range v.Run.Witnesses {
			d.Stopped = append(d.Stopped, Moment{At: seconds(saw.At), Text: sentence(w.Witness(saw.Kind))})
		}
	}
	for _, o := range results(v) {
		d.Results = append(d.Results, o.File)
	}
	return d
}

// sentence begins with a capital letter.
func sentence(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// seconds is a time of day to the second, in the user's zone.
func seconds(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format("15:04:05")
}

// menuAction opens the menu of a job or a batch.
func menuAction() widgets.Action { return widgets.Action{Key: doMenu, Label: "More…"} }

func detailActions(v *scheduler.JobView) []widgets.Action {
	switch {
	case v.Job.State != job.JobEnded && stopping(v):
		return nil
	case v.Job.State != job.JobEnded:
		return []widgets.Action{{Key: doCancel, Label: "Cancel"}, menuAction()}
	}
	a := []widgets.Action{{Key: doAgain, Label: "Run again"}, {Key: doDismiss, Label: "Dismiss"}, menuAction()}
	if len(results(v)) > 0 {
		a = slices.Insert(a, 0, widgets.Action{Key: doOpen, Label: "Open"})
	}
	return a
}

// howLong fills in what past runs say.
func howLong(d *DetailState, v *scheduler.JobView, w text.Language) {
	if f := v.Expected; len(v.Past) == 0 && f.N > 0 {
		d.Usual = []widgets.Span{
			widgets.Muted("Usual: "), widgets.Plain(w.Usual(f.MidS)),
			widgets.Muted(", from " + plural(f.N, "past run", "past runs") + "."),
		}
		return
	}
	if len(v.Past) == 0 {
		d.Usual = []widgets.Span{widgets.Muted("No past runs of this kind: what it takes is not known.")}
		return
	}
	d.HowLong = "HOW LONG THIS KIND TAKES"
	if v.MachineName != "" {
		d.HowLong += " ON " + v.MachineName
	}
	f := v.Expected
	if v.Run != nil && v.Run.Forecast.N > 0 {
		f = v.Run.Forecast
	}
	d.Strip.Low, d.Strip.Mid, d.Strip.High = f.LowS, f.MidS, f.HighS
	if f.N > 0 {
		d.Strip.Marks = append(d.Strip.Marks, widgets.Mark{
			Seconds: f.MidS, Text: "usual " + w.Usual(f.MidS), Color: theme.ColorMeasured,
		})
	}
	if v.Job.State == job.JobRunning && v.ElapsedS > 0 {
		d.Strip.Now = v.ElapsedS
		d.Strip.Marks = append(d.Strip.Marks, widgets.Mark{Seconds: v.ElapsedS, Text: "now", Color: theme.ColorText})
	}
	clean, unseen := 0, 0
	var shared []float64
	for _, p := range v.Past {
		kind := widgets.DotClean
		switch p.Label {
		case job.Shared:
			kind = widgets.DotShared
			shared = append(shared, p.Seconds)
			d.Strip.Marks = append(d.Strip.Marks, widgets.Mark{
				Seconds: p.Seconds, Text: w.Usual(p.Seconds), Color: theme.ColorShared,
			})
		case job.LabelUnknown, "":
			kind = widgets.DotUnknown
			unseen++
		default:
			clean++
		}
		d.Strip.Dots = append(d.Strip.Dots, widgets.Dot{Seconds: p.Seconds, Kind: kind})
	}
	d.Usual = usual(f, clean, unseen, shared, w)
}

// usual says what the dots are.
func usual(f job.Forecast, clean, unseen int, shared []float64, w text.Language) []widgets.Span {
	var says []widgets.Span
	if f.N > 0 {
		from := ", from " + plural(clean, "run", "runs") + " with the GPU to itself"
		switch {
		case clean == 0:
			from = ", from " + plural(f.N, "run", "runs") + "; who else was on the GPU is not known"
		case unseen > 0:
			from += fmt.Sprintf(" and %d where that is not known", unseen)
		}
		says = append(says, widgets.Muted("Usual: "), widgets.Plain(w.Usual(f.MidS)), widgets.Muted(from+". "))
	}
	switch n := len(shared); {
	case n == 1:
		says = append(says, widgets.Muted("One run of "+w.Usual(shared[0])+
			" shared the GPU; it is kept but does not count."))
	case n > 1:
		says = append(says, widgets.Muted(fmt.Sprintf("%d runs shared the GPU; they are kept but do not count.", n)))
	}
	return says
}
