package core

import (
	"fmt"
	"time"

	"reckoner/scheduler/job"
)

// Astray names what the core keeps from step to step and what does not agree with
// what it would be if it were worked out anew; "" when all does.
func (s *State) Astray(now job.Instant) string {
	for id, at := range s.sites {
		next, wanted := s.deadline(at, now)
		if wanted != (at.wake.pos > 0) || wanted && time.Duration(at.wake.at) > max(next, now.Mono) {
			return fmt.Sprintf("%s wakes at %v, wanted %t at %v", id, time.Duration(at.wake.at), wanted, next)
		}
	}
	takers, waiting := 0, 0
	for _, srv := range s.order {
		if !srv.rec.WatchOnly {
			takers++
		}
		for _, id := range srv.handed {
			if o := s.open[id]; o == nil || o.rec.Server != srv.rec.ID || srv.run == "" || srv.run == id {
				return fmt.Sprintf("%s has %s, and behind it %v", srv.rec.ID, srv.run, srv.handed)
			}
		}
		if srv.run != "" && srv.isFree.pos > 0 {
			return fmt.Sprintf("%s is free and has %s", srv.rec.ID, srv.run)
		}
	}
	for id, j := range s.jobs {
		_, waits := s.waiting.members[id]
		if waits != (j.State == job.JobWaiting) {
			return fmt.Sprintf("job %s is %s, in the line: %t", id, j.State, waits)
		}
		if waits {
			waiting++
		}
	}
	if n := len(s.waiting.ids()); takers != s.takers || waiting != s.waiting.n || waiting != n {
		return fmt.Sprintf("%d of %d servers are counted, %d and %d of %d jobs", s.takers, takers, s.waiting.n, n, waiting)
	}
	return ""
}
