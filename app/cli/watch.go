package cli

import (
	"context"
	"fmt"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// watch follows the jobs of one errand to their end. All of it is used by one
// goroutine.
type watch struct {
	conductor
	open   map[job.ID]string // names of the jobs that have not ended
	result result
	tell   func(said) error
}

// next is what a follower gave.
type next struct {
	event job.Event
	err   error
}

// follow returns when no job is open, when ctx ends, or when nobody listens any
// more.
func (w *watch) follow(ctx context.Context, events follower, cancel <-chan struct{}) (result, error) {
	reading, stop := context.WithCancel(ctx)
	came := make(chan next)
	finished := make(chan struct{})
	defer func() { stop(); <-finished }()
	go func() {
		defer close(finished)
		pump(reading, events, came)
	}()
	for len(w.open) > 0 {
		select {
		case <-ctx.Done():
			w.leave()
			return w.result, nil
		case <-cancel:
			w.result.Stopped = true
			for id := range w.open {
				w.engine.Do(scheduler.Cancel{Job: id})
			}
			cancel = nil
		case n := <-came:
			if n.err != nil && ctx.Err() == nil {
				w.leave()
				return w.result, fmt.Errorf("follow the engine: %w", n.err)
			}
			if n.err == nil {
				if err := w.handle(n.event); err != nil {
					w.leave()
					return w.result, err
				}
			}
		}
	}
	return w.result, nil
}

// pump hands over events until ctx ends or the follower fails.
func pump(ctx context.Context, events follower, to chan<- next) {
	for {
		event, err := events.Next(ctx)
		select {
		case to <- next{event, err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

func (w *watch) handle(ev job.Event) error {
	if !w.concerns(ev) {
		return nil
	}
	if err := w.conductor.tell(ev, w.tell); err != nil {
		return err
	}
	if ev.Kind == job.EventJobEnded {
		w.result.Ended[ev.Job.ID] = ev.Job.Outcome
		delete(w.open, ev.Job.ID)
	}
	return nil
}

// concerns tells whether an event is about one of the jobs, or about no job at
// all.
func (w *watch) concerns(ev job.Event) bool {
	var id job.ID
	switch {
	case ev.Job != nil:
		id = ev.Job.ID
	case ev.Run != nil:
		id = ev.Run.Job
	default:
		return true
	}
	_, open := w.open[id]
	return open
}

// leave writes down what goes on without us.
func (w *watch) leave() {
	snapshot := w.engine.Snapshot()
	for _, section := range [][]scheduler.JobView{snapshot.Running, snapshot.NeedsYou, snapshot.Waiting} {
		for _, v := range section {
			if _, mine := w.open[v.Job.ID]; !mine {
				continue
			}
			w.result.Left = append(w.result.Left, leftOf(v))
		}
	}
}

// leftOf says how far a job is.
func leftOf(v scheduler.JobView) leftJob {
	left := leftJob{Name: v.Job.Name}
	switch {
	case v.Run == nil || v.Job.State == job.JobWaiting:
	case v.Job.State == job.JobCollecting:
		left.Server, left.Stands = v.Run.URL, leftCollecting
	case v.Run.State == job.RunIntended:
		left.Server, left.Stands = v.Run.URL, leftUnsure
	case v.Run.State != job.RunEnded:
		left.Server, left.PromptID = v.Run.URL, v.Run.PromptID
	}
	return left
}
