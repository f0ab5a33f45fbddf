package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image/png"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"reckoner/assets"
	"reckoner/scheduler/sim"
)

// These tests are issue 2's "Shows": a process of the real command line against
// a simulated render server on loopback.

// slowS is how long the one node of jobFile's job takes on newRender's server.
const slowS = 1.5

// longS is how long longJob's job takes. It can be stopped after every one of
// its 25 steps.
const longS = 30

// longJob writes a job that is there to be stopped.
func longJob(t *testing.T) string {
	t.Helper()
	content, err := assets.Samples.ReadFile("samples/lighthouse.json")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "long.json")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// render is a simulated render server.
type render struct {
	url, metrics string
	world        *sim.World
}

// newRender starts a server whose EmptyImage takes some seconds.
func newRender(t *testing.T, seconds float64) render {
	t.Helper()
	world, err := sim.Open(sim.Scenario{
		Name: "test",
		Machines: []sim.Machine{{
			Name: "gpu-1",
			GPUs: []sim.GPU{{UUID: "0001", Name: "Test GPU", LimitW: 180, IdleW: 9, MemoryMiB: 16311, Speed: 1}},
			Servers: []sim.ServerSpec{{
				Name: "gpu-1", Seconds: map[string]float64{
					"EmptyImage": seconds, "SaveImage": 0.01, "KSampler": longS, "CheckpointLoaderSimple": 0.01,
					"CLIPTextEncode": 0.01, "EmptyLatentImage": 0.01, "VAEDecode": 0.01,
				},
			}},
		}},
	}, sim.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	ends, err := world.Start(context.Background(), func(string) (net.Listener, error) {
		return net.Listen("tcp", "127.0.0.1:0")
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stopWorld(world); err != nil {
			t.Error(err)
		}
	})
	r := render{world: world}
	for _, e := range ends {
		switch e.Kind {
		case sim.KindServer:
			r.url = e.URL
		case sim.KindMetrics:
			r.metrics = e.URL
		case sim.KindWatch: // there is none
		}
	}
	return r
}

// get reads JSON from the server, as any client would.
func (r render) get(t *testing.T, path string, into any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// busy tells how many prompts run or wait on the server.
func (r render) busy(t *testing.T) int {
	t.Helper()
	var q struct {
		Running []json.RawMessage `json:"queue_running"`
		Pending []json.RawMessage `json:"queue_pending"`
	}
	r.get(t, "/queue", &q)
	return len(q.Running) + len(q.Pending)
}

// ended tells how many prompts the server's history holds.
func (r render) ended(t *testing.T) int {
	t.Helper()
	var h map[string]json.RawMessage
	r.get(t, "/history", &h)
	return len(h)
}

// child is a process of the command line.
type child struct {
	cmd    *exec.Cmd
	stdout *bufio.Reader
	stderr *bytes.Buffer
}

// start starts a command line in a process of its own.
func start(t *testing.T, data string, args ...string) *child {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	args = append(args, "--data", data)
	c := &child{cmd: exec.Command(exe), stderr: &bytes.Buffer{}}
	c.cmd.Env = append(os.Environ(),
		"RECKONER_TEST_ARGS="+strings.Join(args, "\x1f"), "XDG_RUNTIME_DIR="+data, "RECKONER_AUTH=")
	c.cmd.Stderr = c.stderr
	pipe, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.stdout = bufio.NewReader(pipe)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.cmd.Process.Kill() }) // ended already, as a rule
	return c
}

// until reads lines up to one of an event.
func (c *child) until(t *testing.T, event string) []line {
	t.Helper()
	var lines []line
	for {
		text, err := c.stdout.ReadString('\n')
		if err != nil {
			t.Fatalf("no %s came: %v\n%v\n%s", event, err, kinds(lines), c.stderr)
		}
		lines = append(lines, parseLine(t, text))
		if lines[len(lines)-1].Event == event {
			return lines
		}
	}
}

// end reads what is left and waits for the exit status.
func (c *child) end(t *testing.T) ([]line, int) {
	t.Helper()
	rest, err := io.ReadAll(c.stdout)
	if err != nil {
		t.Fatal(err)
	}
	var lines []line
	for text := range strings.Lines(string(rest)) {
		lines = append(lines, parseLine(t, text))
	}
	_ = c.cmd.Wait() // the status says how it ended
	return lines, c.cmd.ProcessState.ExitCode()
}

// reckon runs a command line to its end.
func reckon(t *testing.T, data string, args ...string) ([]line, int, string) {
	t.Helper()
	c := start(t, data, args...)
	lines, status := c.end(t)
	return lines, status, c.stderr.String()
}

// line is a JSON line as a script reads it.
type line struct {
	Time     time.Time
	Event    string
	Job, Run string
	Name     string
	Outcome  string
	PromptID string `json:"prompt_id"`
	Outputs  []struct {
		File  string
		Bytes int64 `json:"bytes_b"`
	}
	Error *struct{ Code, Text, Detail, Next string }
}

