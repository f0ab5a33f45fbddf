package app

import (
	"slices"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"

	"reckoner/app/tray"
	"reckoner/app/widgets"
	"reckoner/scheduler"
)

// A way is one answer to what becomes of the jobs when the user quits.
type way struct {
	key, label, means string
}

// The ways to quit.
const (
	wayTray  = "tray"
	wayLeave = "leave"
	wayStop  = "stop"
	wayHand  = "hand over"
	wayStay  = "stay"
)

// waysToQuit gives the ways that there are, the mildest first. It is empty when
// nothing runs or waits, so that nothing needs to be asked.
func waysToQuit(s *scheduler.Snapshot, trayHost bool) []way {
	running, waiting := len(s.Running), len(s.Waiting)
	if running+waiting == 0 {
		return nil
	}
	var ways []way
	if trayHost {
		ways = append(ways, way{wayTray, "Keep in the tray", "The window hides; your jobs go on."})
	}
	var leave []string
	if running > 0 {
		leave = append(leave, "What runs goes on at "+places(s)+" and is picked up at the next start.")
	}
	if waiting > 0 {
		leave = append(leave, jobsWait(waiting)+" here for the next start.")
	}
	ways = append(ways, way{wayLeave, "Leave", strings.Join(leave, " ")})
	if running > 0 {
		means := "Told to stop, " + number(running, "job ends", "jobs end") +
			" as cancelled. Reckoner leaves once that is certain."
		if waiting > 0 {
			means += " " + jobsWait(waiting) + " for the next start."
		}
		label := "Stop it, then leave"
		if running > 1 {
			label = "Stop them, then leave"
		}
		ways = append(ways, way{wayStop, label, means})
	}
	if mayHandOver(s) {
		ways = append(ways, way{wayHand, "Hand over, then leave", "Waiting jobs that can go run from the queues of their " +
			"servers while Reckoner is away; the next start picks them up."})
	}
	return append(ways, way{wayStay, "Stay", ""})
}

func jobsWait(n int) string { return number(n, "job waits", "jobs wait") }

func number(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// places names the machines on which jobs run.
func places(s *scheduler.Snapshot) string {
	var names []string
	for i := range s.Running {
		if n := s.Running[i].MachineName; n != "" && !strings.Contains(strings.Join(names, "\n")+"\n", n+"\n") {
			names = append(names, n)
		}
	}
	switch len(names) {
	case 0:
		return "its server"
	case 1:
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// quit ends the window, after asking what becomes of the jobs when there are
// any. A demonstration has none to lose.
func (w *window) quit() {
	if w.o.Demo {
		w.end()
		return
	}
	w.goes(func() {
		_, host := tray.Probe(w.ctx)
		w.do(func() { w.askQuit(host && w.tray != nil) })
	})
}

func (w *window) askQuit(trayHost bool) {
	s := w.o.Farm.Snapshot()
	if s == nil {
		w.end()
		return
	}
	ways := waysToQuit(s, trayHost)
	if len(ways) == 0 {
		w.end()
		return
	}
	if w.quitting != nil {
		return // asked already
	}
	if w.hidden {
		w.show()
	}
	w.ask("Quit Reckoner?", ways, func(key string) {
		switch key {
		case wayTray:
			w.hide()
		case wayLeave:
			w.end()
		case wayStop:
			w.stopAndLeave()
		case wayHand:
			w.handOver(0, w.end)
		}
	})
}

// ask shows ways to go on, each with what it means.
func (w *window) ask(title string, ways []way, then func(key string)) {
	w.askWith(title, nil, ways, then)
}

// askWith does so below what is to be said first.
func (w *window) askWith(title string, lines []fyne.CanvasObject, ways []way, then func(key string)) {
	const wide = 470
	column := widgets.NewColumn(5)
	objects := slices.Clone(lines)
	if len(lines) > 0 {
		objects = append(objects, widgets.NewGap(6))
	}
	var first fyne.Focusable
	for i, x := range ways {
		b := widgets.NewButton(x.label, func() {
			w.quitting.Hide()
			then(x.key)
		})
		b.Primary = i == 0
		b.OnEscape = func() { // the last way is to stay
			w.quitting.Hide()
			then(ways[len(ways)-1].key)
		}
		if first == nil {
			first = b
		}
		objects = append(objects, container.NewHBox(b))
		if x.means != "" {
			objects = append(objects, widgets.NewParagraph(widgets.Muted(x.means)))
		}
		objects = append(objects, widgets.NewGap(6))
	}
	column.SetObjects(objects...)
	w.quitting = dialog.NewCustomWithoutButtons(title,
		container.NewGridWrap(fyne.NewSize(wide, column.HeightFor(wide)), column), w.win)
	w.quitting.SetOnClosed(func() { w.quitting = nil })
	w.quitting.Show()
	w.win.Canvas().Focus(first)
}

// stopAndLeave has every run stopped and ends the window once they are known to
// have ended; until then the user may leave at once, or stay after all.
func (w *window) stopAndLeave() {
	w.o.Farm.Do(scheduler.Leave{On: true})
	w.leaving = true
	w.ask("Stopping", []way{
		{wayLeave, "Leave now", "Do not wait until it is certain that everything has stopped. The next start looks."},
		{wayStay, "Stay", "What was told to stop stays so; the queue goes on."},
	}, func(key string) {
		w.leaving = false
		if key == wayLeave {
			w.end()
			return
		}
		w.o.Farm.Do(scheduler.Leave{On: false})
	})
}

// leaveWhenStopped ends the window once nothing runs any more, if that is what it
// waits for.
func (w *window) leaveWhenStopped(s *scheduler.Snapshot) {
	if w.leaving && len(s.Running) == 0 {
		w.leaving = false
		w.end()
	}
}

// end ends the window, and with it Run. Closing the master window is the one way
// out that works everywhere.
func (w *window) end() {
	if size := w.win.Canvas().Size(); size.Width > 0 {
		w.app.Preferences().SetFloat(prefWidth, float64(size.Width))
		w.app.Preferences().SetFloat(prefHeight, float64(size.Height))
	}
	w.win.Close()
}
