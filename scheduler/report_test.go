package scheduler_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// told gathers reports: of each the outcomes of its rows.
type told struct {
	mu   sync.Mutex
	all  [][]job.JobOutcome
	last scheduler.Report
}

func (r *told) report(_ context.Context, of scheduler.Report) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var outcomes []job.JobOutcome
	for _, row := range of.Rows {
		outcomes = append(outcomes, row.Job.Outcome)
	}
	r.all, r.last = append(r.all, outcomes), of
	return nil
}

func TestABatchIsReportedAsItsJobsEndAndAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// Given a batch of two jobs and one job by itself
		var got told
		s := newScene(t, time.Minute)
		s.report = got.report
		s.start()
		add := func(files ...string) {
			added, err := s.engine.Add(t.Context(), scheduler.AddRequest{Files: files, OutDir: "out"})
			if err != nil || len(added.Jobs) != len(files) {
				t.Fatalf("%+v, %v", added, err)
			}
		}
		add(s.file("a.json", graph), s.file("b.json", graph))
		add(s.file("c.json", graph))
		// when they run, and the engine stops right after the last
		time.Sleep(time.Hour)
		s.stop()
		// then the batch was reported each time one of its jobs ended
		want := [][]job.JobOutcome{{job.JobDone, ""}, {job.JobDone, job.JobDone}}
		if !slices.EqualFunc(got.all, want, slices.Equal) {
			t.Errorf("reported %q, want %q", got.all, want)
		}
		if got.last.To.Dir == "" || got.last.To.Batch != "a" || got.last.To.Date.IsZero() {
			t.Errorf("to %+v", got.last.To)
		}
	})
}

func TestWhatEndedLastIsReportedWhenTheEngineStopsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got told
		s := newScene(t, time.Minute)
		s.report = got.report
		s.start()
		events := s.engine.Follow()
		files := []string{s.file("a.json", graph), s.file("b.json", graph)}
		if _, err := s.engine.Add(t.Context(), scheduler.AddRequest{Files: files, OutDir: "out"}); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			follow(t, events, job.EventJobEnded)
		}
		s.stop()
		if n := len(got.all); n == 0 || !slices.Equal(got.all[n-1], []job.JobOutcome{job.JobDone, job.JobDone}) {
			t.Errorf("reported %q", got.all)
		}
	})
}
