package app

import (
	"image"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"reckoner/app/goldentest"
	"reckoner/app/history"
	"reckoner/app/machines"
	"reckoner/app/notes"
	"reckoner/app/queue"
	"reckoner/app/scenetest"
	"reckoner/app/settings"
	"reckoner/app/theme"
	"reckoner/assets"
	"reckoner/assets/text"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// noPictures is a cache of pictures in which none is ready.
type noPictures struct{}

func (noPictures) Get(job.Picture, int, int) (image.Image, *job.Error) { return nil, nil }

// capture shows a snapshot in a window of a size and takes its picture.
func capture(t *testing.T, th fyne.Theme, s *scheduler.Snapshot, size fyne.Size) image.Image {
	t.Helper()
	a := test.NewTempApp(t)
	a.Settings().SetTheme(th)
	sh := newTestShell()
	w := test.NewTempWindow(t, sh)
	w.SetPadded(false)
	w.Resize(size)
	sh.apply(s)
	return w.Canvas().Capture()
}

// Turning from dark to light leaves nothing dark behind.
func TestTheThemeMayChangeWhileTheWindowIsOpen(t *testing.T) {
	a := test.NewTempApp(t)
	a.Settings().SetTheme(theme.New(theme.Dark, 1))
	sh := newTestShell()
	win := test.NewTempWindow(t, sh)
	win.SetPadded(false)
	win.Resize(fyne.NewSize(1280, 820))
	sh.apply(scenetest.Story())
	win.Canvas().Capture()
	test.ApplyTheme(t, theme.New(theme.Light, 1))
	goldentest.Compare(t, "window_light", win.Canvas().Capture())
}

func newTestShell() *shell {
	p, past, farm := queue.New(text.English, noPictures{}), history.New(text.English, noPictures{}), machines.New(text.English)
	prefs, claims := settings.New(text.English), notes.New(text.English)
	return newShell(text.English, page{title: "Queue", content: p, apply: p.Apply},
		page{title: "History", content: past, apply: past.Apply},
		page{title: "Notes", content: claims, apply: claims.Apply, count: notes.Open},
		page{title: "Machines", content: farm, apply: farm.Apply},
		page{title: "Settings", content: prefs, apply: prefs.Apply})
}

func TestTheWindowLooksLikeItsReference(t *testing.T) {
	for _, c := range []struct {
		name  string
		theme fyne.Theme
		scene *scheduler.Snapshot
		w, h  float32
	}{
		{"window_dark", theme.New(theme.Dark, 1), scenetest.Story(), 1280, 820},
		{"window_light", theme.New(theme.Light, 1), scenetest.Story(), 1280, 820},
		{"window_text_200", theme.New(theme.Dark, 2), scenetest.Story(), 1600, 1000},
		{"window_empty", theme.New(theme.Dark, 1), scenetest.Empty(), 1000, 640},
		{"window_asked", theme.New(theme.Dark, 1), scenetest.Asked(), 1280, 820},
		{"window_asked_200", theme.New(theme.Light, 2), scenetest.Asked(), 1280, 1000},
	} {
		t.Run(c.name, func(t *testing.T) {
			goldentest.Compare(t, c.name, capture(t, c.theme, c.scene, fyne.NewSize(c.w, c.h)))
		})
	}
}

func TestTheQuestionOnQuitting(t *testing.T) {
	w := open(t, &fakeFarm{snap: scenetest.Story()})
	w.win.Resize(fyne.NewSize(1000, 640))
	w.askQuit(true)
	goldentest.Compare(t, "quit", w.win.Canvas().Capture())
}

func TestBatchesOpenAndSayHowTheyStand(t *testing.T) {
	w := open(t, &fakeFarm{snap: scenetest.Batches()})
	w.win.Resize(fyne.NewSize(1280, 1000))
	w.queue.Select("waiting:batch-fog:0")
	w.queue.Focusable().TypedKey(&fyne.KeyEvent{Name: fyne.KeyRight})
	goldentest.Compare(t, "batches", w.win.Canvas().Capture())
}

func TestWhatHappenedSinceTheUserLeft(t *testing.T) {
	f := &fakeFarm{snap: scenetest.Story()}
	w := open(t, f)
	why := job.Errorf(job.ErrOutOfMemory, job.Args{Node: "8", Class: "VAEDecode", Server: "gpu-1"}, nil)
	for i := range 7 {
		id := job.ID(rune('a' + i))
		w.away.Event(job.Event{Kind: job.EventRunEnded, Run: &job.Run{Job: id}, Server: &job.Server{Machine: scenetest.GPU1}})
		w.away.Event(job.Event{Kind: job.EventJobEnded, Job: &job.Job{ID: id, Outcome: job.JobFailed, Why: why}})
		w.away.Event(job.Event{Kind: job.EventJobEnded, Job: &job.Job{ID: "done-" + id, Outcome: job.JobDone}})
	}
	w.away.Event(job.Event{
		At: job.Instant{Wall: scenetest.Now().Add(time.Hour)}, Kind: job.EventDecided, By: "default",
		Question: &scenetest.Asked().Questions[0], Answer: job.OutOfUse,
	})
	for m := range 8*6 + 1 {
		s := scenetest.Story()
		s.At.Wall = s.At.Wall.Add(time.Duration(m) * 10 * time.Minute)
		f.snap = s
		w.away.Sample(s)
	}
	w.hidden = true
	w.show()
	w.update()
	w.win.Resize(fyne.NewSize(1280, 1000))
	goldentest.Compare(t, "since", w.win.Canvas().Capture())
}

// Larger text needs more room everywhere: after the change the window is as if it
// had been opened with it.
func TestTheTextMayGrowWhileTheWindowIsOpen(t *testing.T) {
	w := open(t, &fakeFarm{snap: scenetest.Story()})
	w.app.Preferences().SetString(prefTheme, "dark")
	w.win.Resize(fyne.NewSize(1600, 1000))
	w.win.Canvas().Capture()
	w.resizeText(1)
	w.resizeText(1)
	w.resizeText(1)
	if got := lookOf(w.app.Preferences()); got != (look{"dark", 200}) {
		t.Errorf("the next start would have %+v", got)
	}
	w.win.Canvas().Focus(nil)
	goldentest.Compare(t, "window_text_200", w.win.Canvas().Capture())
}

func TestTheGuideIsInTheWindow(t *testing.T) {
	w := open(t, &fakeFarm{snap: scenetest.Story()})
	w.win.Resize(fyne.NewSize(1280, 820))
	w.showChapters("User guide", []assets.Chapter{
		{Title: "First steps", Text: "**Add a machine.** On the page *Machines*, type `http://gpu-1:8188`.\n\n" +
			strings.Repeat("What is there is said at once. ", 12) + "\n\n- one key\n- another key"},
		{Title: "A chapter with a longer name", Text: "It is not shown yet."},
	})
	goldentest.Compare(t, "guide", w.win.Canvas().Capture())
}
