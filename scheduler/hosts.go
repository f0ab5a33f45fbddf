package scheduler

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
	"reckoner/scheduler/remote"
)

// How often, in real time, meters are read and started again after a failure.
const (
	meterPeriod = time.Second
	meterFaster = 250 * time.Millisecond // in a demonstration
	meterAgain  = 2 * time.Second
	meterAtMost = time.Minute
	hostPeriod  = 5 * time.Second
)

// hosts keeps the connections to render servers and the meters of machines.
type hosts struct {
	e   *Engine
	ctx context.Context //nolint:containedctx // the engine's life, set once by Start
	app string
	// known are the node classes of servers that were asked.
	known knownClasses
	// uploaded are the files that servers were sent.
	uploaded uploaded
	// live are pictures that come over the sockets only.
	live live
	// frames are what the servers show of their work.
	frames frames

	mu      sync.Mutex
	servers map[job.ID]RenderServer
	failed  map[job.ID]*job.Error
	records map[job.ID]job.Server         // as they were connected to
	stop    map[string]context.CancelFunc // of sockets by server and meters by machine and source
}

func newHosts(e *Engine) *hosts {
	return &hosts{
		e: e, servers: map[job.ID]RenderServer{}, failed: map[job.ID]*job.Error{},
		records: map[job.ID]job.Server{},
		stop:    map[string]context.CancelFunc{},
	}
}

// server gives the connection to a server.
func (h *hosts) server(id job.ID) (RenderServer, *job.Error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if srv, ok := h.servers[id]; ok {
		return srv, nil
	}
	if err := h.failed[id]; err != nil {
		return nil, err
	}
	return nil, job.Errorf(job.ErrUnreachable, job.Args{Server: string(id), Detail: "no such server"}, nil)
}

// addMachine connects to a machine's servers and starts its meters, once each.
// Meters of sources that it no longer has end.
func (h *hosts) addMachine(m job.Machine, servers []job.Server) {
	for _, rec := range servers {
		h.addServer(rec)
	}
	sources := m.Sources
	if len(sources) == 0 {
		for _, rec := range servers {
			if !rec.WatchOnly {
				sources = append(sources, sourceOf(rec.URL))
				break
			}
		}
	}
	h.end(func(name string) bool {
		source, of := strings.CutPrefix(name, "meter "+string(m.ID)+" ")
		return of && !slices.Contains(sources, source)
	})
	if h.e.cfg.Meter == nil {
		return
	}
	for _, source := range sources {
		h.once("meter "+string(m.ID)+" "+source, func(ctx context.Context) { h.e.watchMeter(ctx, m.ID, source) })
	}
}

// removeMachine ends a machine's meters and the connections to its servers.
func (h *hosts) removeMachine(id job.ID, servers []job.ID) {
	h.end(func(name string) bool {
		if strings.HasPrefix(name, "meter "+string(id)+" ") {
			return true
		}
		server, socket := strings.CutPrefix(name, "socket ")
		return socket && slices.Contains(servers, job.ID(server))
	})
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, server := range servers {
		delete(h.servers, server)
		delete(h.records, server)
		delete(h.failed, server)
	}
}

// end ends the goroutines with these names.
func (h *hosts) end(which func(name string) bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for name, cancel := range h.stop {
		if which(name) {
			cancel()
			delete(h.stop, name)
		}
	}
}

// sourceOf gives where a server's GPUs are read from when nobody said: through
// the ssh that it is reached by, else from the server itself, which tells at
// least how full its card is.
func sourceOf(url string) string {
	if a, err := remote.ParseAddress(url); err == nil {
		return a.Source()
	}
	return "comfy:" + url
}

func (h *hosts) addServer(rec job.Server) {
	if !h.isNew(&rec) {
		return
	}
	srv, err := h.e.cfg.Connect(rec)
	h.mu.Lock()
	if err != nil {
		h.failed[rec.ID] = asError(err, job.ErrUnreachable)
	} else {
		h.servers[rec.ID] = srv
	}
	h.mu.Unlock()
	if err != nil {
		return
	}
	h.once("socket "+string(rec.ID), func(ctx context.Context) {
		srv.Listen(ctx, rec.ClientID, func(n job.News) {
			h.frames.hear(rec.ID, n)
			if n.Kind == job.NewsImage {
				h.e.hearLive(ctx, n)
			}
			n.Image = nil // it is kept here, and only counted further on
			if n.Kind == job.NewsReadings {
				h.e.hearReadings(rec, n.Readings)
				return // it says nothing of jobs
			}
			h.e.inbox.push(item{event: core.Heard{Server: rec.ID, News: n}})
		})
	})
}

// isNew tells whether a server is to be connected to. One that was only known by
// the record of a run, and is now named, is connected to again: the name may
// come with what opens it. So is one whose certificate the user accepted.
func (h *hosts) isNew(rec *job.Server) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	was, known := h.records[rec.ID]
	if known && was.Machine == rec.Machine {
		rec.ClientID = was.ClientID // the core keeps it too, and sends under it
	}
	h.records[rec.ID] = *rec
	if !known {
		return true
	}
	if was.Machine == rec.Machine && slices.Equal(was.Pins, rec.Pins) {
		return false
	}
	if stop := h.stop["socket "+string(rec.ID)]; stop != nil {
		stop()
		delete(h.stop, "socket "+string(rec.ID))
	}
	return true
}

// once starts a goroutine under a name, unless there is one.
func (h *hosts) once(name string, f func(context.Context)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, there := h.stop[name]; there {
		return
	}
	ctx, cancel := context.WithCancel(h.ctx)
	h.stop[name] = cancel
	h.e.acts.Go(func() {
		defer cancel()
		f(ctx)
	})
}

// watchMeter reads a source until ctx ends, starting it again with growing
// pauses when it fails.
func (e *Engine) watchMeter(ctx context.Context, machine job.ID, source string) {
	pause, period := meterAgain, meterPeriod
	if e.cfg.Clock.Speed() > 1 {
		period = meterFaster
	}
	fail := func(err error) {
		e.inbox.push(item{event: core.SourceFailed{Machine: machine, Source: source, Err: asError(err, job.ErrToolFailed)}})
	}
	meter, err := e.cfg.Meter(source)
	if err != nil {
		fail(err)
		return // a source that cannot be opened is misspelt, and stays so
	}
	if lister, ok := meter.(ProgramMeter); ok {
		var programs sync.WaitGroup
		defer programs.Wait()
		programs.Go(func() { e.watchPrograms(ctx, machine, source, lister) })
	}
	for ctx.Err() == nil {
		err := meter.Stream(ctx, period, func(readings []job.Reading) {
			pause = meterAgain
			e.inbox.push(item{event: core.ReadingsSeen{Machine: machine, Source: source, Readings: readings}})
		})
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			fail(err)
		}
		if !sleep(ctx, pause) {
			return
		}
		pause = min(2*pause, meterAtMost)
	}
}

// watchHost samples this computer until ctx ends.
func (e *Engine) watchHost(ctx context.Context) {
	for {
		e.inbox.push(item{event: core.HostSeen{Reading: e.cfg.Host.Sample(ctx, e.cfg.Results)}})
		if !sleep(ctx, hostPeriod) {
			return
		}
	}
}

// sleep waits for a real time, and is false when ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
