package app

import (
	"image"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"reckoner/app/goldentest"
	"reckoner/app/history"
	"reckoner/app/machines"
	"reckoner/app/queue"
	"reckoner/app/scenetest"
	"reckoner/app/theme"
	"reckoner/assets/text"
	"reckoner/scheduler"
)

// noPictures is a cache of pictures in which none is ready.
type noPictures struct{}

func (noPictures) Get(string, int, int) image.Image { return nil }

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
	p, past, farm := queue.New(text.English, noPictures{}), history.New(text.English), machines.New(text.English)
	return newShell(text.English, page{"Queue", p, p.Apply}, page{"History", past, past.Apply},
		page{"Machines", farm, farm.Apply})
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
