package notify

import (
	"fmt"
	"time"

	"reckoner/assets/text"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// standsFor is how long nothing can have run before that is told: a server that
// restarts, or another client's prompt, is no news.
const standsFor = 10 * time.Minute

// Standstill watches snapshots for a queue that cannot go on: jobs wait, none runs,
// and each of them is held. A queue that the user paused stands still on purpose.
// Its methods belong to one goroutine.
type Standstill struct {
	since time.Time // since when nothing could run; zero while something can
	told  bool
}

// See takes in a snapshot. It gives the reasons once, when nothing could run for
// long enough.
func (s *Standstill) See(snap *scheduler.Snapshot, words text.Language) (why string, stuck bool) {
	if !standing(snap) {
		*s = Standstill{}
		return "", false
	}
	if s.since.IsZero() {
		s.since = snap.At.Wall
	}
	if s.told || snap.At.Wall.Sub(s.since) < standsFor {
		return "", false
	}
	s.told = true
	why = "1 job waits: "
	if n := len(snap.Waiting); n > 1 {
		why = fmt.Sprintf("%d jobs wait. The first: ", n)
	}
	return why + words.Holds(snap.Waiting[0].Holds), true
}

func standing(snap *scheduler.Snapshot) bool {
	if snap.Paused || len(snap.Running) > 0 || len(snap.Waiting) == 0 {
		return false
	}
	for i := range snap.Waiting {
		holds := snap.Waiting[i].Holds
		if len(holds) == 0 || onPurpose(holds) {
			return false
		}
	}
	return true
}

// onPurpose tells whether a job is held only by what the user did.
func onPurpose(holds []job.Hold) bool {
	for _, h := range holds {
		if h.Code != job.HoldMachinePaused && h.Code != job.HoldQueuePaused {
			return false
		}
	}
	return true
}
