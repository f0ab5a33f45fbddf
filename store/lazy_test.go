package store

import (
	"testing"
	"testing/synctest"
	"time"

	bolt "go.etcd.io/bbolt"

	"reckoner/scheduler/job"
)

// commits counts the commits so far.
func commits(t *testing.T, s *Store) int {
	t.Helper()
	id := 0
	if err := s.db.View(func(tx *bolt.Tx) error { id = tx.ID(); return nil }); err != nil {
		t.Fatal(err)
	}
	return id
}

func TestALazyChangeWaitsForTheNextWriteAndGoesWithIt(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	j := waitingJob(1)
	before := commits(t, s)
	mustSave(t, s, job.Changes{Jobs: []*job.Job{j}, Runs: []*job.Run{openRun(j, 1, job.RunIntended)}, Lazy: true})
	mustSave(t, s, job.Changes{Runs: []*job.Run{openRun(j, 1, job.RunSubmitted)}, Lazy: true})
	if n := commits(t, s) - before; n != 0 {
		t.Fatalf("%d commits for lazy changes", n)
	}
	mustSave(t, s, job.Changes{Settings: &job.Settings{Paused: true}})
	if n := commits(t, s) - before; n != 1 {
		t.Errorf("%d commits in all, want 1", n)
	}
	kept := mustLoad(t, s)
	if len(kept.Jobs) != 1 || len(kept.Runs) != 1 || kept.Runs[0].State != job.RunSubmitted || !kept.Settings.Paused {
		t.Errorf("loaded %+v", kept)
	}
}

func TestALazyChangeIsWrittenByItselfAfterAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := mustOpen(t, t.TempDir())
		before := commits(t, s)
		mustSave(t, s, job.Changes{Jobs: []*job.Job{waitingJob(1)}, Lazy: true})
		time.Sleep(lazyFor - time.Millisecond)
		synctest.Wait()
		if n := commits(t, s) - before; n != 0 {
			t.Errorf("written after less than %v", lazyFor)
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if n := commits(t, s) - before; n != 1 {
			t.Errorf("%d commits after %v, want 1", n, lazyFor)
		}
	})
}

func TestReadingAndClosingSeeLazyChanges(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir)
	mustSave(t, s, job.Changes{Jobs: []*job.Job{waitingJob(1)}, Lazy: true})
	if n := len(mustLoad(t, s).Jobs); n != 1 {
		t.Errorf("%d jobs seen, want 1", n)
	}
	mustSave(t, s, job.Changes{Jobs: []*job.Job{waitingJob(2)}, Lazy: true})
	mustClose(t, s)
	if n := len(mustLoad(t, mustOpen(t, dir)).Jobs); n != 2 {
		t.Errorf("%d jobs after closing, want 2", n)
	}
}

func TestAMachineRemovedAfterALazySaveStaysRemoved(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	m := job.Machine{ID: "m", Name: "gpu-1"}
	mustSave(t, s, job.Changes{Machines: []job.Machine{m}, Servers: []job.Server{{ID: "s", Machine: "m"}}, Lazy: true})
	mustSave(t, s, job.Changes{RemoveMachines: []job.ID{"m"}, Lazy: true})
	if kept := mustLoad(t, s); len(kept.Machines)+len(kept.Servers) != 0 {
		t.Errorf("loaded %+v", kept)
	}
	mustSave(t, s, job.Changes{RemoveMachines: []job.ID{"m"}, Lazy: true})
	mustSave(t, s, job.Changes{Machines: []job.Machine{m}, Lazy: true})
	if kept := mustLoad(t, s); len(kept.Machines) != 1 {
		t.Errorf("a machine added again is not there: %+v", kept)
	}
}

func TestAfterCloseNothingIsTaken(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	mustClose(t, s)
	mustClose(t, s)
	for _, lazy := range []bool{false, true} {
		if err := s.Save(t.Context(), job.Changes{Jobs: []*job.Job{waitingJob(1)}, Lazy: lazy}); err == nil {
			t.Errorf("a closed store took a change (lazy: %v)", lazy)
		}
	}
	if _, err := s.Load(t.Context()); err == nil {
		t.Error("a closed store was read")
	}
}
