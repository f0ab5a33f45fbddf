package app

import (
	"os"
	"runtime"

	"reckoner/app/autostart"
)

// ownEntry gives the entry with which the desktop starts Reckoner; false where there
// is no such way, or where what runs is a demonstration.
func (w *window) ownEntry() (autostart.Entry, bool) {
	if runtime.GOOS != "linux" || w.o.Demo {
		return autostart.Entry{}, false
	}
	config, err := os.UserConfigDir()
	if err != nil {
		return autostart.Entry{}, false
	}
	program, err := os.Executable()
	if err != nil {
		return autostart.Entry{}, false
	}
	return autostart.New(config, ID, program), true
}

// lookForAutostart offers to start with the desktop, where that can be.
func (w *window) lookForAutostart() {
	entry, ok := w.ownEntry()
	if !ok {
		return
	}
	w.goes(func() {
		on, err := entry.On()
		if err != nil {
			w.o.Log.InfoContext(w.ctx, "autostart", "error", err)
			return
		}
		w.do(func() { w.prefs.ShowAutostart(on) })
	})
}

// setAutostart has the desktop start Reckoner, or no longer.
func (w *window) setAutostart(on bool) {
	entry, ok := w.ownEntry()
	if !ok {
		return
	}
	w.goes(func() {
		err := entry.Set(on)
		w.do(func() {
			w.prefs.Say("")
			if err != nil {
				w.prefs.Say("That was not changed. " + err.Error())
				w.prefs.ShowAutostart(!on)
			}
		})
	})
}
