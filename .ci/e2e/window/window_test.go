// Package window runs the real window on a desktop without a screen, from its
// start to its end, as a person would.
package window

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reckoner/e2e/desk"
)

var program = flag.String("reckoner", "", "the program to test, built with its window")

// app is the program under test while it runs.
type app struct {
	cmd    *exec.Cmd
	stderr *bytes.Buffer
	data   string
	env    []string
}

func TestWindowFromStartToEnd(t *testing.T) {
	if *program == "" {
		t.Fatal("say which program to test: -args -reckoner=PATH")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()

	// Given the demo in a window on a desktop with a notification service.
	d, err := desk.Open(ctx, 1280, 820)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	reckoner := start(ctx, t, d)
	window, err := d.Window(within(ctx, t, 20*time.Second), "Reckoner")
	if err != nil {
		t.Fatal(err)
	}

	t.Run("it draws something", func(t *testing.T) {
		err := desk.Until(within(ctx, t, 10*time.Second), "wait for a picture", func() error {
			pic, err := window.Picture()
			if err != nil {
				return err
			}
			if n := desk.Colours(pic); n < desk.TextAlone {
				return fmt.Errorf("%d colours", n)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})

	t.Run("a file dropped on it is queued", func(t *testing.T) {
		file := dropped(t)
		if err := window.Drop(within(ctx, t, 10*time.Second), 400, 500, file); err != nil {
			t.Fatal(err)
		}
		err := desk.Until(within(ctx, t, 10*time.Second), "wait for the job", func() error {
			return reckoner.lists(ctx, filepath.Base(file))
		})
		if err != nil {
			t.Error(err)
		}
	})

	t.Run("a finished job is told on the desktop", func(t *testing.T) {
		select {
		case n := <-d.Notifications():
			if n.App == "" || n.Summary == "" {
				t.Errorf("got %+v, want the program's name and a summary", n)
			}
		case <-within(ctx, t, 30*time.Second).Done():
			t.Error("no notification arrived")
		}
	})

	t.Run("closing it ends the program", func(t *testing.T) {
		if err := window.Close(); err != nil {
			t.Fatal(err)
		}
		if err := reckoner.ended(within(ctx, t, 15*time.Second)); err != nil {
			t.Errorf("the program ended with: %v", err)
		}
		for _, bad := range []string{"Error in Fyne call thread", "panic:", "DATA RACE"} {
			if strings.Contains(reckoner.stderr.String(), bad) {
				t.Errorf("the program wrote %q", bad)
			}
		}
	})
	if t.Failed() {
		t.Logf("standard error of the program:\n%s", reckoner.stderr)
	}
}

func start(ctx context.Context, t *testing.T, d *desk.Desk) *app {
	t.Helper()
	a := &app{stderr: &bytes.Buffer{}, data: t.TempDir(), env: d.Env()}
	a.cmd = exec.CommandContext(ctx, *program, "--demo", "--data", a.data)
	a.cmd.Env = a.env
	a.cmd.Stderr = a.stderr
	a.cmd.WaitDelay = time.Second
	if err := a.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if a.cmd.ProcessState != nil {
			return
		}
		// A test that failed before the end leaves the program running.
		if err := errors.Join(a.cmd.Process.Kill(), ignoreExit(a.cmd.Wait())); err != nil {
			t.Error(err)
		}
	})
	return a
}

// lists is nil when the running program says that it has a job of this file.
func (a *app) lists(ctx context.Context, file string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, *program, "status", "--json", "--data", a.data)
	cmd.Env = a.env
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("status: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, `"job_added"`) && strings.Contains(line, file) {
			return nil
		}
	}
	return fmt.Errorf("no job of %s in:\n%s", file, out)
}

// ended waits for the program and returns how it ended; nil is exit status 0.
func (a *app) ended(ctx context.Context) error {
	ended := make(chan error, 1)
	go func() { ended <- a.cmd.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return errors.Join(errors.New("it still ran"), a.cmd.Process.Kill(), ignoreExit(<-ended))
	}
}

func ignoreExit(err error) error {
	if _, exited := errors.AsType[*exec.ExitError](err); exited {
		return nil
	}
	return err
}

// dropped copies the job to a file whose name has all that a URI must escape.
func dropped(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "dropped.json"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "dropped at 100 % café.json")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func within(ctx context.Context, t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, d)
	t.Cleanup(cancel)
	return ctx
}
