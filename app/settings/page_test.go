package settings

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"reckoner/app/goldentest"
	"reckoner/app/scenetest"
	"reckoner/app/theme"
	"reckoner/assets/text"
	"reckoner/scheduler/job"
)

// newTestPage shows settings in a window and gathers what is wanted.
func newTestPage(t *testing.T, th fyne.Theme, kept job.Settings) (*Page, fyne.Window, *[]job.Settings) {
	t.Helper()
	test.NewTempApp(t).Settings().SetTheme(th)
	p, wanted := New(text.English), &[]job.Settings{}
	p.OnChange = func(s job.Settings) { *wanted = append(*wanted, s) }
	win := test.NewTempWindow(t, p)
	win.SetPadded(false)
	win.Resize(fyne.NewSize(900, 640))
	s := scenetest.Story()
	s.Settings = kept
	p.Apply(s)
	return p, win, wanted
}

func TestShowingSettingsChangesNone(t *testing.T) {
	// Given settings that no list offers
	kept := job.Settings{
		CutForGood: true, StopWait: 77 * time.Second, UnansweredAfter: 3 * time.Hour,
		Notify: job.Notify{Off: []job.Topic{job.TopicDone}, Quiet: job.Quiet{From: 1321, To: 419}},
	}
	p, _, wanted := newTestPage(t, theme.New(theme.Dark, 1), kept)
	// then they are shown as they are
	if len(*wanted) != 0 || !reflect.DeepEqual(p.kept, kept) {
		t.Errorf("showing them wanted %+v", *wanted)
	}
	if p.stopWait.Selected != "1 min 17 s" || p.from.Selected != "22:01" || p.to.Selected != "06:59" {
		t.Errorf("shown: %q, %q to %q", p.stopWait.Selected, p.from.Selected, p.to.Selected)
	}
	if p.topics[0].Checked || !p.topics[1].Checked || p.cut.Checked || !p.awake.Checked {
		t.Error("a field does not show its setting")
	}
}

func TestEachFieldChangesItsSetting(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(*Page)
		want job.Settings
	}{
		{"cut", func(p *Page) { p.cut.SetChecked(false) }, job.Settings{CutForGood: true}},
		{"temporary", func(p *Page) { p.temp.SetChecked(true) }, job.Settings{Temp: true}},
		{
			"names", func(p *Page) { p.names.entry.SetText("{date}/{name}"); p.names.entry.OnSubmitted("") },
			job.Settings{Names: "{date}/{name}"},
		},
		{
			"the usual names again", func(p *Page) {
				for _, typed := range []string{"{name}", job.DefaultNames} {
					p.names.entry.SetText(typed)
					p.names.entry.FocusLost()
				}
			},
			job.Settings{},
		},
		{"awake", func(p *Page) { p.awake.SetChecked(false) }, job.Settings{MaySleep: true}},
		{"unanswered", func(p *Page) { p.unanswered.SetSelectedIndex(3) }, job.Settings{UnansweredAfter: time.Hour}},
		{
			"limit", func(p *Page) { p.limit.SetSelectedIndex(2) },
			job.Settings{Limit: job.Limit{Kind: job.LimitSet, For: time.Hour}},
		},
		{"no limit", func(p *Page) { p.limit.SetSelected("none") }, job.Settings{Limit: job.Limit{Kind: job.LimitOff}}},
		{"stop wait", func(p *Page) { p.stopWait.SetSelectedIndex(2) }, job.Settings{StopWait: 2 * time.Minute}},
		{"a topic", func(p *Page) { p.topics[2].SetChecked(false) }, job.Settings{Notify: job.Notify{Off: []job.Topic{job.TopicLimit}}}},
		{
			"quiet hours", func(p *Page) { p.hush.SetChecked(true) },
			job.Settings{Notify: job.Notify{Quiet: job.Quiet{From: 22 * 60, To: 7 * 60}}},
		},
		{
			"other quiet hours", func(p *Page) { p.hush.SetChecked(true); p.to.SetSelected("08:15") },
			job.Settings{Notify: job.Notify{Quiet: job.Quiet{From: 22 * 60, To: 8*60 + 15}}},
		},
		{"on and off", func(p *Page) { p.hush.SetChecked(true); p.hush.SetChecked(false) }, job.Settings{}},
	} {
		p, _, wanted := newTestPage(t, theme.New(theme.Dark, 1), job.Settings{})
		c.do(p)
		if n := len(*wanted); n == 0 || !reflect.DeepEqual((*wanted)[n-1], c.want) {
			t.Errorf("%s: wanted %+v, want %+v in the end", c.name, *wanted, c.want)
		}
	}
}

func TestNamesAreKeptOnceTheyAreTypedAndWhatIsNoPlaceholderIsSaid(t *testing.T) {
	p, _, wanted := newTestPage(t, theme.New(theme.Dark, 1), job.Settings{Names: "{name}"})
	if p.names.entry.Text != "{name}" {
		t.Fatalf("shown: %q", p.names.entry.Text)
	}
	// When a name is typed, letter by letter
	p.names.entry.SetText("{name}-{sead}")
	// then nothing is kept yet, and the misspelt word is pointed at
	if len(*wanted) != 0 {
		t.Errorf("kept before it was finished: %+v", *wanted)
	}
	if got := p.names.caption.Text(); !strings.Contains(got, "{sead}") {
		t.Errorf("said: %q", got)
	}
	// When it is right and the field is left
	p.names.entry.SetText("{name}-{seed}")
	p.names.entry.FocusLost()
	if n := len(*wanted); n != 1 || (*wanted)[0].Names != "{name}-{seed}" {
		t.Errorf("wanted %+v", *wanted)
	}
	if got := p.names.caption.Text(); strings.Contains(got, "{sead}") {
		t.Errorf("still said: %q", got)
	}
}

func TestStartingWithTheDesktopIsOfferedWhereItCanBe(t *testing.T) {
	p, _, _ := newTestPage(t, theme.New(theme.Dark, 1), job.Settings{})
	var asked []bool
	p.OnAutostart = func(on bool) { asked = append(asked, on) }
	p.ShowAutostart(true)
	if len(asked) != 0 {
		t.Error("showing it asked for it")
	}
	p.autostart.SetChecked(false)
	if len(asked) != 1 || asked[0] {
		t.Errorf("asked %v", asked)
	}
}

func TestThePage(t *testing.T) {
	for name, th := range map[string]fyne.Theme{"page_dark": theme.New(theme.Dark, 1), "page_light_200": theme.New(theme.Light, 2)} {
		t.Run(name, func(t *testing.T) {
			p, win, _ := newTestPage(t, th, job.Settings{Notify: job.Notify{Quiet: job.Quiet{From: 22 * 60, To: 7 * 60}}})
			p.ShowAutostart(false)
			goldentest.Compare(t, name, win.Canvas().Capture())
		})
	}
}
