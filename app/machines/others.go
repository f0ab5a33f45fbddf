package machines

import (
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/widgets"
	"reckoner/assets/text"
	"reckoner/scheduler/job"
)

// othersField asks what jobs do while other people's work is on a machine, and for
// how long at most they wait for it here.
type othersField struct {
	policy, patience *widget.Select
	spans            []time.Duration // of patience's options
	row              fyne.CanvasObject
	// Changed is called when one of the two was chosen.
	Changed func()
}

// The policies, as they are offered.
var othersPolicies = []struct {
	label  string
	policy job.OthersPolicy
}{
	{"wait here", job.OthersHold},
	{"queue behind it on the server", job.OthersBehind},
	{"use another machine", job.OthersElsewhere},
}

// othersFor is how long jobs are held unless the user says otherwise.
const othersFor = time.Hour

func newOthersField(w text.Language) *othersField {
	f := &othersField{}
	names := make([]string, 0, len(othersPolicies))
	for _, p := range othersPolicies {
		names = append(names, p.label)
	}
	f.policy = widget.NewSelect(names, func(string) { f.arrange() })
	var spans []string
	for _, d := range []time.Duration{15 * time.Minute, 30 * time.Minute, othersFor, 2 * time.Hour, 4 * time.Hour} {
		f.spans, spans = append(f.spans, d), append(spans, "at most "+w.Duration(d.Seconds()))
	}
	f.patience = widget.NewSelect(spans, nil)
	f.row = widgets.NewFlow(8, widgets.NewFixed(f.policy, 270), widgets.NewFixed(f.patience, 140))
	f.set("", 0)
	return f
}

// set shows a machine's choice.
func (f *othersField) set(p job.OthersPolicy, patience time.Duration) {
	i := slices.Index(f.spans, patience)
	if i < 0 {
		i = slices.Index(f.spans, othersFor)
	}
	f.patience.SetSelectedIndex(i)
	for k := range othersPolicies {
		if othersPolicies[k].policy == p {
			f.policy.SetSelectedIndex(k)
		}
	}
}

// get gives what is chosen; the usual hour is 0.
func (f *othersField) get() (job.OthersPolicy, time.Duration) {
	policy, patience := job.OthersHold, time.Duration(0)
	if i := f.policy.SelectedIndex(); i >= 0 {
		policy = othersPolicies[i].policy
	}
	if i := f.patience.SelectedIndex(); i >= 0 && f.spans[i] != othersFor && policy != job.OthersBehind {
		patience = f.spans[i]
	}
	return policy, patience
}

// arrange hides how long jobs wait where they do not.
func (f *othersField) arrange() {
	if i := f.policy.SelectedIndex(); i >= 0 && othersPolicies[i].policy == job.OthersBehind {
		f.patience.Hide()
	} else {
		f.patience.Show()
	}
	if f.Changed != nil {
		f.Changed()
	}
}

// othersLine says what was chosen for a machine, "" for the usual.
func othersLine(m job.Machine, w text.Language) string {
	patience := m.OthersFor
	if patience == 0 {
		patience = othersFor
	}
	long := w.Duration(patience.Seconds())
	switch m.Others {
	case job.OthersBehind:
		return "While other work is there, jobs queue behind it on the server."
	case job.OthersElsewhere:
		return "While other work is there, jobs use another machine; without one they wait at most " + long + "."
	case job.OthersHold:
		if m.OthersFor > 0 {
			return "While other work is there, jobs wait here at most " + long + "."
		}
	}
	return ""
}
