package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"reckoner/scheduler"
)

// maxPeers bounds the connections that are served at the same time.
const maxPeers = 32

// door serves an engine to other processes of the same user over the socket of
// its data folder.
type door struct {
	conductor
	// show brings the window to the front; nil when there is none.
	show func()
	log  *slog.Logger

	listener net.Listener
	closing  chan struct{} // closed when the door closes
	once     sync.Once
	peers    chan struct{}
	work     sync.WaitGroup
}

// openDoor listens at path. Only the holder of the data folder's lock may call
// it: a socket that lies there already is then a dead engine's, and goes.
func openDoor(ctx context.Context, path string, c conductor, show func(), log *slog.Logger) (*door, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("remove the stale socket: %w", err)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("listen on the socket: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("protect the socket: %w", err), l.Close())
	}
	d := &door{
		conductor: c, show: show, log: log, listener: l, closing: make(chan struct{}), peers: make(chan struct{}, maxPeers),
	}
	d.work.Go(d.accept)
	return d, nil
}

// close stops serving and waits for it. Errands of other processes end; their
// jobs stay queued.
func (d *door) close() error {
	var err error
	d.once.Do(func() {
		close(d.closing)
		err = d.listener.Close()
	})
	d.work.Wait()
	return err
}

func (d *door) accept() {
	for {
		conn, err := d.listener.Accept()
		if err != nil {
			select {
			case <-d.closing:
			default:
				d.log.Error("socket closed", "error", err)
			}
			return
		}
		select {
		case d.peers <- struct{}{}:
			d.work.Go(func() {
				defer func() { <-d.peers }()
				d.serve(conn)
			})
		default:
			_ = conn.Close() // over the bound; the client says that it got no answer
		}
	}
}

// serve answers one client.
func (d *door) serve(conn net.Conn) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	d.work.Go(func() {
		select {
		case <-d.closing:
			cancel()
		case <-ctx.Done():
		}
	})
	// A closed connection unblocks every read and write on it.
	unhook := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer func() {
		if unhook() {
			_ = conn.Close()
		}
	}()
	w := newWire(conn, maxRequest)
	var q request
	if err := conn.SetReadDeadline(time.Now().Add(requestWait)); err != nil {
		return
	}
	if err := w.receive(&q); err != nil {
		d.log.Debug("request not read", "error", err)
		return
	}
	if err := conn.SetReadDeadline(time.Time{}); err != nil {
		return
	}
	// When the door closes, nothing more is said: the client sees the end of the
	// connection, and goes on by itself.
	if err := d.answer(ctx, cancel, w, q); err != nil && ctx.Err() == nil {
		if err := w.send(reply{Fault: faultOf(err)}); err != nil {
			d.log.Debug("client gone", "error", err)
		}
	}
}

// answer does what a request asks. An error of it is what the client is told.
func (d *door) answer(ctx context.Context, gone func(), w *wire, q request) error {
	if q.Version != protocolVersion {
		return exitf(exitFailed, "the running Reckoner is of another version; close it, or use the same one")
	}
	tell := func(s said) error { return w.send(reply{Said: &s}) }
	switch q.Ask {
	case askRun:
		r, err := d.conduct(ctx, []errand{q.Errand}, d.hear(w, gone), tell)
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return w.send(reply{End: &r})
	case askAdd:
		return d.add(ctx, w, q.Errand)
	case askStatus, askFollow:
		d.hear(w, gone)
		if err := d.report(ctx, q.Ask == askFollow, tell); err != nil {
			return err
		}
		return w.send(reply{OK: true})
	case askHistory:
		rows, err := d.engine.History(ctx, q.History)
		if err != nil {
			return fmt.Errorf("read the history: %w", err)
		}
		return w.send(reply{Rows: rows, OK: true})
	case askShow:
		if d.show == nil {
			return exitf(exitFailed, "Reckoner runs without a window on this data folder (process %d)", os.Getpid())
		}
		d.show()
		return w.send(reply{OK: true})
	}
	return exitf(exitFailed, "the running Reckoner does not know %q", q.Ask)
}

// hear watches a client during a long answer: its cancel comes out of the
// channel, and gone is called when it hangs up.
func (d *door) hear(w *wire, gone func()) <-chan struct{} {
	cancelled := make(chan struct{}, 1)
	d.work.Go(func() {
		for {
			var q request
			if err := w.receive(&q); err != nil {
				gone()
				return
			}
			if q.Ask == askCancel {
				select {
				case cancelled <- struct{}{}:
				default: // cancelled already
				}
			}
		}
	})
	return cancelled
}

// add queues files for a client that does not wait for them.
func (d *door) add(ctx context.Context, w *wire, e errand) error {
	added, err := d.engine.Add(ctx, scheduler.AddRequest{
		Files: e.Files, Limit: e.Limit, OutDir: e.OutDir, Repeat: e.Repeat,
	})
	if err != nil {
		return fmt.Errorf("queue the files: %w", err)
	}
	if len(added.Refused) > 0 {
		return exitf(exitUsage, "%s", d.refusals(added.Refused))
	}
	tell := func(s said) error { return w.send(reply{Said: &s}) }
	if err := d.announce(added.Jobs, tell); err != nil {
		return err
	}
	return w.send(reply{OK: true})
}

// report tells what the engine is doing, and with follow what happens next
// until ctx ends.
func (c conductor) report(ctx context.Context, follow bool, tell func(said) error) error {
	events := c.engine.Follow() // before the snapshot: nothing falls in between
	defer events.Close()
	c.freshen(ctx)
	for _, ev := range statusEvents(c.engine.Snapshot()) {
		if err := c.tell(ev, tell); err != nil {
			return err
		}
	}
	for follow {
		ev, err := events.Next(ctx)
		if err != nil {
			return fmt.Errorf("follow the engine: %w", err)
		}
		if err := c.tell(ev, tell); err != nil {
			return err
		}
	}
	return nil
}

// snapshotWait is longer than the engine takes to show what has happened.
const snapshotWait = 150 * time.Millisecond

// freshen waits for the next snapshot, which has everything that happened before
// now. Where nothing happens there is no next one, and the last is right.
func (c conductor) freshen(ctx context.Context) {
	changes, cancel := c.engine.Changed()
	defer cancel()
	select {
	case <-changes:
	case <-time.After(snapshotWait):
	case <-ctx.Done():
	}
}
