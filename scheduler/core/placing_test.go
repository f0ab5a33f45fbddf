package core_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/estimate"
	"reckoner/scheduler/job"
)

// cards gives each server's machine a card of its own with usual times.
func (w *world) cards(usual map[string]float64) {
	for name, s := range usual {
		for i := range 20 {
			w.past["type"] = append(w.past["type"], estimate.Run{
				At: epoch.Add(time.Duration(i-30) * time.Hour), GPU: "Card of " + name, Seconds: s + float64(i%5), Label: job.Clean,
			})
		}
	}
	w.boot()
	for name := range usual {
		w.reading(name, 3)
	}
}

func (w *world) reading(machine string, util float64) {
	w.step(core.ReadingsSeen{Machine: job.ID(machine), Source: "test", Readings: []job.Reading{{
		At: w.now.Wall, Source: "test", GPU: job.GPU{Name: "Card of " + machine}, Util: job.Known(util),
	}}})
}

func TestAJobWaitsForTheServerOnWhichItEndsFirst(t *testing.T) {
	// Given a fast machine that is taken for a moment, and a slow free one
	w := newWorld(t, "slow", "fast")
	w.hosts[0].seconds, w.hosts[1].seconds = 900, 100
	w.cards(map[string]float64{"slow": 900, "fast": 100})
	w.run(time.Second)
	first := w.add("first")
	w.run(80 * time.Second)
	second := w.add("second")
	w.run(time.Second)
	// then the second waits for the fast one, and is shown to
	if len(w.hosts[0].received) != 0 || w.job(second).State != job.JobWaiting {
		t.Fatalf("the slow one got %v", w.hosts[0].received)
	}
	view := w.s.Snapshot(w.now).Waiting[0]
	if view.MachineName != "fast" || !view.StartsAbout.Known() || len(view.Holds) != 0 {
		t.Errorf("shown %s, starts %v, holds %v", view.MachineName, view.StartsAbout, view.Holds)
	}
	w.runUntil("both ended", time.Hour, func() bool {
		return w.job(first).State == job.JobEnded && w.job(second).State == job.JobEnded
	})
	if len(w.hosts[1].received) != 2 {
		t.Errorf("the fast one got %d", len(w.hosts[1].received))
	}
}

func TestManyJobsUseTheSlowServerToo(t *testing.T) {
	w := newWorld(t, "slow", "fast")
	w.hosts[0].seconds, w.hosts[1].seconds = 300, 100
	w.cards(map[string]float64{"slow": 300, "fast": 100})
	w.run(time.Second)
	var ids []job.ID
	for i := range 12 {
		ids = append(ids, w.add(fmt.Sprint(i)))
	}
	start := w.now
	for _, id := range ids {
		w.runUntil("ended", 2*time.Hour, w.ended(id))
	}
	// Nine on the fast one and three on the slow one take 900 s; one server alone
	// would take 1200.
	if took := w.now.Since(start); took > 950*time.Second || len(w.hosts[0].received) != 3 {
		t.Errorf("took %v, %d on the slow one", took, len(w.hosts[0].received))
	}
}

func TestAJumpOfTheWallClockNeitherFiresNorLosesALimit(t *testing.T) {
	for name, jump := range map[string]time.Duration{"forward": 5 * time.Hour, "back": -5 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "gpu-1")
			w.hosts[0].seconds = 5000
			id := w.add("x", limit(600*time.Second))
			w.runUntil("runs", time.Minute, func() bool { return slices.Contains(w.kinds(id), job.EventStarted) })
			w.run(100 * time.Second)
			w.now.Wall = w.now.Wall.Add(jump)
			w.run(480 * time.Second)
			if slices.Contains(w.kinds(id), job.EventLimit) {
				t.Fatal("the limit passed with the jump")
			}
			w.runUntil("the limit passes", 40*time.Second, func() bool { return slices.Contains(w.kinds(id), job.EventLimit) })
			w.runUntil("ended", 5*time.Minute, w.ended(id))
			if r := w.disk.runs[job.RunID(id, 1)]; r.Gaps == 0 || r.Label != job.LabelUnknown {
				t.Errorf("gaps %d, label %s", r.Gaps, r.Label)
			}
		})
	}
}

func TestABusyGPUHoldsAWhileThenOneTries(t *testing.T) {
	// Given a card that is fully busy although nobody has a prompt
	w := newWorld(t, "gpu-1")
	for i := range 1200 {
		w.later(time.Duration(i)*time.Second, func() { w.reading("gpu-1", 99) })
	}
	w.run(40 * time.Second)
	id := w.add("patient")
	w.run(time.Minute)
	view := w.s.Snapshot(w.now)
	if w.job(id).State != job.JobWaiting || view.Waiting[0].Holds[0].Code != job.HoldBusyUnnamed {
		t.Fatalf("the job is %s", w.job(id).State)
	}
	w.runUntil("one tries", 16*time.Minute, func() bool { return w.job(id).State == job.JobRunning })
}

func TestADesktopsBurstsDoNotHold(t *testing.T) {
	w := newWorld(t, "gpu-1")
	for i := range 200 {
		w.later(time.Duration(i)*time.Second, func() { w.reading("gpu-1", float64(i*37%100)) })
	}
	w.run(90 * time.Second)
	id := w.add("x")
	w.run(time.Second)
	if w.job(id).State != job.JobRunning {
		t.Errorf("the job is %s", w.job(id).State)
	}
}

func TestOurOwnWarmthIsNotOthersWork(t *testing.T) {
	// Given a run of ours that has just ended on a busy card
	w := newWorld(t, "gpu-1")
	for i := range 400 {
		w.later(time.Duration(i)*time.Second, func() {
			if i < 290 {
				w.reading("gpu-1", 99)
			}
		})
	}
	a, b := w.add("a"), w.add("b")
	w.runUntil("the first ends", time.Hour, w.ended(a))
	if w.job(b).State != job.JobRunning {
		t.Errorf("the next is %s", w.job(b).State)
	}
}

func TestNothingIsSentBesideAPromptOfOursThatCameBack(t *testing.T) {
	// Given a run that was given up as lost, and shows up again
	w := newWorld(t, "gpu-1")
	h := w.hosts[0]
	id := w.add("lost")
	w.runUntil("runs", time.Minute, func() bool { return h.running != nil })
	w.run(time.Second)
	p := h.running
	h.running = nil
	w.runUntil("lost", time.Minute, w.ended(id))
	h.running, p.ends = p, w.now.Mono+600*time.Second
	w.later(600*time.Second, func() { h.finish(p) })
	w.run(20 * time.Second)
	next := w.add("next")
	w.run(60 * time.Second)
	if w.job(next).State != job.JobWaiting || w.s.Snapshot(w.now).Waiting[0].Holds[0].Say.Code != job.SayStray {
		t.Fatalf("the next is %s", w.job(next).State)
	}
	w.runUntil("it goes", 20*time.Minute, func() bool { return w.job(next).State == job.JobRunning })
}
