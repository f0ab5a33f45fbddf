package scheduler_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"reckoner/scheduler"
	"reckoner/scheduler/estimate"
	"reckoner/scheduler/job"
)

// memory is a store without a disk.
type memory struct {
	mu      sync.Mutex
	jobs    map[job.ID]job.Job
	runs    map[job.ID]job.Run
	blobs   map[string][]byte
	kept    job.Kept
	full    bool
	saves   int      // that were not lazy
	removed []job.ID // machines
	logs    []job.BaselineLog
}

func newMemory() *memory {
	return &memory{jobs: map[job.ID]job.Job{}, runs: map[job.ID]job.Run{}, blobs: map[string][]byte{}}
}

func (m *memory) Load(context.Context) (job.Kept, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept := m.kept
	kept.App = "app"
	for _, id := range slices.Sorted(maps.Keys(m.jobs)) {
		kept.Jobs = append(kept.Jobs, m.jobs[id])
	}
	for _, id := range slices.Sorted(maps.Keys(m.runs)) {
		kept.Runs = append(kept.Runs, m.runs[id])
	}
	return kept, nil
}

func (m *memory) Save(_ context.Context, c job.Changes) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.full {
		return job.Errorf(job.ErrDisk, job.Args{}, errors.New("no space left on device"))
	}
	if !c.Lazy {
		m.saves++
	}
	for _, j := range c.Jobs {
		m.jobs[j.ID] = *j
	}
	for _, r := range c.Runs {
		m.runs[r.ID] = *r
	}
	m.removed = append(m.removed, c.RemoveMachines...)
	m.logs = append(m.logs, c.Baselines...)
	return nil
}

// isRemoved tells whether a machine was removed.
func (m *memory) isRemoved(id job.ID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Contains(m.removed, id)
}

func (m *memory) PastRuns(context.Context, string, int) ([]estimate.Run, error) { return nil, nil }

func (m *memory) RunOf(_ context.Context, of job.ID, attempt int) (job.Run, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, found := m.runs[job.RunID(of, attempt)]
	return r, found, nil
}

func (m *memory) History(context.Context, job.HistoryQuery) ([]job.HistoryRow, error) {
	return nil, nil
}

func (m *memory) PutBlob(_ context.Context, content []byte) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	sum := sha256.Sum256(content)
	name := hex.EncodeToString(sum[:])
	m.blobs[name] = slices.Clone(content)
	return name, nil
}

func (m *memory) Blob(_ context.Context, name string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	content, ok := m.blobs[name]
	if !ok {
		return nil, errors.New("no such blob")
	}
	return content, nil
}

// played is a render server that runs each prompt for a time.
type played struct {
	mu       sync.Mutex
	takes    time.Duration
	prompts  []*playedPrompt
	graphs   []string
	clientID string
}

type playedPrompt struct {
	id          string
	tag         job.Tag
	start, ends time.Time
	cut         bool
}

func (p *played) Probe(context.Context) (job.ServerInfo, error) {
	return job.ServerInfo{Version: "0.3.64", Devices: []job.Device{{Name: "cuda:0 Test GPU : native"}}}, nil
}

func (p *played) Submit(_ context.Context, s job.Submission) (job.Receipt, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	p.prompts = append(p.prompts, &playedPrompt{id: string(s.PromptID), tag: s.Tag, start: now, ends: now.Add(p.takes)})
	p.graphs = append(p.graphs, string(s.Graph.Raw))
	return job.Receipt{PromptID: string(s.PromptID)}, nil
}

// sent gives the graphs that it was sent.
func (p *played) sent() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.graphs)
}

func (p *played) Queue(context.Context) (job.Queue, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var q job.Queue
	for _, r := range p.prompts {
		if time.Now().Before(r.ends) {
			q.Running = append(q.Running, job.Prompt{ID: r.id, Tag: r.tag})
		}
	}
	return q, nil
}

