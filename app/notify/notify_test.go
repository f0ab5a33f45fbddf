package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"reckoner/assets/text"
	"reckoner/scheduler/job"
)

// script is what happens, each event after a pause.
type script struct {
	events []job.Event
	pause  time.Duration
	next   int
}

func (s *script) Next(ctx context.Context) (job.Event, error) {
	wait := s.pause
	if s.next == len(s.events) {
		wait = time.Hour
	}
	select {
	case <-ctx.Done():
		return job.Event{}, ctx.Err()
	case <-time.After(wait):
	}
	if s.next == len(s.events) {
		return job.Event{}, errors.New("the script is over")
	}
	s.next++
	return s.events[s.next-1], nil
}

// screen keeps what was sent.
type screen struct{ notes []Note }

func (s *screen) Send(_ context.Context, n Note) error {
	s.notes = append(s.notes, n)
	return errors.New("a desktop without notifications")
}

func ended(name string, o job.JobOutcome) job.Event {
	return job.Event{Kind: job.EventJobEnded, Job: &job.Job{ID: job.ID("id-" + name), Name: name, Outcome: o}}
}

func play(t *testing.T, pause time.Duration, events ...job.Event) []Note {
	t.Helper()
	var to screen
	synctest.Test(t, func(t *testing.T) {
		Run(t.Context(), slog.New(slog.DiscardHandler), &script{events: events, pause: pause}, text.English, &to)
	})
	return to.notes
}

func TestOneJobIsToldByItsName(t *testing.T) {
	notes := play(t, time.Second, ended("dune-sunrise", job.JobDone))
	if len(notes) != 1 || notes[0].Title != "dune-sunrise" || notes[0].Replaces != "id-dune-sunrise" {
		t.Fatalf("told %+v, want one notification of dune-sunrise", notes)
	}
	if notes[0].Body == "" {
		t.Error("the notification does not say what happened")
	}
}

func TestANightOfTwoHundredJobsIsNotTwoHundredBubbles(t *testing.T) {
	var events []job.Event
	for i := range 200 {
		o := job.JobDone
		if i%50 == 0 {
			o = job.JobFailed
		}
		events = append(events, ended(fmt.Sprintf("frame-%03d", i), o))
	}
	notes := play(t, 100*time.Millisecond, events...)
	if len(notes) > 3 {
		t.Fatalf("20 s with 200 jobs made %d notifications", len(notes))
	}
	for _, n := range notes {
		if n.Replaces != "digest" || strings.Count(n.Body, "\n") > 4 {
			t.Errorf("%q is no summary:\n%s", n.Title, n.Body)
		}
	}
	if last := notes[len(notes)-1]; !strings.Contains(last.Title, "done") || !strings.Contains(last.Body, "more") {
		t.Errorf("the last one says %q, %q", last.Title, last.Body)
	}
}

func TestWhatThePassedLimitLedToIsTold(t *testing.T) {
	j := &job.Job{ID: "id", Name: "harbour-night", Outcome: job.JobTimedOut}
	run := &job.Run{Stop: &job.Stop{Why: job.StopLimit}, LimitS: 1782}
	server := &job.Server{Name: "gpu-1"}
	notes := play(t, 20*time.Second,
		job.Event{Kind: job.EventLimit, Job: j, Run: run, Server: server},
		job.Event{Kind: job.EventStopped, Job: j, Run: run, Server: server, AfterS: 12})
	if len(notes) != 2 || notes[0].Replaces != notes[1].Replaces {
		t.Fatalf("told %+v, want the limit, then the stop in its place", notes)
	}
	if !strings.Contains(notes[0].Body, "limit") || !strings.Contains(notes[1].Body, "12 s") {
		t.Errorf("told %q, then %q", notes[0].Body, notes[1].Body)
	}
}

func TestWhatTheUserDidIsNotTold(t *testing.T) {
	notes := play(t, time.Second,
		ended("old-town", job.JobCancelled),
		job.Event{Kind: job.EventStopped, Job: &job.Job{}, Run: &job.Run{Stop: &job.Stop{Why: job.StopCancel}}},
		job.Event{Kind: job.EventProgress, Job: &job.Job{}},
		job.Event{Kind: job.EventReading})
	if len(notes) != 0 {
		t.Errorf("told %+v", notes)
	}
}
