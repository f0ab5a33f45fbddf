package queue

import (
	"testing"

	"reckoner/app/scenetest"
	"reckoner/scheduler"
)

func TestAQueueWithoutAMachineKeepsTheWayToOne(t *testing.T) {
	// Given a first start
	p, _ := newTestPage(t, scenetest.Empty())
	machines, local := 0, ""
	p.OnAddMachine = func() { machines++ }
	p.OnLocal = func(url string) { local = url }
	if p.lonely.Visible() {
		t.Fatal("an empty queue says it twice")
	}
	// when a file is dropped, which waits
	s := scenetest.Empty()
	s.Waiting = []scheduler.JobView{{Job: scenetest.Story().Waiting[0].Job}}
	p.Apply(s)
	// then the way to a machine stays
	if !p.lonely.Visible() || p.lonely.Size().Height < 40 {
		t.Fatalf("it is not shown: %v, %v", p.lonely.Visible(), p.lonely.Size())
	}
	p.lonely.OnAction(doAddMachine)
	// and a ComfyUI of this computer is offered when it is found
	p.Offer([]string{"http://127.0.0.1:8188"})
	p.lonely.OnAction(doAddLocal)
	if machines != 1 || local != "http://127.0.0.1:8188" {
		t.Errorf("asked for a machine %d times, for %q", machines, local)
	}
	// until there is one
	p.Apply(scenetest.Story())
	if p.lonely.Visible() || len(p.cards) != 2 {
		t.Errorf("with machines it is still there: %v", p.lonely.Visible())
	}
}
