package comfy

import (
	"errors"
	"strconv"
	"sync"
	"time"

	"reckoner/scheduler/job"
)

// errDeaf ends a socket that stays silent while the queue moves.
var errDeaf = errors.New("the websocket says nothing while the queue moves")

const (
	// newsLate is how late news of a change may be that HTTP showed already.
	newsLate = 3 * time.Second
	// replaceEvery bounds how often a socket is opened anew for its silence: with
	// a server that has gone deaf as a whole the next one is silent too.
	replaceEvery = time.Minute
)

// pulse holds what the websocket says against what HTTP shows. Every change of
// the queue is told to every socket, so one that was told nothing is deaf: a
// fault of the server's that looks like a quiet day (comfyui-protocol, 2.4).
type pulse struct {
	mu       sync.Mutex
	known    bool
	state    string    // of the queue at the last look
	looked   time.Time // when that was
	frame    time.Time // when the socket last said anything
	missed   time.Time // since when news of a change is due; zero for none
	replaced time.Time
	deaf     chan struct{} // capacity 1: the socket is to be opened anew
}

func newPulse() *pulse { return &pulse{deaf: make(chan struct{}, 1)} }

// opened begins with a new socket, which was told nothing yet.
func (p *pulse) opened() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frame, p.missed, p.known = time.Now(), time.Time{}, false
	select {
	case <-p.deaf: // meant for the one before
	default:
	}
}

// said notes a frame of the socket.
func (p *pulse) said() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frame, p.missed = time.Now(), time.Time{}
}

// saw notes what the queue is, and asks for another socket once a change was not
// told within a time.
func (p *pulse) saw(q job.Queue) {
	state := strconv.Itoa(len(q.Running) + len(q.Pending))
	if len(q.Running) > 0 {
		state += " " + q.Running[0].ID
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.known && state != p.state && p.missed.IsZero() && p.frame.Before(p.looked) {
		p.missed = now
	}
	p.known, p.state, p.looked = true, state, now
	if p.missed.IsZero() || now.Sub(p.missed) < newsLate || now.Sub(p.replaced) < replaceEvery {
		return
	}
	p.replaced, p.missed = now, time.Time{}
	select {
	case p.deaf <- struct{}{}:
	default:
	}
}
