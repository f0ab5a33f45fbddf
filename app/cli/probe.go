package cli

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"reckoner/scheduler/job"
)

// probeEvery is how long a server that does not answer is left alone.
const probeEvery = 500 * time.Millisecond

// hopeless are refusals that waiting does not cure: something answers, and it
// is not a ComfyUI that we may use.
var hopeless = map[string]bool{
	job.ErrNotComfy: true, job.ErrOrigin: true, job.ErrLogin: true, job.ErrTLS: true,
	job.ErrHostKey: true, job.ErrHostKeyChanged: true,
}

// awaitServers waits until one of the --server addresses answers, at most for
// wait. When none does, nothing is queued and every address and its reason is
// said. One that answers is enough: the engine looks for the others.
func (s *shell) awaitServers(ctx context.Context, set setup, wait time.Duration) error {
	if len(set.park.use) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	type answer struct {
		at  int
		err error
	}
	answers := make(chan answer)
	for i, srv := range set.park.use {
		go func() {
			answers <- answer{i, s.await(ctx, srv, set.keys.forServer(srv.URL))}
		}()
	}
	failures := make([]error, len(set.park.use))
	reached := false
	for range set.park.use {
		a := <-answers
		if a.err == nil {
			reached = true
			cancel() // the others' probes end at once
		}
		failures[a.at] = a.err
	}
	if reached {
		return nil
	}
	return &exitError{status: exitNoPeer, text: s.unanswered(set.park.use, failures)}
}

// await probes a server until it answers, until its refusal is final, or until
// ctx ends. The error is the last refusal.
func (s *shell) await(ctx context.Context, srv job.Server, c credentials) error {
	conn, err := s.parts.connect(srv, c, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer letGo(conn)
	var last error
	for {
		_, err := conn.Probe(ctx)
		if err == nil || hopeless[job.CodeOf(err)] {
			return err
		}
		if last == nil || ctx.Err() == nil {
			last = err // not the one that only says that our time is up
		}
		select {
		case <-ctx.Done():
			return last
		case <-time.After(probeEvery):
		}
	}
}

// unanswered names every address and why it is of no use.
func (s *shell) unanswered(servers []job.Server, failures []error) string {
	lines := []string{"no --server answered, so nothing was queued"}
	for i, srv := range servers {
		lines = append(lines, "  "+s.encoder().about(srv.URL, failures[i]))
	}
	return strings.Join(lines, "\n")
}

// asCoded finds the error with a code in a chain.
func asCoded(err error) (*job.Error, bool) { return errors.AsType[*job.Error](err) }

// encoder gives one for what is said without an engine.
func (s *shell) encoder() encoder {
	return encoder{}
}
