package scheduler_test

import (
	"testing"
	"testing/synctest"
	"time"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

func TestARunOnAServerThatIsNotNamedIsSeenToItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// Given a run on a server of a command line, which is not kept
		s := newScene(t, 5*time.Minute)
		s.store.kept.Machines, s.store.kept.Servers = nil, nil
		s.start()
		named := []job.Server{{ID: "attic-1", Name: "attic", URL: "http://attic:8188"}}
		if err := s.engine.AddMachine(t.Context(), job.Machine{ID: "attic", Name: "attic"}, named); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		req := scheduler.AddRequest{Files: []string{s.file("x.json", graph)}, OutDir: "o"}
		if _, err := s.engine.Add(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		s.stop()
		// when the next start names no server
		s.start()
		defer s.stop()
		told := s.engine.Follow()
		defer told.Close()
		// then the run is asked for at the address of its own record
		follow(t, told, job.EventJobEnded)
		if n := len(s.server.sent()); n != 1 {
			t.Errorf("%d submissions", n)
		}
		// and nothing new is sent there
		if _, err := s.engine.Add(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if n := len(s.server.sent()); n != 1 {
			t.Errorf("%d submissions to a server that nobody named", n)
		}
		// until it is named again
		if err := s.engine.AddMachine(t.Context(), job.Machine{ID: "attic", Name: "attic"}, named); err != nil {
			t.Fatal(err)
		}
		follow(t, told, job.EventJobEnded)
		snap := s.engine.Snapshot()
		if len(snap.Machines) != 1 || snap.Machines[0].Machine.ID != "attic" {
			t.Errorf("machines %+v", snap.Machines)
		}
	})
}
