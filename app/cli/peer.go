package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"reckoner/scheduler/job"
)

// dialWait is how long a connection to a running engine may take.
const dialWait = 2 * time.Second

// peer is the engine of another process.
type peer struct{ path string }

// errPeerGone says that the other engine ended in the middle of an answer.
var errPeerGone = errors.New("the running Reckoner has ended")

// knock sees whether the engine answers.
func (p peer) knock(ctx context.Context) error {
	conn, err := (&net.Dialer{Timeout: dialWait}).DialContext(ctx, "unix", p.path)
	if err != nil {
		return err
	}
	return conn.Close()
}

// ask sends a request and hands over the replies until the last one. A value on
// cancel is passed on. The context ends it early.
func (p peer) ask(ctx context.Context, q request, cancel <-chan struct{}, on func(reply) error) (reply, error) {
	conn, err := (&net.Dialer{Timeout: dialWait}).DialContext(ctx, "unix", p.path)
	if err != nil {
		return reply{}, fmt.Errorf("ask the running Reckoner: %w", err)
	}
	defer conn.Close()
	ctx, done := context.WithCancel(ctx)
	defer done()
	w := newWire(conn, maxReply)
	q.Version = protocolVersion
	if err := w.send(q); err != nil {
		return reply{}, fmt.Errorf("ask the running Reckoner: %w", err)
	}
	helped := make(chan struct{})
	go func() {
		defer close(helped)
		passCancel(ctx, w, cancel)
	}()
	defer func() { done(); <-helped }()
	for {
		var r reply
		if err := w.receive(&r); err != nil {
			if ctx.Err() != nil {
				return reply{}, ctx.Err()
			}
			return reply{}, fmt.Errorf("%w: %w", errPeerGone, err)
		}
		switch {
		case r.Fault != nil:
			return reply{}, &exitError{status: r.Fault.Status, text: r.Fault.Text}
		case r.End != nil || r.OK:
			return r, nil
		}
		if err := on(r); err != nil {
			return reply{}, err
		}
	}
}

// passCancel passes a cancel on, and closes the connection when ctx ends, which
// unblocks the reader.
func passCancel(ctx context.Context, w *wire, cancel <-chan struct{}) {
	for {
		select {
		case <-ctx.Done():
			_ = w.conn.Close()
			return
		case <-cancel:
			_ = w.send(request{Version: protocolVersion, Ask: askCancel}) // the reader notices a dead peer
			cancel = nil
		}
	}
}

// run has the other engine carry out an errand.
func (p peer) run(
	ctx context.Context, e errand, cancel <-chan struct{}, tell func(said) error,
) (result, error) {
	last, err := p.ask(ctx, request{Ask: askRun, Errand: e}, cancel, func(r reply) error { return tell(r.said()) })
	switch {
	case err != nil:
		return result{}, err
	case last.End == nil:
		return result{}, errors.New("the running Reckoner ended the errand without a result")
	}
	return *last.End, nil
}

// history reads a page of the other engine's history.
func (p peer) history(ctx context.Context, q job.HistoryQuery) ([]job.HistoryRow, error) {
	last, err := p.ask(ctx, request{Ask: askHistory, History: q}, nil, func(reply) error { return nil })
	return last.Rows, err
}
