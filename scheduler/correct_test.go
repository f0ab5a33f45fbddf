package scheduler_test

import (
	"testing"
	"testing/synctest"
	"time"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

func TestTheUsersWordAboutARunIsOnDiskWhenItWasTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// Given a run that ended
		s := newScene(t, 90*time.Second)
		s.start()
		defer s.stop()
		time.Sleep(time.Second) // of the bubble: the server is found
		told := s.engine.Follow()
		defer told.Close()
		added, err := s.engine.Add(t.Context(), scheduler.AddRequest{Files: []string{s.file("beach.json", graph)}, OutDir: "out"})
		if err != nil {
			t.Fatal(err)
		}
		follow(t, told, job.EventJobEnded)
		synctest.Wait()
		of := added.Jobs[0].ID
		// when the user sets it aside
		aside := scheduler.Correction{Job: of, Attempt: 1, Kind: job.SetAside}
		given, err := s.engine.CorrectRun(t.Context(), aside)
		if err != nil || !given.Aside() {
			t.Fatalf("given %+v, %v", given.Corrections, err)
		}
		// then its record says so, and the log of its usual time
		r, found, err := s.store.RunOf(t.Context(), of, 1)
		if err != nil || !found || !r.Aside() {
			t.Errorf("on disk: %+v, %v, %v", r.Corrections, found, err)
		}
		if logs := s.store.logs; len(logs) != 1 || logs[0].Revisions[0].Kind != job.RevisionCorrected {
			t.Errorf("the log on disk is %+v", logs)
		}
		// and a run that is not there is an error.
		if _, err := s.engine.CorrectRun(t.Context(), scheduler.Correction{Job: of, Attempt: 2}); job.CodeOf(err) != job.ErrNotFound {
			t.Errorf("another run: %v", err)
		}
	})
}
