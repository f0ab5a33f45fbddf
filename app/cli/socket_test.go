package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// serving opens a door on an engine that plays a script.
func serving(t *testing.T, play func(*fakeEngine, *job.Job), show func()) (*fakeEngine, peer, *door) {
	t.Helper()
	e := newFakeEngine(play, nil)
	e.snapshot.Machines = []scheduler.MachineView{{Servers: []scheduler.ServerView{{Server: job.Server{ID: "s1", URL: "http://saved:8188"}}}}}
	path := filepath.Join(shortDir(t), "socket")
	d, err := openDoor(t.Context(), path, conductor{engine: e, encoder: testEncoder(), log: slog.New(slog.DiscardHandler)}, show, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.close(); err != nil {
			t.Error(err)
		}
	})
	return e, peer{path: path}, d
}

func heard(into *[]string) func(said) error {
	return func(s said) error {
		var l about
		if err := json.Unmarshal(s.Line, &l); err != nil {
			return err
		}
		*into = append(*into, string(l.Event))
		return nil
	}
}

// Given a running engine, when another process runs files, then it hears of its
// jobs until they end, and gets the result.
func TestAnErrandOverTheSocket(t *testing.T) {
	e, p, _ := serving(t, ends(job.JobFailed), nil)
	var lines []string
	r, err := p.run(t.Context(), errand{Files: []string{"/a.json"}, Repeat: 2, SendAnyway: true}, nil, heard(&lines))
	if err != nil || r.status() != exitFailed {
		t.Errorf("%+v, %v", r, err)
	}
	if strings.Join(lines, " ") != "job_added run_submitted job_ended" {
		t.Errorf("lines: %v", lines)
	}
	if got := e.added[0]; got.Repeat != 2 || !got.SendAnyway || got.Files[0] != "/a.json" {
		t.Errorf("the engine was asked for %+v", got)
	}
}

// Given two errands, when one is cancelled, then only its jobs are.
func TestCancelOverTheSocketIsForItsOwnJobs(t *testing.T) {
	e, p, _ := serving(t, runs, nil)
	cancel := make(chan struct{}, 1)
	started := make(chan struct{})
	go func() {
		<-started
		cancel <- struct{}{}
	}()
	if _, err := e.Add(t.Context(), scheduler.AddRequest{Files: []string{"/other.json"}}); err != nil {
		t.Fatal(err)
	}
	var lines []string
	r, err := p.run(t.Context(), errand{Files: []string{"/mine.json"}}, cancel, func(s said) error {
		if strings.Contains(string(s.Line), "run_started") {
			close(started)
		}
		return heard(&lines)(s)
	})
	if err != nil || r.status() != exitStopped {
		t.Errorf("%+v, %v", r, err)
	}
	if len(e.did) != 1 || e.did[0] != (scheduler.Cancel{Job: "job-2"}) {
		t.Errorf("the engine was told %v", e.did)
	}
}

