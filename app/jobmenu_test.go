package app

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/scenetest"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// chosen does what a menu's item does; "A > B" is item B of the submenu A.
func chosen(t *testing.T, items []*fyne.MenuItem, path string) {
	t.Helper()
	label, rest, deeper := strings.Cut(path, " > ")
	i := slices.IndexFunc(items, func(m *fyne.MenuItem) bool { return m.Label == label })
	switch {
	case i < 0:
		t.Fatalf("no item %q among %d", label, len(items))
	case deeper:
		chosen(t, items[i].ChildMenu.Items, rest)
	default:
		items[i].Action()
	}
}

// entries are the fields of the dialog on top.
func entries(w *window) []*widget.Entry {
	var list []*widget.Entry
	for _, o := range test.LaidOutObjects(container.NewStack(w.win.Canvas().Overlays().Top())) {
		if e, ok := o.(*widget.Entry); ok {
			list = append(list, e)
		}
	}
	return list
}

func pointers(views []scheduler.JobView) []*scheduler.JobView {
	var list []*scheduler.JobView
	for i := range views {
		list = append(list, &views[i])
	}
	return list
}

func TestTheMenuOfJobsSendsACommandForEach(t *testing.T) {
	s := scenetest.Story()
	waiting := pointers(s.Waiting)
	first, last := s.Waiting[0].Job.ID, s.Waiting[2].Job.ID
	hour := job.Limit{Kind: job.LimitSet, For: time.Hour}
	for _, c := range []struct {
		jobs []*scheduler.JobView
		item string
		want []scheduler.Command
	}{
		{waiting[2:], "Time limit > 1 h", []scheduler.Command{scheduler.SetLimit{Job: last, Limit: hour}}},
		{waiting[:1], "Time limit > none", []scheduler.Command{scheduler.SetLimit{Job: first, Limit: job.Limit{Kind: job.LimitOff}}}},
		{waiting[2:], "Run on > attic", []scheduler.Command{scheduler.MoveTo{Job: last, Machine: scenetest.Attic}}},
		{waiting[2:], "Run on > any machine", []scheduler.Command{scheduler.MoveTo{Job: last}}},
		{waiting[2:], "Priority > High: before all others", []scheduler.Command{
			scheduler.Prioritize{Job: last, Priority: job.PriorityHigh},
		}},
		{waiting[2:], "First in the queue", []scheduler.Command{scheduler.Move{Job: last, Before: first}}},
		{waiting[:1], "First in the queue", []scheduler.Command{scheduler.Move{Job: first, Before: s.Waiting[1].Job.ID}}},
		{waiting, "First in the queue", nil}, // there are no others
		{waiting[:1], "Last in the queue", []scheduler.Command{scheduler.Move{Job: first}}},
		{waiting[:2], "Send anyway", []scheduler.Command{
			scheduler.SendAnyway{Job: first}, scheduler.SendAnyway{Job: s.Waiting[1].Job.ID},
		}},
	} {
		// given jobs, when an item of their menu is chosen
		f := &fakeFarm{snap: s}
		w := open(t, f)
		chosen(t, w.jobItems(c.jobs, s), c.item)
		// then each gets its command
		if !slices.Equal(f.sent, c.want) {
			t.Errorf("%s: sent %v, want %v", c.item, f.sent, c.want)
		}
	}
}

func TestTheMenuOffersOnlyWhatAJobCanDo(t *testing.T) {
	s := scenetest.Story()
	w := open(t, &fakeFarm{snap: s})
	for name, c := range map[string]struct {
		jobs []*scheduler.JobView
		want string
	}{
		"running": {pointers(s.Running[:1]), "Time limit, Again with new seeds"},
		"waiting": {pointers(s.Waiting[:1]), "Time limit, Run on, Priority, First in the queue, Last in the queue, Send anyway, " +
			"Change its values…, Again with new seeds"},
		"several": {pointers(s.Waiting), "Time limit, Run on, Priority, First in the queue, Last in the queue, Send anyway"},
		"done":    {pointers(s.Done[:1]), "Again with new seeds"},
	} {
		var labels []string
		for _, m := range w.jobItems(c.jobs, s) {
			labels = append(labels, m.Label)
		}
		if got := strings.Join(labels, ", "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestAJobIsRepeated(t *testing.T) {
	f := &fakeFarm{snap: scenetest.Story()}
	w := open(t, f)
	chosen(t, w.jobItems(pointers(f.snap.Done[:1]), f.snap), "Again with new seeds > 4 times")
	if !slices.Equal(f.repeated, []int{4}) {
		t.Errorf("repeated %v", f.repeated)
	}
	f.err = errors.New("no room")
	chosen(t, w.jobItems(pointers(f.snap.Done[:1]), f.snap), "Again with new seeds > 1 time")
	if said := overlay(w); !strings.Contains(said, "no room") {
		t.Errorf("the window says %q", said)
	}
}

func TestTheMenuOfAMachine(t *testing.T) {
	s := scenetest.Story()
	f := &fakeFarm{snap: s}
	w := open(t, f)
	m := s.Machines[0]
	chosen(t, w.machineItems(m), "Ignore other work for 1 h")
	if len(f.sent) != 4 {
		t.Errorf("sent %v", f.sent)
	}
	m.Machine.Ignored = map[job.HoldCode]time.Time{job.HoldForeign: time.Now().Add(time.Hour)}
	f.sent = nil
	chosen(t, w.machineItems(m), "Wait for other work again")
	if want := (scheduler.Ignore{Machine: m.Machine.ID, Code: job.HoldForeign}); len(f.sent) != 4 || f.sent[0] != want {
		t.Errorf("sent %v", f.sent)
	}
	f.sent = nil
	chosen(t, w.machineItems(m), "Cancel all of mine here…")
	if len(f.sent) != 0 {
		t.Error("it was not asked")
	}
}

func TestTheValuesOfAJobAreChanged(t *testing.T) {
	// given a waiting job with a prompt and a seed
	f := &fakeFarm{snap: scenetest.Story(), values: []scheduler.NodeValue{
		{Node: "6", Class: "CLIPTextEncode", Title: "Positive", Input: "text", Text: "a harbour", Long: true},
		{Node: "3", Class: "KSampler", Input: "seed", Text: "7"},
	}}
	w := open(t, f)
	j := f.snap.Waiting[0].Job
	w.changeValues(j)
	if said := overlay(w); !strings.Contains(said, "text · Positive") || !strings.Contains(said, "seed · KSampler") {
		t.Errorf("the dialog says %q", said)
	}
	// when only the prompt is changed
	fields := entries(w)
	fields[0].SetText("a harbour at night")
	// then only that is asked for
	got := edited(f.values, fields)
	if len(got) != 1 || got[0].Node != "6" || got[0].Text != "a harbour at night" {
		t.Errorf("edited %+v", got)
	}
	w.revise(j, got)
	if len(f.revised) != 1 {
		t.Errorf("revised %+v", f.revised)
	}
	// and nothing is asked for when nothing changed
	f.revised = nil
	w.revise(j, nil)
	if f.revised != nil {
		t.Errorf("revised %+v", f.revised)
	}
}
