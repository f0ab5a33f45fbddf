package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// Given a place for results that cannot take any, when files are run, then it is
// refused before any server is asked, and nothing is left of the attempt.
func TestOutThatCannotTakeResultsIsRefusedFirst(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, out := range map[string]string{
		"a file": file, "below a file": filepath.Join(file, "a", "b"), "no name": "",
		"too long a name": filepath.Join(dir, "new", strings.Repeat("n", 300)),
	} {
		f := newFakeParts(t)
		f.answers[gpu1] = nil
		got := runCLI(t, f, "run", "--server", gpu1, "--out", out, jobFile(t, "a"))
		if got.status != exitUsage || len(f.probed) > 0 || f.engine != nil || got.stderr == "" {
			t.Errorf("%s: exit %d, asked %v\n%s", name, got.status, f.probed, got.stderr)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	if err := checkOutDir(filepath.Join(dir, "new", "folder")); err != nil {
		t.Error(err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("looking left %v", entries)
	}
}

func TestWithoutAnyServerNothingIsQueued(t *testing.T) {
	f := newFakeParts(t)
	got := runCLI(t, f, "run", jobFile(t, "a"))
	if got.status != exitUsage || len(f.engine.added) > 0 {
		t.Errorf("exit %d, added %v", got.status, f.engine.added)
	}
	for _, want := range []string{"--server", "Machines", "Nothing was queued"} {
		if !strings.Contains(got.stderr, want) {
			t.Errorf("%q is not said in\n%s", want, got.stderr)
		}
	}
	f = newFakeParts(t)
	f.open = []*job.Job{{ID: "kept", Name: "kept", State: job.JobWaiting}}
	f.play = func(*fakeEngine, *job.Job) {}
	if got := runCLI(t, f, "run"); got.status != exitUsage || !strings.Contains(got.stderr, "--server") {
		t.Errorf("with a job that waits: exit %d\n%s", got.status, got.stderr)
	}
}

func TestAnEmptyFolderNameIsAMistake(t *testing.T) {
	for _, args := range [][]string{{"status", "--data", ""}, {"run", "--data=", "x.json"}} {
		f := newFakeParts(t)
		if got := runCLI(t, f, args...); got.status != exitUsage || f.opened > 0 {
			t.Errorf("%v: exit %d", args, got.status)
		}
	}
}

// Given names that steer a terminal, when jobs are run, then their text for
// people is plain and each event is one line.
func TestTextForPeopleIsPlain(t *testing.T) {
	f := newFakeParts(t)
	f.answers[gpu1] = nil
	got := runCLI(t, f, "run", "--server", gpu1, jobFile(t, "a\x1b[31m\u202eb\nc"))
	if got.status != exitDone || strings.ContainsAny(got.stdout+got.stderr, "\x1b\u202e") {
		t.Errorf("exit %d: %q", got.status, got.stdout+got.stderr)
	}
	if !strings.Contains(got.stdout, `a\x1b[31m\u202eb\nc: done`) {
		t.Errorf("%q", got.stdout)
	}
	if got := runCLI(t, newFakeParts(t), "inspect", "no\x1b[2Jsuch"); strings.Contains(got.stderr, "\x1b") ||
		strings.Count(got.stderr, "2Jsuch") != 1 {
		t.Errorf("%q", got.stderr)
	}
}

// Given jobs that are left at each point of their way, then only what is known is
// said.
func TestWhatIsSaidOfALeftJobIsKnown(t *testing.T) {
	for _, c := range []struct {
		state      job.JobState
		run        *job.Run
		want, none string
	}{
		{job.JobWaiting, nil, "walk stays queued", "goes on"},
		{job.JobRunning, &job.Run{URL: gpu1, State: job.RunIntended}, "may or may not", "goes on at"},
		{job.JobRunning, &job.Run{URL: gpu1, State: job.RunStarted, PromptID: "p1"}, "goes on at http://gpu-1:8188 as prompt p1", "queued"},
		{job.JobRunning, &job.Run{URL: gpu1, State: job.RunSubmitted}, "goes on at http://gpu-1:8188. ", "prompt"},
		{job.JobCollecting, &job.Run{URL: gpu1, State: job.RunEnded}, "has run on http://gpu-1:8188", "queued"},
	} {
		got := leftOf(scheduler.JobView{Job: &job.Job{Name: "walk", State: c.state}, Run: c.run}).sentence()
		if !strings.Contains(got, c.want) || strings.Contains(got, c.none) {
			t.Errorf("%s: %q", c.state, got)
		}
	}
}

// Given a job that another command handed over, when this run's own are done,
// then it is finished before the engine ends, and does not count as this run's.
func TestJobsThatWereHandedOverAreFinished(t *testing.T) {
	f := newFakeParts(t)
	f.answers[gpu1] = nil
	f.play = func(e *fakeEngine, j *job.Job) {
		other := &job.Job{ID: "other", Name: "other", State: job.JobWaiting}
		e.jobs[other.ID] = other
		e.snapshot.Waiting = []scheduler.JobView{{Job: other}}
		e.play = func(e *fakeEngine, j *job.Job) { // once followed
			ended := *j
			ended.State, ended.Outcome = job.JobEnded, job.JobFailed
			e.snapshot.Waiting, e.snapshot.Done = nil, []scheduler.JobView{{Job: &ended}}
			e.end(j, job.JobFailed)
		}
		e.end(j, job.JobDone)
	}
	got := runCLI(t, f, "run", "--json", "--server", gpu1, jobFile(t, "a"))
	if got.status != exitDone || !strings.Contains(got.stderr, "1 job was handed over") || f.engine.snapshot.Waiting != nil {
		t.Errorf("exit %d, waiting %v\n%s", got.status, f.engine.snapshot.Waiting, got.stderr)
	}
	if strings.Contains(got.stdout, "other") {
		t.Errorf("its lines were printed:\n%s", got.stdout)
	}
}

// Given a database that is damaged, when its history is listed, then that is one
// true sentence; and when a run starts there, then people read where the records
// were put, and the rest is in the log.
func TestDamagedRecordsAreToldInASentence(t *testing.T) {
	data := shortDir(t)
	if err := os.WriteFile(filepath.Join(data, "reckoner.db"), []byte("not a database"), 0o600); err != nil {
		t.Fatal(err)
	}
	whole := realParts()
	with := func(args ...string) (int, string) {
		f := newFakeParts(t)
		f.answers[gpu1] = nil
		fake := f.parts()
		fake.openStore, fake.readStore = whole.openStore, whole.readStore
		var stdout, stderr strings.Builder
		s := &shell{
			env:     Env{Stdout: &stdout, Stderr: &stderr, Getenv: func(string) string { return "" }},
			parts:   fake,
			signals: func() (<-chan stopSignal, func()) { return nil, func() {} },
		}
		return s.run(t.Context(), append(args, "--data", data)), stderr.String()
	}
	status, told := with("history")
	if status != exitFailed || strings.Count(told, "\n") != 1 || !strings.Contains(told, "damaged") {
		t.Errorf("history: exit %d\n%s", status, told)
	}
	status, told = with("run", "--server", gpu1, jobFile(t, "a"))
	if status != exitDone || strings.Count(told, "\n") != 1 || !strings.Contains(told, "set aside as "+data) {
		t.Errorf("run: exit %d\n%s", status, told)
	}
	log, err := os.ReadFile(filepath.Join(data, "log", logFile))
	if err != nil || !strings.Contains(string(log), "set aside") {
		t.Errorf("the log: %v\n%s", err, log)
	}
}

func TestAStackIsForTheLogFileOnly(t *testing.T) {
	data := t.TempDir()
	var people strings.Builder
	log, done, err := openLog(data, &people, false)
	if err != nil {
		t.Fatal(err)
	}
	log.Error("reading broke off", "cause", "x\x1b[2J\u202e", "stack", "goroutine 1")
	if err := done(); err != nil {
		t.Fatal(err)
	}
	if got := people.String(); strings.Contains(got, "goroutine") || strings.ContainsAny(got, "\x1b\u202e") || got == "" {
		t.Errorf("people read %q", got)
	}
	if file, err := os.ReadFile(filepath.Join(data, "log", logFile)); err != nil || !strings.Contains(string(file), "goroutine 1") {
		t.Errorf("the file: %v %q", err, file)
	}
}

func TestStatusNamesJobsAndServers(t *testing.T) {
	run := &job.Run{ID: "r", Job: "j", URL: gpu1, Server: "s", State: job.RunStarted}
	view := scheduler.JobView{Job: &job.Job{ID: "j", Name: "walk", State: job.JobRunning}, Run: run}
	for name, machines := range map[string][]scheduler.MachineView{
		"attic": {{Servers: []scheduler.ServerView{{Server: job.Server{ID: "s", Name: "attic", URL: gpu1}}}}},
		gpu1:    nil, // one that is not named any more
	} {
		events := statusEvents(&scheduler.Snapshot{Machines: machines, Running: []scheduler.JobView{view}})
		var lines []string
		for _, ev := range events {
			lines = append(lines, testEncoder().sentence(ev))
		}
		if all := strings.Join(lines, "\n"); !strings.Contains(all, "walk: started on "+name) {
			t.Errorf("%s:\n%s", name, all)
		}
	}
}
