package core_test

import (
	"testing"
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

// sampled adds a job with samplers, started on a server, whose steps the test
// reports itself.
func (w *world) sampled(plan ...job.Sampler) job.ID {
	id := w.add("video", func(j *job.Job) { j.Samplers = plan })
	w.hosts[0].seconds = 3600
	w.runUntil("it runs", time.Minute, func() bool {
		open := w.s.Snapshot(w.now).Running
		return len(open) == 1 && open[0].Run.State == job.RunStarted
	})
	return id
}

// steps lets a node report so many of its steps, one each pause.
func (w *world) steps(node string, from, to, most int, each time.Duration) {
	for v := from; v <= to; v++ {
		w.run(each)
		w.hear(job.News{Kind: job.NewsStep, Node: node, Value: float64(v), Max: float64(most)})
	}
}

// hear lets the one running run be heard of.
func (w *world) hear(n job.News) {
	n.PromptID = w.s.Snapshot(w.now).Running[0].Run.PromptID
	w.step(core.Heard{Server: "gpu-1", News: n})
}

func (w *world) share() float64 {
	v := w.s.Snapshot(w.now).Running[0]
	return v.StepsDone / v.StepsOf
}

func TestOneOfThreeSamplersIsAThirdOfTheSteps(t *testing.T) {
	// Given a job of three samplers of twenty steps
	w := newWorld(t, "gpu-1")
	w.sampled(job.Sampler{Node: "1", Steps: 20}, job.Sampler{Node: "2", Steps: 20}, job.Sampler{Node: "3", Steps: 20})
	// when the first one is through
	w.steps("1", 1, 20, 20, 2*time.Second)
	// then that is a third, and the pace counts all three
	if got := w.share(); got < .33 || got > .34 {
		t.Errorf("share %v", got)
	}
	if pace, ok := w.s.Snapshot(w.now).Running[0].Pace.Get(); !ok || pace < 115 || pace > 130 {
		t.Errorf("pace %v", pace)
	}
	w.steps("2", 1, 20, 20, 2*time.Second)
	if got := w.share(); got < .66 || got > .67 {
		t.Errorf("share %v", got)
	}
}

func TestStepsThatAServerCountsTwiceAreTakenAsItCountsThem(t *testing.T) {
	// Given two samplers of twenty steps, each of which calls its model twice a step
	w := newWorld(t, "gpu-1")
	w.sampled(job.Sampler{Node: "1", Steps: 20}, job.Sampler{Node: "2", Steps: 20})
	w.steps("1", 1, 40, 40, time.Second)
	if got := w.share(); got != .5 {
		t.Errorf("share %v", got)
	}
	if pace, ok := w.s.Snapshot(w.now).Running[0].Pace.Get(); !ok || pace < 78 || pace > 86 {
		t.Errorf("pace %v", pace)
	}
}

func TestASamplerFromTheCacheTakesNoSteps(t *testing.T) {
	w := newWorld(t, "gpu-1")
	w.sampled(job.Sampler{Node: "1", Steps: 20}, job.Sampler{Node: "2", Steps: 20})
	w.hear(job.News{Kind: job.NewsCached, Nodes: []string{"1"}})
	w.steps("2", 1, 10, 20, time.Second)
	if got := w.share(); got != .5 {
		t.Errorf("share %v", got)
	}
}

func TestTheShareOfStepsNeverGoesBackOrOverTheWhole(t *testing.T) {
	// Given a node that is not known to sample, and begins its steps anew for each tile
	w := newWorld(t, "gpu-1")
	w.sampled(job.Sampler{Node: "1", Steps: 20})
	w.steps("1", 1, 20, 20, time.Second)
	last := w.share()
	for range 5 {
		for v := 1; v <= 8; v++ {
			w.steps("tiles", v, v, 8, time.Second)
			now := w.share()
			if now < last || now > 1 {
				t.Fatalf("%v after %v", now, last)
			}
			last = now
		}
	}
}

func TestWhatPastRunsTookAfterTheirLastStepCounts(t *testing.T) {
	// Given a run that went on for half a minute after its last step
	w := newWorld(t, "gpu-1")
	w.hosts[0].say(job.News{Kind: job.NewsUp})
	w.run(time.Second)
	first := w.sampled(job.Sampler{Node: "1", Steps: 10})
	w.steps("1", 1, 10, 10, time.Second)
	w.run(30 * time.Second)
	w.hosts[0].running.ends = w.now.Mono
	w.hosts[0].finish(w.hosts[0].running)
	w.runUntil("it ends", time.Minute, w.ended(first))
	// when another of its kind is half through
	w.sampled(job.Sampler{Node: "1", Steps: 10})
	w.steps("1", 1, 5, 10, time.Second)
	if pace, ok := w.s.Snapshot(w.now).Running[0].Pace.Get(); !ok || pace < 39 || pace > 47 {
		t.Errorf("pace %v", pace)
	}
}
