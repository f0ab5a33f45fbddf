package app

import (
	"slices"
	"strings"
	"testing"
	"time"

	"reckoner/app/scenetest"
	"reckoner/scheduler"
)

func TestTheLastActIsTakenBack(t *testing.T) {
	// Given a window with waiting, running and done jobs
	s := scenetest.Story()
	f := &fakeFarm{snap: s}
	w := open(t, f)
	w.update()
	if !w.undoItem.Disabled {
		t.Error("something can be taken back before anything was done")
	}
	// when two waiting jobs are cancelled together, and a running one is told to stop
	a, b := s.Waiting[0].Job.ID, s.Waiting[1].Job.ID
	for _, id := range []scheduler.Cancel{{Job: a}, {Job: b}, {Job: s.Running[0].Job.ID}} {
		w.command(id)
	}
	w.update()
	// then that is offered, and the two come back
	if w.undoItem.Disabled || w.undoItem.Label != "Undo: Cancelled 2 jobs" || !strings.Contains(w.shell.counts.Text(), "Ctrl+Z") {
		t.Errorf("%q, %q", w.undoItem.Label, w.shell.counts.Text())
	}
	f.sent = nil
	w.undo()
	if want := []scheduler.Command{scheduler.Restore{Job: a}, scheduler.Restore{Job: b}}; !slices.Equal(f.sent, want) {
		t.Errorf("sent %v, want %v", f.sent, want)
	}
	w.undo() // once is enough
	w.update()
	if len(f.sent) != 2 || !w.undoItem.Disabled || strings.Contains(w.shell.counts.Text(), "Ctrl+Z") {
		t.Errorf("sent %v, %q", f.sent, w.shell.counts.Text())
	}
}

func TestOnlyTheLastActIsTakenBack(t *testing.T) {
	s := scenetest.Story()
	var last act
	at := scenetest.Now()
	last.note(scheduler.Cancel{Job: s.Waiting[0].Job.ID}, s, at)
	last.note(scheduler.Cancel{Job: s.Waiting[1].Job.ID}, s, at.Add(2*time.Second))
	last.note(scheduler.Pause{On: true}, s, at.Add(3*time.Second))
	if len(last.jobs) != 1 || last.says() != "Cancelled "+s.Waiting[1].Job.Name {
		t.Errorf("%+v", last)
	}
	last.note(scheduler.Dismiss{Job: s.Done[0].Job.ID}, s, at.Add(2*time.Second+time.Millisecond))
	if len(last.jobs) != 1 || last.says() != "Dismissed "+s.Done[0].Job.Name {
		t.Errorf("%+v", last)
	}
}
