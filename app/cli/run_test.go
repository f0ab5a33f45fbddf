package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

const gpu1 = "http://gpu-1:8188"

// Given jobs that end in each way, when they are run, then the exit status is
// the one that scripts rely on.
func TestExitStatusOfRun(t *testing.T) {
	for outcome, want := range map[job.JobOutcome]int{
		job.JobDone: exitDone, job.JobFailed: exitFailed, job.JobTimedOut: exitFailed, job.JobLost: exitFailed,
		job.JobNeedsYou: exitFailed, job.JobNoOutput: exitFailed, job.JobCancelled: exitFailed,
	} {
		f := newFakeParts(t)
		f.answers[gpu1] = nil
		f.play = ends(outcome)
		got := runCLI(t, f, "run", "--server", gpu1, jobFile(t, "a"))
		if got.status != want {
			t.Errorf("%s: exit %d, want %d\n%s%s", outcome, got.status, want, got.stdout, got.stderr)
		}
	}
}

func TestAFileThatIsNoJobQueuesNothing(t *testing.T) {
	f := newFakeParts(t)
	f.answers[gpu1] = nil
	bad := filepath.Join(t.TempDir(), "notes.json")
	if err := os.WriteFile(bad, []byte("dear diary"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := runCLI(t, f, "run", "--server", gpu1, jobFile(t, "good"), bad, "/no/such.json")
	if got.status != exitUsage || f.engine != nil || len(f.probed) > 0 {
		t.Errorf("exit %d; an engine was started: %v", got.status, f.engine != nil)
	}
	for _, want := range []string{"notes.json", "/no/such.json", "nothing was queued"} {
		if !strings.Contains(got.stderr, want) {
			t.Errorf("%q is not said in\n%s", want, got.stderr)
		}
	}
}

func TestNoServerAnswers(t *testing.T) {
	f := newFakeParts(t)
	f.answers["http://b:2"] = job.Errorf(job.ErrNotComfy, job.Args{Server: "http://b:2"}, nil)
	start := time.Now()
	got := runCLI(t, f, "run", "--server-wait", "50ms", "--server", "http://a:1", "--server", "http://b:2", jobFile(t, "a"))
	if got.status != exitNoPeer || f.engine != nil {
		t.Errorf("exit %d; an engine was started: %v", got.status, f.engine != nil)
	}
	for _, want := range []string{"http://a:1", "http://b:2", "ComfyUI", "nothing was queued"} {
		if !strings.Contains(got.stderr, want) {
			t.Errorf("%q is not said in\n%s", want, got.stderr)
		}
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}

// Given one of two servers, when the files are run, then the other one is left
// to the engine.
func TestOneAnswerIsEnough(t *testing.T) {
	f := newFakeParts(t)
	f.answers[gpu1] = nil
	got := runCLI(t, f, "run", "--server", "http://dead:1", "--server", gpu1, "--watch", "http://gpu-1:8189", jobFile(t, "a"))
	if got.status != exitDone {
		t.Fatalf("exit %d\n%s", got.status, got.stderr)
	}
	if n := len(f.engine.added[0].Servers); n != 2 {
		t.Errorf("the job may run on %d servers, want the 2 of --server", n)
	}
	if n := len(f.engine.snapshot.Machines); n != 2 {
		t.Errorf("%d machines, want 2", n)
	}
}

func TestFlagsReachTheEngine(t *testing.T) {
	f := newFakeParts(t)
	f.answers[gpu1] = nil
	out := t.TempDir()
	got := runCLI(t, f, "run", "--server", gpu1, "--time-limit", "90s", "--repeat", "3", "--send-anyway", "--out", out,
		jobFile(t, "a"))
	if got.status != exitDone {
		t.Fatalf("exit %d\n%s", got.status, got.stderr)
	}
	r := f.engine.added[0]
	if r.Limit != (job.Limit{Kind: job.LimitSet, For: 90 * time.Second}) || r.Repeat != 3 || !r.SendAnyway ||
		r.OutDir != out || !r.Resume {
		t.Errorf("the engine was asked for %+v", r)
	}
}

// Given jobs in the data folder, when `run` has no file, then it runs those.
func TestRunWithoutFiles(t *testing.T) {
	f := newFakeParts(t)
	f.open = []*job.Job{{ID: "kept", Name: "kept", State: job.JobWaiting}}
	f.answers[gpu1] = nil
	got := runCLI(t, f, "run", "--json", "--server", gpu1)
	if got.status != exitDone {
		t.Errorf("exit %d\n%s", got.status, got.stderr)
	}
	if events := eventsOf(t, got.stdout); strings.Join(events, " ") != "job_added run_submitted job_ended" {
		t.Errorf("lines: %v", events)
	}
	if len(f.engine.added) > 0 {
		t.Error("something was added")
	}
	f = newFakeParts(t)
	if got := runCLI(t, f, "run"); got.status != exitDone || !strings.Contains(got.stdout, "Nothing is open") {
		t.Errorf("with nothing open: exit %d, %s", got.status, got.stdout)
	}
}

// Given a running job, when Ctrl-C is pressed, then this run's jobs are
// cancelled and their end is waited for.
func TestCtrlCCancels(t *testing.T) {
	f := newFakeParts(t)
	f.answers[gpu1] = nil
	f.play = runs
	signals := make(chan stopSignal, 1)
	signals <- signalInterrupt
	got := runSignalled(t, f, signals, "run", "--json", "--server", gpu1, jobFile(t, "a"))
	if got.status != exitStopped {
		t.Errorf("exit %d\n%s", got.status, got.stderr)
	}
	if len(f.engine.did) != 1 || f.engine.did[0] != (scheduler.Cancel{Job: "job-1"}) {
		t.Errorf("the engine was told %v", f.engine.did)
	}
	if events := eventsOf(t, got.stdout); events[len(events)-1] != "job_ended" {
		t.Errorf("lines: %v", events)
	}
}

// Given a running job, when the session ends or Ctrl-C is pressed twice, then
// it is left alone and said where it goes on.
func TestLeavingAtOnce(t *testing.T) {
	f := newFakeParts(t)
	f.answers[gpu1] = nil
	signals := make(chan stopSignal, 1)
	f.play = func(e *fakeEngine, j *job.Job) {
		runs(e, j)
		signals <- signalTerminate
	}
	got := runSignalled(t, f, signals, "run", "--server", gpu1, jobFile(t, "a"))
	if got.status != exitStopped {
		t.Errorf("exit %d\n%s", got.status, got.stderr)
	}
	if len(f.engine.did) > 0 {
		t.Errorf("the engine was told %v", f.engine.did)
	}
	if !strings.Contains(got.stdout, gpu1) || !strings.Contains(got.stdout, "prompt-1") {
		t.Errorf("what is left running is not said:\n%s", got.stdout)
	}
}

// eventsOf gives the kinds of JSON lines, making sure that each is an object
// with a time and an event.
func eventsOf(t *testing.T, stdout string) []string {
	t.Helper()
	var kinds []string
	for line := range strings.Lines(stdout) {
		var h struct {
			Time  time.Time
			Event string
		}
		if err := json.Unmarshal([]byte(line), &h); err != nil || h.Event == "" {
			t.Fatalf("no JSON line: %q (%v)", line, err)
		}
		kinds = append(kinds, h.Event)
	}
	return kinds
}
