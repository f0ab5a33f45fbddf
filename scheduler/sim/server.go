package sim

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Server is a simulated render server: what survives its process, which is its
// files, its card and its faults, and the process of the moment.
type Server struct {
	spec    ServerSpec
	machine string
	proto   protocol
	classes *catalog
	gpu     *gpu
	cards   []*gpu             // all of the machine's
	results map[string]*object // by class, in place of what a node reports; nil for none
	pace    pace
	seed    uint64
	log     *slog.Logger
	files   *files
	faults  faultBox
	watch   []func(change) // told of prompts that start and end; set before Serve

	mu        sync.Mutex
	boot      func(*process) bool // starts a process while Serve runs; nil before
	proc      *process            // nil while down
	downUntil time.Duration       // of the world's time
	handlers  sync.WaitGroup
	conns     map[net.Conn]bool // that carry requests
	stopping  bool
}

// change is news of a prompt for the people in the scenario.
type change struct {
	server  string
	id      string
	prompt  *object
	takes   time.Duration // by itself; when it starts
	ended   bool
	outcome Outcome
}

// Name is the server's name in its scenario.
func (s *Server) Name() string { return s.spec.Name }

// SetFaults changes what goes wrong from now on.
func (s *Server) SetFaults(edit func(*Faults)) { s.faults.change(edit) }

// DropSockets cuts every websocket without a farewell.
func (s *Server) DropSockets() {
	if p := s.process(); p != nil {
		p.hub.drop()
	}
}

// Deafen tells the sockets that are open now nothing any more. They stay open,
// answer pings, and can be closed; new ones are as they should be.
func (s *Server) Deafen() {
	if p := s.process(); p != nil {
		p.hub.deafen()
	}
}

// Restart ends the server's process at once, as a crash does, and lets a new
// one begin after down of the world's time. The running prompt, the queue, the
// record, the counter and the sockets are lost; files stay, temporary ones do
// not.
func (s *Server) Restart(down time.Duration) {
	s.mu.Lock()
	old := s.proc
	s.proc, s.downUntil = nil, s.pace.now()+down
	conns := s.conns
	s.conns = nil
	s.mu.Unlock()
	for c := range conns {
		_ = c.Close() // as the end of a process does
	}
	if old != nil {
		old.stop()
	}
	s.files.wipeTemp()
}

// process gives the process of the moment, starting one when its time has come,
// or nil while the server is down.
func (s *Server) process() *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.proc == nil && s.boot != nil && s.pace.now() >= s.downUntil {
		if p := newProcess(s); s.boot(p) {
			s.proc = p
		}
	}
	return s.proc
}

// Accepting tells whether a connection to the server would be taken: not while
// its process is down.
func (s *Server) Accepting() bool { return !s.faults.get().Refuse && s.process() != nil }

// ClearQueue removes every waiting prompt, as anybody can.
func (s *Server) ClearQueue() {
	if p := s.process(); p != nil {
		p.remove("")
	}
}

// ClearHistory forgets what has ended, as anybody can.
func (s *Server) ClearHistory() {
	if p := s.process(); p != nil {
		p.forget("")
	}
}

// Interrupt stops whatever runs, as anybody can.
func (s *Server) Interrupt() {
	if p := s.process(); p != nil {
		p.interrupt("")
	}
}

// now is the time by the server's own clock.
func (s *Server) now() time.Time {
	return s.pace.clock.Now().Wall.Add(seconds(s.faults.get().ClockSkewS))
}

// stamp is the server's time as its messages have it, in milliseconds.
func (s *Server) stamp() int64 { return s.now().UnixMilli() }

// Serve answers on a listener until the context ends or the listener fails. It
// closes the listener, and returns when everything that it started has ended;
// nil when the context ended it. A server serves once.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.mu.Lock()
	s.boot = func(p *process) bool {
		if ctx.Err() != nil {
			return false
		}
		p.start(ctx)
		return true
	}
	s.mu.Unlock()
	s.process()
	hs := &http.Server{
		Handler: s, ReadHeaderTimeout: 30 * time.Second, ErrorLog: log.New(io.Discard, "", 0),
		BaseContext: func(net.Listener) context.Context { return ctx }, ConnState: s.track,
	}
	var closer sync.WaitGroup
	closer.Go(func() {
		<-ctx.Done()
		_ = hs.Close() // every connection ends here; there is nothing to save
	})
	err := hs.Serve(ln)
	ended := ctx.Err() != nil || errors.Is(err, http.ErrServerClosed)
	cancel()
	closer.Wait()
	s.shut()
	if !ended {
		return fmt.Errorf("serve render server %s: %w", s.Name(), err)
	}
	return nil
}

// track remembers the connections that carry requests.
func (s *Server) track(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case state == http.StateHijacked || state == http.StateClosed:
		delete(s.conns, c)
	case s.conns == nil:
		s.conns = map[net.Conn]bool{c: true}
	default:
		s.conns[c] = true
	}
}

// shut waits for the process and the handlers.
func (s *Server) shut() {
	s.mu.Lock()
	s.stopping = true
	p := s.proc
	s.mu.Unlock()
	if p != nil {
		p.stop()
	}
	s.handlers.Wait()
}

// enter counts a handler, unless the server is ending.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		return false
	}
	s.handlers.Add(1)
	return true
}

// maxUpload is the default of --max-upload-size. It bounds every request.
const maxUpload = 100 << 20

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		hangUp(w)
		return
	}
	defer s.handlers.Done()
	w.Header().Set("Date", s.now().Format(http.TimeFormat))
	w.Header().Set("Server", "Python/3.13 aiohttp/3.12.15")
	if s.proto.front.turnsAway(w, r) || s.strike(w, r) {
		return
	}
	p := s.process()
	if p == nil {
		s.proto.front.dead(w)
		return
	}
	if !p.waitForLock(r.Context()) {
		return
	}
	if s.proto.originCheck && foreignOrigin(r) || s.proto.fetchCheck && r.Header.Get("Sec-Fetch-Site") == "cross-site" {
		answer(w, http.StatusForbidden, "", nil)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxUpload)
	p.route(w, r)
}

// foreignOrigin is the server's check against other web pages: a Host that is
// this computer and an Origin that is another name.
func foreignOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	_, after, ok := strings.Cut(origin, "://")
	if r.Host == "" || !ok {
		return false
	}
	host, hostPort := splitPort(r.Host)
	name, port := splitPort(strings.ToLower(after))
	if ip := net.ParseIP(strings.Trim(host, "[]")); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return false
	}
	if hostPort == "" || port == "" {
		return host != name
	}
	return host != name || hostPort != port
}

func splitPort(hostport string) (host, port string) {
	if h, p, err := net.SplitHostPort(hostport); err == nil {
		return strings.ToLower(h), p
	}
	return strings.ToLower(hostport), ""
}

func (s *Server) tell(c change) {
	for _, f := range s.watch {
		f(c)
	}
}

func (s *Server) tellStart(r *run) {
	if len(s.watch) > 0 {
		s.tell(change{server: s.Name(), id: r.it.id, prompt: r.it.prompt, takes: r.work.estimate(r.g, s.gpu.spec.Speed)})
	}
	s.log.Debug("prompt started", "server", s.Name(), "prompt_id", r.it.id)
}

func (s *Server) tellEnd(r *run) {
	s.tell(change{server: s.Name(), id: r.it.id, ended: true, outcome: r.outcome})
	s.log.Debug("prompt ended", "server", s.Name(), "prompt_id", r.it.id, "outcome", string(r.outcome))
}
