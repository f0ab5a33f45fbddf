package awake

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/godbus/dbus/v5"
)

// askTime bounds what is asked of a bus.
const askTime = 3 * time.Second

// NewSystem gives this computer: its desktop's session bus where session says that
// there is one, and the system's.
func NewSystem(session bool) System { return linux{session: session} }

type linux struct{ session bool }

// OnBattery asks UPower (org.freedesktop.UPower, property OnBattery).
func (linux) OnBattery(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	conn, err := dbus.ConnectSystemBus(dbus.WithContext(ctx))
	if err != nil {
		return false
	}
	defer conn.Close()
	var on dbus.Variant
	err = conn.Object("org.freedesktop.UPower", "/org/freedesktop/UPower").
		CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", dbus.FlagNoAutoStart,
			"org.freedesktop.UPower", "OnBattery").Store(&on)
	battery, ok := on.Value().(bool)
	return err == nil && ok && battery
}

// asks are the desktops' ways, the first that answers is taken. Each of them
// hinders only sleep that comes by itself.
func asks(why string) []func(context.Context, *dbus.Conn) (func() error, error) {
	const name, suspend = "Reckoner", uint32(4) // GsmInhibitorFlag: suspending
	return []func(context.Context, *dbus.Conn) (func() error, error){
		func(ctx context.Context, c *dbus.Conn) (func() error, error) {
			o := c.Object("org.gnome.SessionManager", "/org/gnome/SessionManager")
			return cookie(ctx, o, "org.gnome.SessionManager.Inhibit", "org.gnome.SessionManager.Uninhibit",
				name, uint32(0), why, suspend)
		},
		func(ctx context.Context, c *dbus.Conn) (func() error, error) {
			o := c.Object("org.freedesktop.PowerManagement.Inhibit", "/org/freedesktop/PowerManagement/Inhibit")
			return cookie(ctx, o, "org.freedesktop.PowerManagement.Inhibit.Inhibit",
				"org.freedesktop.PowerManagement.Inhibit.UnInhibit", name, why)
		},
	}
}

func cookie(ctx context.Context, o dbus.BusObject, hold, release string, args ...any) (func() error, error) {
	var id uint32
	if err := o.CallWithContext(ctx, hold, dbus.FlagNoAutoStart, args...).Store(&id); err != nil {
		return nil, fmt.Errorf("%s: %w", hold, err)
	}
	return func() error {
		ctx, cancel := context.WithTimeout(context.Background(), askTime)
		defer cancel()
		if err := o.CallWithContext(ctx, release, dbus.FlagNoAutoStart, id).Err; err != nil {
			return fmt.Errorf("%s: %w", release, err)
		}
		return nil
	}, nil
}

// Hold asks the desktop, and where none answers systemd's logind for its own idle
// action (org.freedesktop.login1.Manager.Inhibit). The request ends with its
// connection, so that a killed program holds nothing.
func (l linux) Hold(ctx context.Context, why string) (func() error, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	var all []error
	if l.session {
		release, err := l.holdSession(ctx, why)
		if err == nil {
			return release, nil
		}
		all = append(all, err)
	}
	release, err := holdLogin(ctx, why)
	if err == nil {
		return release, nil
	}
	return nil, errors.Join(append([]error{ErrUnsupported}, append(all, err)...)...)
}

func (linux) holdSession(ctx context.Context, why string) (func() error, error) {
	conn, err := dbus.ConnectSessionBus()
	if err != nil {
		return nil, fmt.Errorf("connect to the session bus: %w", err)
	}
	var all []error
	for _, ask := range asks(why) {
		release, err := ask(ctx, conn)
		if err == nil {
			return func() error { return errors.Join(release(), conn.Close()) }, nil
		}
		all = append(all, err)
	}
	return nil, errors.Join(append(all, conn.Close())...)
}

func holdLogin(ctx context.Context, why string) (func() error, error) {
	conn, err := dbus.ConnectSystemBus()
	if err != nil {
		return nil, fmt.Errorf("connect to the system bus: %w", err)
	}
	var fd dbus.UnixFD
	err = conn.Object("org.freedesktop.login1", "/org/freedesktop/login1").
		CallWithContext(ctx, "org.freedesktop.login1.Manager.Inhibit", dbus.FlagNoAutoStart,
			"idle", "Reckoner", why, "block").Store(&fd)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("ask logind: %w", err), conn.Close())
	}
	return func() error { return errors.Join(closeFD(int(fd)), conn.Close()) }, nil
}
