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
		Run(t.Context(), slog.New(slog.DiscardHandler), News{
			Events: &script{events: events, pause: pause}, Words: text.English,
			Wanted: func() job.Notify { return job.Notify{} },
		}, &to)
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

func TestWhatTheUserDoesNotWantToHearIsNotTold(t *testing.T) {
	var to screen
	synctest.Test(t, func(t *testing.T) {
		Run(t.Context(), slog.New(slog.DiscardHandler), News{
			Events: &script{events: []job.Event{ended("a", job.JobDone), ended("b", job.JobFailed), ended("c", job.JobDone)}, pause: time.Minute},
			Words:  text.English,
			Wanted: func() job.Notify { return job.Notify{Off: []job.Topic{job.TopicDone}} },
		}, &to)
	})
	if len(to.notes) != 1 || to.notes[0].Title != "b" {
		t.Errorf("told %+v, want only the failed one", to.notes)
	}
}

func TestQuietHoursAreToldAtTheirEnd(t *testing.T) {
	var to screen
	var after []time.Duration
	synctest.Test(t, func(t *testing.T) {
		// Given quiet hours from now on, for twenty minutes
		now := time.Now()
		from := now.Hour()*60 + now.Minute()
		stuck := make(chan string, 1)
		stuck <- "2 jobs wait."
		// when three jobs end in them, and one much later
		Run(t.Context(), slog.New(slog.DiscardHandler), News{
			Events: &script{events: []job.Event{
				ended("a", job.JobDone), ended("b", job.JobFailed), ended("c", job.JobDone), ended("d", job.JobDone),
			}, pause: 6 * time.Minute},
			Stuck: stuck, Words: text.English,
			Wanted: func() job.Notify {
				return job.Notify{Quiet: job.Quiet{From: from % 1440, To: (from + 20) % 1440}}
			},
		}, sendFunc(func(n Note) { to.notes, after = append(to.notes, n), append(after, time.Since(now)) }))
	})
	// then what happened in them is one notification, at their end
	if len(to.notes) != 2 || after[0] < 19*time.Minute || after[0] > 21*time.Minute {
		t.Fatalf("told %+v after %v, want two notifications", to.notes, after)
	}
	if got := to.notes[0]; !strings.Contains(got.Body, "2 jobs wait.") || !strings.Contains(got.Title, "2 done, 1 failed") {
		t.Errorf("the first says %q, %q", got.Title, got.Body)
	}
	if to.notes[1].Title != "d" {
		t.Errorf("the second is about %q", to.notes[1].Title)
	}
}

type sendFunc func(Note)

func (f sendFunc) Send(_ context.Context, n Note) error { f(n); return nil }
