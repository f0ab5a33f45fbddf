// Package notify tells the desktop what happened to jobs while nobody looked at
// the window: done, failed, the time limit passed and what the server then did.
//
// It owns how often: a night of two hundred jobs is not two hundred bubbles. It
// must never wait for the desktop on the goroutine of the user interface, and a
// desktop without notifications is no error.
package notify

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"reckoner/assets/text"
	"reckoner/scheduler/job"
)

// Note is a notification.
type Note struct {
	// Replaces names the notification that this one takes the place of, as long
	// as it is on screen.
	Replaces    string
	Title, Body string
}

// Sender puts a notification on screen.
type Sender interface {
	Send(ctx context.Context, n Note) error
}

// Events is what happens, one at a time.
type Events interface {
	Next(ctx context.Context) (job.Event, error)
}

const (
	// gather is how long what happens at about the same time is gathered.
	gather = 2 * time.Second
	// quiet is how long after a notification the next one waits, gathering.
	quiet = 15 * time.Second
	// mostWaiting bounds what is gathered; the counts go on.
	mostWaiting = 50
)

// Run tells what events says until ctx ends or the events do.
func Run(ctx context.Context, log *slog.Logger, events Events, words text.Language, to Sender) {
	news := make(chan job.Event)
	go func() {
		defer close(news)
		for {
			e, err := events.Next(ctx)
			if err != nil {
				return
			}
			if !worthTelling(e) {
				continue
			}
			select {
			case news <- e:
			case <-ctx.Done():
				return
			}
		}
	}()
	tell(ctx, log, news, words, to)
	for range news {
	}
}

func tell(ctx context.Context, log *slog.Logger, news <-chan job.Event, words text.Language, to Sender) {
	var gathered digest
	var due <-chan time.Time
	next := time.Time{}
	for {
		select {
		case <-ctx.Done():
			return
		case e, open := <-news:
			if !open {
				return
			}
			gathered.add(e)
			if due == nil {
				due = time.After(max(gather, time.Until(next)))
			}
		case <-due:
			n := gathered.note(words)
			gathered, due, next = digest{}, nil, time.Now().Add(quiet)
			if err := to.Send(ctx, n); err != nil {
				log.DebugContext(ctx, "no notification", "error", err)
			}
		}
	}
}

// worthTelling tells whether an event is for people who do not look.
func worthTelling(e job.Event) bool {
	switch e.Kind {
	case job.EventLimit, job.EventUnconfirmed, job.EventQuestion, job.EventRequeued:
		return true
	case job.EventStopped:
		return e.Run != nil && e.Run.Stop != nil && e.Run.Stop.Why == job.StopLimit
	case job.EventJobEnded:
		return e.Job != nil && e.Job.Outcome != job.JobCancelled
	default:
		return false
	}
}

// digest gathers events.
type digest struct {
	events []job.Event
	ended  map[job.JobOutcome]int
	others int
}

func (d *digest) add(e job.Event) {
	if len(d.events) < mostWaiting {
		d.events = append(d.events, e)
	}
	if e.Kind != job.EventJobEnded {
		d.others++
		return
	}
	if d.ended == nil {
		d.ended = map[job.JobOutcome]int{}
	}
	d.ended[e.Job.Outcome]++
}

// note makes one notification of all that was gathered.
func (d *digest) note(words text.Language) Note {
	jobs := map[job.ID]bool{}
	for _, e := range d.events {
		if e.Job != nil {
			jobs[e.Job.ID] = true
		}
	}
	if len(d.events) <= 3 && len(jobs) <= 1 {
		return d.single(words)
	}
	var counts []string
	for _, o := range []job.JobOutcome{
		job.JobDone, job.JobFailed, job.JobTimedOut, job.JobLost, job.JobNoOutput, job.JobNeedsYou,
	} {
		if n := d.ended[o]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, words.Outcome(o)))
		}
	}
	title := "News of your jobs"
	if len(counts) > 0 {
		title = "Jobs: " + strings.Join(counts, ", ")
	}
	const shown = 4
	var lines []string
	for _, e := range d.events[:min(len(d.events), shown)] {
		lines = append(lines, words.Event(e))
	}
	total := d.others
	for _, n := range d.ended {
		total += n
	}
	if more := total - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return Note{Replaces: "digest", Title: title, Body: strings.Join(lines, "\n")}
}

// single tells what happened to one job.
func (d *digest) single(words text.Language) Note {
	var n Note
	var lines []string
	for _, e := range d.events {
		name, line, ok := strings.Cut(words.Event(e), ": ")
		if !ok {
			name, line = "Reckoner", name
		}
		n.Title = name
		lines = append(lines, strings.ToUpper(line[:min(len(line), 1)])+line[min(len(line), 1):])
		if e.Job != nil {
			n.Replaces = string(e.Job.ID)
		}
	}
	n.Body = strings.Join(lines, "\n")
	return n
}
