package app

import (
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"

	"reckoner/app/scenetest"
	"reckoner/app/widgets"
	"reckoner/scheduler"
)

// Jobs are not left without a word, and a question is not asked twice.
func TestQuittingWithJobsAsksWhatBecomesOfThem(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	w := open(t, &fakeFarm{snap: scenetest.Story()})
	w.quit()
	said := overlay(w)
	w.quit()
	if n := len(w.win.Canvas().Overlays().List()); n != 1 {
		t.Errorf("%d dialogs are open", n)
	}
	for _, want := range []string{"Leave", "picked up at the next start", "Stop them, then leave", "3 jobs wait", "Stay"} {
		if !strings.Contains(said, want) {
			t.Errorf("the dialog does not say %q:\n%s", want, said)
		}
	}
	if strings.Contains(said, "tray") {
		t.Errorf("the tray is offered where nobody shows it:\n%s", said)
	}
	pressed(t, w, "Stay")
	if !isOpen(w) || overlay(w) != "" {
		t.Error("staying did not bring back the window as it was")
	}
	w.quit()
	pressed(t, w, "Leave")
	if isOpen(w) {
		t.Error("leaving left the window open")
	}
}

func TestStopThenLeaveWaitsForTheProof(t *testing.T) {
	f := &fakeFarm{snap: scenetest.Story()}
	w := open(t, f)
	w.askQuit(false)
	pressed(t, w, "Stop them, then leave")
	if want := []scheduler.Command{scheduler.Leave{On: true}}; !slices.Equal(f.sent, want) {
		t.Fatalf("sent %v, want %v", f.sent, want)
	}
	w.update()
	if !isOpen(w) {
		t.Fatal("the window ended while jobs were still being stopped")
	}
	stopped := scenetest.Story()
	stopped.Running = nil
	f.snap = stopped
	w.update()
	if isOpen(w) {
		t.Error("the window is still there although everything has stopped")
	}
}

func TestStayingAfterAllLetsTheQueueGoOn(t *testing.T) {
	f := &fakeFarm{snap: scenetest.Story()}
	w := open(t, f)
	w.askQuit(false)
	pressed(t, w, "Stop them, then leave")
	pressed(t, w, "Stay")
	if want := []scheduler.Command{scheduler.Leave{On: true}, scheduler.Leave{}}; !slices.Equal(f.sent, want) {
		t.Errorf("sent %v, want %v", f.sent, want)
	}
	f.snap = scenetest.Empty()
	w.update()
	if !isOpen(w) {
		t.Error("the window ended although its user stayed")
	}
}

func TestTheDemoClosesUnasked(t *testing.T) {
	w := open(t, &fakeFarm{snap: scenetest.Story()})
	w.o.Demo = true
	w.closing()
	if isOpen(w) {
		t.Error("the demo's window is still there")
	}
}

func TestWaysToQuit(t *testing.T) {
	waiting := scenetest.Story()
	waiting.Running = nil
	for _, c := range []struct {
		name  string
		snap  *scheduler.Snapshot
		host  bool
		want  string
		means string
	}{
		{"nothing to lose", scenetest.Empty(), true, "", ""},
		{"with a tray", scenetest.Story(), true, "tray leave stop stay", "What runs goes on at attic and gpu-1"},
		{"without one", scenetest.Story(), false, "leave stop stay", "3 jobs wait here for the next start"},
		{"only waiting jobs", waiting, true, "tray leave stay", "3 jobs wait here"},
	} {
		var keys, means []string
		for _, x := range waysToQuit(c.snap, c.host) {
			keys, means = append(keys, x.key), append(means, x.means)
		}
		if got := strings.Join(keys, " "); got != c.want || !strings.Contains(strings.Join(means, "\n"), c.means) {
			t.Errorf("%s: ways %q, which mean %q", c.name, got, means)
		}
	}
}

// pressed presses a button of the dialog on top.
func pressed(t *testing.T, w *window, label string) {
	t.Helper()
	for _, o := range test.LaidOutObjects(container.NewStack(w.win.Canvas().Overlays().Top())) {
		if b, ok := o.(*widgets.Button); ok && b.Text() == label {
			b.Tapped(nil)
			return
		}
	}
	t.Fatalf("no button %q in the dialog:\n%s", label, overlay(w))
}

func isOpen(w *window) bool { return slices.Contains(w.app.Driver().AllWindows(), w.win) }

func TestEscapeStays(t *testing.T) {
	f := &fakeFarm{snap: scenetest.Story()}
	w := open(t, f)
	w.askQuit(false)
	w.win.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if !isOpen(w) || overlay(w) != "" || len(f.sent) != 0 {
		t.Errorf("the window is open: %v, a dialog says %q, sent %v", isOpen(w), overlay(w), f.sent)
	}
	w.showGuide()
	w.win.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if said := overlay(w); said != "" {
		t.Errorf("the guide is still there: %s", said)
	}
}
