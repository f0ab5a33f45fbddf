// Package notify tells the desktop what happened to jobs while nobody looked at
// the window: done, failed, the time limit passed and what the server then did,
// and that nothing can run any more.
//
// It owns how often and when: a night of two hundred jobs is not two hundred
// bubbles, and in quiet hours there is none. It must never wait for the desktop on
// the goroutine of the user interface, and a desktop without notifications is no
// error.
package notify

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
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
	// Job is the only job that it is about, or "", and Choices what can be chosen on
	// it, where the desktop offers such.
	Job     job.ID
	Choices []Choice
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
	// lookAgain is how long quiet hours are waited out at a time: they may be
	// changed meanwhile, and the computer may sleep.
	lookAgain = time.Minute
)

// News is where notifications come from, and what the user wants to be told.
type News struct {
	Events Events
	// Stuck brings the reasons why nothing can run any more, when that is so.
	Stuck <-chan string
	// Wanted gives what the desktop may be told of now. It may be called from any
	// goroutine.
	Wanted func() job.Notify
	Words  text.Language
}

// Run tells the news until ctx ends or the events do.
func Run(ctx context.Context, log *slog.Logger, n News, to Sender) {
	news := make(chan job.Event)
	go func() {
		defer close(news)
		for {
			e, err := n.Events.Next(ctx)
			if err != nil {
				return
			}
			if topic, ok := topicOf(e); !ok || slices.Contains(n.Wanted().Off, topic) {
				continue
			}
			select {
			case news <- e:
			case <-ctx.Done():
				return
			}
		}
	}()
	n.tell(ctx, log, news, to)
	for range news {
	}
}

func (n *News) tell(ctx context.Context, log *slog.Logger, news <-chan job.Event, to Sender) {
	var gathered digest
	var due <-chan time.Time
	next := time.Time{}
	soon := func() {
		if due == nil {
			due = time.After(max(gather, time.Until(next)))
		}
	}
	for {
		select {
		case <-ctx.Done():
			return
		case e, open := <-news:
			if !open {
				return
			}
			gathered.add(e)
			soon()
		case why := <-n.Stuck:
			if !slices.Contains(n.Wanted().Off, job.TopicStuck) {
				gathered.stuck = why
				soon()
			}
		case <-due:
			if end, hush := n.Wanted().Quiet.Until(time.Now()); hush {
				due = time.After(min(time.Until(end), lookAgain))
				continue
			}
			told := gathered.note(n.Words)
			told.about(gathered.events, n.Words.Answer)
			gathered, due, next = digest{}, nil, time.Now().Add(quiet)
			if err := to.Send(ctx, told); err != nil {
				log.DebugContext(ctx, "no notification", "error", err)
			}
		}
	}
}

// topicOf gives what an event is about; false for one that is not for people who
// do not look.
func topicOf(e job.Event) (job.Topic, bool) {
	switch e.Kind {
	case job.EventLimit, job.EventUnconfirmed, job.EventRequeued:
		return job.TopicLimit, true
	case job.EventQuestion:
		return job.TopicStuck, true
	case job.EventStopped:
		return job.TopicLimit, e.Run != nil && e.Run.Stop != nil && e.Run.Stop.Why == job.StopLimit
	case job.EventJobEnded:
		switch {
		case e.Job == nil || e.Job.Outcome == job.JobCancelled:
			return "", false
		case e.Job.Outcome == job.JobDone:
			return job.TopicDone, true
		}
		return job.TopicTrouble, true
	default:
		return "", false
	}
}

// digest gathers events.
type digest struct {
	events []job.Event
	ended  map[job.JobOutcome]int
	others int
	stuck  string // why nothing can run any more, "" when it can
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
	switch {
	case len(d.events) == 0:
		return Note{Replaces: "stuck", Title: titleStuck, Body: d.stuck}
	case d.stuck == "" && len(d.events) <= 3 && len(jobs) <= 1:
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
	if d.stuck != "" {
		lines = append(lines, titleStuck+": "+d.stuck)
	}
	before := len(lines)
	for _, e := range d.events[:min(len(d.events), shown)] {
		lines = append(lines, words.Event(e))
	}
	total := d.others
	for _, n := range d.ended {
		total += n
	}
	if more := total - (len(lines) - before); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return Note{Replaces: "digest", Title: title, Body: strings.Join(lines, "\n")}
}

const titleStuck = "Nothing can run any more"

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
