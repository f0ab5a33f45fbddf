package sim

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"sync"

	"reckoner/scheduler/job"
)

// Options are how a World is opened. The zero Options are usable.
type Options struct {
	// Clock gives the stamps; nil means real time. A demonstration gives the
	// clock that it shares with the rest of the program.
	Clock *job.Clock
	// Speed is how many times faster than the clock everything happens; 0 means
	// 1. It changes nothing but time.
	Speed float64
	// Seed decides all that is left to chance.
	Seed uint64
	// Protocol is the version that the servers speak, one of Protocols; ""
	// means DefaultProtocol.
	Protocol string
	// Log gets what happens, nil for nothing.
	Log *slog.Logger
}

// World is a scenario's machines. It is opened once and started once.
type World struct {
	scenario Scenario
	machines []*machine
	log      *slog.Logger

	mu      sync.Mutex
	cancel  context.CancelFunc
	done    sync.WaitGroup
	err     error // of what ended before its time
	started bool
}

type machine struct {
	spec     Machine
	gpus     []*gpu
	servers  []*Server
	visitors []*visitor
	page     *page
}

// Kind says what an Endpoint is.
type Kind string

// The kinds of endpoint.
const (
	KindServer  Kind = "server"  // a render server to send to
	KindWatch   Kind = "watch"   // another person's render server, to look at
	KindMetrics Kind = "metrics" // a machine's metrics page
)

// Endpoint is an address at which a part of the world answers.
type Endpoint struct {
	Machine string
	Name    string
	Kind    Kind
	URL     string // of a render server the base URL; of a metrics page the page
	GPUUUID string // of a render server: the card it computes on
	GPUName string
}

