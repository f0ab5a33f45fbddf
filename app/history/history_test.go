package history

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"image"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"reckoner/app/goldentest"
	"reckoner/app/scenetest"
	"reckoner/app/theme"
	"reckoner/app/widgets"
	"reckoner/assets/text"
	"reckoner/scheduler/job"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC
	os.Exit(m.Run())
}

const w = text.English

type noPictures struct{}

func (noPictures) Get(job.Picture, int, int) (image.Image, *job.Error) { return nil, nil }

// past makes n ended runs, newest first, one every six hours: most of one kind on
// attic, every fifth of another kind on gpu-1, every seventh shared.
func past(n int) []job.HistoryRow {
	rows := make([]job.HistoryRow, n)
	for i := range rows {
		seconds := 280 + float64((i*37)%23)
		if i < n/3 {
			seconds -= 60 // since an update
		}
		h := job.HistoryRow{
			Job: job.Job{Name: fmt.Sprintf("beach-%03d", i), Type: job.Type{
				Key: "video", Task: job.TaskImageToVideo, Cost: job.Cost{Width: 640, Height: 640, Frames: 161, Steps: 20},
			}},
			Run: job.Run{
				ID: job.ID(fmt.Sprintf("run-%05d", n-i)), TypeKey: "video", GPU: "4090", Server: "server-attic", URL: "http://attic:8188",
				Ended: scenetest.Now().Add(-time.Duration(i) * 6 * time.Hour), Outcome: job.RunSucceeded,
				Seconds: job.Known(seconds), Label: job.Clean,
				Outputs: []job.Output{{File: fmt.Sprintf("/results/beach_%05d_.png", i)}},
			},
		}
		if i%7 == 3 {
			h.Run.Label, h.Run.Seconds = job.Shared, job.Known(seconds*2.1)
		}
		if i%5 == 4 {
			h.Job.Name = fmt.Sprintf("logo-%03d", i)
			h.Job.Type = job.Type{Key: "image", Task: job.TaskTextToImage, Cost: job.Cost{Width: 1024, Height: 1024, Steps: 20}}
			h.Run.TypeKey, h.Run.GPU, h.Run.Server, h.Run.URL = "image", "5060", "gone", "http://gpu-1:8188"
			h.Run.Outcome, h.Run.Outputs = job.RunFailed, nil
		}
		rows[i] = h
	}
	return rows
}

func TestRunsAreChosen(t *testing.T) {
	rows := past(20)
	on := func(h job.HistoryRow) string { return machineOf(scenetest.Story(), h) }
	for _, c := range []struct {
		name   string
		filter Filter
		want   int
		first  string
	}{
		{"all", Filter{}, 20, "beach-000"},
		{"words in any order and case", Filter{Text: "VIDEO beach"}, 16, "beach-000"},
		{"a file", Filter{Text: "beach_00007_"}, 1, "beach-007"},
		{"nothing", Filter{Text: "no such word"}, 0, ""},
		{"a kind", Filter{TypeKey: "image"}, 4, "logo-004"},
		{"a machine that is there", Filter{Machine: "attic"}, 16, "beach-000"},
		{"a machine that is gone, by its host", Filter{Machine: "gpu-1"}, 4, "logo-004"},
		{"an outcome", Filter{Outcome: job.RunFailed}, 4, "logo-004"},
		{"a day", Filter{Since: scenetest.Now().Add(-24 * time.Hour)}, 5, "beach-000"},
		{"the longest first", Filter{Order: LongestFirst}, 20, "beach-017"},
		{"by name", Filter{Order: ByName, Outcome: job.RunFailed}, 4, "logo-004"},
	} {
		got := c.filter.choose(rows, on, w)
		first := ""
		if len(got) > 0 {
			first = rows[got[0]].Job.Name
		}
		if len(got) != c.want || first != c.first {
			t.Errorf("%s: %d runs, the first is %q; want %d and %q", c.name, len(got), first, c.want, c.first)
		}
	}
}

func TestKindsThatReadAlikeAreToldApart(t *testing.T) {
	rows := past(10)
	for i := range 4 {
		rows[i].Run.TypeKey = "video-2"
	}
	var names []string
	for _, k := range kinds(rows, w) {
		names = append(names, fmt.Sprintf("%s|%s|%d", k.key, k.name, k.runs))
	}
	if len(names) != 3 || !strings.Contains(names[1], "(2)") || strings.Contains(names[0], "(2)") {
		t.Errorf("the kinds are %q", names)
	}
}

func TestDurationsOverTime(t *testing.T) {
	rows := past(60)
	rows = slices.DeleteFunc(rows, func(h job.HistoryRow) bool { return h.Run.TypeKey != "video" })
	c, ok := Plot(rows, w)
	if !ok || len(c.Points) != len(rows) {
		t.Fatalf("%d points of %d runs", len(c.Points), len(rows))
	}
	for i := 1; i < len(c.Points); i++ {
		if c.Points[i].At < c.Points[i-1].At {
			t.Fatal("the points are not in the order of time")
		}
	}
	if first, last := c.Points[0].At, c.Points[len(c.Points)-1].At; first != 0 || last != 1 {
		t.Errorf("they reach from %v to %v, want the whole width", first, last)
	}
	// The usual time rests on clean runs alone: no shared run moves it.
	for _, u := range c.Usual {
		if u.Seconds < 220 || u.Seconds > 303 {
			t.Errorf("the usual time is %v s at %v, outside of all clean runs", u.Seconds, u.At)
		}
	}
	if shared := slices.IndexFunc(c.Points, func(p widgets.ChartPoint) bool { return p.Kind == widgets.DotShared }); shared < 0 {
		t.Error("no run is shown as shared")
	}
	if _, ok := Plot(rows[:2], w); ok {
		t.Error("two runs make a picture")
	}
}

