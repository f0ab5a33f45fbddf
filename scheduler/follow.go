package scheduler

import (
	"context"
	"sync"

	"reckoner/scheduler/job"
)

// followAtMost bounds what is kept for a follower that does not read: the oldest
// events are then dropped.
const followAtMost = 100_000

// followers are those who want every event.
type followers struct {
	mu     sync.Mutex
	all    map[*Follower]struct{}
	closed bool
}

// Follower receives events in order.
type Follower struct {
	of     *followers
	mu     sync.Mutex
	events []job.Event
	lost   int
	closed bool
	ready  chan struct{}
}

// Follow begins to follow the engine: what happens from now on. The caller must
// Close the follower.
func (e *Engine) Follow() *Follower {
	f := &Follower{of: &e.followers, ready: make(chan struct{}, 1)}
	e.followers.mu.Lock()
	defer e.followers.mu.Unlock()
	if e.followers.all == nil {
		e.followers.all = map[*Follower]struct{}{}
	}
	f.closed = e.followers.closed
	e.followers.all[f] = struct{}{}
	return f
}

// Next waits for the next event. It returns ErrStopped once the engine has been
// stopped and everything was read, or ctx's error.
func (f *Follower) Next(ctx context.Context) (job.Event, error) {
	for {
		f.mu.Lock()
		if len(f.events) > 0 {
			ev := f.events[0]
			f.events[0] = job.Event{}
			f.events = f.events[1:]
			f.mu.Unlock()
			return ev, nil
		}
		closed := f.closed
		f.mu.Unlock()
		if closed {
			return job.Event{}, ErrStopped
		}
		select {
		case <-f.ready:
		case <-ctx.Done():
			return job.Event{}, ctx.Err()
		}
	}
}

// Lost tells how many events were dropped because they were not read.
func (f *Follower) Lost() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lost
}

// Close ends following.
func (f *Follower) Close() {
	f.of.mu.Lock()
	defer f.of.mu.Unlock()
	delete(f.of.all, f)
}

func (f *Follower) push(ev job.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.events) >= followAtMost {
		f.events = f.events[1:]
		f.lost++
	}
	f.events = append(f.events, ev)
	f.signal()
}

func (f *Follower) signal() {
	select {
	case f.ready <- struct{}{}:
	default:
	}
}

func (s *followers) tell(ev job.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for f := range s.all {
		f.push(ev)
	}
}

func (s *followers) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for f := range s.all {
		f.mu.Lock()
		f.closed = true
		f.signal()
		f.mu.Unlock()
	}
}

// changes tells that there is a new snapshot.
type changes struct {
	mu   sync.Mutex
	subs map[chan struct{}]struct{}
}

// Changed gives a channel of capacity 1 that says "read the snapshot", and a
// function to end that.
func (e *Engine) Changed() (<-chan struct{}, func()) {
	c := make(chan struct{}, 1)
	e.changes.mu.Lock()
	defer e.changes.mu.Unlock()
	if e.changes.subs == nil {
		e.changes.subs = map[chan struct{}]struct{}{}
	}
	e.changes.subs[c] = struct{}{}
	return c, func() {
		e.changes.mu.Lock()
		defer e.changes.mu.Unlock()
		delete(e.changes.subs, c)
	}
}

func (s *changes) tell() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.subs {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}