func parseLine(t *testing.T, text string) line {
	t.Helper()
	var l line
	// A reading's reasons are texts, a hold's are objects; neither is looked at.
	if err := json.Unmarshal([]byte(text), &l); err != nil || l.Event == "" || l.Time.IsZero() {
		t.Fatalf("no JSON line: %q (%v)", text, err)
	}
	return l
}

func kinds(lines []line) []string {
	var out []string
	for _, l := range lines {
		if l.Event != "reading" && l.Event != "run_progress" && l.Event != "source_error" {
			out = append(out, l.Event)
		}
	}
	return out
}

func find(lines []line, event string) (line, bool) {
	for _, l := range lines {
		if l.Event == event {
			return l, true
		}
	}
	return line{}, false
}

// inOrder tells whether events occur in this order, others between them.
func inOrder(lines []line, events ...string) bool {
	for _, l := range lines {
		if len(events) > 0 && l.Event == events[0] {
			events = events[1:]
		}
	}
	return len(events) == 0
}

func TestRunToDone(t *testing.T) {
	r, out := newRender(t, slowS), t.TempDir()
	lines, status, stderr := reckon(t, shortDir(t),
		"run", "--server", r.url, "--gpu", "prom:"+r.metrics, "--out", out, "--json", jobFile(t, "picture"))
	if status != exitDone {
		t.Fatalf("exit %d\n%v\n%s", status, kinds(lines), stderr)
	}
	if !inOrder(lines, "job_added", "run_submitted", "run_started", "run_ended", "job_ended") {
		t.Errorf("lines: %v", kinds(lines))
	}
	ended, _ := find(lines, "run_ended")
	if ended.Outcome != "succeeded" || len(ended.Outputs) != 1 {
		t.Fatalf("the run %s with outputs %v", ended.Outcome, ended.Outputs)
	}
	if filepath.Dir(ended.Outputs[0].File) != out {
		t.Errorf("%s is not in %s", ended.Outputs[0].File, out)
	}
	f, err := os.Open(ended.Outputs[0].File)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := png.Decode(f); err != nil {
		t.Errorf("%s: %v", f.Name(), err)
	}
	if info, err := f.Stat(); err != nil || info.Size() != ended.Outputs[0].Bytes {
		t.Errorf("the file's size is not the %d bytes of its line", ended.Outputs[0].Bytes)
	}
	for _, l := range lines {
		if l.Time.Location() != time.UTC {
			t.Errorf("%s has a time that is not UTC", l.Event)
		}
	}
}

func TestTheTimeLimitStopsTheRun(t *testing.T) {
	r := newRender(t, slowS)
	lines, status, stderr := reckon(t, shortDir(t),
		"run", "--server", r.url, "--out", t.TempDir(), "--time-limit", "700ms", "--json", longJob(t))
	if status != exitFailed {
		t.Errorf("exit %d\n%s", status, stderr)
	}
	if !inOrder(lines, "run_started", "time_limit_passed", "interrupt_sent", "stop_confirmed", "run_ended", "job_ended") {
		t.Errorf("lines: %v", kinds(lines))
	}
	run, _ := find(lines, "run_ended")
	job, _ := find(lines, "job_ended")
	if run.Outcome != "interrupted" || job.Outcome != "timed_out" {
		t.Errorf("the run was %s and the job %s", run.Outcome, job.Outcome)
	}
	if n := r.busy(t); n != 0 {
		t.Errorf("%d prompts are left on the server", n)
	}
}

func TestAServerThatIsNotThere(t *testing.T) {
	lines, status, stderr := reckon(t, shortDir(t),
		"run", "--server", "http://127.0.0.1:9", "--server-wait", "100ms", "--json", jobFile(t, "a"))
	if status != exitNoPeer || len(lines) > 0 {
		t.Errorf("exit %d, lines %v", status, kinds(lines))
	}
	if !strings.Contains(stderr, "http://127.0.0.1:9") || !strings.Contains(stderr, "refused") {
		t.Errorf("it does not say which address and why:\n%s", stderr)
	}
}

func TestAServerThatAnswersHTML(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><title>Welcome to nginx</title>")
	}))
	defer web.Close()
	_, status, stderr := reckon(t, shortDir(t), "run", "--server", web.URL, "--json", jobFile(t, "a"))
	if status != exitNoPeer || !strings.Contains(stderr, web.URL) || !strings.Contains(stderr, "ComfyUI") {
		t.Errorf("exit %d\n%s", status, stderr)
	}
}

