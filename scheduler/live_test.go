package scheduler_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// sendsOverSocket is a render server whose job ends without a file: its pictures
// come over the websocket only, as those of SaveImageWebsocket do.
type sendsOverSocket struct {
	*played
	sent chan string // prompts that were taken
}

func (s sendsOverSocket) Submit(ctx context.Context, sub job.Submission) (job.Receipt, error) {
	r, err := s.played.Submit(ctx, sub)
	s.sent <- r.PromptID
	return r, err
}

func (s sendsOverSocket) Record(ctx context.Context, id string) (job.Record, bool, error) {
	rec, found, err := s.played.Record(ctx, id)
	rec.Outputs = nil
	return rec, found, err
}

func (s sendsOverSocket) Listen(ctx context.Context, _ string, news func(job.News)) {
	news(job.News{Kind: job.NewsUp})
	for {
		select {
		case <-ctx.Done():
			return
		case prompt := <-s.sent:
			for _, node := range []string{"2", "1", "2"} {
				news(job.News{Kind: job.NewsImage, PromptID: prompt, Node: node, Image: []byte("\x89PNG of node " + node)})
			}
		}
	}
}

// noting is a fetcher that notes what it was asked for.
type noting struct {
	handed
	mu   sync.Mutex
	refs []job.OutputRef
}

func (n *noting) Fetch(ctx context.Context, server job.ID, refs []job.OutputRef, to job.Destination) ([]job.Output, error) {
	n.mu.Lock()
	n.refs = append(n.refs, refs...)
	n.mu.Unlock()
	return n.handed.Fetch(ctx, server, refs, to)
}

func TestPicturesThatComeOverTheWebsocketAreResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fetcher := &noting{}
		srv := sendsOverSocket{played: &played{takes: time.Minute}, sent: make(chan string, 1)}
		engine, store := startWith(t, always(srv), fetcher, "m")
		events := engine.Follow()
		file := writeFile(t, "a.json", `{"1":{"class_type":"EmptyImage","inputs":{"width":64}},
			"2":{"class_type":"SaveImageWebsocket","inputs":{"images":["1",0]}}}`)
		if added, err := engine.Add(t.Context(), scheduler.AddRequest{Files: []string{file}}); err != nil || len(added.Jobs) != 1 {
			t.Fatalf("%+v, %v", added, err)
		}
		follow(t, events, job.EventJobEnded)
		events.Close()
		if n := engine.LiveRuns(); n != 0 {
			t.Errorf("the pictures of %d runs are still remembered", n)
		}
		if err := engine.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		// Then both pictures of the node that saves are fetched, and no preview.
		if len(fetcher.refs) != 2 {
			t.Fatalf("fetched %+v", fetcher.refs)
		}
		for _, ref := range fetcher.refs {
			content, err := store.Blob(t.Context(), ref.Subfolder)
			if ref.Type != job.ViaSocket || err != nil || !strings.HasSuffix(string(content), "of node 2") {
				t.Errorf("%+v holds %q, %v", ref, content, err)
			}
		}
	})
}
