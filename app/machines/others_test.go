package machines

import (
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"reckoner/app/goldentest"
	"reckoner/app/scenetest"
	"reckoner/app/theme"
	"reckoner/scheduler/job"
)

func TestWhatJobsDoWhileOtherWorkIsThereIsChosenForAMachine(t *testing.T) {
	// given a machine with a choice of its own
	p, _ := newTestPage(t, theme.New(theme.Dark, 1))
	var wish Wish
	p.OnAdd = func(w Wish, done func(string)) { wish = w; done("") }
	m := scenetest.Story().Machines[0]
	m.Machine.Others, m.Machine.OthersFor = job.OthersElsewhere, 2*time.Hour
	// when it is changed in the form
	p.act(m, doEdit)
	p.form.submit()
	// then the choice stays as it is
	if wish.Others != job.OthersElsewhere || wish.OthersFor != 2*time.Hour {
		t.Errorf("wished %q for %v", wish.Others, wish.OthersFor)
	}
	// and the next machine begins with the usual one
	p.form.address.SetText("http://gpu-9:8188")
	p.form.submit()
	if wish.Others != job.OthersHold || wish.OthersFor != 0 {
		t.Errorf("wished %q for %v", wish.Others, wish.OthersFor)
	}
	// and one that queues behind others has nothing to wait for
	p.form.address.SetText("http://gpu-9:8188")
	p.form.others.policy.SetSelected("queue behind it on the server")
	if p.form.others.patience.Visible() {
		t.Error("it is asked how long")
	}
	p.form.submit()
	if wish.Others != job.OthersBehind || wish.OthersFor != 0 {
		t.Errorf("wished %q for %v", wish.Others, wish.OthersFor)
	}
}

func TestARowSaysWhatJobsDoWhileOtherWorkIsThere(t *testing.T) {
	m := scenetest.Story().Machines[0]
	for _, c := range []struct {
		policy   job.OthersPolicy
		patience time.Duration
		want     string // "" for nothing
	}{
		{job.OthersHold, 0, ""},
		{job.OthersHold, 30 * time.Minute, "wait here at most 30 min"},
		{job.OthersBehind, 0, "queue behind it"},
		{job.OthersElsewhere, 0, "another machine; without one they wait at most 1 h"},
	} {
		m.Machine.Others, m.Machine.OthersFor = c.policy, c.patience
		lines := Row(m, nil, Looked{}, w).Lines
		said := lines[len(lines)-1].Text
		if c.want == "" && strings.Contains(said, "other work") || !strings.Contains(said, c.want) {
			t.Errorf("%q for %v: %q", c.policy, c.patience, said)
		}
	}
}

func TestTheForm(t *testing.T) {
	p, win := newTestPage(t, theme.New(theme.Dark, 1))
	win.Resize(fyne.NewSize(900, 1100))
	p.Apply(scenetest.Story())
	goldentest.Compare(t, "form_dark", win.Canvas().Capture())
}
