package scheduler

import "sync"

// queue hands values from many senders to one receiver, in order. Sending never
// waits, so that nobody who talks to the core can be held up by it.
type queue[T any] struct {
	mu     sync.Mutex
	items  []T
	closed bool
	ready  chan struct{} // capacity 1: there is something, or it was closed
}

func newQueue[T any]() *queue[T] { return &queue[T]{ready: make(chan struct{}, 1)} }

// push adds a value; it is false when the queue has been closed.
func (q *queue[T]) push(v T) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.items = append(q.items, v)
	q.signal()
	return true
}

// take gives everything that is there, and whether more may come.
func (q *queue[T]) take() (all []T, open bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	all, q.items = q.items, nil
	return all, !q.closed
}

// close ends the queue. What is in it can still be taken.
func (q *queue[T]) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.signal()
}

func (q *queue[T]) signal() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}
