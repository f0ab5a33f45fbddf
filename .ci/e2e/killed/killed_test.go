// Package killed ends the program as a power cut does, in the middle of a run,
// and looks at what is left: one run on the server, one result.
package killed

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

var program = flag.String("reckoner", "", "the program to test")

// line is what is read of a JSON line of `run`.
type line struct {
	Event   string `json:"event"`
	Outcome string `json:"outcome"`
}

func TestTheSameCommandAfterAKillGoesOn(t *testing.T) {
	if *program == "" {
		t.Fatal("say which program to test: -args -reckoner=PATH")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()

	// Given a render server, and a run that has started there.
	server := simulate(ctx, t, "20")
	out := t.TempDir()
	command := []string{
		"run", "--json", "--server", server, "--data", t.TempDir(), "--out", out, filepath.Join("testdata", "job.json"),
	}
	first := start(ctx, t, command)
	if !first.until("run_started") {
		t.Fatalf("the first run never started:\n%s", first.stderr)
	}

	// When the program is killed and the same command is given again,
	if err := first.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := first.cmd.Wait(); err == nil {
		t.Fatal("the killed program ended well")
	}
	second := start(ctx, t, command)
	done := second.until("job_ended")
	err := second.cmd.Wait()

	// then it ends well, with one run on the server and one result.
	if !done || err != nil || second.last.Outcome != "done" {
		t.Errorf("the second command ended with %v, its last line %+v:\n%s", err, second.last, second.stderr)
	}
	if n := runsOn(ctx, t, server); n != 1 {
		t.Errorf("the server knows %d runs of ours, want 1", n)
	}
	if files := results(t, out); len(files) != 1 {
		t.Errorf("got the results %q, want one", files)
	}
}

// command is a running `reckoner run --json`.
type command struct {
	cmd    *exec.Cmd
	lines  *bufio.Scanner
	stderr *bytes.Buffer
	last   line
}

func start(ctx context.Context, t *testing.T, args []string) *command {
	t.Helper()
	c := &command{cmd: exec.CommandContext(ctx, *program, args...), stderr: &bytes.Buffer{}}
	c.cmd.Stderr = c.stderr
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.lines = bufio.NewScanner(stdout)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

// until reads lines to the first one of the event; false when there is none.
func (c *command) until(event string) bool {
	for c.lines.Scan() {
		c.last = line{}
		if err := json.Unmarshal(c.lines.Bytes(), &c.last); err != nil {
			return false
		}
		if c.last.Event == event {
			return true
		}
	}
	return false
}

// simulate serves simulated machines and returns the address of the first
// server.
func simulate(ctx context.Context, t *testing.T, speed string) string {
	t.Helper()
	cmd := exec.CommandContext(ctx, *program, "simulate", "--speed", speed, "--listen", "127.0.0.1:0")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Error(err)
		}
		_ = cmd.Wait() // it was killed
	})
	address := regexp.MustCompile(`http://[0-9.]+:[0-9]+`)
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if url := address.FindString(lines.Text()); url != "" {
			go func() { _, _ = io.Copy(io.Discard, stdout) }() // ends with the process
			return url
		}
	}
	t.Fatal("simulate named no server")
	return ""
}

// runsOn counts the prompts that carry our tag in the server's queue and
// history.
func runsOn(ctx context.Context, t *testing.T, server string) int {
	t.Helper()
	var text strings.Builder
	for _, path := range []string{"/queue", "/history"} {
		body, err := get(ctx, server+path)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(body)
	}
	return strings.Count(text.String(), `"reckoner"`)
}

func get(ctx context.Context, url string) (_ []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, resp.Body.Close()) }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", url, resp.Status)
	}
	return io.ReadAll(io.LimitReader(resp.Body, 16<<20))
}

// results are the files that jobs made: not the sheet that is written beside those
// of a batch.
func results(t *testing.T, folder string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(path) != ".csv" {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
