package app

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/driver/desktop"

	"reckoner/app/away"
	"reckoner/app/bridge"
	"reckoner/app/history"
	"reckoner/app/machines"
	"reckoner/app/notes"
	"reckoner/app/notify"
	"reckoner/app/queue"
	"reckoner/app/settings"
	"reckoner/app/tray"
	"reckoner/assets"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// What the toolkit's preferences hold: the window's size and whether hiding into
// the tray was explained. Everything else that matters is in the store.
const (
	prefWidth, prefHeight = "window.width", "window.height"
	// The first size fits a small laptop's screen; how large the screen is the
	// toolkit does not say.
	firstWidth, firstHeight = 1200, 700
	prefToldOfTray          = "tray.told"
)

// The pages, as they stand in the bar.
const (
	pageQueue = iota
	pageHistory
	pageNotes
	pageMachines
	pageSettings
)

// window is the one window. But for watch and notify its methods belong to the
// goroutine of the user interface.
type window struct {
	ctx    context.Context //nolint:containedctx // that of the window's life, for work begun by callbacks
	o      Options
	app    fyne.App
	win    fyne.Window
	bridge *bridge.Bridge
	goes   func(func()) // starts a goroutine that Run waits for
	do     func(func()) // gets work onto the goroutine of the user interface
	queue  *queue.Page
	past   *history.Page
	notes  *notes.Page
	farm   *machines.Page
	prefs  *settings.Page
	shell  *shell
	away   *away.Watch
	looks  *looks
	tray   *tray.Tray
	pause  *fyne.MenuItem
	hidden bool
	dialog bool // a dialog is open

	quitting dialog.Dialog // the question about the jobs, while it is open
	probes   atomic.Int64  // of addresses, to let only the newest one go on
	typing   time.Duration // see typingPause
	leaving  bool          // the window ends once nothing runs any more
	stuck    chan string   // why nothing can run any more, for the notifications

	last     act // what can be taken back
	undoItem *fyne.MenuItem
	battery  atomic.Bool // jobs run or wait, and the computer may sleep: it is on battery
}

func newWindow(
	ctx context.Context, a fyne.App, o Options, b *bridge.Bridge, pictures queue.Pictures, goes func(func()),
) *window {
	w := &window{
		ctx: ctx, o: o, app: a, bridge: b, goes: goes, do: onScreen(ctx), typing: typingPause, stuck: make(chan string, 1),
	}
	// The window's class is its first title: that of the desktop entry.
	w.win = a.NewWindow("Reckoner")
	w.win.SetTitle(o.Title)
	w.win.SetMaster()
	w.win.SetPadded(false)
	w.queue = queue.New(o.Words, pictures)
	w.queue.OnCommand, w.queue.OnOpen, w.queue.OnAdd = w.command, w.open, w.choose
	w.queue.OnStop, w.queue.OnCancelAll, w.queue.OnMachineMenu = w.askStop, w.askCancelAll, w.machineMenu
	w.queue.OnMenu = w.jobMenu
	w.queue.OnResults, w.queue.OnActive = w.openResults, w.active
	w.queue.OnAddMachine = w.enterMachine
	w.past = history.New(o.Words, pictures)
	w.past.OnLoad, w.past.OnOpen, w.past.OnExport = w.loadHistory, w.open, w.exportHistory
	w.past.OnUsual, w.past.OnCommand, w.past.OnCorrect = w.loadUsual, o.Farm.Do, w.correctRun
	w.notes = notes.New(o.Words)
	w.notes.OnCommand, w.notes.OnWithdraw, w.notes.NewID = o.Farm.Do, w.askWithdraw, o.NewID
	w.farm = machines.New(o.Words)
	w.farm.OnCommand, w.farm.OnAdd, w.farm.OnRemove = o.Farm.Do, w.addMachine, w.removeMachine
	w.farm.OnProbe, w.farm.OnTest, w.farm.OnLocal = w.probe, w.testSource, w.addLocal
	w.farm.OnCheck, w.farm.OnTrust, w.farm.OnKnown = w.check, w.trustCertificate, w.trustComputer
	w.farm.OnLook = w.lookForOthers
	w.queue.OnLocal = w.addLocal
	w.prefs = settings.New(o.Words)
	w.prefs.OnChange = func(s job.Settings) { o.Farm.Do(scheduler.Configure{Settings: s}) }
	w.prefs.OnAutostart = w.setAutostart
	w.shell = newShell(o.Words,
		page{title: "Queue", content: w.queue, apply: w.queue.Apply},
		page{title: "History", content: w.past, apply: w.past.Apply, count: history.Proposed},
		page{title: "Notes", content: w.notes, apply: w.notes.Apply, count: notes.Open},
		page{title: "Machines", content: w.farm, apply: w.farm.Apply},
		page{title: "Settings", content: w.prefs, apply: w.prefs.Apply})
	w.shell.onAdd, w.shell.onPause, w.shell.onResults = w.choose, w.togglePause, w.openResults
	w.shell.onShown, w.shell.onActive = b.Changed, w.active
	w.win.SetContent(w.shell)
	w.win.SetMainMenu(w.menu())
	w.win.SetOnDropped(w.dropped)
	w.win.SetCloseIntercept(w.closing)
	w.win.Resize(fyne.NewSize(
		float32(a.Preferences().FloatWithFallback(prefWidth, firstWidth)),
		float32(a.Preferences().FloatWithFallback(prefHeight, firstHeight))))
	w.away = away.New(o.Farm.Snapshot().At.Wall)
	w.update()
	w.win.Canvas().Focus(w.queue.Focusable())
	return w
}

