package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"reckoner/scheduler"
	"reckoner/scheduler/comfy"
	"reckoner/scheduler/job"
	"reckoner/scheduler/sim"
	"reckoner/scheduler/transfer"
)

// stage is an engine with its real client and fetcher, and simulated servers,
// in one bubble of time.
type stage struct {
	t      *testing.T
	world  *sim.World
	store  *memory
	engine *scheduler.Engine
	told   *scheduler.Follower
	dir    string
	lines  map[string]*line
	ids    byte
	seed   int
}

// pass lets time go by. It is that of the stage's bubble (testing/synctest), where
// a sleep ends as soon as everybody waits: nothing is waited for in earnest.
func (s *stage) pass(d time.Duration) { time.Sleep(d) }

// line is a listener of in-memory connections to one server.
type line struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
	up    func() bool
}

func (l *line) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *line) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (l *line) Addr() net.Addr { return &net.UnixAddr{Name: "line", Net: "unix"} }

func (l *line) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	if l.up != nil && !l.up() {
		return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
	}
	ours, theirs := net.Pipe()
	select {
	case l.conns <- theirs:
		return ours, nil
	case <-l.done:
		return nil, errors.New("connection refused")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// play runs a case on a stage with servers of the given names, all of one
// version, each on a card of its own.
func play(t *testing.T, protocol string, servers []string, edit func(*sim.ServerSpec), act func(*stage)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, protocol, servers, edit)
		defer s.stop()
		s.start()
		s.pass(time.Second) // in which the servers are found
		act(s)
	})
}

