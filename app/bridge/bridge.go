// Package bridge carries "something changed" from the engine to the goroutine of
// the user interface: at most so often, and not at all while nobody looks.
//
// It owns that rate. It must never know what changed, nor the toolkit: how to
// get onto the goroutine of the user interface is handed in.
package bridge

import (
	"context"
	"sync/atomic"
	"time"
)

// Period is the shortest time between two updates of the window.
const Period = 250 * time.Millisecond

// Bridge brings changes to the window. Its methods may be called from any
// goroutine.
type Bridge struct {
	changed chan struct{}
	hidden  atomic.Bool
}

// New makes a bridge on which nothing has changed.
func New() *Bridge { return &Bridge{changed: make(chan struct{}, 1)} }

// Changed notes that there is something new to show. It never waits.
func (b *Bridge) Changed() {
	select {
	case b.changed <- struct{}{}:
	default:
	}
}

// Hide stops updates until Show.
func (b *Bridge) Hide() { b.hidden.Store(true) }

// Show lets updates through again, one at once.
func (b *Bridge) Show() {
	b.hidden.Store(false)
	b.Changed()
}

// Run calls update through do, which has to get it onto the goroutine of the
// user interface, at most once every Period, until ctx ends. An update that is
// still to be done holds the next one back, so that a slow window is never
// flooded.
func (b *Bridge) Run(ctx context.Context, do func(func()), update func()) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-b.changed:
		}
		if !b.hidden.Load() {
			done := make(chan struct{})
			do(func() {
				defer close(done)
				update()
			})
			select {
			case <-ctx.Done():
				return
			case <-done:
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(Period):
		}
	}
}

// Follow notes every change that a channel tells of, until ctx ends.
func (b *Bridge) Follow(ctx context.Context, changes <-chan struct{}) {
	for {
		select {
		case <-ctx.Done():
			return
		case _, open := <-changes:
			if !open {
				return
			}
			b.Changed()
		}
	}
}
