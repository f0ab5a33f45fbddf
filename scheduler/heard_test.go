package scheduler_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// telling is a render server that tells of its cards once a second.
type telling struct{ *played }

func (telling) Listen(ctx context.Context, _ string, news func(job.News)) {
	news(job.News{Kind: job.NewsUp})
	for ctx.Err() == nil {
		news(job.News{Kind: job.NewsReadings, Readings: []job.Reading{
			{GPU: job.GPU{Index: job.Known(0)}, Util: job.Known(42.0), Temp: job.Known(46.0)},
		}})
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

func TestReadingsThatComeOverTheWebsocketAreOnTheCard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// Given a machine whose only source is a server with such an extension,
		s := newScene(t, time.Second)
		s.store.kept.Servers[0].URL = "http://gpu-1:8188"
		s.connect = func(job.Server) (scheduler.RenderServer, error) { return telling{s.server}, nil }
		s.start()
		defer s.stop()
		// when a while passes, then its card shows them, with their source and age.
		time.Sleep(10 * time.Second)
		snap := s.engine.Snapshot()
		var found bool
		for _, g := range snap.Machines[0].GPUs {
			if g.Origins.Temp.Source == "crystools:http://gpu-1:8188" {
				found = g.Last.Temp == job.Known(46.0) && snap.At.Wall.Sub(g.Origins.Temp.At) <= 2*time.Second
			}
		}
		if !found {
			t.Errorf("%+v", snap.Machines[0].GPUs)
		}
	})
}