// update shows the newest snapshot.
func (w *window) update() {
	s := w.o.Farm.Snapshot()
	if s == nil {
		return
	}
	w.shell.battery = w.battery.Load()
	w.offerUndo(time.Now())
	w.shell.apply(s)
	pause := "Pause"
	if s.Paused {
		pause = "Resume"
	}
	if w.pause.Label != pause {
		w.pause.Label = pause
		w.win.MainMenu().Refresh()
	}
	w.updateTray(s)
	w.leaveWhenStopped(s)
}

func (w *window) updateTray(s *scheduler.Snapshot) {
	if w.tray == nil {
		return
	}
	w.tray.Set(strings.Join(queue.Counts(s), ", "), s.Paused)
	name, icon := "idle", assets.TrayIdle
	switch {
	case len(s.NeedsYou)+len(s.Questions) > 0:
		name, icon = "attention", assets.TrayAttention
	case s.Paused:
		name, icon = "paused", assets.TrayPaused
	case len(s.Running) > 0:
		name, icon = "running", assets.TrayRunning
	}
	w.tray.Icon(name, icon)
	if err := w.tray.Lost(); err != nil {
		w.o.Log.Warn("the session bus has gone, and the tray with it", "err", err)
		w.tray = nil
		if w.hidden { // there is no other way back to it
			w.show()
		}
	}
}

// setUpTray puts the icon into the tray. It has to be called before the
// toolkit's loop runs, which starts the tray once, and only where the session
// bus answers.
func (w *window) setUpTray() {
	d, ok := w.app.(desktop.App)
	if !ok {
		return
	}
	w.tray = tray.New(d, fyne.NewStaticResource("tray-idle.png", assets.TrayIdle), w.togglePause, w.show, w.quit)
	w.update()
}

// watch brings the window to the front when it is asked for, and closes it when
// outside ends. It returns with ctx, which
// ends with the window and with outside.
func (w *window) watch(ctx, outside context.Context) {
	for {
		select {
		case <-ctx.Done():
			if outside.Err() != nil {
				fyne.Do(w.win.Close) // not through do, which is over with ctx
			}
			return
		case <-w.o.Show:
			w.do(w.show)
		}
	}
}

// notify tells the desktop what happens.
func (w *window) notify(ctx context.Context, f Follower, to *notify.Bus) {
	defer f.Close()
	defer func() {
		if err := to.Close(); err != nil {
			w.o.Log.DebugContext(ctx, "notifications", "error", err)
		}
	}()
	if !tray.Addressed() {
		w.o.Log.InfoContext(ctx, "no notifications: no session bus")
		return
	}
	notify.Run(ctx, w.o.Log, notify.News{Events: f, Stuck: w.stuck, Wanted: w.toTell, Words: w.o.Words}, to)
}

// chosen carries out what was chosen on a notification.
func (w *window) chosen(c notify.Chosen) {
	if c.Question != "" {
		w.o.Farm.Do(scheduler.Reply{Question: c.Question, Answer: c.Answer})
		w.bridge.Changed()
		return
	}
	w.show()
	w.shell.show(pageQueue)
	if c.Job != "" {
		w.queue.Select(c.Job)
	}
}

// toTell is what the desktop may be told of.
func (w *window) toTell() job.Notify {
	if s := w.o.Farm.Snapshot(); s != nil {
		return s.Settings.Notify
	}
	return job.Notify{}
}

// active notes that somebody is there, and tells what happened when nobody was
// for long.
func (w *window) active() {
	s := w.o.Farm.Snapshot()
	if s == nil {
		return
	}
	if r := w.away.Here(s); r != nil {
		w.queue.ShowSince(r)
	}
}

// samplePeriod is how often, in real time, it is looked what the machines do, for
// the report of an absence. It goes on while the window is hidden and costs no
// drawing.
const samplePeriod = 2 * time.Second

// remember gathers what the report of an absence tells, and notices when nothing
// can run any more, until ctx ends.
func (w *window) remember(ctx context.Context) {
	tick := time.NewTicker(samplePeriod)
	defer tick.Stop()
	var still notify.Standstill
	power := w.newPower()
	defer power.end(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if s := w.o.Farm.Snapshot(); s != nil {
				w.away.Sample(s)
				power.look(ctx, s)
				if why, stuck := still.See(s, w.o.Words); stuck {
					select {
					case w.stuck <- why:
					default: // nobody tells it, as without a session bus
					}
				}
			}
		}
	}
}

// hear hands events to the report of an absence, until ctx or the events end.
func (w *window) hear(ctx context.Context, f Follower) {
	defer f.Close()
	for {
		e, err := f.Next(ctx)
		if err != nil {
			return
		}
		w.away.Event(e)
	}
}

func (w *window) togglePause() {
	if s := w.o.Farm.Snapshot(); s != nil {
		w.o.Farm.Do(scheduler.Pause{On: !s.Paused})
	}
}

// closing hides the window into the tray where somebody shows it, and otherwise
// quits: a window never vanishes. That of a demonstration just closes.
func (w *window) closing() {
	if w.o.Demo {
		w.end()
		return
	}
	w.goes(func() {
		_, host := tray.Probe(w.ctx)
		w.do(func() {
			if !host || w.tray == nil {
				w.askQuit(false)
				return
			}
			if w.app.Preferences().Bool(prefToldOfTray) {
				w.hide()
				return
			}
			w.app.Preferences().SetBool(prefToldOfTray, true)
			w.tell("Reckoner goes on", "The window hides in the tray, and your jobs go on. Quit is in the tray's menu.",
				w.hide)
		})
	})
}

func (w *window) hide() {
	w.hidden = true
	w.bridge.Hide()
	w.win.Hide()
}

func (w *window) show() {
	w.hidden = false
	w.win.Show()
	w.win.RequestFocus()
	w.bridge.Show()
	w.active()
}
