// Package tray is the icon in the desktop's tray: the state and the count of
// jobs, pause, show, quit.
//
// It owns when there may be one: only where the session bus answers, because the
// toolkit's tray must not be set up without it, and a window hides into it only
// where somebody shows such icons. It must never quit the application by
// itself.
package tray

import (
	"os"
	"path/filepath"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"github.com/godbus/dbus/v5"
)

// Probe asks the session bus: whether it answers, and whether anybody shows
// tray icons. It takes some milliseconds and is not for the goroutine of the
// user interface. Without an address of the bus it is not asked, because the
// client would start one.
func Probe() (bus, host bool) {
	if !addressed() {
		return false, false
	}
	conn, err := dbus.ConnectSessionBus()
	if err != nil {
		return false, false
	}
	defer conn.Close() //nolint:errcheck // nothing is left to lose
	err = conn.BusObject().Call("org.freedesktop.DBus.NameHasOwner", 0, "org.kde.StatusNotifierWatcher").Store(&host)
	return err == nil, err == nil && host
}

func addressed() bool {
	if os.Getenv("DBUS_SESSION_BUS_ADDRESS") != "" {
		return true
	}
	dir := os.Getenv("XDG_RUNTIME_DIR")
	if dir == "" {
		return false
	}
	_, err := os.Stat(filepath.Join(dir, "bus"))
	return err == nil
}

// Tray is the icon's menu. Its methods and callbacks belong to the goroutine of
// the user interface.
type Tray struct {
	menu         *fyne.Menu
	state, pause *fyne.MenuItem
}

// New sets up the icon and its menu.
func New(d desktop.App, icon fyne.Resource, onPause, onShow, onQuit func()) *Tray {
	t := &Tray{state: fyne.NewMenuItem("Reckoner", nil), pause: fyne.NewMenuItem("Pause", onPause)}
	t.state.Disabled = true
	quit := fyne.NewMenuItem("Quit", onQuit)
	quit.IsQuit = true
	t.menu = fyne.NewMenu("Reckoner", t.state, fyne.NewMenuItemSeparator(), t.pause,
		fyne.NewMenuItem("Show", onShow), fyne.NewMenuItemSeparator(), quit)
	d.SetSystemTrayMenu(t.menu)
	if icon != nil {
		d.SetSystemTrayIcon(icon)
	}
	return t
}

// Set changes what the menu says. The whole menu is made again for that, so
// nothing is done when nothing changed.
func (t *Tray) Set(state string, paused bool) {
	pause := "Pause"
	if paused {
		pause = "Resume"
	}
	if t.state.Label == state && t.pause.Label == pause {
		return
	}
	t.state.Label, t.pause.Label = state, pause
	t.menu.Refresh()
}
