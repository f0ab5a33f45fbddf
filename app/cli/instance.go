package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"reckoner/assets/text"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
	"reckoner/scheduler/transfer"
	"reckoner/store"
	"reckoner/store/secret"
)

const (
	// reachWait is how long another process may hold the data folder without
	// answering: it may be starting or ending.
	reachWait  = 5 * time.Second
	reachPause = 100 * time.Millisecond
	// engineStopWait bounds the end of an engine: what runs on servers goes on
	// there.
	engineStopWait = 15 * time.Second
)

// folder is a data folder that this process has the lock of.
type folder struct {
	dir   string
	store storage
	log   *slog.Logger
	// secrets open the saved servers; nil where there are none.
	secrets *secret.Store
	close   func() error // the log file
	// setAside is where a damaged database was moved to, "" when none was.
	setAside string
}

// held is a data folder that is ours, or the engine that has it.
type held struct {
	folder *folder
	peer   *peer
}

// setup is what an engine is started with.
type setup struct {
	park       park
	keys       keyring
	clock      *job.Clock
	stopWait   time.Duration
	unanswered time.Duration
	results    string // folder for the results of jobs without one of their own
	frames     string // folder where first frames of videos are kept; "" keeps none
	show       func() // brings the window to the front; nil without one
}

// instance is the engine of a data folder in this process, and its socket.
type instance struct {
	conductor
	door    *door  // nil where no socket could be opened
	results string // folder for the results of jobs without one of their own
	conns   *connections
	before  []*job.Job // open when the engine started
}

// openOrReach takes the data folder, or finds the engine that has it. It tries
// for a while: an engine that is starting or ending has the folder and does not
// answer.
func (s *shell) openOrReach(ctx context.Context, data string, clock *job.Clock) (held, error) {
	deadline := time.Now().Add(reachWait)
	for {
		f, err := s.openFolder(data, clock)
		if err == nil {
			return held{folder: f}, nil
		}
		if !errors.Is(err, store.ErrLocked) {
			return held{}, &exitError{status: exitFailed, text: s.encoder().wrapped("open the data folder "+data, err)}
		}
		p, reachErr := s.reach(ctx, data)
		if reachErr == nil {
			return held{peer: p}, nil
		}
		if time.Now().After(deadline) {
			return held{}, exitf(exitFailed, "%v, and does not answer: %v\n"+
				"Close that program, or use another folder with --data DIR.", err, reachErr)
		}
		select {
		case <-ctx.Done():
			return held{}, ctx.Err()
		case <-time.After(reachPause):
		}
	}
}

// openFolder takes the data folder and its log.
func (s *shell) openFolder(data string, clock *job.Clock) (*folder, error) {
	// The log goes into the folder, so it opens after the lock; what the store
	// says before that is kept for people only.
	said := &heldRecords{}
	early := slog.New(said)
	st, err := s.parts.openStore(data, clock, early)
	if err != nil {
		return nil, err
	}
	log, closeLog, err := openLog(data, s.env.Stderr, s.flags.verbose)
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	said.pass(log)
	f := &folder{dir: data, store: st, log: log, close: closeLog}
	if o, ok := st.(interface{ Opened() store.Opened }); ok && o.Opened().SetAside != "" {
		f.setAside = o.Opened().SetAside
		fmt.Fprintf(s.env.Stderr, "reckoner: the records in %s were damaged, so they were set aside as %s, "+
			"and a new, empty queue and history were begun. Results that were fetched are not touched.\n",
			text.Plain(data), text.Plain(f.setAside))
	}
	if s.parts.secrets != nil {
		f.secrets = s.parts.secrets(data, log.With("part", "secret"))
	}
	return f, nil
}

// shut gives the folder up, and adds what went wrong with that to err.
func (f *folder) shut(err error) error {
	return errors.Join(err, f.store.Close(), f.close())
}

// reach connects to the engine that has a data folder, to see that it answers.
func (s *shell) reach(ctx context.Context, data string) (*peer, error) {
	path, err := socketPath(data, s.env.Getenv)
	if err != nil {
		return nil, err
	}
	p := &peer{path: path}
	return p, p.knock(ctx)
}

// startInstance starts an engine on a folder, adds the machines of the command
// line, and opens the socket.
func (s *shell) startInstance(ctx context.Context, f *folder, set setup) (*instance, error) {
	set, err := s.settle(ctx, f, set)
	if err != nil {
		return nil, err
	}
	conns := newConnections()
	eng, err := s.parts.start(ctx, s.engineConfig(f, set, conns))
	if err != nil {
		return nil, fmt.Errorf("start the engine: %w", err)
	}
	in := &instance{
		before:    openJobs(eng.Snapshot()), // some may end while the rest is set up
		conductor: conductor{engine: eng, log: f.log}, results: set.results, conns: conns,
	}
	if err := in.furnish(ctx, set.park); err != nil {
		return nil, in.stop(err)
	}
	path, err := socketPath(f.dir, s.env.Getenv)
	if err == nil {
		in.door, err = openDoor(ctx, path, in.conductor, set.show, f.log)
	}
	if err != nil {
		// Jobs run without it; only other commands cannot ask.
		f.log.Warn("no socket: other reckoner commands cannot reach this one", "error", err)
	}
	return in, nil
}