func TestTheTableIsReadable(t *testing.T) {
	var b bytes.Buffer
	table, err := NewTable(&b)
	if err != nil {
		t.Fatal(err)
	}
	h := past(1)[0]
	h.Job.Name = `=cmd|' /C calc'!A0`
	unknown := past(1)[0]
	unknown.Run.Seconds, unknown.Job.Type.Cost = job.Maybe[float64]{}, job.Cost{}
	for _, row := range []job.HistoryRow{h, unknown} {
		if err := table.Add(row, "attic, upstairs"); err != nil {
			t.Fatal(err)
		}
	}
	if err := table.Close(); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(lines) != 3 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	if got := lines[1]; got[0] != "2026-05-08T21:14:08Z" || got[1] != `'=cmd|' /C calc'!A0` || got[7] != "attic, upstairs" || got[10] != "280.000" {
		t.Errorf("the first run is %q", got)
	}
	if got := lines[2]; got[10] != "" || got[3] != "" {
		t.Errorf("what is not known is written as %q and %q, want nothing", got[10], got[3])
	}
}

// newTestPage shows past runs in a window. What is asked for is answered from
// rows, page by page.
func newTestPage(t *testing.T, th fyne.Theme, rows []job.HistoryRow) (*Page, fyne.Window, *int) {
	t.Helper()
	test.NewTempApp(t).Settings().SetTheme(th)
	p := New(w, noPictures{})
	p.now = scenetest.Now
	asked := 0
	p.OnLoad = func(q job.HistoryQuery) {
		asked++
		from := 0
		if !q.Before.IsZero() {
			from = slices.IndexFunc(rows, func(h job.HistoryRow) bool { return h.Run.ID == q.BeforeRun }) + 1
		}
		p.Loaded(q, slices.Clone(rows[from:min(len(rows), from+q.Limit)]), "")
	}
	win := test.NewTempWindow(t, p)
	win.SetPadded(false)
	win.Resize(fyne.NewSize(1280, 760))
	p.Apply(scenetest.Story())
	return p, win, &asked
}

func TestASearchGoesOnToOlderRuns(t *testing.T) {
	p, _, asked := newTestPage(t, theme.New(theme.Dark, 1), past(3000))
	if len(p.rows) != pageRows || *asked != 1 {
		t.Fatalf("%d rows were read with %d questions", len(p.rows), *asked)
	}
	p.head.search.SetText("logo-2904")
	if len(p.chosen) != 1 || p.rows[p.chosen[0]].Job.Name != "logo-2904" {
		t.Errorf("%d runs were found among %d", len(p.chosen), len(p.rows))
	}
	if got, want := p.hint.Text(), "1 of all 3000 runs"; got != want {
		t.Errorf("the page says %q, want %q", got, want)
	}
}

func TestASearchForWhatIsNotThereEnds(t *testing.T) {
	p, _, asked := newTestPage(t, theme.New(theme.Dark, 1), past(20_000))
	p.head.search.SetText("nothing is called so")
	if len(p.rows) < mostSearched || len(p.rows) > mostSearched+searchRows || *asked > 8 {
		t.Errorf("%d rows were read with %d questions", len(p.rows), *asked)
	}
	if !p.head.more.Visible() {
		t.Error("the user cannot let it go on")
	}
	p.head.search.SetText("")
	p.head.day.SetSelectedIndex(1)
	before := *asked
	p.head.search.SetText("x")
	if *asked != before {
		t.Error("it looks for runs of today among those of last year")
	}
}

func TestThePage(t *testing.T) {
	for _, c := range []struct {
		name  string
		theme fyne.Theme
		do    func(p *Page)
	}{
		{"list_dark", theme.New(theme.Dark, 1), func(*Page) {}},
		{"chart_dark", theme.New(theme.Dark, 1), func(p *Page) { p.head.kind.SetSelectedIndex(1) }},
		{"chart_light", theme.New(theme.Light, 1), func(p *Page) { p.head.kind.SetSelectedIndex(1) }},
		{"pictures_dark", theme.New(theme.Dark, 1), func(p *Page) { p.head.turn() }},
		{"chart_200", theme.New(theme.Dark, 2), func(p *Page) { p.head.kind.SetSelectedIndex(1) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, win, _ := newTestPage(t, c.theme, past(90))
			c.do(p)
			goldentest.Compare(t, c.name, win.Canvas().Capture())
		})
	}
}

func TestTheListIsJSON(t *testing.T) {
	for _, rows := range [][]job.HistoryRow{nil, past(3)} {
		var b strings.Builder
		l := NewList(&b)
		for _, h := range rows {
			if err := l.Add(h, "gpu-1"); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		var got []listed
		if err := json.Unmarshal([]byte(b.String()), &got); err != nil || len(got) != len(rows) {
			t.Fatalf("%d runs, %v:\n%s", len(got), err, b.String())
		}
		for i, h := range rows {
			if got[i].Machine != "gpu-1" || got[i].Job != h.Job.Name || got[i].Run.ID != h.Run.ID || got[i].Run.Seconds != h.Run.Seconds {
				t.Errorf("%+v", got[i])
			}
		}
	}
}