func TestAFileThatIsNoJob(t *testing.T) {
	r := newRender(t, slowS)
	bad := filepath.Join(t.TempDir(), "page.json")
	if err := os.WriteFile(bad, []byte(`{"nodes": [], "links": [], "version": 0.4}`), 0o600); err != nil {
		t.Fatal(err)
	}
	_, status, stderr := reckon(t, shortDir(t), "run", "--server", r.url, "--json", jobFile(t, "good"), bad)
	if status != exitUsage || !strings.Contains(stderr, "page.json") || !strings.Contains(stderr, "Export (API)") {
		t.Errorf("exit %d\n%s", status, stderr)
	}
	if n := r.busy(t) + r.ended(t); n != 0 {
		t.Errorf("%d prompts were sent", n)
	}
}

func TestARefusedWorkflowNamesWhatIsWrong(t *testing.T) {
	r := newRender(t, slowS)
	path := filepath.Join(t.TempDir(), "odd.json")
	const graph = `{
  "4": {"class_type": "EmptyImage", "inputs": {"width": 64, "height": 64, "batch_size": 1, "color": 0}},
  "7": {"class_type": "ImageScale", "inputs": {
    "image": ["4", 0], "upscale_method": "magic", "width": 32, "height": 32, "crop": "disabled"}},
  "9": {"class_type": "SaveImage", "inputs": {"images": ["7", 0], "filename_prefix": "x"}}
}`
	if err := os.WriteFile(path, []byte(graph), 0o600); err != nil {
		t.Fatal(err)
	}
	lines, status, stderr := reckon(t, shortDir(t), "run", "--server", r.url, "--json", path)
	ended, ok := find(lines, "job_ended")
	if status != exitFailed || !ok || ended.Error == nil {
		t.Fatalf("exit %d, lines %v\n%s", status, kinds(lines), stderr)
	}
	said := ended.Error.Text + " " + ended.Error.Next
	for _, want := range []string{"7", "ImageScale", "upscale_method", "magic", "bicubic"} {
		if !strings.Contains(said, want) || !strings.Contains(stderr, want) {
			t.Errorf("%s is not named: %q", want, said)
		}
	}
	if n := r.busy(t) + r.ended(t); n != 0 {
		t.Errorf("%d prompts were taken", n)
	}
}

// Given a run under way, when the process is killed and the same command is
// given again, then it goes on: one run on the server, one result.
func TestKilledInTheMiddle(t *testing.T) {
	r, data, out, file := newRender(t, 3), shortDir(t), t.TempDir(), jobFile(t, "picture")
	args := []string{"run", "--server", r.url, "--out", out, "--json", file}
	first := start(t, data, args...)
	before, _ := find(first.until(t, "run_started"), "run_started")
	if err := first.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.cmd.Wait() // killed

	lines, status, stderr := reckon(t, data, args...)
	if status != exitDone {
		t.Fatalf("exit %d\n%v\n%s", status, kinds(lines), stderr)
	}
	after, _ := find(lines, "run_ended")
	if after.Run != before.Run || after.Outcome != "succeeded" {
		t.Errorf("run %s ended %s, the one before was %s", after.Run, after.Outcome, before.Run)
	}
	if n := r.ended(t); n != 1 {
		t.Errorf("%d runs on the server, want 1", n)
	}
	if files, err := filepath.Glob(filepath.Join(out, "*")); err != nil || len(files) != 1 {
		t.Errorf("results: %v (%v)", files, err)
	}
}

// Given a run under way, when Ctrl-C is pressed, then it is interrupted and its
// end is confirmed before the process leaves.
func TestCtrlCStopsTheServer(t *testing.T) {
	r := newRender(t, slowS)
	c := start(t, shortDir(t), "run", "--server", r.url, "--out", t.TempDir(), "--json", longJob(t))
	c.until(t, "run_started")
	if err := c.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	lines, status := c.end(t)
	if status != exitStopped {
		t.Errorf("exit %d\n%s", status, c.stderr)
	}
	if !inOrder(lines, "interrupt_sent", "stop_confirmed", "run_ended", "job_ended") {
		t.Errorf("lines: %v", kinds(lines))
	}
	if n := r.busy(t); n != 0 {
		t.Errorf("%d prompts are left on the server", n)
	}
}

// Given a SIGTERM, then the run goes on on its server, and it is said where.
func TestTerminatedLeavesTheRun(t *testing.T) {
	r := newRender(t, slowS)
	c := start(t, shortDir(t), "run", "--server", r.url, "--out", t.TempDir(), "--json", longJob(t))
	c.until(t, "run_started")
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_, status := c.end(t)
	if status != exitStopped || !strings.Contains(c.stderr.String(), r.url) {
		t.Errorf("exit %d\n%s", status, c.stderr)
	}
	if n := r.busy(t); n != 1 {
		t.Errorf("%d prompts are on the server, want the 1 that goes on", n)
	}
}

