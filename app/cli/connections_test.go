package cli

import (
	"io"
	"log/slog"
	"testing"

	"reckoner/scheduler/job"
)

// Given a server that is asked once before it is among the machines, then it is no
// way to a gauge: it was asked without what opens the server. Once it is one of a
// machine's, it is.
func TestAServerThatIsOnlyAskedOnceIsNoWayToItsGauge(t *testing.T) {
	s := &shell{parts: realParts(), env: Env{Stdout: io.Discard, Stderr: io.Discard, Getenv: func(string) string { return "" }}}
	conns := newConnections()
	defer conns.close()
	cfg := s.engineConfig(&folder{log: slog.New(slog.DiscardHandler)}, setup{clock: job.NewClock(1)}, conns)
	srv := job.Server{ID: "probe", Name: "gpu-1", URL: "http://gpu-1:8188"}
	for machine, way := range map[job.ID]bool{"": false, "m": true} {
		srv.Machine = machine
		conn, err := cfg.Connect(srv)
		if err != nil {
			t.Fatal(err)
		}
		if got := conns.through("comfy:"+srv.URL) != nil; got != way {
			t.Errorf("of machine %q it is a way: %v, want %v", machine, got, way)
		}
		if machine == "" {
			letGo(conn)
		} else {
			conns.mu.Lock()
			clear(conns.urls)
			conns.mu.Unlock()
		}
	}
}
