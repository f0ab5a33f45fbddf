package core_test

import (
	"slices"
	"testing"
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

// card gives what the only machine's card says of its GPU.
func (w *world) card() core.GPUView {
	w.t.Helper()
	m := w.s.Snapshot(w.now).Machines[0]
	if len(m.GPUs) != 1 {
		w.t.Fatalf("%d GPUs on the card", len(m.GPUs))
	}
	return m.GPUs[0]
}

func codes(says []job.Say) []string {
	list := make([]string, 0, len(says))
	for _, s := range says {
		list = append(list, s.Code)
	}
	return list
}

func TestTheCardSaysThatAGPUIsBusyWithoutUs(t *testing.T) {
	// Given a machine at rest, when nothing of ours runs there, nothing is said.
	w := newWorld(t, "gpu-1", "gpu-1/watched")
	on, g := false, rested
	w.client(w.host("gpu-1/watched"), 35*time.Second, &on)
	w.meter(&g)
	w.run(4 * time.Minute)
	if v := w.card(); v.Verdict != nil || len(v.Seen) > 0 || len(v.Evidence) > 0 {
		t.Errorf("at rest the card says %+v, %+v on %+v", v.Verdict, v.Seen, v.Evidence)
	}
	// It has learned what it draws at rest with its models loaded.
	if idle := w.card().IdleW; idle != job.Known(12.0) {
		t.Errorf("at rest it draws %+v, want 12 W", idle)
	}
	// When it turns busy with another client's work, that is a fact, and who was
	// seen stands first in the evidence.
	on, g = true, gauges{util: 100, power: 43, used: 15600}
	w.run(4 * time.Minute)
	v := w.card()
	if v.Verdict == nil || v.Verdict.Code != job.NoteBusyAlone {
		t.Fatalf("the verdict is %+v", v.Verdict)
	}
	got := codes(v.Evidence)
	if len(got) == 0 || got[0] != job.NoteSawPrompts || !slices.Contains(got, job.NoteSawLowPower) ||
		got[len(got)-1] != job.NoteSawIdlePower {
		t.Errorf("evidence %v", got)
	}
}

// The story's gauges while a job of ours runs, and nothing else known: no
// verdict, but the two strongest observations.
func TestTheCardGivesNoVerdictOnGaugesAlone(t *testing.T) {
	w := newWorld(t, "gpu-1")
	g := &gauges{util: 100, power: 43, used: 15600}
	w.meter(g)
	w.host("gpu-1").seconds = 4000
	w.add("harbour-night", anyway)
	w.run(55 * time.Second) // later it would count as stuck
	v := w.card()
	if v.Verdict != nil || len(v.Seen) != 2 || v.Seen[0].Code != job.NoteSawLowPower || v.Seen[1].Code != job.NoteSawFull {
		t.Errorf("the verdict is %+v, seen %+v", v.Verdict, v.Seen)
	}
}

// What a card draws at rest is known again after a restart, before it has rested
// once.
func TestIdlePowerIsKnownAfterARestart(t *testing.T) {
	w := newWorld(t, "gpu-1")
	g := gauges{util: 0, power: 58, used: 9000}
	w.meter(&g)
	w.run(4 * time.Minute)
	if len(w.disk.idle) != 1 || w.disk.idle[0].Loaded != job.Known(58.0) || w.disk.idle[0].Empty.Known() {
		t.Fatalf("on disk: %+v", w.disk.idle)
	}
	w.crash()
	g = gauges{util: 100, power: 140, used: 15600}
	w.run(20 * time.Second)
	if idle := w.card().IdleW; idle != job.Known(58.0) {
		t.Errorf("after the restart: %+v", idle)
	}
	// With nothing loaded it is another figure, and that one is not known.
	g = gauges{util: 0, power: 14, used: 100}
	w.run(20 * time.Second)
	if idle := w.card().IdleW; idle.Known() {
		t.Errorf("empty: %+v", idle)
	}
}
