// Package tray is the icon in the desktop's tray: the state and the count of
// jobs, pause, show, quit.
//
// It owns when there may be one: only where the session bus answers, because the
// toolkit's tray must not be set up without it, and a window hides into it only
// where somebody shows such icons. It must never quit the application by
// itself.
package tray

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"github.com/godbus/dbus/v5"
)

// Probe asks the session bus: whether it answers, and whether anybody shows
// tray icons. It takes some milliseconds, at most two seconds. Without an
// address of the bus it is not asked, because the client would start one.
func Probe(ctx context.Context) (bus, host bool) {
	if !Addressed() {
		return false, false
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	type answer struct{ bus, host bool }
	got := make(chan answer, 1)
	go func() { // the client's greeting of the bus knows no deadline
		bus, host := ask(ctx)
		got <- answer{bus, host}
	}()
	select {
	case a := <-got:
		return a.bus, a.host
	case <-ctx.Done():
		return false, false
	}
}

const probeTime = 2 * time.Second

func ask(ctx context.Context) (bus, host bool) {
	conn, err := dbus.ConnectSessionBus(dbus.WithContext(ctx))
	if err != nil {
		return false, false
	}
	defer conn.Close()
	err = conn.BusObject().
		CallWithContext(ctx, "org.freedesktop.DBus.NameHasOwner", 0, "org.kde.StatusNotifierWatcher").
		Store(&host)
	return err == nil, err == nil && host
}

// Addressed tells whether the session bus has an address, so that it can be asked
// at all.
func Addressed() bool {
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
	desktop      desktop.App
	menu         *fyne.Menu
	state, pause *fyne.MenuItem
	icon         string
	lost         error
}

// New sets up the icon and its menu.
func New(d desktop.App, icon fyne.Resource, onPause, onShow, onQuit func()) *Tray {
	t := &Tray{desktop: d, state: fyne.NewMenuItem("Reckoner", nil), pause: fyne.NewMenuItem("Pause", onPause)}
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

// Lost says why there is no tray any more: the session bus has gone, and the
// toolkit does not come back to it. It is nil while the tray is there.
func (t *Tray) Lost() error { return t.lost }

// Icon shows an icon, named so that the same is not sent again.
func (t *Tray) Icon(name string, icon []byte) {
	if t.lost != nil || t.icon == name {
		return
	}
	t.icon = name
	defer t.guard()
	t.desktop.SetSystemTrayIcon(fyne.NewStaticResource("tray-"+name+".png", icon))
}

// guard takes the toolkit's panic about a session bus that closed for what it is:
// the end of the tray, not of the program.
func (t *Tray) guard() {
	if r := recover(); r != nil {
		t.lost = fmt.Errorf("the tray: %v", r)
	}
}

// Set changes what the menu says. The whole menu is made again for that, so
// nothing is done when nothing changed.
func (t *Tray) Set(state string, paused bool) {
	if t.lost != nil {
		return
	}
	defer t.guard()
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
