package awake

import (
	"testing"

	"github.com/godbus/dbus/v5"

	"reckoner/app/bustest"
)

// manager is a desktop's session manager.
type manager struct{ calls chan string }

func (m manager) Inhibit(app string, _ uint32, why string, flags uint32) (uint32, *dbus.Error) {
	if flags != 4 {
		return 0, dbus.MakeFailedError(nil)
	}
	m.calls <- app + ": " + why
	return 7, nil
}

func (m manager) Uninhibit(cookie uint32) *dbus.Error {
	if cookie == 7 {
		m.calls <- "given back"
	}
	return nil
}

func TestTheDesktopsSessionManagerIsAsked(t *testing.T) {
	// Given a desktop whose session manager takes requests
	conn := bustest.Open(t)
	m := manager{calls: make(chan string, 2)}
	if err := conn.Export(m, "/org/gnome/SessionManager", "org.gnome.SessionManager"); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.RequestName("org.gnome.SessionManager", 0); err != nil {
		t.Fatal(err)
	}
	// when the computer shall stay awake, and then no longer
	k := New(NewSystem(true))
	if state, err := k.Set(t.Context(), true, "3 jobs wait"); state != Held || err != nil {
		t.Fatalf("state %q, error %v", state, err)
	}
	if err := k.Close(); err != nil {
		t.Fatal(err)
	}
	// then it is asked not to suspend, and told when that is over
	if hold, back := <-m.calls, <-m.calls; hold != "Reckoner: 3 jobs wait" || back != "given back" {
		t.Errorf("it was told %q, then %q", hold, back)
	}
}

func TestADesktopWithoutSuchAServiceIsNoHang(t *testing.T) {
	bustest.Open(t)
	if state, err := New(NewSystem(true)).Set(t.Context(), true, "3 jobs wait"); state != Unable || err == nil {
		t.Errorf("state %q, error %v", state, err)
	}
}