func (p *played) Record(_ context.Context, id string) (job.Record, bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.prompts {
		if r.id != id || time.Now().Before(r.ends) {
			continue
		}
		rec := job.Record{PromptID: id, Tag: r.tag, Started: r.start, Ended: r.ends, Outcome: job.RunSucceeded}
		rec.Outputs = []job.OutputRef{{Node: "9", Filename: "a.png", Type: "output"}}
		if r.cut {
			rec.Outcome, rec.Outputs = job.RunInterrupted, nil
		}
		return rec, true, nil
	}
	return job.Record{}, false, nil
}

func (p *played) FindRecord(context.Context, job.ID) (job.Record, bool, error) {
	return job.Record{}, false, nil
}

func (p *played) Remove(context.Context, string) error { return nil }

func (p *played) Free(context.Context) error { return nil }

func (p *played) Interrupt(_ context.Context, id string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.prompts {
		if r.id == id && time.Now().Before(r.ends) {
			r.cut, r.ends = true, time.Now()
		}
	}
	return nil
}

func (p *played) Listen(ctx context.Context, clientID string, news func(job.News)) {
	p.mu.Lock()
	p.clientID = clientID
	p.mu.Unlock()
	news(job.News{Kind: job.NewsUp})
	<-ctx.Done()
}

// handed is a fetcher that hands over what is asked for.
type handed struct{}

func (handed) Fetch(_ context.Context, _ job.ID, refs []job.OutputRef, to job.Destination) ([]job.Output, error) {
	outputs := make([]job.Output, 0, len(refs))
	for _, r := range refs {
		outputs = append(outputs, job.Output{File: to.Dir + "/" + r.Filename, ServerName: r.Filename, Bytes: 3})
	}
	return outputs, nil
}

// failing is a meter that fails after one reading, each time.
type failing struct{ starts *atomic.Int64 }

func (f failing) Stream(_ context.Context, _ time.Duration, readings func([]job.Reading)) error {
	f.starts.Add(1)
	readings([]job.Reading{{At: time.Now(), Source: "test", GPU: job.GPU{Name: "Test GPU"}, Util: job.Known(7.0)}})
	return job.Errorf(job.ErrToolFailed, job.Args{}, nil)
}

// Programs tells once of a program that holds memory.
func (f failing) Programs(_ context.Context, _ time.Duration, programs func(job.Programs)) error {
	programs(job.Programs{At: time.Now(), Source: "test", List: []job.Process{
		{PID: 4988, Name: "ollama", Mem: job.Known(int64(5 << 30))},
	}})
	return job.Errorf(job.ErrToolFailed, job.Args{}, nil)
}

var _ scheduler.ProgramMeter = failing{}

// startWith starts an engine on render servers of the given names, each a machine of
// its own, and gives it with its store. Whoever calls it stops the engine.
func startWith(
	t *testing.T, connect func(job.Server) scheduler.RenderServer, fetcher scheduler.Fetcher, names ...string,
) (*scheduler.Engine, *memory) {
	t.Helper()
	store := newMemory()
	for _, name := range names {
		store.kept.Machines = append(store.kept.Machines, job.Machine{ID: job.ID(name), Name: name})
		store.kept.Servers = append(store.kept.Servers,
			job.Server{ID: job.ID(name), Machine: job.ID(name), Name: name, URL: "http://" + name})
	}
	var ids byte
	engine, err := scheduler.New(scheduler.Config{
		Store: store, Clock: job.NewClock(1), Fetcher: fetcher, Results: "results",
		Connect: func(s job.Server) (scheduler.RenderServer, error) { return connect(s), nil },
		NewID:   func() job.ID { ids++; return job.UUIDFrom([16]byte{ids}) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return engine, store
}

// always connects to one render server.
func always(srv scheduler.RenderServer) func(job.Server) scheduler.RenderServer {
	return func(job.Server) scheduler.RenderServer { return srv }
}
