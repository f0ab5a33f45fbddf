package app

import (
	"slices"
	"strconv"

	"reckoner/scheduler"
)

// The answers about a hand-over, beside a number of jobs.
const (
	handAll = "all"
	handFew = 5
)

// mayHandOver tells whether some render server takes jobs that were handed over:
// one that answers and stops only what it is told to.
func mayHandOver(s *scheduler.Snapshot) bool {
	return len(s.Waiting) > 0 && slices.ContainsFunc(s.Machines, func(m scheduler.MachineView) bool {
		return slices.ContainsFunc(m.Servers, func(v scheduler.ServerView) bool {
			info, known := v.Info.Get()
			return known && info.TargetedInterrupt && !v.Server.WatchOnly && v.Err == nil
		})
	})
}

// handedOver counts the jobs that were handed over and have not started.
func handedOver(s *scheduler.Snapshot) int {
	n := 0
	for i := range s.Running {
		if r := s.Running[i].Run; r != nil && r.Handed && r.Started.IsZero() {
			n++
		}
	}
	return n
}

// askHandOver asks how many jobs are handed over, or says why none can be.
func (w *window) askHandOver() {
	s := w.o.Farm.Snapshot()
	switch {
	case s == nil || len(s.Waiting) == 0:
		w.tell("Nothing waits", "Only waiting jobs can be handed over to their servers.", nil)
		return
	case !mayHandOver(s):
		w.tell("No server takes them", "A job is handed over only to a server that answers and that stops no other "+
			"prompt than the one it is told to stop. That takes ComfyUI 0.3.57 or newer.", nil)
		return
	case w.quitting != nil:
		return
	}
	ways := []way{{handAll, "Hand over all that can go", "They wait in the queues of their servers and run there while " +
		"this computer sleeps. Jobs that are held stay here."}}
	if len(s.Waiting) > handFew {
		few := strconv.Itoa(handFew)
		ways = append(ways, way{few, "Hand over the next " + few, ""})
	}
	ways = append(ways, way{wayStay, "Keep them here", ""})
	w.ask("Hand over to the servers?", ways, func(key string) {
		if key == wayStay {
			return
		}
		count, _ := strconv.Atoi(key) // "all" is no number: 0 means all
		w.handOver(count, nil)
	})
}

// handOver hands jobs over, says what came of it, and then goes on.
func (w *window) handOver(count int, then func()) {
	w.goes(func() {
		n, err := w.o.Farm.HandOver(w.ctx, count)
		w.do(func() {
			switch {
			case err != nil:
				w.tell("Not all were handed over", w.sentence(err)+" Those that no server has wait here.", nil)
			case n == 0:
				w.tell("Nothing was handed over", "No server takes a waiting job now. They wait here.", nil)
			case then != nil:
				then()
			}
			w.bridge.Changed()
		})
	})
}

// takeBack takes back what was handed over and has not started.
func (w *window) takeBack() {
	if s := w.o.Farm.Snapshot(); s == nil || handedOver(s) == 0 {
		w.tell("Nothing to take back", "No job waits in the queue of a server that you handed over.", nil)
		return
	}
	w.o.Farm.Do(scheduler.TakeBack{})
}
