// Package desk is a desktop without a screen: a virtual X server, a session bus
// and a notification service, with hands. The end-to-end test and the README's
// screenshot drive the real window with it.
//
// It knows X11 and D-Bus and nothing of the program under test.
package desk

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"
)

// Desk is a running desktop. Close ends everything that Open began.
type Desk struct {
	home    string // holds everything that a program on this desk writes
	display string
	bus     string
	x       *xgb.Conn
	conn    *dbus.Conn
	notes   *notifications
	tray    *tray
	ending  []func() error // in the order of the starts
}

// Open starts a desktop of the given size in pixels. Cancelling the context
// ends its processes.
func Open(ctx context.Context, width, height int) (*Desk, error) {
	xgb.Logger.SetOutput(io.Discard) // it reports what its errors say too
	d := &Desk{}
	for _, step := range []func(context.Context) error{
		d.makeHome,
		func(ctx context.Context) error { return d.startX(ctx, width, height) },
		d.startBus,
		d.serveNotifications,
	} {
		if err := step(ctx); err != nil {
			return nil, errors.Join(err, d.Close())
		}
	}
	return d, nil
}

// Close ends the desktop's processes, waits for them and removes its files.
func (d *Desk) Close() error {
	var errs []error
	for _, end := range slices.Backward(d.ending) {
		errs = append(errs, end())
	}
	d.ending = nil
	return errors.Join(errs...)
}

// Env is the environment of a program on this desk: the surroundings' own, with
// this display and bus, an English locale and folders that end with the desk.
func (d *Desk) Env() []string {
	var env []string
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "XDG_") && !strings.HasPrefix(name, "LC_") && name != "WAYLAND_DISPLAY" {
			env = append(env, entry)
		}
	}
	return append(env,
		"DISPLAY="+d.display,
		"DBUS_SESSION_BUS_ADDRESS="+d.bus,
		"HOME="+d.home,
		"XDG_RUNTIME_DIR="+filepath.Join(d.home, "run"),
		"LANG=en_US.UTF-8", "LANGUAGE=en",
	)
}

// Home is the home folder of programs on this desk.
func (d *Desk) Home() string { return d.home }

func (d *Desk) makeHome(context.Context) error {
	home, err := os.MkdirTemp("", "desk-")
	if err != nil {
		return fmt.Errorf("make the desk's folder: %w", err)
	}
	d.home = home
	d.ending = append(d.ending, func() error { return os.RemoveAll(home) })
	var errs []error
	for _, folder := range []string{"run", ".cache", ".config"} { // as every desktop makes them
		errs = append(errs, os.Mkdir(filepath.Join(home, folder), 0o700))
	}
	return errors.Join(errs...)
}

// startX lets the server choose a free display. With -terminate it also ends
// when its last client has gone, so a killed test leaves none behind.
func (d *Desk) startX(ctx context.Context, width, height int) error {
	line, err := d.start(ctx, "Xvfb", "-displayfd", "1", "-terminate", "-nolisten", "tcp", "+extension", "GLX",
		"-screen", "0", fmt.Sprintf("%dx%dx24", width, height))
	if err != nil {
		return err
	}
	d.display = ":" + line
	if d.x, err = xgb.NewConnDisplay(d.display); err != nil {
		return fmt.Errorf("connect to display %s: %w", d.display, err)
	}
	d.ending = append(d.ending, func() error { d.x.Close(); return nil })
	if err := xtest.Init(d.x); err != nil {
		return fmt.Errorf("reach the keyboard of display %s: %w", d.display, err)
	}
	return nil
}

func (d *Desk) startBus(ctx context.Context) error {
	line, err := d.start(ctx, "dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=1")
	if err != nil {
		return err
	}
	d.bus = line
	if d.conn, err = dbus.Connect(d.bus); err != nil {
		return fmt.Errorf("connect to the session bus %s: %w", d.bus, err)
	}
	d.ending = append(d.ending, d.conn.Close)
	return nil
}

// start runs a server of the desk and returns the line with which it says that
// it is ready.
func (d *Desk) start(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = 2 * time.Second
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", fmt.Errorf("start %s: %w", name, err)
	}
	if err := cmd.Start(); err != nil {
		return "", fmt.Errorf("start %s: %w", name, err)
	}
	d.ending = append(d.ending, func() error { return end(cmd) })
	line, err := bufio.NewReader(io.LimitReader(out, 4096)).ReadString('\n')
	if err != nil {
		err = fmt.Errorf("%s did not say that it is ready: %w", name, err)
		return "", errors.Join(err, end(cmd), errors.New(said.String()))
	}
	return strings.TrimSpace(line), nil
}

// end asks a process to leave and waits for it. That it was asked is no error.
func end(cmd *exec.Cmd) error {
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("end %s: %w", cmd.Path, err)
	}
	err := cmd.Wait()
	if _, exited := errors.AsType[*exec.ExitError](err); exited || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

func (d *Desk) root() xproto.Window { return xproto.Setup(d.x).DefaultScreen(d.x).Root }

// Until asks for a condition twenty times a second until it holds, or until the
// context ends; then what was last missing is in the error.
func Until(ctx context.Context, what string, holds func() error) error {
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for {
		missing := holds()
		if missing == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s: %w: %w", what, ctx.Err(), missing)
		case <-again.C:
		}
	}
}
