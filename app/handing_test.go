package app

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"reckoner/app/scenetest"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// targeted is the story with servers that stop only what they are told to.
func targeted() *scheduler.Snapshot {
	s := scenetest.Story()
	for i := range s.Machines {
		for k := range s.Machines[i].Servers {
			s.Machines[i].Servers[k].Info = job.Known(job.ServerInfo{Version: "0.3.64", TargetedInterrupt: true})
		}
	}
	return s
}

func TestHandingOverAsksAndSaysWhatCameOfIt(t *testing.T) {
	// given waiting jobs and servers that take what is handed over
	f := &fakeFarm{snap: targeted(), takes: 3}
	w := open(t, f)
	// when they are handed over
	w.askHandOver()
	pressed(t, w, "Hand over all that can go")
	// then that is asked for, and nothing more is said
	if said := overlay(w); !slices.Equal(f.handed, []int{0}) || said != "" {
		t.Errorf("asked for %v, the window says %q", f.handed, said)
	}
	// but when no server takes one
	f.takes = 0
	w.askHandOver()
	pressed(t, w, "Hand over all that can go")
	if said := overlay(w); !strings.Contains(said, "They wait here") {
		t.Errorf("the window says %q", said)
	}
}

func TestNothingIsHandedOverToAServerThatStopsWhateverRuns(t *testing.T) {
	// given servers of before 0.3.57
	f := &fakeFarm{snap: scenetest.Story()}
	w := open(t, f)
	// when a hand-over is wished
	w.askHandOver()
	// then it is not offered, and why not is said
	if said := overlay(w); len(f.handed) > 0 || !strings.Contains(said, "0.3.57") {
		t.Errorf("asked for %v, the window says %q", f.handed, said)
	}
	for _, x := range waysToQuit(f.snap, false) {
		if x.key == wayHand {
			t.Error("it is offered to those who quit")
		}
	}
}

func TestHandOverThenLeave(t *testing.T) {
	// given a window that is quit, when the queue is handed over first
	f := &fakeFarm{snap: targeted(), takes: 3}
	w := open(t, f)
	w.askQuit(false)
	pressed(t, w, "Hand over, then leave")
	// then it leaves
	if isOpen(w) || !slices.Equal(f.handed, []int{0}) {
		t.Errorf("open: %t, asked for %v", isOpen(w), f.handed)
	}
}

func TestAHandOverThatFailsDoesNotLeave(t *testing.T) {
	// given servers that do not take the jobs
	f := &fakeFarm{snap: targeted(), err: errors.New("too late")}
	w := open(t, f)
	w.askQuit(false)
	// when the user wants to hand over and leave
	pressed(t, w, "Hand over, then leave")
	// then the window stays and says so
	if !isOpen(w) || !strings.Contains(overlay(w), "no server has wait here") {
		t.Errorf("open: %t, it says %q", isOpen(w), overlay(w))
	}
}

func TestTakingBackIsACommand(t *testing.T) {
	// given a job that was handed over
	s := targeted()
	run := *s.Running[0].Run
	run.Handed, run.Started = true, run.Ended
	s.Running[0].Run = &run
	f := &fakeFarm{snap: s}
	w := open(t, f)
	// when it is taken back
	w.takeBack()
	if want := []scheduler.Command{scheduler.TakeBack{}}; !slices.Equal(f.sent, want) {
		t.Errorf("sent %v", f.sent)
	}
	// then without any it is said that there is nothing
	f.snap = targeted()
	w.takeBack()
	if said := overlay(w); len(f.sent) != 1 || !strings.Contains(said, "No job waits in the queue") {
		t.Errorf("sent %v, it says %q", f.sent, said)
	}
}
