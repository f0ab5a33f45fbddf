package remote

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"os/exec"
	"sync"
	"time"

	"reckoner/scheduler/job"
)

// Pauses between starts of ssh after failures: doubling, and long where only a
// person can help, so that no guard against guessers locks the user out.
const (
	shortestPause = time.Second
	longestPause  = time.Minute
	personPause   = 30 * time.Second
	personAtMost  = 10 * time.Minute
	// steadyAfter is how long a tunnel must have stood for its end to be an
	// accident and not a failure.
	steadyAfter = 30 * time.Second
)

// Options are what a Tunnel needs from outside. The zero Options are usable.
type Options struct {
	Log *slog.Logger // nil means nowhere
	// Command makes the command of ssh; nil means exec.CommandContext.
	Command func(ctx context.Context, name string, args ...string) *exec.Cmd
	// Random gives numbers from 0 to under 1 that spread starts; nil means a
	// random source.
	Random func() float64
}

func (o Options) filled() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Command == nil {
		o.Command = exec.CommandContext
	}
	if o.Random == nil {
		o.Random = rand.Float64
	}
	return o
}

// Tunnel is a way to one port of another computer, held open by `ssh -N -L` as
// long as somebody uses it. ssh is started by the first connection, and again
// by a later one when it has ended, after a pause that grows with failures.
// Its methods may be called from any goroutine.
type Tunnel struct {
	at   Address
	opt  Options
	work sync.WaitGroup // the goroutine of each ssh

	mu       sync.Mutex
	link     *link // nil while no ssh runs
	closed   bool
	lax      bool // a forwarding of the user's own stands in the way of ExitOnForwardFailure
	failures int
	last     *job.Error // why the last ssh ended
	notUntil time.Time  // when another one may be started
}

// NewTunnel makes a tunnel. It starts nothing. Close must be called.
func NewTunnel(at Address, o Options) *Tunnel { return &Tunnel{at: at, opt: o.filled()} }

// Close ends ssh and waits for it. Connections through the tunnel break.
func (t *Tunnel) Close() {
	t.mu.Lock()
	t.closed = true
	if t.link != nil {
		t.link.leave()
	}
	t.mu.Unlock()
	t.work.Wait()
}

// Dial opens a connection to the server's port, starting ssh when none runs.
// The network and address that it is asked for are not used: a tunnel leads to
// one place. An error that is a *job.Error says why there is no way; nothing
// was sent then.
func (t *Tunnel) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	for again := true; ; again = false {
		l, err := t.current()
		if err != nil {
			return nil, err
		}
		select {
		case <-l.ready:
			return l.open(ctx)
		case <-l.ended:
			if again && (l.taken || l.foreign) {
				continue
			}
			return nil, l.err
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for ssh: %w", ctx.Err())
		}
	}
}

// current gives the ssh that runs, and starts one when it is time.
func (t *Tunnel) current() (*link, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.closed:
		return nil, job.Errorf(job.ErrUnreachable, job.Args{Value: t.at.String(), Detail: "the tunnel was closed"}, nil)
	case t.link != nil:
		return t.link, nil
	case time.Now().Before(t.notUntil):
		return nil, t.last
	}
	port, err := freePort()
	if err != nil {
		return nil, job.Errorf(job.ErrUnreachable, job.Args{Value: t.at.String(), Detail: err.Error()}, err)
	}
	l := newLink(t.at, port, t.opt.Log)
	ctx, cancel := context.WithCancel(context.Background())
	l.leave = cancel
	name, args := t.at.forward(port, !t.lax)
	cmd := t.opt.Command(ctx, name, args...)
	t.link = l
	t.work.Go(func() {
		defer cancel()
		l.run(ctx, cmd)
		t.over(l)
		close(l.ended)
	})
	return l, nil
}

// over notes that an ssh has ended, and when another one may be started.
func (t *Tunnel) over(l *link) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.link, t.last = nil, l.err
	if l.taken || l.foreign && !t.lax { // only the manner was wrong: no pause
		t.lax = t.lax || l.foreign
		return
	}
	if !l.wasUp.IsZero() && time.Since(l.wasUp) >= steadyAfter {
		t.failures = 0
	}
	t.notUntil = time.Now().Add(pause(t.failures, l.err.Code, t.opt.Random()))
	t.failures++
}

// pause gives how long to wait after so many failures in a row before this one.
func pause(failures int, code string, random float64) time.Duration {
	shortest, longest := shortestPause, longestPause
	if needsPerson(code) {
		shortest, longest = personPause, personAtMost
	}
	d := min(longest, shortest<<min(failures, 6))
	return max(shortest, d/2+time.Duration(random*float64(d)/2))
}

// freePort finds a port of this computer's loopback that nobody listens on.
func freePort() (int, error) {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	addr, _ := l.Addr().(*net.TCPAddr)
	if err := l.Close(); err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	return addr.Port, nil
}
