//go:build linux || freebsd || netbsd || openbsd || dragonfly

package secret

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/godbus/dbus/v5"
)

// keyringName is what a keyring is called on the session's bus.
const keyringName = "org.freedesktop.secrets"

const busWait = 2 * time.Second

// systemAvailable tells whether a keyring runs on the session's bus, or would be
// started by it. Without a bus nobody is asked: the library would start a stray
// one. The connection is one of our own, as the tray closes the shared one.
func systemAvailable() bool {
	if !hasBus() {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), busWait)
	defer cancel()
	conn, err := dbus.ConnectSessionBus(dbus.WithContext(ctx))
	if err != nil {
		return false
	}
	defer conn.Close()
	var runs bool
	err = conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.NameHasOwner", 0, keyringName).Store(&runs)
	if err != nil || runs {
		return err == nil
	}
	var startable []string
	err = conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.ListActivatableNames", 0).Store(&startable)
	return err == nil && slices.Contains(startable, keyringName)
}

func hasBus() bool {
	if address := os.Getenv("DBUS_SESSION_BUS_ADDRESS"); address != "" {
		return address != "autolaunch:"
	}
	dir := os.Getenv("XDG_RUNTIME_DIR")
	if dir == "" {
		return false
	}
	_, err := os.Stat(filepath.Join(dir, "bus"))
	return err == nil
}
