package scheduler_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

func TestAMachineIsRemovedFromTheEngineAndFromTheDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, time.Hour)
		s.start()
		defer s.stop()
		m, server := job.Machine{ID: "attic", Name: "attic", Saved: true}, job.Server{ID: "attic-1", URL: "http://attic"}
		if err := s.engine.AddMachine(t.Context(), m, []job.Server{server}); err != nil {
			t.Fatal(err)
		}
		if err := s.engine.RemoveMachine(t.Context(), "attic"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if n := len(s.engine.Snapshot().Machines); n != 1 {
			t.Errorf("%d machines are left", n)
		}
		if !s.store.isRemoved("attic") {
			t.Error("it is still on disk")
		}
		// Nothing of it goes on: the meter of the other one only.
		if s.meters.Load() == 0 {
			t.Error("the other machine's meter was never started")
		}

		told := s.engine.Follow()
		defer told.Close()
		if _, err := s.engine.Add(t.Context(), scheduler.AddRequest{Files: []string{s.file("x.json", graph)}, OutDir: "o"}); err != nil {
			t.Fatal(err)
		}
		follow(t, told, job.EventStarted)
		if err := s.engine.RemoveMachine(t.Context(), "gpu-1"); !errors.Is(err, scheduler.ErrInUse) {
			t.Errorf("removing the machine of a run gave %v", err)
		}
	})
}

func TestWhatIsNotAddedYetCanBeAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, time.Second)
		s.start()
		defer s.stop()
		if info, err := s.engine.Probe(t.Context(), "http://attic:8188"); err != nil || info.Version != "0.3.64" {
			t.Errorf("probed %+v, %v", info, err)
		}
		if urls := s.engine.LookForLocal(t.Context()); len(urls) != 2 {
			t.Errorf("found %v; want both ports, as both answer", urls)
		}
		readings, err := s.engine.TestSource(t.Context(), "test")
		if err != nil || len(readings) != 1 || readings[0].GPU.Name != "Test GPU" {
			t.Errorf("read %+v, %v", readings, err)
		}
	})
}
