package history

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"reckoner/app/goldentest"
	"reckoner/app/scenetest"
	"reckoner/app/theme"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

func TestTheUserSaysWhatAPastRunWasByKeyboard(t *testing.T) {
	// Given past runs, and the keyboard in their list
	rows := past(90)
	rows[1].Run.Job, rows[1].Run.Attempt = "job-1", 2
	p, win, _ := newTestPage(t, theme.New(theme.Dark, 1), rows)
	var said []scheduler.Correction
	p.OnCorrect = func(c scheduler.Correction) { said = append(said, c) }
	if p.details.Visible() {
		t.Error("details are shown of no run")
	}
	win.Canvas().Focus(p.list)
	// when the second is chosen, and it is said that its GPU was shared
	test.Type(p.list, "x")
	p.list.TypedKey(&fyne.KeyEvent{Name: fyne.KeyDown})
	test.Type(p.list, "cs") // it had the GPU to itself anyway: the first letter changes nothing
	want := scheduler.Correction{Job: "job-1", Attempt: 2, Kind: job.CorrectLabel, Label: job.Shared}
	if !slices.Equal(said, []scheduler.Correction{want}) || !p.details.Visible() {
		t.Fatalf("said %+v, want %+v", said, want)
	}
	// then the record that comes back is shown, with what was seen beside what was said
	r := rows[1].Run
	r.Corrections = []job.Correction{{At: scenetest.Now(), Kind: job.CorrectLabel, Label: job.Shared}}
	p.Corrected(r, "")
	n := Details(p.rows[1], "attic", w)
	for _, want := range []string{"As seen: ", "On 8 May you said: ", "on attic"} {
		if !strings.Contains(texts(n), want) {
			t.Errorf("it does not say %q:\n%s", want, texts(n))
		}
	}
	if got := labels(n); !slices.Equal(got, []string{"Take it back (Z)", "Set it aside (A)"}) {
		t.Errorf("offered %q", got)
	}
	goldentest.Compare(t, "details_dark", win.Canvas().Capture())
	// and it can be taken back, and set aside
	test.Type(p.list, "za")
	if len(said) != 3 || said[1].Kind != job.CorrectUndo || said[2].Kind != job.SetAside {
		t.Errorf("said %+v", said)
	}
	p.list.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if p.details.Visible() {
		t.Error("the details do not close")
	}
}

func TestARunThatIsSetAsideIsNoPartOfThePicture(t *testing.T) {
	rows := past(12)
	rows = slices.DeleteFunc(rows, func(h job.HistoryRow) bool { return h.Run.TypeKey != "video" })
	all, _ := Plot(rows, w)
	rows[0].Run.Corrections = []job.Correction{{At: time.Now(), Kind: job.SetAside}}
	if got, _ := Plot(rows, w); len(got.Points) != len(all.Points)-1 {
		t.Errorf("%d points, before it %d", len(got.Points), len(all.Points))
	}
	if line := Row(rows[0], "attic", w); !strings.Contains(line.Text, "set aside") {
		t.Errorf("the row says %q", line.Text)
	}
}

func TestTheConditionsOfARunAreSaidAsFarAsTheyAreKnown(t *testing.T) {
	for _, c := range []struct {
		of   job.Conditions
		want string
	}{
		{job.Conditions{}, ""},
		{job.Conditions{ComfyUI: "0.3.64"}, "ComfyUI 0.3.64"},
		{job.Conditions{
			ComfyUI: "0.3.64", Torch: "2.8.0+cu128", Driver: "580.95.05", LimitW: job.Known(180.0),
			UtilPct: job.Known(0.0), TempC: job.Known(64.4),
		}, "ComfyUI 0.3.64 · torch 2.8.0+cu128 · driver 580.95.05 · power limit 180 W · GPU in the median at 0 %, 64 °C"},
	} {
		if got := conditions(c.of); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
