package evening

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"reckoner/e2e/desk"
)

// night is the program under test on its desktop, and what it tells.
type night struct {
	t          *testing.T
	ctx        context.Context //nolint:containedctx // the test's
	desk       *desk.Desk
	data       string
	server     string
	window     desk.Window
	shotNumber int

	stderr bytes.Buffer
	ended  chan error

	mu     sync.Mutex
	events []event
}

// event is a line of what the program tells.
type event struct {
	Event, Job, Batch, Outcome string
	Reasons                    []reason
}

type reason struct{ Code string }

func (e *night) must(errs ...error) {
	e.t.Helper()
	if err := errors.Join(errs...); err != nil {
		e.t.Fatalf("%v\nit wrote:\n%s", err, e.stderr.String())
	}
}

func (e *night) within(d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(e.ctx, d)
	e.t.Cleanup(cancel)
	return ctx
}

func (e *night) until(what string, limit time.Duration, holds func() error) {
	e.t.Helper()
	e.must(desk.Until(e.within(limit), what, holds))
}

// pressUntil presses keys again and again until something holds: a dialog takes its
// time to be there.
func (e *night) pressUntil(what, keys string, holds func() bool) {
	e.t.Helper()
	ctx := e.within(20 * time.Second)
	for !holds() {
		e.must(e.desk.Press(strings.Fields(keys)...))
		again, cancel := context.WithTimeout(ctx, time.Second)
		err := desk.Until(again, what, func() error {
			if !holds() {
				return errors.New("not yet")
			}
			return nil
		})
		cancel()
		if err != nil && ctx.Err() != nil {
			e.must(err)
		}
	}
}

// command is the program on this desk.
func (e *night) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(e.ctx, *program, args...)
	cmd.Env = e.desk.Env()
	cmd.WaitDelay = time.Second
	return cmd
}

// simulate starts a render server that works four times as fast as a real one.
func (e *night) simulate() {
	cmd := e.command("simulate", "--listen", "127.0.0.1:0", "--json", "--speed", "4", "--scenario", "testdata/scenario.json")
	out, err := cmd.StdoutPipe()
	e.must(err, cmd.Start())
	e.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	var line struct{ URL string }
	e.must(json.NewDecoder(out).Decode(&line))
	e.server = line.URL
}

// open starts the program, follows what it tells, and waits for its window.
func (e *night) open() {
	cmd := e.command("--data", e.data)
	cmd.Stderr = &e.stderr
	e.must(cmd.Start())
	e.ended = make(chan error, 1)
	go func(ended chan<- error) {
		ended <- cmd.Wait()
		close(ended) // it has ended for good
	}(e.ended)
	e.t.Cleanup(func() { _ = cmd.Process.Kill() })
	w, err := e.desk.Window(e.within(20*time.Second), "Reckoner")
	e.must(err, w.Focus())
	e.window = w

	follow := e.command("status", "--json", "--follow", "--data", e.data)
	out, err := follow.StdoutPipe()
	e.must(err, follow.Start())
	e.t.Cleanup(func() { _ = follow.Process.Kill() })
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var ev event
			if json.Unmarshal(lines.Bytes(), &ev) == nil {
				e.mu.Lock()
				e.events = append(e.events, ev)
				e.mu.Unlock()
			}
		}
		_ = follow.Wait()
	}()
}

// gone tells whether the program has ended, by itself and without a fault.
func (e *night) gone() bool {
	select {
	case err := <-e.ended:
		e.must(err)
		return true
	default:
		return false
	}
}

func (e *night) seen() []event {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]event(nil), e.events...)
}

// count counts the jobs that events of a kind were told of.
func (e *night) count(kind string) int {
	of := map[string]bool{}
	for _, ev := range e.seen() {
		if ev.Event == kind {
			of[ev.Job] = true
		}
	}
	return len(of)
}

// event waits for the first event of a kind.
func (e *night) event(what, kind string) (found event) {
	e.t.Helper()
	e.until(what, 20*time.Second, func() error {
		for _, ev := range e.seen() {
			if ev.Event == kind {
				found = ev
				return nil
			}
		}
		return fmt.Errorf("no %s", kind)
	})
	return found
}

// submit sends a prompt of somebody else to the render server.
func (e *night) submit(prompt string) {
	req, err := http.NewRequestWithContext(e.ctx, http.MethodPost, e.server+"/prompt", strings.NewReader(prompt))
	e.must(err)
	resp, err := http.DefaultClient.Do(req)
	e.must(err)
	e.must(resp.Body.Close())
	if resp.StatusCode != http.StatusOK {
		e.t.Fatalf("the server says %s", resp.Status)
	}
}

// results are the files that jobs made.
func (e *night) results() []string {
	var files []string
	e.must(filepath.WalkDir(e.desk.Home(), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(path) == ".png" && strings.Contains(path, "Reckoner") {
			files = append(files, path)
		}
		return err
	}))
	return files
}

// waiting are the jobs that are not ended, in the queue's order.
func (e *night) waiting() []string {
	out, err := e.command("status", "--json", "--data", e.data).Output()
	e.must(err)
	var jobs []string
	for line := range strings.Lines(string(out)) {
		var ev event
		if json.Unmarshal([]byte(line), &ev) == nil && ev.Event == "job_added" {
			jobs = append(jobs, ev.Job)
		}
	}
	return jobs
}
