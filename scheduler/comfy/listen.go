package comfy

import (
	"context"
	"errors"
	"time"

	"reckoner/scheduler/job"
)

// Listen keeps a websocket open under clientID until ctx ends, opening it again
// with growing pauses, and hands over what it says. It calls news from the
// goroutine that called Listen; a slow news delays nobody but loses steps,
// previews and queue lengths that newer ones replace. It returns once the
// socket is closed.
func (c *Client) Listen(ctx context.Context, clientID string, news func(job.News)) {
	box := newMailbox()
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		c.keepOpen(ctx, clientID, box)
	}()
	for {
		select {
		case <-box.ready:
			for _, n := range box.take() {
				if ctx.Err() != nil {
					break
				}
				news(n)
			}
		case <-closed:
			return
		}
	}
}

// keepOpen opens the socket again and again until ctx ends.
func (c *Client) keepOpen(ctx context.Context, clientID string, box *mailbox) {
	failures, told := 0, ""
	for ctx.Err() == nil {
		opened := time.Now()
		wasUp, seenEnd, err := c.once(ctx, clientID, box)
		if ctx.Err() != nil {
			return
		}
		if wasUp {
			c.forget()
			if time.Since(opened) >= steadyAfter {
				failures = 0
			}
		}
		down := c.asDown(err)
		if wasUp || down.Code != told { // once for each reason, not for each attempt
			box.put(job.News{Kind: job.NewsDown, Err: down})
			told = down.Code
		}
		wait := pause(failures, c.random())
		if wasUp && !seenEnd {
			wait = max(wait, deafAfter)
		}
		failures++
		c.log.DebugContext(ctx, "websocket down", "error", down, "again_in", wait)
		sleep(ctx, wait)
	}
}

// once opens the socket and reads it to its end.
func (c *Client) once(ctx context.Context, clientID string, box *mailbox) (wasUp, seenEnd bool, err error) {
	s, err := c.openSocket(ctx, clientID, box)
	if err != nil {
		return false, true, err
	}
	box.put(job.News{Kind: job.NewsUp})
	c.log.DebugContext(ctx, "websocket up")
	seenEnd, err = s.run(ctx)
	return true, seenEnd, err
}

func (c *Client) asDown(err error) *job.Error {
	if e, ok := errors.AsType[*job.Error](err); ok {
		return e
	}
	return c.noAnswer(socketCall(), err, true)
}

func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
