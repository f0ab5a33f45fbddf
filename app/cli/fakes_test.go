package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"reckoner/scheduler"
	"reckoner/scheduler/gpu"
	"reckoner/scheduler/job"
	"reckoner/scheduler/transfer"
)

func TestMain(m *testing.M) {
	if args := os.Getenv("RECKONER_TEST_ARGS"); args != "" {
		os.Exit(Run(context.Background(), strings.Split(args, "\x1f"), Env{
			Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Version: "test",
		}))
	}
	goleak.VerifyTestMain(m)
}

// fakeParts are parts that touch nothing but memory. A server answers when it is
// in answers; the engine plays the script of every job.
type fakeParts struct {
	t       *testing.T
	answers map[string]error // by URL; absent means that nobody answers
	play    func(e *fakeEngine, j *job.Job)
	open    []*job.Job // in the data folder from the start
	// readStore reads a data folder; nil means that there is none.
	readStore func(dir string, log *slog.Logger) (storage, error)

	costs   []gpu.Cost
	costsOf []string

	mu     sync.Mutex
	opened int
	probed []string
	engine *fakeEngine
}

func newFakeParts(t *testing.T) *fakeParts {
	return &fakeParts{t: t, answers: map[string]error{}, play: ends(job.JobDone)}
}

func (f *fakeParts) parts() parts {
	whole := realParts()
	return parts{
		openStore: func(string, *job.Clock, *slog.Logger) (storage, error) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.opened++
			return fakeStore{}, nil
		},
		readStore: func(dir string, log *slog.Logger) (storage, error) {
			if f.readStore != nil {
				return f.readStore(dir, log)
			}
			return nil, job.Errorf(job.ErrNotFound, job.Args{}, nil)
		},
		connect: func(s job.Server, _ credentials, _ *slog.Logger) (scheduler.RenderServer, error) {
			return fakeServer{parts: f, url: s.URL}, nil
		},
		meter: whole.meter,
		cost: func(_ context.Context, sources []string) []gpu.Cost {
			f.costsOf = sources
			return f.costs
		},
		host:    whole.host,
		results: func() (string, error) { return f.t.TempDir(), nil },
		fetcher: func(func(job.ID) (transfer.Viewer, bool), *slog.Logger) scheduler.Fetcher { return nil },
		start: func(context.Context, scheduler.Config) (engine, error) {
			f.engine = newFakeEngine(f.play, f.open)
			return f.engine, nil
		},
	}
}

type fakeServer struct {
	scheduler.RenderServer
	parts *fakeParts
	url   string
}

func (s fakeServer) Probe(ctx context.Context) (job.ServerInfo, error) {
	s.parts.mu.Lock()
	defer s.parts.mu.Unlock()
	s.parts.probed = append(s.parts.probed, s.url)
	err, known := s.parts.answers[s.url]
	if !known {
		err = job.Errorf(job.ErrUnreachable, job.Args{Server: s.url, Detail: "connection refused"}, nil)
	}
	return job.ServerInfo{}, err
}

type fakeStore struct{ storage }

func (fakeStore) Load(context.Context) (job.Kept, error) { return job.Kept{}, nil }
func (fakeStore) Close() error                           { return nil }

// fakeEngine queues what it is given and plays a script for each job.
type fakeEngine struct {
	play func(e *fakeEngine, j *job.Job)

	mu        sync.Mutex
	snapshot  *scheduler.Snapshot
	followers []*fakeFollower
	added     []scheduler.AddRequest
	did       []scheduler.Command
	jobs      map[job.ID]*job.Job
}

func newFakeEngine(play func(*fakeEngine, *job.Job), open []*job.Job) *fakeEngine {
	e := &fakeEngine{play: play, snapshot: &scheduler.Snapshot{Speed: 1}, jobs: map[job.ID]*job.Job{}}
	for _, j := range open {
		e.jobs[j.ID] = j
		e.snapshot.Waiting = append(e.snapshot.Waiting, scheduler.JobView{Job: j})
	}
	return e
}

func (e *fakeEngine) Snapshot() *scheduler.Snapshot {
	e.mu.Lock()
	defer e.mu.Unlock()
	s := *e.snapshot
	return &s
}

func (e *fakeEngine) Changed() (<-chan struct{}, func()) { return nil, func() {} }

func (e *fakeEngine) Follow() follower {
	e.mu.Lock()
	defer e.mu.Unlock()
	f := &fakeFollower{events: make(chan job.Event, 100)}
	e.followers = append(e.followers, f)
	for _, v := range e.snapshot.Waiting {
		e.play(e, v.Job)
	}
	return f
}

