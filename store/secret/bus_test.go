//go:build linux

package secret

import "testing"

// Given no session bus, then no keyring is there, and none is started: the
// library of the bus would.
func TestWithoutASessionBusTheKeyringIsNotAsked(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	t.Setenv("PATH", t.TempDir())
	if hasBus() || systemAvailable() {
		t.Error("a keyring is there")
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+t.TempDir()+"/nobody")
	if !hasBus() || systemAvailable() {
		t.Error("a bus that is not there has a keyring")
	}
}