func newStage(t *testing.T, protocol string, servers []string, edit func(*sim.ServerSpec)) *stage {
	t.Helper()
	s := &stage{t: t, store: newMemory(), dir: t.TempDir(), lines: map[string]*line{}}
	var machines []sim.Machine
	for _, name := range servers {
		spec := sim.ServerSpec{Name: name}
		if edit != nil {
			edit(&spec)
		}
		machines = append(machines, sim.Machine{
			Name: name, GPUs: []sim.GPU{{UUID: name, Name: "g", LimitW: 100, IdleW: 10, MemoryMiB: 16000, Speed: 1}},
			Servers: []sim.ServerSpec{spec},
		})
		s.store.kept.Machines = append(s.store.kept.Machines, job.Machine{ID: job.ID(name), Name: name})
		s.store.kept.Servers = append(s.store.kept.Servers, job.Server{
			ID: job.ID(name), Machine: job.ID(name), Name: name, URL: "http://" + name + ":8188", GPU: name,
		})
	}
	var err error
	if s.world, err = sim.Open(sim.Scenario{Name: "stage", Machines: machines}, sim.Options{Protocol: protocol}); err != nil {
		t.Fatal(err)
	}
	_, err = s.world.Start(t.Context(), func(name string) (net.Listener, error) {
		l := &line{conns: make(chan net.Conn), done: make(chan struct{})}
		if server := s.world.Server(name); server != nil {
			l.up = server.Accepting
		}
		s.lines[name] = l
		return l, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range servers {
		for !s.world.Server(name).Accepting() {
			time.Sleep(time.Millisecond)
		}
	}
	return s
}

// client connects to a server.
func (s *stage) client(server string) *comfy.Client {
	s.t.Helper()
	c, err := comfy.New(comfy.Options{URL: "http://" + server + ":8188", Dial: s.lines[server].dial})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(c.Close)
	return c
}

// start starts an engine on the stage's records.
func (s *stage) start() {
	s.t.Helper()
	clients := map[job.ID]*comfy.Client{}
	for _, rec := range s.store.kept.Servers {
		clients[rec.ID] = s.client(rec.Name)
	}
	engine, err := scheduler.New(scheduler.Config{
		Store: s.store, Clock: job.NewClock(1),
		NewID: func() job.ID { s.ids++; return job.UUIDFrom([16]byte{s.ids}) },
		Connect: func(rec job.Server) (scheduler.RenderServer, error) {
			return clients[rec.ID], nil
		},
		Pictures: transfer.NewPictures(filepath.Join(s.dir, "frames")),
		Fetcher:  transfer.NewFetcher(func(id job.ID) (transfer.Viewer, bool) { return clients[id], true }, transfer.Options{}),
	})
	if err != nil {
		s.t.Fatal(err)
	}
	if err := engine.Start(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	s.engine, s.told = engine, engine.Follow()
}

func (s *stage) stop() {
	s.t.Helper()
	s.told.Close()
	if err := errors.Join(s.engine.Stop(context.Background()), s.world.Stop(context.Background())); err != nil {
		s.t.Error(err)
	}
	time.Sleep(time.Second) // connections linger a little after their end
}

func (s *stage) server() *sim.Server { return s.world.Server(string(s.store.kept.Servers[0].ID)) }

func (s *stage) faults(edit func(*sim.Faults)) { s.server().SetFaults(edit) }

// painting is a job of so many seconds in so many steps, with a seed of its own.
func (s *stage) painting(seconds float64, steps int) string {
	s.seed++
	return fmt.Sprintf(`{"1":{"class_type":"EmptyImage","inputs":{"width":64,"height":64,"batch_size":1,"color":255}},
		"2":{"class_type":"SlowSampler","inputs":{"image":["1",0],"steps":%d,"seconds":%g,"seed":%d}},
		"3":{"class_type":"SaveImage","inputs":{"images":["2",0],"filename_prefix":"hill"}}}`, steps, seconds, s.seed)
}

// file writes a job file.
func (s *stage) file(content string) string {
	s.t.Helper()
	s.seed++
	path := filepath.Join(s.dir, fmt.Sprintf("job-%03d.json", s.seed))
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// add queues a graph and gives its job.
func (s *stage) add(graph string) job.ID {
	s.t.Helper()
	return s.request(scheduler.AddRequest{Files: []string{s.file(graph)}})[0]
}

func (s *stage) request(r scheduler.AddRequest) []job.ID {
	s.t.Helper()
	r.OutDir = filepath.Join(s.dir, "out")
	added, err := s.engine.Add(s.t.Context(), r)
	if err != nil || len(added.Refused) > 0 {
		s.t.Fatalf("add: %v, %+v", err, added.Refused)
	}
	var ids []job.ID
	for _, j := range added.Jobs {
		ids = append(ids, j.ID)
	}
	return ids
}

func (s *stage) job(id job.ID) job.Job {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	return s.store.jobs[id]
}

// runs gives a job's runs, the first one first.
func (s *stage) runs(id job.ID) []job.Run {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	var out []job.Run
	for attempt := 1; ; attempt++ {
		r, ok := s.store.runs[job.RunID(id, attempt)]
		if !ok {
			return out
		}
		out = append(out, r)
	}
}

func (s *stage) last(id job.ID) job.Run {
	s.t.Helper()
	runs := s.runs(id)
	if len(runs) == 0 {
		s.t.Fatal("it has not been sent")
	}
	return runs[len(runs)-1]
}

// within waits until something holds, and tells how long that took.
func (s *stage) within(limit time.Duration, what string, holds func() bool) time.Duration {
	s.t.Helper()
	began := time.Now()
	for !holds() {
		if time.Since(began) > limit {
			s.t.Fatalf("not within %v: %s; jobs %+v", limit, what, s.store.states())
		}
		time.Sleep(100 * time.Millisecond)
	}
	return time.Since(began)
}

// runsNow waits until a job's run has started.
func (s *stage) runsNow(id job.ID) {
	s.t.Helper()
	s.within(time.Minute, "it runs", func() bool {
		runs := s.runs(id)
		return len(runs) > 0 && runs[len(runs)-1].State == job.RunStarted
	})
}

// ends waits for a job's end and compares how it ended.
func (s *stage) ends(id job.ID, limit time.Duration, want job.JobOutcome) time.Duration {
	s.t.Helper()
	took := s.within(limit, "it ends", func() bool { return s.job(id).State == job.JobEnded })
	if got := s.job(id); got.Outcome != want {
		s.t.Errorf("it ended %s (%v), want %s", got.Outcome, got.Why, want)
	}
	return took
}

// once checks that a job was sent once, with so many files to show for it.
func (s *stage) once(id job.ID, files int) {
	s.t.Helper()
	runs := s.runs(id)
	if len(runs) != 1 || len(runs[0].Outputs) != files {
		s.t.Errorf("%d runs, %+v", len(runs), runs)
	}
}

// onServer lists what a server has of ours and others'.
func (s *stage) onServer() job.Queue {
	s.t.Helper()
	q, err := s.client(s.server().Name()).Queue(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return q
}

// post asks a server as some other program does.
func (s *stage) post(path, body string) { _ = s.http(http.MethodPost, path, body) }

// get reads what a server says to anybody.
func (s *stage) get(path string) string { return s.http(http.MethodGet, path, "") }

func (s *stage) http(method, path, body string) string {
	s.t.Helper()
	name := s.server().Name()
	transport := &http.Transport{DialContext: s.lines[name].dial, DisableKeepAlives: true}
	req, err := http.NewRequestWithContext(s.t.Context(), method, "http://"+name+":8188"+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		s.t.Fatalf("%s %s: %s %.300s %v", method, path, resp.Status, data, err)
	}
	return string(data)
}

func (m *memory) states() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []string
	for _, j := range m.jobs {
		out = append(out, fmt.Sprintf("%s/%s/%d", j.State, j.Outcome, j.Attempt))
	}
	return out
}

// seen reads the snapshot of now.
func (s *stage) seen() *scheduler.Snapshot {
	time.Sleep(200 * time.Millisecond) // let it be drawn
	return s.engine.Snapshot()
}

func (s *stage) serverView() scheduler.ServerView { return s.seen().Machines[0].Servers[0] }

// heard reads the events so far of some kinds.
func (s *stage) heard(kinds ...job.EventKind) []job.Event {
	var out []job.Event
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Millisecond)
	defer cancel()
	for {
		ev, err := s.told.Next(ctx)
		if err != nil {
			return out
		}
		for _, k := range kinds {
			if ev.Kind == k {
				out = append(out, ev)
			}
		}
	}
}