// Open makes the world of a scenario. Nothing runs before Start.
func Open(s Scenario, o Options) (*World, error) {
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	proto, err := protocolNamed(o.Protocol)
	if err != nil {
		return nil, err
	}
	if o.Clock == nil {
		o.Clock = job.NewClock(1)
	}
	if o.Speed <= 0 {
		o.Speed = 1
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	w := &World{scenario: s, log: o.Log}
	p := pace{o.Clock, o.Speed}
	for _, spec := range s.Machines {
		m := &machine{spec: spec}
		for _, g := range spec.GPUs {
			m.gpus = append(m.gpus, newGPU(g, p, o.Seed))
		}
		m.page = &page{gpus: m.gpus, pace: p}
		for _, sv := range spec.Servers {
			if err := m.add(sv, proto, p, o); err != nil {
				return nil, fmt.Errorf("scenario %s, machine %s: %w", s.Name, spec.Name, err)
			}
		}
		w.machines = append(w.machines, m)
	}
	return w, nil
}

func (m *machine) add(spec ServerSpec, proto protocol, p pace, o Options) error {
	if spec.Protocol != "" {
		own, err := protocolNamed(spec.Protocol)
		if err != nil {
			return fmt.Errorf("server %s: %w", spec.Name, err)
		}
		proto = own
	}
	s := &Server{
		spec: spec, machine: m.spec.Name, proto: proto, gpu: m.gpus[spec.GPU], cards: m.gpus, pace: p,
		seed: o.Seed, log: o.Log, files: newFiles(), results: map[string]*object{},
	}
	var err error
	if s.classes, err = newCatalog(s.modelNames()); err != nil {
		return err
	}
	for class, raw := range spec.Results {
		v, err := decode(raw)
		if err != nil {
			return fmt.Errorf("server %s: results of %s: %w", spec.Name, class, err)
		}
		s.results[class], _ = v.(*object)
	}
	s.faults.f = spec.Faults
	s.gpu.add(s.Name(), spec.SpillRate, seconds(spec.KeepsS))
	for _, name := range spec.Uploads {
		picture := paint(graph{obj("0", obj("class_type", "EmptyImage", "inputs", obj("name", name))), s.classes}, "0",
			shape{640, 640, 1, 1})
		data, err := encodePNG(picture.frame(longSide, 0), nil)
		if err != nil {
			return fmt.Errorf("server %s: picture %s: %w", spec.Name, name, err)
		}
		s.files.put(key("input", "", name), data, p.clock.Now().Wall)
	}
	m.servers = append(m.servers, s)
	if spec.Client == nil {
		return nil
	}
	v, err := newVisitor(*spec.Client, s)
	if err != nil {
		return err
	}
	m.visitors = append(m.visitors, v)
	return nil
}

// Server gives a server by its name, nil when there is none. Names are unique
// within a machine; the first machine that has one wins.
func (w *World) Server(name string) *Server {
	for _, m := range w.machines {
		for _, s := range m.servers {
			if s.Name() == name {
				return s
			}
		}
	}
	return nil
}

// Start serves everything until Stop or the end of the context. listen makes a
// listener for each endpoint in turn: a machine's servers, then its metrics
// page, under the names of Endpoint.Name. When it fails, nothing keeps running.
func (w *World) Start(ctx context.Context, listen func(name string) (net.Listener, error)) ([]Endpoint, error) {
	w.mu.Lock()
	if w.started {
		w.mu.Unlock()
		return nil, errors.New("the world was started before")
	}
	w.started = true
	ctx, w.cancel = context.WithCancel(ctx)
	w.mu.Unlock()
	var ends []Endpoint
	for _, m := range w.machines {
		more, err := w.startMachine(ctx, m, listen)
		if err != nil {
			w.cancel()
			w.done.Wait()
			return nil, err
		}
		ends = append(ends, more...)
	}
	return ends, nil
}

func (w *World) startMachine(
	ctx context.Context, m *machine, listen func(string) (net.Listener, error),
) ([]Endpoint, error) {
	for _, v := range m.visitors {
		if v.news == nil {
			continue
		}
		for _, s := range m.servers {
			s.watch = append(s.watch, v.hear)
		}
	}
	var ends []Endpoint
	for _, s := range m.servers {
		kind := KindServer
		if s.spec.Watch {
			kind = KindWatch
		}
		e := Endpoint{Machine: m.spec.Name, Name: s.Name(), Kind: kind, GPUUUID: s.gpu.spec.UUID, GPUName: s.gpu.spec.Name}
		ln, err := listen(e.Name)
		if err != nil {
			return nil, fmt.Errorf("listen for render server %s: %w", e.Name, err)
		}
		e.URL = "http://" + ln.Addr().String()
		ends = append(ends, e)
		w.run(func() error { return s.Serve(ctx, ln) })
	}
	name := m.spec.Name + " metrics"
	ln, err := listen(name)
	if err != nil {
		return nil, fmt.Errorf("listen for the metrics page of %s: %w", m.spec.Name, err)
	}
	ends = append(ends, Endpoint{
		Machine: m.spec.Name, Name: name, Kind: KindMetrics, URL: "http://" + ln.Addr().String() + "/metrics",
	})
	w.run(func() error { return m.page.serve(ctx, ln) })
	for _, v := range m.visitors {
		w.done.Go(func() { v.visit(ctx) })
	}
	for _, h := range m.spec.Happenings {
		i := slices.IndexFunc(m.servers, func(s *Server) bool { return s.Name() == h.Server })
		w.done.Go(func() { m.servers[i].happen(ctx, h) })
	}
	return ends, nil
}

// modelNames are the scenario's model files in the system's spelling.
func (s *Server) modelNames() map[string][]string {
	names := map[string][]string{}
	for folder, files := range s.spec.Models {
		for _, f := range files {
			names[folder] = append(names[folder], s.shown(f))
		}
	}
	return names
}

// run keeps a part of the world going and remembers the first error.
func (w *World) run(serve func() error) {
	w.done.Go(func() {
		if err := serve(); err != nil {
			w.log.Error("a part of the simulation ended", "error", err)
			w.mu.Lock()
			defer w.mu.Unlock()
			w.err = errors.Join(w.err, err)
		}
	})
}

// Stop ends everything and waits for it, or for the context. It gives the error
// of what had ended before. Stopping twice, or before Start, is no error.
func (w *World) Stop(ctx context.Context) error {
	w.mu.Lock()
	cancel := w.cancel
	w.mu.Unlock()
	if cancel == nil {
		return nil
	}
	cancel()
	all := make(chan struct{})
	go func() {
		defer close(all)
		w.done.Wait()
	}()
	select {
	case <-all:
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.err
	case <-ctx.Done():
		return fmt.Errorf("stop the simulation: %w", ctx.Err())
	}
}
