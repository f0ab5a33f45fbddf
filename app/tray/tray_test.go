package tray

import (
	"net"
	"path/filepath"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
)

// fakeDesktop is a desktop with a tray; it counts how often the menu was made.
type fakeDesktop struct {
	menus int
	menu  *fyne.Menu
	icons int
	gone  bool // the session bus: an icon panics then, as the toolkit's does
}

func (d *fakeDesktop) SetSystemTrayMenu(m *fyne.Menu) { d.menus++; d.menu = m }
func (d *fakeDesktop) SetSystemTrayIcon(fyne.Resource) {
	if d.gone {
		panic("dbus: connection closed by user")
	}
	d.icons++
}
func (d *fakeDesktop) SetSystemTrayWindow(fyne.Window) {}

func TestWithoutABusThereIsNoTray(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	if bus, host := Probe(t.Context()); bus || host {
		t.Errorf("bus %v, host %v without an address", bus, host)
	}
}

// A bus that never greets must not hold up the window.
func TestASilentBusIsGivenUp(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "bus")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+socket)
	start := time.Now()
	if bus, host := Probe(t.Context()); bus || host {
		t.Errorf("bus %v, host %v of a bus that says nothing", bus, host)
	}
	if took := time.Since(start); took > 10*probeTime {
		t.Errorf("it took %v to give up", took)
	}
}

func TestTheMenuSaysWhatIsGoingOn(t *testing.T) {
	var d fakeDesktop
	paused := 0
	test.NewTempApp(t)
	tr := New(&d, nil, func() { paused++ }, func() {}, func() {})
	tr.Set("1 running, 3 waiting", true)
	if got := d.menu.Items[0].Label; got != "1 running, 3 waiting" || !d.menu.Items[0].Disabled {
		t.Errorf("the first line is %q, want the state, not to be clicked", got)
	}
	if tr.pause.Label != "Resume" {
		t.Errorf("a paused queue offers %q", tr.pause.Label)
	}
	tr.pause.Action()
	if paused != 1 {
		t.Error("the menu's item does not pause")
	}
	if last := d.menu.Items[len(d.menu.Items)-1]; !last.IsQuit || last.Action == nil {
		t.Error("the menu has no quit of its own, so the toolkit would add one that skips ours")
	}
}

func TestABusThatClosesEndsTheTrayAndNothingElse(t *testing.T) {
	// given a tray
	test.NewTempApp(t)
	d := &fakeDesktop{}
	tr := New(d, nil, func() {}, func() {}, func() {})
	tr.Icon("idle", nil)
	tr.Icon("idle", nil)
	if d.icons != 1 || tr.Lost() != nil {
		t.Fatalf("%d icons, lost: %v", d.icons, tr.Lost())
	}
	// when the session bus goes away and the state changes
	d.gone = true
	tr.Icon("running", nil)
	// then the tray is known to be lost, and nothing is asked of it any more
	if tr.Lost() == nil {
		t.Error("it is not known that the tray is lost")
	}
	menus := d.menus
	tr.Set("1 running", false)
	tr.Icon("idle", nil)
	if d.menus != menus {
		t.Error("the menu of a lost tray was changed")
	}
}
