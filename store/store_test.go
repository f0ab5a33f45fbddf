package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"reckoner/scheduler/job"
)

var day = time.Date(2026, 5, 3, 9, 30, 0, 123456789, time.UTC)

func TestMain(m *testing.M) {
	if mode := os.Getenv(helperEnv); mode != "" {
		os.Exit(helper(mode))
	}
	goleak.VerifyTestMain(m)
}

func testOptions() Options {
	n := 0
	return Options{
		Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return day },
		NewID: func() job.ID {
			n++
			return job.ID(fmt.Sprintf("app-%d", n))
		},
	}
}

func mustOpen(t testing.TB, dir string) *Store {
	t.Helper()
	s, err := Open(dir, testOptions())
	if err != nil {
		t.Fatalf("opening: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return s
}

func mustSave(t testing.TB, s *Store, c job.Changes) {
	t.Helper()
	if err := s.Save(t.Context(), c); err != nil {
		t.Fatalf("saving: %v", err)
	}
}

func mustLoad(t testing.TB, s *Store) job.Kept {
	t.Helper()
	kept, err := s.Load(t.Context())
	if err != nil {
		t.Fatalf("loading: %v", err)
	}
	return kept
}

func mustClose(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatalf("closing: %v", err)
	}
}

func waitingJob(n int) *job.Job {
	return &job.Job{
		ID: job.ID(fmt.Sprintf("job-%04d", n)), Batch: "batch", Name: fmt.Sprintf("clip %d", n),
		File:   "/home/ada/clip.json",
		Source: "aa", Graph: "bb",
		Type:  job.Type{Key: "t1", Task: job.TaskImageToVideo, Cost: job.Cost{Width: 640, Frames: 161}},
		Added: day.Add(time.Duration(n) * time.Second), Place: int64(n), Servers: []job.ID{"s1"},
		Limit: job.Limit{Kind: job.LimitSet, For: 30 * time.Minute}, OutDir: "/out", State: job.JobWaiting,
	}
}

func endedJob(n int, at time.Time) *job.Job {
	j := waitingJob(n)
	j.State, j.Outcome, j.Attempt, j.Ended = job.JobEnded, job.JobDone, 1, at
	return j
}

func openRun(j *job.Job, attempt int, state job.RunState) *job.Run {
	return &job.Run{
		ID: job.RunID(j.ID, attempt), Job: j.ID, Attempt: attempt, Server: "s1", URL: "http://gpu-1:8188", GPU: "A/u1",
		TypeKey: j.Type.Key, ClientID: "c", State: state, Intended: j.Added.Add(time.Duration(attempt) * time.Second),
	}
}

func endedRun(j *job.Job, attempt int, at time.Time, seconds float64) *job.Run {
	r := openRun(j, attempt, job.RunEnded)
	r.Ended, r.Outcome, r.Seconds, r.Label, r.Start = at, job.RunSucceeded, job.Known(seconds), job.Clean, job.Warm
	return r
}

func TestWhatWasSavedIsThereAfterTheNextOpen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data", "reckoner")
	s := mustOpen(t, dir)
	if !s.Opened().New {
		t.Error("a fresh folder was not told to be new")
	}
	w, r := waitingJob(2), waitingJob(1)
	r.State, r.Attempt = job.JobRunning, 1
	done := endedJob(3, day.Add(time.Hour))
	run, past := openRun(r, 1, job.RunStarted), endedRun(done, 1, day.Add(time.Hour), 281.5)
	run.Stop = &job.Stop{Why: job.StopLimit, At: day, Sent: []time.Time{day}}
	run.Err = job.Errorf(job.ErrVanished, job.Args{Server: "gpu-1"}, nil)
	machines := []job.Machine{
		{ID: "m2", Name: "zeta", Sources: []string{"nvidia-smi"}, Saved: true},
		{ID: "m1", Name: "alpha"},
	}
	servers := []job.Server{
		{ID: "s9", Machine: "m2", URL: "http://a", ClientID: "c9"},
		{ID: "s1", Machine: "m1", URL: "http://b", WatchOnly: true},
	}
	settings := job.Settings{Paused: true, OutDir: "/out", StopWait: time.Minute}
	mustSave(t, s, job.Changes{
		Jobs: []*job.Job{w, r, done}, Runs: []*job.Run{run, past}, Machines: machines, Servers: servers, Settings: &settings,
	})
	mustClose(t, s)

	again := mustOpen(t, dir)
	if o := again.Opened(); o.New || o.SetAside != "" {
		t.Errorf("opened again: %+v", o)
	}
	want := job.Kept{
		App: "app-1", Jobs: []job.Job{*r, *w, *done}, Runs: []job.Run{*run, *past},
		Machines: machines, Servers: servers, Settings: settings,
	}
	if got, want := asJSON(t, mustLoad(t, again)), asJSON(t, want); got != want {
		t.Errorf("loaded\n%s\nwant\n%s", got, want)
	}
	if m := mustLoad(t, again).Machines; !m[0].Saved || m[1].Saved {
		t.Errorf("which machines are saved was lost: %+v", m) // their JSON does not say
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestTheFolderIsForThisUserOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "reckoner")
	s := mustOpen(t, dir)
	if _, err := s.PutBlob(t.Context(), []byte("x")); err != nil {
		t.Fatal(err)
	}
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestOneEngineAFolder(t *testing.T) {
	dir := t.TempDir()
	mustOpen(t, dir)
	_, err := Open(dir, testOptions())
	var locked *LockedError
	if !errors.Is(err, ErrLocked) || !errors.As(err, &locked) || locked.PID != os.Getpid() {
		t.Errorf("second open: %v, want ErrLocked by process %d", err, os.Getpid())
	}
	_, err = OpenReadOnly(dir, nil)
	if !errors.As(err, &locked) || locked.PID != os.Getpid() {
		t.Errorf("read-only open beside an engine: %v, want ErrLocked by process %d", err, os.Getpid())
	}
}

func TestReadingWithoutAnEngine(t *testing.T) {
	dir := t.TempDir()
	if _, err := OpenReadOnly(dir, nil); job.CodeOf(err) != job.ErrNotFound {
		t.Errorf("an empty folder: %v, want %s", err, job.ErrNotFound)
	}
	s := mustOpen(t, dir)
	j := endedJob(1, day)
	mustSave(t, s, job.Changes{Jobs: []*job.Job{j}, Runs: []*job.Run{endedRun(j, 1, day, 3)}})
	mustClose(t, s)

	r, err := OpenReadOnly(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := r.History(t.Context(), job.HistoryQuery{})
	if err != nil || len(rows) != 1 || rows[0].Job.Name != j.Name {
		t.Errorf("history: %+v, %v", rows, err)
	}
	for _, lazy := range []bool{false, true} {
		if err := r.Save(t.Context(), job.Changes{Jobs: []*job.Job{j}, Lazy: lazy}); err == nil {
			t.Errorf("a read-only store took a write (lazy: %v)", lazy)
		}
	}
	mustClose(t, r)
	mustClose(t, mustOpen(t, dir)) // the reader is gone, so an engine may start
}

func TestAnEngineWaitsForAReaderAndThenSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		mustClose(t, mustOpen(t, dir))
		r, err := OpenReadOnly(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		_, err = Open(dir, testOptions())
		var locked *LockedError
		if !errors.As(err, &locked) || locked.PID != 0 {
			t.Errorf("beside a reader: %v, want a LockedError that names nobody", err)
		}
		if waited := time.Since(began); waited < readerWait {
			t.Errorf("it waited %v only", waited)
		}
		time.AfterFunc(readerWait/2, func() {
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		})
		mustOpen(t, dir) // the reader leaves in time
	})
}

