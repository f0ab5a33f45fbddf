package core

import (
	"time"

	"reckoner/scheduler/job"
)

// When a GPU counts as busy with work that nobody can be named for. A desktop's
// bursts must not: so every reading of half a minute has to say that it is as
// good as fully busy. It never holds for long: what is not known does not stop a
// night, and after that one job tries.
const (
	busyUtil    = 90.0 // percent
	busyFor     = 30 * time.Second
	busyCount   = 5 // readings
	busyAtMost  = 15 * time.Minute
	oursLingers = 5 * time.Second // readings until then after a run of ours are its own
)

// busyHold is the hold for a GPU that is busy while no known server of it has
// any prompt, ours or others'.
func (s *State) busyHold(srv *server, now job.Instant) (job.Hold, bool) {
	if !s.busyUnnamed(srv, now) {
		delete(srv.since, job.HoldBusyUnnamed)
		return job.Hold{}, false
	}
	since := s.mark(srv, job.HoldBusyUnnamed, now)
	if now.Since(since) > busyAtMost {
		return job.Hold{}, false
	}
	return job.Hold{Code: job.HoldBusyUnnamed, Server: srv.rec.ID, Since: since.Wall, Say: job.Say{
		Code: job.SayBusyUnnamed, Args: job.Args{Server: srv.rec.Name, Seconds: now.Since(since).Seconds()},
	}}, true
}

func (s *State) busyUnnamed(srv *server, now job.Instant) bool {
	g := s.gpuOf(srv)
	if g == nil || srv.run != "" {
		return false
	}
	from := now.Wall.Add(-busyFor)
	for other := range s.neighbours(srv) {
		if other.run != "" || other.answers() && other.foreign.ahead > 0 {
			return false
		}
		if at, ok := other.ours.Get(); ok && at.Wall.Add(oursLingers).After(from) {
			return false
		}
	}
	n := 0
	for i := len(g.recent) - 1; i >= 0 && !g.recent[i].At.Before(from); i-- {
		if util, ok := g.recent[i].Util.Get(); !ok || util < busyUtil {
			return false
		}
		n++
	}
	return n >= busyCount
}

// gpuOf gives the gauges of a server's GPU, when it is known which that is.
func (s *State) gpuOf(srv *server) *gpu {
	m := s.machine(srv.rec.Machine)
	if m == nil {
		return nil
	}
	for _, g := range m.gpus {
		if len(m.gpus) == 1 || srv.rec.GPU != "" && g.gpu.Key() == srv.rec.GPU {
			return g
		}
	}
	return nil
}
