package scheduler_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// ports are render servers by address; what is not there does not answer.
type ports struct {
	*played
	there map[string]bool
	mu    sync.Mutex
	asked []string
}

type atPort struct {
	*played
	of  *ports
	url string
}

func (p atPort) Probe(ctx context.Context) (job.ServerInfo, error) {
	p.of.mu.Lock()
	p.of.asked = append(p.of.asked, p.url)
	p.of.mu.Unlock()
	if !p.of.there[p.url] {
		<-ctx.Done() // a firewall that answers nothing
		return job.ServerInfo{}, ctx.Err()
	}
	return p.played.Probe(ctx)
}

func TestOthersAreLookedForOnlyWhenTheUserAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// Given a machine with a second server that nobody named,
		s := newScene(t, time.Second)
		s.store.kept.Servers[0].URL = "http://gpu-1:8188"
		p := &ports{played: s.server, there: map[string]bool{"http://gpu-1:8188": true, "http://gpu-1:8190": true}}
		s.connect = func(rec job.Server) (scheduler.RenderServer, error) { return atPort{s.server, p, rec.URL}, nil }
		s.start()
		defer s.stop()
		time.Sleep(time.Hour)
		p.mu.Lock()
		if slices.ContainsFunc(p.asked, func(url string) bool { return url != "http://gpu-1:8188" }) {
			t.Fatalf("unasked it looked at %v", p.asked)
		}
		p.asked = nil
		p.mu.Unlock()
		// when the user asks,
		began := time.Now()
		found, err := s.engine.LookForOthers(t.Context(), "gpu-1")
		// then it is found, within seconds, and no other host was asked.
		if err != nil || !slices.Equal(found, []string{"http://gpu-1:8190"}) {
			t.Errorf("found %v, %v", found, err)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("it took %v", took)
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, url := range p.asked {
			if len(url) < 13 || url[:13] != "http://gpu-1:" {
				t.Errorf("asked %s", url)
			}
		}
		if n := len(p.asked); n < len(scheduler.UsualPorts())-1 {
			t.Errorf("asked %d addresses", n)
		}
		if _, err := s.engine.LookForOthers(t.Context(), "nobody"); job.CodeOf(err) != job.ErrNotFound {
			t.Errorf("of a machine that is not there: %v", err)
		}
	})
}

// A server that is known under another name of this computer is none that is new.
func TestAKnownServerIsNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, time.Second)
		s.store.kept.Servers[0].URL = "http://localhost:8188"
		s.store.kept.Servers = append(s.store.kept.Servers, job.Server{
			ID: "second", Machine: "gpu-1", Name: "second", URL: "http://127.0.0.1:8189", WatchOnly: true,
		})
		p := &ports{played: s.server, there: map[string]bool{
			"http://localhost:8188": true, "http://localhost:8189": true, "http://127.0.0.1:8189": true, "http://127.0.0.1:8188": true,
		}}
		s.connect = func(rec job.Server) (scheduler.RenderServer, error) { return atPort{s.server, p, rec.URL}, nil }
		s.start()
		defer s.stop()
		time.Sleep(time.Minute)
		if found, err := s.engine.LookForOthers(t.Context(), "gpu-1"); err != nil || len(found) != 0 {
			t.Errorf("found %v, %v", found, err)
		}
	})
}