// Given an engine that runs a job, when another process runs a file on the same
// data folder, then the engine takes it, and the other process sees its own job
// only.
func TestAnotherProcessHandsItsFilesOver(t *testing.T) {
	r, data, out := newRender(t, slowS), shortDir(t), t.TempDir()
	first := start(t, data, "run", "--server", r.url, "--out", out, "--repeat", "2", "--json", jobFile(t, "first"))
	head := first.until(t, "run_started")

	second := start(t, data, "run", "--server", r.url, "--out", out, "--json", jobFile(t, "second"))
	seen := second.until(t, "job_added")
	status, statusCode, stderr := reckon(t, data, "status", "--json")
	if statusCode != exitDone || !inOrder(status, "job_added", "run_started") {
		t.Errorf("status: exit %d, %v\n%s", statusCode, kinds(status), stderr)
	}
	_, code, stderr := reckon(t, data, "run", "--server", "http://127.0.0.1:9", "--json", jobFile(t, "third"))
	if code != exitUsage || !strings.Contains(stderr, "http://127.0.0.1:9") {
		t.Errorf("an unknown server: exit %d\n%s", code, stderr)
	}

	rest, firstCode := first.end(t)
	if firstCode != exitDone {
		t.Errorf("the first: exit %d\n%s", firstCode, first.stderr)
	}
	if _, ended := find(rest, "job_ended"); !ended {
		t.Errorf("the first was told %v after %v", kinds(rest), kinds(head))
	}
	more, secondCode := second.end(t)
	seen = append(seen, more...)
	for _, l := range seen {
		if l.Name != "" && l.Name != "second" {
			t.Errorf("the second process was told of %s", l.Name)
		}
	}
	// The first process ends with its own jobs. The second then goes on alone.
	if _, ended := find(seen, "job_ended"); !ended || secondCode != exitDone {
		t.Errorf("the second: exit %d, lines %v\n%s", secondCode, kinds(seen), second.stderr)
	}
	if n := r.ended(t); n != 3 {
		t.Errorf("%d runs on the server, want 3", n)
	}
}

// Given a process whose jobs another one runs, when that one is killed, then
// the first goes on with its own jobs, none of them twice.
func TestTheOtherProcessIsKilled(t *testing.T) {
	r, data, out := newRender(t, slowS), shortDir(t), t.TempDir()
	engine := start(t, data, "run", "--server", r.url, "--out", out, "--json", jobFile(t, "first"))
	engine.until(t, "run_started")
	client := start(t, data, "run", "--server", r.url, "--out", out, "--json", jobFile(t, "second"))
	client.until(t, "job_added")
	if err := engine.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = engine.cmd.Wait() // killed
	lines, status := client.end(t)
	if ended, ok := find(lines, "job_ended"); status != exitDone || !ok || ended.Outcome != "done" {
		t.Errorf("exit %d, lines %v\n%s", status, kinds(lines), client.stderr)
	}
	if n := r.ended(t); n != 2 {
		t.Errorf("%d runs on the server, want 2", n)
	}
}

// Given a finished run, then the history has it, as text, JSON and CSV, also
// while nothing runs.
func TestHistoryOfAnEndedRun(t *testing.T) {
	r, data := newRender(t, 0.2), shortDir(t)
	if _, status, stderr := reckon(t, data, "run", "--server", r.url, "--out", t.TempDir(), "--json", jobFile(t, "picture")); status != exitDone {
		t.Fatalf("exit %d\n%s", status, stderr)
	}
	for _, c := range []struct{ flag, want string }{
		{"--json", `"name":"picture"`}, {"--csv", "picture"}, {"--limit=5", "picture"},
	} {
		cmd := start(t, data, "history", c.flag)
		text, err := io.ReadAll(cmd.stdout)
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.cmd.Wait(); err != nil || !strings.Contains(string(text), c.want) {
			t.Errorf("history %s: %v\n%s%s", c.flag, err, text, cmd.stderr)
		}
	}
}

// Given the demonstration, when it is played to its end, then the story went as
// it is told.
func TestTheDemoTellsItsStory(t *testing.T) {
	if testing.Short() {
		// Under the race detector only: make test plays it whole without.
		t.Skip("it takes a quarter of a minute")
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(),
		"RECKONER_TEST_ARGS="+strings.Join([]string{"run", "--demo", "--speed", "180", "--json"}, "\x1f"), "XDG_RUNTIME_DIR="+shortDir(t),
		"TMPDIR="+shortDir(t))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	first, _, _ := strings.Cut(string(stdout), "\n")
	if !strings.Contains(first, `"event":"demo","speed":180`) {
		t.Errorf("the first line is %s", first)
	}
	if !strings.Contains(stderr.String(), "as told") {
		t.Errorf("it ends with\n%s", stderr.String())
	}
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "reckoner-demo-*")); err != nil || len(left) > 0 {
		t.Logf("data folders of other demos: %v", left)
	}
}
