package core_test

import (
	"fmt"
	"testing"
	"time"

	"reckoner/scheduler/job"
)

// otherReckoner queues a prompt of another data folder.
func (h *host) otherReckoner() {
	h.w.clock++
	h.enqueue(&prompt{id: fmt.Sprint("theirs-", h.w.clock), tag: job.Tag{App: "theirs", Run: "r", Job: "j"}})
}

func TestTwoReckonersTakeTurns(t *testing.T) {
	// Given a server on which another Reckoner always has one prompt
	w := newWorld(t, "gpu-1")
	w.usual(12)
	w.run(time.Second)
	h := w.host("gpu-1")
	h.otherReckoner()
	w.run(10 * time.Second)
	// when a job of ours comes
	id := w.add("mine")
	w.run(10 * time.Second)
	// then it queues behind that one, and its run is told to have been shared
	if h.ours() != 1 {
		t.Fatalf("%d of ours are there, held by %v\n%s", h.ours(), w.heldBy(id), w.story())
	}
	if told := w.s.Snapshot(w.now).Machines[0].Servers[0].Foreign; told.Reckoners != 1 || told.Ahead != 1 {
		t.Errorf("seen: %+v", told)
	}
	h.otherReckoner()
	w.runUntil("ended", time.Hour, w.ended(id))
	if r := w.disk.runs[job.RunID(id, 1)]; r.Label != job.Shared {
		t.Errorf("it is labelled %s", r.Label)
	}
}

func TestAPersonsPromptBesideAnotherReckonersHolds(t *testing.T) {
	// Given a server with a prompt of another Reckoner and one of somebody else
	w := newWorld(t, "gpu-1")
	w.usual(12)
	w.run(time.Second)
	w.host("gpu-1").otherReckoner()
	w.host("gpu-1").foreign()
	w.run(10 * time.Second)
	// when a job of ours comes, then it waits here
	id := w.add("mine")
	w.run(5 * time.Second)
	if held := w.heldBy(id); len(held) != 1 || held[0] != job.HoldForeign {
		t.Errorf("held by %v", held)
	}
}