func (e *fakeEngine) Add(_ context.Context, r scheduler.AddRequest) (scheduler.Added, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.added = append(e.added, r)
	var added scheduler.Added
	for i, path := range r.Files {
		j := &job.Job{
			ID: job.ID(fmt.Sprint("job-", len(e.jobs)+1)), Batch: "batch", File: path, State: job.JobWaiting,
			Name: strings.TrimSuffix(filepath.Base(r.Files[i]), ".json"),
		}
		e.jobs[j.ID] = j
		added.Jobs = append(added.Jobs, j)
		e.tell(job.Event{Kind: job.EventJobAdded, Job: j})
		e.play(e, j)
	}
	return added, nil
}

func (e *fakeEngine) Do(c scheduler.Command) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.did = append(e.did, c)
	if c, ok := c.(scheduler.Cancel); ok {
		e.end(e.jobs[c.Job], job.JobCancelled)
	}
}

func (e *fakeEngine) AddMachine(_ context.Context, m job.Machine, servers []job.Server) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	v := scheduler.MachineView{Machine: m}
	for _, s := range servers {
		v.Servers = append(v.Servers, scheduler.ServerView{Server: s})
	}
	e.snapshot.Machines = append(e.snapshot.Machines, v)
	return nil
}

func (e *fakeEngine) History(context.Context, job.HistoryQuery) ([]job.HistoryRow, error) {
	return []job.HistoryRow{{
		Job: job.Job{ID: "j", Name: "old"},
		Run: job.Run{ID: "r", Outcome: job.RunSucceeded, Ended: time.Unix(1700000000, 0)},
	}}, nil
}

func (e *fakeEngine) Stop(context.Context) error { return nil }

// tell tells everybody who follows. The caller holds mu.
func (e *fakeEngine) tell(ev job.Event) {
	for _, f := range e.followers {
		f.events <- ev
	}
}

// end ends a job. The caller holds mu.
func (e *fakeEngine) end(j *job.Job, how job.JobOutcome) {
	ended := *j
	ended.State, ended.Outcome = job.JobEnded, how
	e.tell(job.Event{Kind: job.EventJobEnded, Job: &ended})
}

// ends plays a job that has a run and ends at once.
func ends(how job.JobOutcome) func(*fakeEngine, *job.Job) {
	return func(e *fakeEngine, j *job.Job) {
		e.tell(job.Event{Kind: job.EventSubmitted, Run: &job.Run{ID: "run-" + j.ID, Job: j.ID, URL: "http://gpu-1:8188"}})
		e.end(j, how)
	}
}

// runs plays a job that starts and does not end by itself.
func runs(e *fakeEngine, j *job.Job) {
	r := &job.Run{ID: "run-" + j.ID, Job: j.ID, URL: "http://gpu-1:8188", PromptID: "prompt-1", State: job.RunStarted}
	running := *j
	running.State = job.JobRunning
	e.snapshot.Running = append(e.snapshot.Running, scheduler.JobView{Job: &running, Run: r})
	e.tell(job.Event{Kind: job.EventStarted, Run: r})
}

type fakeFollower struct{ events chan job.Event }

func (f *fakeFollower) Next(ctx context.Context) (job.Event, error) {
	select {
	case ev := <-f.events:
		return ev, nil
	case <-ctx.Done():
		return job.Event{}, ctx.Err()
	}
}

func (f *fakeFollower) Close() {}

// ran is what a command line did.
type ran struct {
	status         int
	stdout, stderr string
	parts          *fakeParts
}

// runCLI runs a command line on fake parts, in a data folder of its own unless
// the line names one.
func runCLI(t *testing.T, f *fakeParts, args ...string) ran {
	t.Helper()
	return runSignalled(t, f, nil, args...)
}

// runSignalled runs a command line that gets signals.
func runSignalled(t *testing.T, f *fakeParts, signals <-chan stopSignal, args ...string) ran {
	t.Helper()
	var stdout, stderr bytes.Buffer
	s := &shell{
		env: Env{
			Stdout: &stdout, Stderr: &stderr, Version: "test",
			Getenv: func(string) string { return "" },
		},
		parts:   f.parts(),
		signals: func() (<-chan stopSignal, func()) { return signals, func() {} },
	}
	if !strings.Contains(strings.Join(args, " "), "--data") {
		args = append(args, "--data", shortDir(t))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	status := s.run(ctx, args)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		t.Errorf("%v did not end", args)
	}
	return ran{status: status, stdout: stdout.String(), stderr: stderr.String(), parts: f}
}

// shortDir gives a folder whose path is short enough for a socket.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "rk") //nolint:usetesting // its path grows with the test's name
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// jobFile writes a small job.
func jobFile(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+".json")
	const graph = `{
  "1": {"class_type": "EmptyImage", "inputs": {"width": 64, "height": 64, "batch_size": 1, "color": 0}},
  "2": {"class_type": "SaveImage", "inputs": {"images": ["1", 0], "filename_prefix": "reckoner"}}
}`
	if err := os.WriteFile(path, []byte(graph), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
