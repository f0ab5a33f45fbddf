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

// models makes a job need model files.
func models(key string, files ...string) func(*job.Job) {
	return func(j *job.Job) { j.Type = job.Type{Key: key, Models: files} }
}

// loading gives the world two kinds of jobs of a minute, whose cold starts take
// two minutes longer.
func (w *world) loading() {
	for _, kind := range []string{"sdxl", "wan"} {
		for i := range 20 {
			w.past[kind] = append(w.past[kind], estimate.Run{
				At: epoch.Add(time.Duration(i-30) * time.Hour), GPU: "Test GPU", Seconds: 60 + float64(i%5), Label: job.Clean, Start: job.Warm,
			}, estimate.Run{
				At: epoch.Add(time.Duration(i-29) * time.Hour), GPU: "Test GPU", Seconds: 180 + float64(i%5), Label: job.Clean, Start: job.Cold,
			})
		}
	}
	w.boot()
	for _, h := range w.hosts {
		h.seconds = 60
	}
	w.run(time.Second)
}

func TestAJobGoesWhereItsModelsAreLoaded(t *testing.T) {
	// Given two equal machines, of which each has run a job with other models, and cold starts that take two minutes longer
	w := newWorld(t, "gpu-1", "attic")
	w.loading()
	sdxl, wan := models("sdxl", "sdxl.safetensors"), models("wan", "wan.safetensors")
	a, b := w.add("a", sdxl, on("gpu-1")), w.add("b", wan, on("attic"))
	w.runUntil("both are done", time.Hour, func() bool { return w.ended(a)() && w.ended(b)() })
	// when two more come that may go anywhere, in the other order
	c, d := w.add("c", wan), w.add("d", sdxl)
	w.runUntil("both are done", time.Hour, func() bool { return w.ended(c)() && w.ended(d)() })
	// then each goes where its models are, and says why
	for id, want := range map[job.ID]job.ID{c: "attic", d: "gpu-1"} {
		r := w.disk.runs[job.RunID(id, 1)]
		if r.Server != want {
			t.Errorf("%s went to %s, want %s", w.job(id).Name, r.Server, want)
		}
	}
	if r := w.disk.runs[job.RunID(c, 1)]; !slices.ContainsFunc(r.Story, func(h job.Happening) bool {
		return h.Code == job.StoryEndsFirst && h.Args.Machine == "gpu-1" && h.Args.UpTo > h.Args.Seconds
	}) {
		t.Errorf("its story is %+v", r.Story)
	}
}

func TestWhyAJobGoesToAServerIsSaid(t *testing.T) {
	has := func(w *world, id job.ID) string {
		for _, h := range w.disk.runs[job.RunID(id, 1)].Story {
			switch h.Code {
			case job.StoryEndsFirst, job.StoryFreeFirst, job.StoryOnlyOne:
				return h.Code
			}
		}
		return ""
	}
	// Given two machines of which nothing is known
	w := newWorld(t, "gpu-1", "attic")
	w.run(time.Second)
	// then a job for any of them goes to one that is free, one that is named to that without a word
	if got := has(w, w.add("any")); got != job.StoryFreeFirst {
		t.Errorf("any: %q", got)
	}
	w.run(time.Second)
	if got := has(w, w.add("named", on("attic"))); got != "" {
		t.Errorf("named: %q", got)
	}
	w.runUntil("both are free", time.Hour, func() bool { return w.host("gpu-1").ours()+w.host("attic").ours() == 0 })
	w.run(time.Minute)
	// and with one of them paused, to the only one
	w.step(core.PauseMachine{Machine: "attic", On: true})
	if got := has(w, w.add("the only one")); got != job.StoryOnlyOne {
		t.Errorf("the only one: %q", got)
	}
}
