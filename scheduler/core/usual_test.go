package core_test

import (
	"testing"
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

func TestAUsualTimeMovesUpByTheUsersWordAndCanBeTakenBack(t *testing.T) {
	// Given 41 runs around 4.7 min
	w := newWorld(t, "gpu-1")
	w.usual(41)
	w.run(time.Second)
	w.add("first")
	known := func() core.UsualTime {
		t.Helper()
		all := w.s.UsualTimes("type")
		if len(all) != 1 {
			t.Fatalf("known: %+v", all)
		}
		return all[0]
	}
	before := known().Say.Args.Seconds
	// when job after job takes twice that, on two evenings
	w.hosts[0].seconds = 560
	for i := range 8 {
		if i == 4 {
			w.run(20 * time.Hour)
		}
		w.runUntil("ended", time.Hour, w.ended(w.add("slower", warm)))
	}
	// then that is asked, and the usual time stays
	asked := w.s.Snapshot(w.now).Proposals
	if len(asked) != 1 || known().Say.Args.Seconds != before || known().MayUndo != 0 {
		t.Fatalf("asked %d, known %+v", len(asked), known().Say)
	}
	proposal := asked[0].Revisions[len(asked[0].Revisions)-1]
	// and by the user's word it moves, and back
	w.step(core.AnswerBaseline{TypeKey: "type", GPU: asked[0].GPU, Kind: job.AnswerUse, About: proposal.Seq})
	moved := known()
	if moved.Say.Args.Seconds < 500 || moved.MayUndo == 0 || len(w.s.Snapshot(w.now).Proposals) != 0 {
		t.Fatalf("after the word: %+v", moved)
	}
	w.step(core.AnswerBaseline{TypeKey: "type", GPU: asked[0].GPU, Kind: job.AnswerUndo, About: moved.MayUndo})
	if back := known(); back.Say.Args.Seconds != before || back.MayUndo != 0 {
		t.Errorf("taken back: %+v, want %v s", back.Say, before)
	}
	if w.s.UsualTimes("another") != nil {
		t.Error("something is known of a kind that never ran")
	}
}

// warm makes a job that loads no model.
func warm(j *job.Job) { j.Loaders = nil }
