package comfy

import (
	"context"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"reckoner/scheduler/job"
	"reckoner/scheduler/sim"
)

// painting is a job that takes so many seconds of the simulated machine, which
// runs a hundred times faster. Its seed keeps it from the cache.
func painting(seed int, seconds float64) string {
	return fmt.Sprintf(`{"1":{"class_type":"EmptyImage","inputs":{"width":64,"height":64,"batch_size":1,"color":255}},
		"2":{"class_type":"SlowSampler","inputs":{"image":["1",0],"steps":20,"seconds":%g,"seed":%d}},
		"3":{"class_type":"SaveImage","inputs":{"images":["2",0],"filename_prefix":"hill"}}}`, seconds, seed)
}

// peer is a simulated render server that shares no code with the client.
type peer struct {
	t      *testing.T
	server *sim.Server
	client *Client
	news   chan job.News
}

func newPeer(t *testing.T, protocol string) *peer {
	t.Helper()
	world, err := sim.Open(sim.Scenario{Name: "peer", Machines: []sim.Machine{{
		Name: "m", GPUs: []sim.GPU{{UUID: "u", Name: "g", LimitW: 100, IdleW: 10, MemoryMiB: 16000, Speed: 1}},
		Servers: []sim.ServerSpec{{Name: "s"}},
	}}}, sim.Options{Speed: 100, Protocol: protocol})
	if err != nil {
		t.Fatal(err)
	}
	ends, err := world.Start(t.Context(), func(string) (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := world.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	p := &peer{t: t, server: world.Server("s"), news: make(chan job.News, 10000)}
	for _, e := range ends {
		if e.Name == "s" {
			p.client = newTest(t, Options{URL: e.URL})
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.client.Listen(ctx, "me", func(n job.News) { p.news <- n })
	}()
	t.Cleanup(func() { cancel(); <-done })
	p.until(job.NewsUp, "")
	return p
}

const anyPrompt = "any"

// until passes over news until one of a kind and prompt comes.
func (p *peer) until(kind job.NewsKind, prompt string) job.News {
	p.t.Helper()
	late := time.After(30 * time.Second)
	for {
		select {
		case n := <-p.news:
			if n.Kind == kind && (prompt == anyPrompt || n.PromptID == prompt) {
				return n
			}
		case <-late:
			p.t.Fatalf("no %s of %q", kind, prompt)
		}
	}
}

func (p *peer) submit(attempt int, seconds float64) (job.Submission, job.Receipt, error) {
	s := submissionOf(painting(attempt, seconds))
	s.PromptID = job.RunID("a-job", attempt)
	s.Tag.Run = s.PromptID
	r, err := p.client.Submit(p.t.Context(), s)
	return s, r, err
}

// TestASimulatedServerOfEachVersionAgrees runs a job to its picture, stops one,
// and finds one again whose reply was lost.
func TestASimulatedServerOfEachVersionAgrees(t *testing.T) {
	for _, protocol := range []string{"2024-11", "0.3.64", "0.27.0"} { // TestConformance has the others
		t.Run(protocol, func(t *testing.T) {
			p := newPeer(t, protocol)
			info, err := p.client.Probe(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			s, r, err := p.submit(1, 20)
			if err != nil || (r.PromptID == string(s.PromptID)) != info.OwnIDs {
				t.Fatalf("%+v, own ids %v, %v", r, info.OwnIDs, err)
			}
			p.until(job.NewsStarted, r.PromptID)
			if n := p.until(job.NewsStep, r.PromptID); n.Max != 20 || n.Node != "2" {
				t.Errorf("%+v", n)
			}
			p.until(job.NewsEnded, r.PromptID)
			p.fetches(r.PromptID, s.Tag)
			p.stops(info)
			p.losesTheReply(info)
		})
	}
}

func (p *peer) fetches(prompt string, tag job.Tag) {
	p.t.Helper()
	record, ok, err := p.client.Record(p.t.Context(), prompt)
	if err != nil || !ok || record.Outcome != job.RunSucceeded || record.Tag != tag || len(record.Outputs) != 1 {
		p.t.Fatalf("%+v, %v, %v", record, ok, err)
	}
	for _, offset := range []int64{0, 10} {
		body, total, err := p.client.View(p.t.Context(), record.Outputs[0], offset)
		if err != nil {
			p.t.Fatal(err)
		}
		content, err := io.ReadAll(body)
		if err != nil || int64(len(content)) != total-offset || total < 100 {
			p.t.Errorf("%d bytes from %d of %d, %v", len(content), offset, total, err)
		}
		if err := body.Close(); err != nil {
			p.t.Error(err)
		}
	}
}

func (p *peer) stops(info job.ServerInfo) {
	p.t.Helper()
	ctx := p.t.Context()
	_, running, err := p.submit(2, 600)
	if err != nil {
		p.t.Fatal(err)
	}
	p.until(job.NewsStarted, running.PromptID)
	_, waiting, err := p.submit(3, 20)
	if err != nil {
		p.t.Fatal(err)
	}
	// A waiting prompt is not stopped by an interrupt that names it.
	if err := p.client.Interrupt(ctx, waiting.PromptID); (err == nil) != info.TargetedInterrupt {
		p.t.Error(err)
	}
	q, err := p.client.Queue(ctx)
	if err != nil || len(q.Running) != 1 || q.Running[0].ID != running.PromptID || len(q.Pending) != 1 ||
		q.Pending[0].ID != waiting.PromptID || q.Pending[0].Client != "me" || q.Pending[0].Tag.Job != "j" {
		p.t.Errorf("%+v, %v", q, err)
	}
	if err := p.client.Remove(ctx, waiting.PromptID); err != nil {
		p.t.Error(err)
	}
	if err := p.client.Interrupt(ctx, running.PromptID); err != nil {
		p.t.Error(err)
	}
	if n := p.until(job.NewsEnded, running.PromptID); n.Outcome != job.RunInterrupted {
		p.t.Errorf("%+v", n)
	}
	if r, ok, err := p.client.Record(ctx, running.PromptID); err != nil || !ok || r.Outcome != job.RunInterrupted {
		p.t.Errorf("%+v, %v, %v", r, ok, err)
	}
	if r, ok, err := p.client.Record(ctx, waiting.PromptID); err != nil || ok {
		p.t.Errorf("%+v, %v, %v", r, ok, err)
	}
}

func (p *peer) losesTheReply(info job.ServerInfo) {
	p.t.Helper()
	p.server.SetFaults(func(f *sim.Faults) { f.LoseReplies = 1 })
	s, _, err := p.submit(4, 20)
	if job.CodeOf(err) != job.ErrOutcomeUnknown {
		p.t.Fatal(err)
	}
	started := p.until(job.NewsStarted, anyPrompt)
	if (started.PromptID == string(s.PromptID)) != info.OwnIDs {
		p.t.Errorf("%+v", started)
	}
	p.until(job.NewsEnded, started.PromptID)
	r, ok, err := p.client.FindRecord(p.t.Context(), s.Tag.Run)
	if err != nil || !ok || r.PromptID != started.PromptID || r.Outcome != job.RunSucceeded {
		p.t.Errorf("%+v, %v, %v", r, ok, err)
	}
}