// Given an errand, when its process goes away, then the jobs stay and the
// engine's process is free of it.
func TestAClientThatGoesAway(t *testing.T) {
	e, p, d := serving(t, runs, nil)
	conn, err := net.Dial("unix", p.path)
	if err != nil {
		t.Fatal(err)
	}
	w := newWire(conn, maxReply)
	if err := w.send(request{Version: protocolVersion, Ask: askRun, Errand: errand{Files: []string{"/a.json"}}}); err != nil {
		t.Fatal(err)
	}
	var r reply
	if err := w.receive(&r); err != nil || r.Said == nil {
		t.Fatalf("%+v, %v", r, err)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	if err := d.close(); err != nil { // returns only when the errand's goroutines have ended
		t.Error(err)
	}
	if len(e.did) > 0 {
		t.Errorf("the engine was told %v", e.did)
	}
}

func TestAnUnknownServerOverTheSocket(t *testing.T) {
	e, p, _ := serving(t, ends(job.JobDone), nil)
	_, err := p.run(t.Context(), errand{Files: []string{"/a.json"}, Servers: []string{gpu1}}, nil, heard(new([]string)))
	said, ok := errors.AsType[*exitError](err)
	if !ok || said.status != exitUsage || !strings.Contains(said.text, gpu1) || len(e.added) > 0 {
		t.Errorf("%v; added %v", err, e.added)
	}
}

func TestHistoryAndShowOverTheSocket(t *testing.T) {
	shown := 0
	_, p, _ := serving(t, ends(job.JobDone), func() { shown++ })
	rows, err := p.history(t.Context(), job.HistoryQuery{})
	if err != nil || len(rows) != 1 || rows[0].Job.Name != "old" || rows[0].Run.Outcome != job.RunSucceeded {
		t.Errorf("%+v, %v", rows, err)
	}
	if _, err := p.ask(t.Context(), request{Ask: askShow}, nil, nil); err != nil || shown != 1 {
		t.Errorf("shown %d times, %v", shown, err)
	}
	_, windowless, _ := serving(t, ends(job.JobDone), nil)
	if _, err := windowless.ask(t.Context(), request{Ask: askShow}, nil, nil); err == nil {
		t.Error("an engine without a window showed one")
	}
}

// Given what no client of ours sends, then the door answers or hangs up, and
// goes on serving.
func TestOddClients(t *testing.T) {
	_, p, _ := serving(t, ends(job.JobDone), nil)
	for name, c := range map[string]struct{ sent, says string }{
		"another version": {`{"v":99,"ask":"status"}` + "\n", "another version"},
		"unknown":         {`{"v":1,"ask":"dance"}` + "\n", "dance"},
		"no JSON":         {"hello\n", ""},
		"nothing":         {"", ""},
		"too long":        {strings.Repeat("x", maxRequest+10) + "\n", ""},
	} {
		conn, err := net.Dial("unix", p.path)
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn, c.sent) // the door may hang up in the middle
		_ = conn.(*net.UnixConn).CloseWrite()
		answer, _ := bufio.NewReader(conn).ReadString('\n')
		if !strings.Contains(answer, c.says) || c.says == "" && answer != "" {
			t.Errorf("%s: answered %q", name, answer)
		}
		_ = conn.Close() // only read
	}
	if err := p.knock(t.Context()); err != nil {
		t.Errorf("the door is shut: %v", err)
	}
}

// Given the socket of an engine that was killed, then the next one takes its
// place; and nobody but the user may connect.
func TestAStaleSocketIsReplaced(t *testing.T) {
	path := filepath.Join(shortDir(t), "socket")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := (peer{path}).knock(t.Context()); err == nil {
		t.Fatal("a dead engine answers")
	}
	d, err := openDoor(t.Context(), path, conductor{engine: newFakeEngine(runs, nil), log: slog.New(slog.DiscardHandler)}, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := (peer{path}).knock(t.Context()); err != nil {
		t.Error(err)
	}
	if err := d.close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket was left behind: %v", err)
	}
}

func TestSocketPaths(t *testing.T) {
	runtimeDir, data := shortDir(t), shortDir(t)
	env := func(name string) string {
		if name == "XDG_RUNTIME_DIR" {
			return runtimeDir
		}
		return ""
	}
	first, err := socketPath(data, env)
	if err != nil || filepath.Dir(first) != runtimeDir {
		t.Errorf("%s, %v", first, err)
	}
	link := filepath.Join(runtimeDir, "link")
	if err := os.Symlink(data, link); err != nil {
		t.Fatal(err)
	}
	if same, err := socketPath(link, env); err != nil || same != first {
		t.Errorf("through a link: %s, not %s (%v)", same, first, err)
	}
	if other, err := socketPath(runtimeDir, env); err != nil || other == first {
		t.Errorf("another folder has the same socket %s (%v)", other, err)
	}
	if fallback, err := socketPath(data, func(string) string { return "" }); err != nil || filepath.Dir(fallback) != data {
		t.Errorf("without XDG_RUNTIME_DIR: %s, %v", fallback, err)
	}
	if p, err := socketPath("/"+strings.Repeat("long/", 30), func(string) string { return "" }); err == nil {
		t.Errorf("too long, and yet %s", p)
	}
}
