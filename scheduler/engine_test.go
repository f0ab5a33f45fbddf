package scheduler_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

const graph = `{"3":{"class_type":"KSampler","inputs":{"seed":18446744073709551615,"steps":20,"latent_image":["5",0]}},
"5":{"class_type":"EmptyLatentImage","inputs":{"width":512,"height":512,"batch_size":1}},
"9":{"class_type":"SaveImage","inputs":{"images":["3",0],"filename_prefix":"r"}}}`

// scene is an engine with one played server, inside a bubble of virtual time.
type scene struct {
	t       *testing.T
	store   *memory
	server  *played
	connect func(job.Server) (scheduler.RenderServer, error) // nil: server for all
	engine  *scheduler.Engine
	ids     int
	meters  atomic.Int64
	host    scheduler.HostMeter
	report  func(context.Context, scheduler.Report) error
	mu      sync.Mutex
	sources []string // opened
}

func newScene(t *testing.T, takes time.Duration) *scene {
	s := &scene{t: t, store: newMemory(), server: &played{takes: takes}}
	s.store.kept = job.Kept{
		Machines: []job.Machine{{ID: "gpu-1", Name: "gpu-1", Sources: []string{"test"}}},
		Servers:  []job.Server{{ID: "gpu-1", Machine: "gpu-1", Name: "gpu-1", URL: "http://gpu-1"}},
	}
	return s
}

func (s *scene) start() {
	s.t.Helper()
	engine, err := scheduler.New(scheduler.Config{
		Store: s.store, Clock: job.NewClock(1), Fetcher: handed{},
		Connect: func(rec job.Server) (scheduler.RenderServer, error) {
			if s.connect != nil {
				return s.connect(rec)
			}
			return s.server, nil
		},
		Meter: func(source string) (scheduler.Meter, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.sources = append(s.sources, source)
			return failing{&s.meters}, nil
		},
		Host: s.host, Report: s.report,
		NewID: func() job.ID {
			s.ids++
			return job.UUIDFrom([16]byte{byte(s.ids)})
		},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	if err := engine.Start(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	s.engine = engine
}

func (s *scene) stop() {
	s.t.Helper()
	if err := s.engine.Stop(s.t.Context()); err != nil {
		s.t.Error(err)
	}
}

func (s *scene) file(name, content string) string {
	s.t.Helper()
	path := filepath.Join(s.t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// follow reads events until one of a kind.
func follow(t *testing.T, f *scheduler.Follower, until job.EventKind) []job.EventKind {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Hour)
	defer cancel()
	var kinds []job.EventKind
	for {
		ev, err := f.Next(ctx)
		if err != nil {
			t.Fatalf("no %s: %v; told %v", until, err, kinds)
		}
		if ev.Kind != job.EventProgress && ev.Kind != job.EventReading && ev.Kind != job.EventSourceError {
			kinds = append(kinds, ev.Kind)
		}
		if ev.Kind == until {
			return kinds
		}
	}
}

func TestAFileBecomesAJobAndItsResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// Given a running engine
		s := newScene(t, 90*time.Second)
		s.start()
		defer s.stop()
		time.Sleep(time.Second) // in which the server is found
		told := s.engine.Follow()
		defer told.Close()
		path := s.file("beach-walk.json", graph)
		// when a file is added
		added, err := s.engine.Add(t.Context(), scheduler.AddRequest{Files: []string{path}, OutDir: "out"})
		if err != nil || len(added.Jobs) != 1 || len(added.Refused) != 0 {
			t.Fatalf("added %+v, %v", added, err)
		}
		// then it goes, runs, and ends with its output
		kinds := follow(t, told, job.EventJobEnded)
		want := []job.EventKind{
			job.EventJobAdded, job.EventSubmitted, job.EventStarted, job.EventRunEnded, job.EventJobEnded,
		}
		if !slices.Equal(kinds, want) {
			t.Errorf("told %v, want %v", kinds, want)
		}
		if got := s.server.sent(); len(got) != 1 || !strings.Contains(got[0], "18446744073709551615") {
			t.Errorf("the server was sent %v", got)
		}
		synctest.Wait()
		time.Sleep(time.Second) // let the snapshot be drawn
		done := s.engine.Snapshot().Done
		if len(done) != 1 || done[0].Job.Outcome != job.JobDone || done[0].Run.Outputs[0].File != "out/a.png" {
			t.Errorf("the snapshot has %+v", done)
		}
		if j := s.store.jobs[added.Jobs[0].ID]; j.Outcome != job.JobDone {
			t.Errorf("the store has %+v", j)
		}
	})
}

func TestAFileThatIsNoJobQueuesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, time.Second)
		s.start()
		defer s.stop()
		for name, c := range map[string]struct{ content, code string }{
			"empty.json": {"", job.ErrEmptyFile},
			"ui.json":    {`{"nodes":[],"links":[],"version":0.4}`, job.ErrNotWorkflow},
			"text.json":  {"hello", job.ErrNotJSON},
		} {
			added, err := s.engine.Add(t.Context(), scheduler.AddRequest{Files: []string{s.file(name, c.content)}})
			if err != nil || len(added.Jobs) != 0 || len(added.Refused) != 1 || added.Refused[0].Err.Code != c.code {
				t.Errorf("%s: %+v, %v", name, added.Refused, err)
			}
		}
		added, err := s.engine.Add(t.Context(), scheduler.AddRequest{Files: []string{"nowhere.json", t.TempDir()}})
		if err != nil || len(added.Refused) != 2 || added.Refused[0].Err.Code != job.ErrUnreadable ||
			added.Refused[1].Err.Code != job.ErrFolder {
			t.Errorf("%+v, %v", added.Refused, err)
		}
	})
}

