package scheduler

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/estimate"
	"reckoner/scheduler/job"
)

// Config is what an Engine is made of. Store, Clock, NewID, Connect and Fetcher
// are needed; the others may be nil.
type Config struct {
	Store Store
	Clock *job.Clock
	// NewID makes a new random id.
	NewID func() job.ID
	// Random gives random numbers for new seeds; nil means those of crypto/rand.
	Random  func() uint64
	Connect func(job.Server) (RenderServer, error)
	Fetcher Fetcher
	// Meter opens a source of readings, named as in job.Machine.Sources.
	Meter func(source string) (Meter, error)
	Host  HostMeter
	// Pictures makes small pictures; without it there are none.
	Pictures Pictures
	// Results is the folder for the results of jobs that were added without one;
	// "" means that they have none.
	Results string
	// Report keeps what became of a batch of several jobs; it is called again as
	// they end, from one goroutine.
	Report func(context.Context, Report) error
	Log    *slog.Logger
	// StopWait and UnansweredAfter replace the kept settings for this start when
	// they are over 0.
	StopWait, UnansweredAfter time.Duration
}

// Engine runs the queue. Its methods may be called from any goroutine.
type Engine struct {
	cfg   Config
	log   *slog.Logger
	inbox *queue[item]
	snap  atomic.Pointer[Snapshot]

	followers followers
	changes   changes
	hosts     *hosts
	reports   *reports

	state   *core.State // owned by the loop
	commits *queue[commit]
	// correcting is held while a run is corrected.
	correcting sync.Mutex

	cancel  context.CancelFunc
	loop    sync.WaitGroup // the loop and the committer
	acts    sync.WaitGroup // actions, sockets, meters
	stopped sync.Once
}

// ErrStopped says that the engine has been stopped.
var ErrStopped = errors.New("the engine has been stopped")

// New checks the configuration. The engine does nothing before Start.
func New(cfg Config) (*Engine, error) {
	switch {
	case cfg.Store == nil, cfg.Clock == nil, cfg.NewID == nil, cfg.Connect == nil, cfg.Fetcher == nil:
		return nil, errors.New("scheduler: Store, Clock, NewID, Connect and Fetcher are needed")
	}
	if cfg.Random == nil {
		cfg.Random = randomNumber
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	e := &Engine{
		cfg: cfg, log: cfg.Log.With("part", "scheduler"),
		inbox: newQueue[item](), commits: newQueue[commit](), reports: newReports(),
	}
	e.hosts = newHosts(e)
	e.snap.Store(&Snapshot{Speed: cfg.Clock.Speed()})
	return e, nil
}

// Start reads what the store kept and begins to work. The engine runs until
// Stop; ctx bounds only the start.
func (e *Engine) Start(ctx context.Context) error {
	kept, err := e.cfg.Store.Load(ctx)
	if err != nil {
		return fmt.Errorf("load the queue: %w", err)
	}
	past, err := e.pastOf(ctx, kept.Jobs)
	if err != nil {
		return err
	}
	for i := range kept.Servers {
		// The socket of an earlier start may still be open on the server, and
		// its end would make a new one with the same id deaf.
		kept.Servers[i].ClientID = string(e.cfg.NewID())
	}
	now := e.cfg.Clock.Now()
	e.state = core.New(kept, past, core.Options{
		App: kept.App, Speed: e.cfg.Clock.Speed(), StopWait: e.cfg.StopWait, UnansweredAfter: e.cfg.UnansweredAfter,
	}, now)
	e.hosts.app = string(kept.App)
	e.publish(now)

	run, cancel := context.WithCancel(context.WithoutCancel(ctx))
	e.cancel = cancel
	e.hosts.ctx = run
	for _, m := range kept.Machines {
		e.hosts.addMachine(m, serversOf(kept.Servers, m.ID))
		e.watchLocal(m, serversOf(kept.Servers, m.ID))
	}
	for _, unnamed := range unnamedServers(kept, e.cfg.NewID) {
		e.inbox.push(item{event: unnamed})
	}
	e.loop.Go(e.run)
	e.loop.Go(e.commitAll)
	e.acts.Go(func() { e.writeReports(run) })
	if e.cfg.Host != nil {
		e.acts.Go(func() { e.watchHost(run) })
	}
	return nil
}

func serversOf(all []job.Server, machine job.ID) []job.Server {
	var of []job.Server
	for _, s := range all {
		if s.Machine == machine {
			of = append(of, s)
		}
	}
	return of
}

// pastOf reads the past runs of the types of jobs that have not ended.
func (e *Engine) pastOf(ctx context.Context, jobs []job.Job) (map[string][]estimate.Run, error) {
	past := map[string][]estimate.Run{}
	for i := range jobs {
		key := jobs[i].Type.Key
		if _, done := past[key]; done || key == "" {
			continue
		}
		runs, err := e.cfg.Store.PastRuns(ctx, key, pastRuns)
		if err != nil {
			return nil, fmt.Errorf("load past runs: %w", err)
		}
		past[key] = runs
	}
	return past, nil
}

// pastRuns is how many past runs of a type are kept in memory for each GPU: the
// 41 of a baseline, and those that wait outside of it while a change is proposed.
const pastRuns = 400

// Stop ends the engine and waits for its goroutines. Runs on servers go on, and
// are picked up at the next start. Stopping again does nothing.
func (e *Engine) Stop(context.Context) error {
	e.stopped.Do(func() {
		if e.cancel == nil {
			return
		}
		e.inbox.close()
		e.cancel()
		e.loop.Wait()
		e.acts.Wait()
		e.lastReports()
		e.followers.close()
	})
	return nil
}

// Snapshot gives the newest snapshot. It never waits.
func (e *Engine) Snapshot() *Snapshot { return e.snap.Load() }

// Do takes a command and returns at once; the next snapshot answers it.
func (e *Engine) Do(c Command) { e.inbox.push(item{event: c}) }

// History reads a page of ended runs, newest first.
func (e *Engine) History(ctx context.Context, q job.HistoryQuery) ([]job.HistoryRow, error) {
	return e.cfg.Store.History(ctx, q)
}

// AddMachine adds a machine with its servers, or changes one. It returns when
// what is to be kept of it is on disk.
func (e *Engine) AddMachine(ctx context.Context, m job.Machine, servers []job.Server) error {
	servers = append([]job.Server(nil), servers...)
	for i := range servers {
		servers[i].Machine = m.ID
		servers[i].ClientID = string(e.cfg.NewID())
	}
	if err := e.wait(ctx, core.MachineAdded{Machine: m, Servers: servers}); err != nil {
		return fmt.Errorf("add machine %s: %w", m.Name, err)
	}
	return nil
}

// item is what reaches the loop: an event, or a question about the state.
type item struct {
	event core.Event
	ask   func(*core.State)
	done  chan error // capacity 1: told whether what the event changed is written
}

// wait gives the loop an event and waits until what it changed is written, or
// could not be.
func (e *Engine) wait(ctx context.Context, ev core.Event) error {
	done := make(chan error, 1)
	if !e.inbox.push(item{event: ev, done: done}) {
		return ErrStopped
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ask lets a function look at the state, in the loop.
func (e *Engine) ask(ctx context.Context, f func(*core.State)) error {
	done := make(chan struct{})
	if !e.inbox.push(item{ask: func(s *core.State) { f(s); close(done) }}) {
		return ErrStopped
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