// settle fills what the command line left open from the settings that are kept,
// and from what the desktop says.
func (s *shell) settle(ctx context.Context, f *folder, set setup) (setup, error) {
	kept, err := f.store.Load(ctx)
	if err != nil {
		return set, fmt.Errorf("read the data folder %s: %w", f.dir, err)
	}
	set.results = cmp.Or(set.results, kept.Settings.OutDir)
	if set.results == "" {
		set.results, err = s.parts.results()
	}
	return set, err
}

// furnish gives the engine the machines of the command line. A server that the
// engine has saved stays that one.
func (in *instance) furnish(ctx context.Context, p park) error {
	for _, m := range p.machines {
		var fresh []job.Server
		for _, srv := range p.of(m.ID) {
			if _, saved := findServer(in.engine.Snapshot(), srv.URL); !saved {
				fresh = append(fresh, srv)
			}
		}
		if len(fresh) == 0 && len(m.Sources) == 0 {
			continue
		}
		if err := in.engine.AddMachine(ctx, m, fresh); err != nil {
			return fmt.Errorf("add the machine %s: %w", m.Name, err)
		}
	}
	return in.seen(ctx, p.servers)
}

// seen waits until the snapshot shows the servers: it is made a little later
// than what it shows.
func (in *instance) seen(ctx context.Context, servers []job.Server) error {
	changes, cancel := in.engine.Changed()
	defer cancel()
	for {
		snapshot := in.engine.Snapshot()
		missing := slices.IndexFunc(servers, func(srv job.Server) bool {
			_, there := findServer(snapshot, srv.URL)
			return !there
		})
		if missing < 0 {
			return nil
		}
		select {
		case <-changes:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// stop ends the socket and the engine, and adds what went wrong to err. Runs go
// on on their servers.
func (in *instance) stop(err error) error {
	if in.door != nil {
		err = errors.Join(err, in.door.close())
	}
	ctx, cancel := context.WithTimeout(context.Background(), engineStopWait)
	defer cancel()
	err = errors.Join(err, in.engine.Stop(ctx))
	if in.conns != nil {
		in.conns.close()
	}
	return err
}

// engineConfig wires the parts.
func (s *shell) engineConfig(f *folder, set setup, conns *connections) scheduler.Config {
	viewer := func(id job.ID) (transfer.Viewer, bool) {
		v, ok := conns.viewer(id)
		return transfer.WithKept(v, f.store.Blob), ok
	}
	return scheduler.Config{
		Store: f.store, Clock: set.clock, Log: f.log, NewID: newID,
		Connect: func(srv job.Server) (scheduler.RenderServer, error) {
			keys, err := set.keys.opening(srv, f.secrets)
			if err != nil {
				return nil, err
			}
			conn, err := s.parts.connect(srv, keys, f.log.With("part", "comfy"))
			if err == nil && srv.Machine != "" { // else it is asked once and let go
				conns.add(srv, conn)
			}
			return conn, err
		},
		Meter: func(source string) (scheduler.Meter, error) {
			return s.parts.meter(source, set.clock, f.log.With("part", "gpu"), conns.through(source))
		},
		Host:     s.parts.host(set.clock, f.log.With("part", "host")),
		Fetcher:  s.parts.fetcher(viewer, f.log.With("part", "transfer")),
		Results:  set.results,
		Report:   s.encoder().report,
		Pictures: transfer.NewPictures(set.frames),
		StopWait: set.stopWait, UnansweredAfter: set.unanswered,
	}
}

// connections are the engine's connections to servers, which results come over
// too.
type connections struct {
	mu   sync.Mutex
	open map[job.ID]scheduler.RenderServer
	urls map[job.ID]string
	// replaced are earlier ones of the same servers, which may still be in use.
	replaced []scheduler.RenderServer
}

func newConnections() *connections {
	return &connections{open: map[job.ID]scheduler.RenderServer{}, urls: map[job.ID]string{}}
}

func (c *connections) add(srv job.Server, conn scheduler.RenderServer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[srv.ID] != nil {
		c.replaced = append(c.replaced, c.open[srv.ID])
	}
	c.open[srv.ID], c.urls[srv.ID] = conn, srv.URL
}

// through gives the way to a render server that is a source of readings, nil for
// other sources: what opens the server opens its gauges.
func (c *connections) through(source string) *http.Client {
	address, ok := strings.CutPrefix(source, "comfy:")
	if !ok {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, at := range c.urls {
		if way, ok := c.open[id].(interface{ Through() *http.Client }); ok && at == address {
			return way.Through()
		}
	}
	return nil
}

// close lets go of every connection, once the engine has stopped.
func (c *connections) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.open {
		letGo(conn)
	}
	for _, conn := range c.replaced {
		letGo(conn)
	}
}

// letGo closes a connection that was made for one question or has served its
// time: it may hold an ssh open.
func letGo(conn scheduler.RenderServer) {
	if c, ok := conn.(interface{ Close() }); ok {
		c.Close()
	}
}

// viewer gives what opens a server's files.
func (c *connections) viewer(id job.ID) (transfer.Viewer, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.open[id].(transfer.Viewer)
	return v, ok
}

// newID makes a random id.
func newID() job.ID {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails; see crypto/rand
	return job.UUIDFrom(b)
}