func TestStoppingLeavesTheRunAndTheNextStartFindsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// Given a run under way
		s := newScene(t, 10*time.Minute)
		s.start()
		path := s.file("long.json", graph)
		req := scheduler.AddRequest{Files: []string{path}, OutDir: "out", Resume: true}
		if _, err := s.engine.Add(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		// when the engine stops and starts again, and the same file is added
		s.stop()
		first := s.server.clientID
		time.Sleep(time.Minute)
		s.start()
		defer s.stop()
		told := s.engine.Follow()
		defer told.Close()
		added, err := s.engine.Add(t.Context(), req)
		// then the file stands for the open job, and the run is not sent again
		if err != nil || len(added.Resumed) != 1 || len(added.Jobs) != 0 {
			t.Fatalf("added %+v, %v", added, err)
		}
		follow(t, told, job.EventJobEnded)
		if n := len(s.server.sent()); n != 1 || s.store.jobs[added.Resumed[0].ID].Outcome != job.JobDone {
			t.Errorf("%d submissions, job %+v", n, s.store.jobs[added.Resumed[0].ID])
		}
		if s.server.clientID == first {
			t.Error("the websocket's id of the earlier start was used again")
		}
	})
}

// Given a command that broke off, when it is given again, then also its files
// that are done stand for their jobs; and when all of it has ended, then its
// files are new jobs.
func TestABatchThatBrokeOffIsGoneOnWithAsAWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, 10*time.Minute)
		s.start()
		req := scheduler.AddRequest{OutDir: "out", Resume: true, Files: []string{
			s.file("a.json", graph), s.file("b.json", graph), s.file("c.json", graph),
		}}
		first, err := s.engine.Add(t.Context(), req)
		if err != nil || len(first.Jobs) != 3 {
			t.Fatalf("%+v, %v", first, err)
		}
		time.Sleep(15 * time.Minute) // a is done, b under way
		s.stop()
		s.start()
		defer s.stop()
		other := req
		other.Files = []string{req.Files[0], s.file("d.json", graph)}
		again, err := s.engine.Add(t.Context(), req)
		if err != nil || len(again.Resumed) != 3 || len(again.Jobs) != 0 {
			t.Fatalf("resumed %d and added %d, want 3 and 0 (%v)", len(again.Resumed), len(again.Jobs), err)
		}
		if a := again.Resumed[0]; a.ID != first.Jobs[0].ID || a.Outcome != job.JobDone {
			t.Errorf("the first file stands for %+v", a)
		}
		more, err := s.engine.Add(t.Context(), other)
		if err != nil || len(more.Resumed) != 1 || len(more.Jobs) != 1 {
			t.Errorf("a file more: resumed %d and added %d, want 1 and 1 (%v)", len(more.Resumed), len(more.Jobs), err)
		}
		time.Sleep(time.Hour)
		anew, err := s.engine.Add(t.Context(), req)
		if err != nil || len(anew.Resumed) != 0 || len(anew.Jobs) != 3 {
			t.Errorf("when all was done: resumed %d and added %d, want 0 and 3 (%v)", len(anew.Resumed), len(anew.Jobs), err)
		}
	})
}

// Given jobs that the user cancelled while one goes on, when the command is given
// again, then they are asked for anew.
func TestWhatWasCancelledIsNotResumed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, time.Hour)
		s.start()
		defer s.stop()
		req := scheduler.AddRequest{OutDir: "out", Resume: true, Files: []string{
			s.file("a.json", graph), s.file("b.json", graph),
		}}
		first, err := s.engine.Add(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		s.engine.Do(scheduler.Cancel{Job: first.Jobs[1].ID})
		time.Sleep(time.Second)
		again, err := s.engine.Add(t.Context(), req)
		if err != nil || len(again.Resumed) != 1 || len(again.Jobs) != 1 || again.Resumed[0].ID != first.Jobs[0].ID {
			t.Errorf("resumed %d and added %d, want 1 and 1 (%v)", len(again.Resumed), len(again.Jobs), err)
		}
	})
}

func TestCopiesOfOneFileAreResumedOneByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, time.Hour)
		s.start()
		defer s.stop()
		req := scheduler.AddRequest{Files: []string{s.file("x.json", graph)}, OutDir: "out", Repeat: 3, Resume: true}
		first, err := s.engine.Add(t.Context(), req)
		if err != nil || len(first.Jobs) != 3 {
			t.Fatalf("%+v, %v", first, err)
		}
		req.Repeat = 4
		again, err := s.engine.Add(t.Context(), req)
		if err != nil || len(again.Resumed) != 3 || len(again.Jobs) != 1 {
			t.Errorf("resumed %d and added %d, want 3 and 1 (%v)", len(again.Resumed), len(again.Jobs), err)
		}
	})
}

func TestAFullDiskIsSaidAndNothingIsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, time.Second)
		s.start()
		defer s.stop()
		s.store.mu.Lock()
		s.store.full = true
		s.store.mu.Unlock()
		_, err := s.engine.Add(t.Context(), scheduler.AddRequest{Files: []string{s.file("x.json", graph)}, OutDir: "out"})
		if job.CodeOf(err) != job.ErrDisk {
			t.Errorf("adding said %v", err)
		}
		time.Sleep(time.Minute)
		if n := len(s.server.sent()); n != 0 {
			t.Errorf("%d prompts were sent without a record", n)
		}
		if snap := s.engine.Snapshot(); snap.Unwritable == nil || len(snap.Waiting) != 1 {
			t.Errorf("the snapshot says %v, %d waiting", snap.Unwritable, len(snap.Waiting))
		}
		s.store.mu.Lock()
		s.store.full = false
		s.store.mu.Unlock()
		time.Sleep(time.Minute)
		if done := s.engine.Snapshot().Done; len(done) != 1 || s.engine.Snapshot().Unwritable != nil {
			t.Errorf("%d done", len(done))
		}
	})
}

func TestAMeterIsStartedAgainWithGrowingPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, time.Second)
		s.start()
		defer s.stop()
		time.Sleep(10 * time.Minute)
		if n := s.meters.Load(); n < 5 || n > 310 {
			t.Errorf("%d starts in ten minutes", n)
		}
		snap := s.engine.Snapshot()
		if gpus := snap.Machines[0].GPUs; len(gpus) != 1 || gpus[0].Last.Util != job.Known(7.0) {
			t.Errorf("gauges %+v", gpus)
		}
		if programs := snap.Machines[0].GPUs[0].Programs; len(programs) != 1 || programs[0].Name != "ollama" {
			t.Errorf("programs %+v", programs)
		}
		if errs := snap.Machines[0].SourceErr; len(errs) != 1 || errs[0].Err.Code != job.ErrToolFailed {
			t.Errorf("source errors %+v", errs)
		}
	})
}

func TestAfterStopNothingIsTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, time.Second)
		s.start()
		told := s.engine.Follow()
		defer told.Close()
		s.stop()
		s.stop()
		if _, err := s.engine.Add(t.Context(), scheduler.AddRequest{Files: []string{s.file("x.json", graph)}}); err == nil {
			t.Error("a stopped engine took a job")
		}
		for {
			if _, err := told.Next(t.Context()); err != nil {
				if err != scheduler.ErrStopped { //nolint:errorlint // it is this very value
					t.Error(err)
				}
				return
			}
		}
	})
}

func TestAMachineOfACommandLineIsUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, time.Minute)
		s.store.kept.Machines, s.store.kept.Servers = nil, nil
		s.start()
		defer s.stop()
		told := s.engine.Follow()
		defer told.Close()
		err := s.engine.AddMachine(t.Context(), job.Machine{ID: "attic", Name: "attic"},
			[]job.Server{{ID: "attic-1", Name: "attic", URL: "http://attic"}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.engine.Add(t.Context(), scheduler.AddRequest{Files: []string{s.file("x.json", graph)}, OutDir: "o"}); err != nil {
			t.Fatal(err)
		}
		follow(t, told, job.EventJobEnded)
	})
}

// BenchmarkSnapshot is what a drawing of the window costs the engine with ten
// thousand jobs waiting.
func BenchmarkSnapshot(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchmarkSnapshot(b, n) })
	}
}