func TestDefaultDirFollowsXDG(t *testing.T) {
	t.Setenv("HOME", "/home/ada")
	for _, c := range []struct{ xdg, want string }{
		{"/data", "/data/reckoner"},
		{"", "/home/ada/.local/share/reckoner"},
		{"relative", "/home/ada/.local/share/reckoner"},
	} {
		t.Setenv("XDG_DATA_HOME", c.xdg)
		if got, err := DefaultDir(); err != nil || got != c.want {
			t.Errorf("XDG_DATA_HOME=%q: %q, %v, want %q", c.xdg, got, err, c.want)
		}
	}
}

func TestItCanBeSeenWhetherAFolderIsInUse(t *testing.T) {
	dir := t.TempDir()
	if _, used, err := InUse(filepath.Join(dir, "none")); used || err != nil {
		t.Errorf("no folder: %v, %v", used, err)
	}
	s := mustOpen(t, dir)
	if pid, used, err := InUse(dir); !used || pid != os.Getpid() || err != nil {
		t.Errorf("in use: %d, %v, %v", pid, used, err)
	}
	mustClose(t, s)
	if _, used, err := InUse(dir); used || err != nil {
		t.Errorf("given up: %v, %v", used, err)
	}
	mustOpen(t, dir) // looking did not take it
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := InUse(file); err == nil {
		t.Error("a file was taken for a folder that nobody uses")
	}
}
