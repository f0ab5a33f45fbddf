package core_test

import (
	"slices"
	"testing"
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

// crashRestart is a restart that is seen: for a while nothing listens there.
func (h *host) crashRestart(w *world) {
	h.up, h.running, h.queue, h.history = false, nil, nil, map[string]job.Record{}
	w.later(30*time.Second, func() { h.up = true })
}

func TestAJobCutWhileItsGPUWasSharedGoesBackOnceAndLast(t *testing.T) {
	// Given a job that somebody else's work makes too slow, and one behind it
	w := newWorld(t, "gpu-1", "gpu-1/watched")
	h := w.hosts[0]
	h.seconds = 3000
	cut := w.add("cut", limit(300*time.Second))
	next := w.add("next", limit(time.Hour))
	w.runUntil("runs", time.Minute, func() bool { return h.running != nil })
	w.later(60*time.Second, w.hosts[1].foreign)
	// when its limit passes and it is stopped
	w.runUntil("goes back", 10*time.Minute, func() bool { return slices.Contains(w.kinds(cut), job.EventRequeued) })
	h.seconds = 100
	// then it runs again after the other one, and counts
	w.runUntil("ended", time.Hour, w.ended(cut))
	if w.job(next).State != job.JobEnded || w.job(cut).Outcome != job.JobDone || w.job(cut).Attempt != 2 {
		t.Errorf("next is %s, cut ended %s at attempt %d", w.job(next).State, w.job(cut).Outcome, w.job(cut).Attempt)
	}
	if i := slices.IndexFunc(w.told, func(e job.Event) bool { return e.Kind == job.EventRequeued }); w.told[i].Why.Code != job.AgainCut {
		t.Errorf("it was said to go back as %s", w.told[i].Why.Code)
	}
}

func TestItGoesBackOnlyOnce(t *testing.T) {
	w := newWorld(t, "gpu-1", "gpu-1/watched")
	w.hosts[0].seconds = 3000
	for i := range 40 {
		w.later(time.Duration(60+i*100)*time.Second, w.hosts[1].foreign)
	}
	id := w.add("cut", limit(300*time.Second), func(j *job.Job) { j.SendAnyway = true })
	w.runUntil("ended", 3*time.Hour, w.ended(id))
	if w.job(id).Outcome != job.JobTimedOut || w.job(id).Attempt != 2 {
		t.Errorf("ended %s at attempt %d", w.job(id).Outcome, w.job(id).Attempt)
	}
}

func TestARunLostToAProvenRestartIsTriedOnceMore(t *testing.T) {
	w := newWorld(t, "gpu-1")
	h := w.hosts[0]
	id := w.add("lost")
	other := w.add("other")
	w.runUntil("runs", time.Minute, func() bool { return h.running != nil })
	w.run(10 * time.Second)
	h.crashRestart(w)
	w.runUntil("goes back", 5*time.Minute, func() bool { return slices.Contains(w.kinds(id), job.EventRequeued) })
	w.runUntil("ended", time.Hour, w.ended(id))
	if w.job(id).Outcome != job.JobDone || w.job(id).Attempt != 2 || w.job(other).State != job.JobEnded {
		t.Errorf("ended %s at attempt %d; other %s", w.job(id).Outcome, w.job(id).Attempt, w.job(other).State)
	}
}

func TestLostTwiceNeedsTheUserAndTheMachineRests(t *testing.T) {
	// Given a job that takes its server down each time
	w := newWorld(t, "gpu-1")
	h := w.hosts[0]
	poison, other := w.add("poison"), w.add("other")
	w.step(core.Move{Job: other})
	down := 0
	for down < 2 {
		w.runUntil("the poison runs", 3*time.Hour, func() bool {
			return h.running != nil && h.running.tag.Job == poison || w.job(poison).State == job.JobEnded
		})
		w.run(5 * time.Second)
		h.crashRestart(w)
		down++
		if down == 1 { // the other one is lost too, so that two in a row are
			w.runUntil("the other runs", time.Hour, func() bool { return h.running != nil && h.running.tag.Job == other })
			w.run(5 * time.Second)
			h.crashRestart(w)
			w.runUntil("the machine rests", 10*time.Minute, func() bool {
				waiting := w.s.Snapshot(w.now).Waiting
				return len(waiting) > 0 && slices.ContainsFunc(waiting[0].Holds, func(h job.Hold) bool { return h.Say.Code == job.SayTripped })
			})
			rested := w.now
			w.runUntil("one tries it again", time.Hour, func() bool { return h.running != nil })
			if after := w.now.Since(rested); after < 29*time.Minute {
				t.Errorf("tried again after %v", after)
			}
		}
	}
	w.runUntil("the poison has ended", 3*time.Hour, w.ended(poison))
	if w.job(poison).Outcome != job.JobNeedsYou || w.job(poison).Attempt != 2 {
		t.Errorf("ended %s at attempt %d", w.job(poison).Outcome, w.job(poison).Attempt)
	}
}

func TestOutOfMemoryIsTriedAfterFreeingThenOnALargerCard(t *testing.T) {
	oom := job.Errorf(job.ErrOutOfMemory, job.Args{}, nil)
	w := newWorld(t, "small", "large")
	w.hosts[0].memory, w.hosts[1].memory = 8<<30, 24<<30
	w.hosts[0].fail = oom
	w.hosts[1].up = false
	id := w.add("big")
	w.runUntil("second failure", time.Hour, func() bool { return len(w.hosts[0].received) == 2 && w.hosts[0].running == nil })
	w.hosts[1].up = true
	w.runUntil("ended", 2*time.Hour, w.ended(id))
	if w.hosts[0].freed != 1 || len(w.hosts[0].received) != 2 {
		t.Errorf("freed %d times, %d runs on the small one", w.hosts[0].freed, len(w.hosts[0].received))
	}
	// Its size was not known while it was down, so the job ended there.
	if w.job(id).Outcome != job.JobFailed {
		t.Errorf("ended %s", w.job(id).Outcome)
	}

	w = newWorld(t, "small", "large")
	w.hosts[0].memory, w.hosts[1].memory = 8<<30, 24<<30
	w.hosts[0].fail = oom
	w.run(2 * time.Second)
	id = w.add("big")
	w.runUntil("ended", 2*time.Hour, w.ended(id))
	if w.job(id).Outcome != job.JobDone || len(w.hosts[1].received) != 1 {
		t.Errorf("ended %s with %d runs on the large one", w.job(id).Outcome, len(w.hosts[1].received))
	}
}

func TestAnErrorOfTheWorkflowIsNotTriedAgain(t *testing.T) {
	w := newWorld(t, "gpu-1")
	w.hosts[0].fail = job.Errorf(job.ErrNodeFailed, job.Args{}, nil)
	id := w.add("wrong")
	w.runUntil("ended", time.Hour, w.ended(id))
	if w.job(id).Attempt != 1 || w.job(id).Outcome != job.JobFailed {
		t.Errorf("ended %s at attempt %d", w.job(id).Outcome, w.job(id).Attempt)
	}
}

func TestABatchThatFailsAlikeWaitsForTheUserAndOthersGoOn(t *testing.T) {
	w := newWorld(t, "gpu-1")
	h := w.hosts[0]
	h.seconds, h.fail = 5, job.Errorf(job.ErrNodeFailed, job.Args{Class: "KSampler"}, nil)
	var bad []job.ID
	for range 6 {
		bad = append(bad, w.add("bad", batch("a")))
	}
	good := w.add("good", batch("b"))
	w.runUntil("asked", time.Hour, func() bool { return len(w.s.Snapshot(w.now).Questions) == 1 })
	if q := w.s.Snapshot(w.now).Questions[0]; q.Due.Sub(q.Asked.Wall) != 15*time.Minute {
		t.Errorf("asked at %v, the default is said to be taken at %v", q.Asked.Wall, q.Due)
	}
	h.fail = nil
	if n := len(h.received); n != 3 {
		t.Errorf("%d were tried", n)
	}
	waiting := w.s.Snapshot(w.now).Waiting
	if waiting[0].Holds[0].Code != job.HoldBatchFailing {
		t.Errorf("holds %+v", waiting[0].Holds)
	}
	w.runUntil("the other batch goes on", time.Minute, w.ended(good))
	w.runUntil("the default is taken", 20*time.Minute, w.ended(bad[5]))
	for _, id := range bad[3:] {
		if w.job(id).Outcome != job.JobNeedsYou {
			t.Errorf("ended %s", w.job(id).Outcome)
		}
	}
	// The user may still want them.
	w.step(core.Again{Job: bad[5]})
	w.runUntil("runs again", time.Hour, w.ended(bad[5]))
	if w.job(bad[5]).Outcome != job.JobDone {
		t.Errorf("again it ended %s", w.job(bad[5]).Outcome)
	}
}

func TestTwoCutRunsOfAKindOnAMachineAreAskedAbout(t *testing.T) {
	w := newWorld(t, "slow", "attic")
	w.hosts[0].seconds = 5000
	bound := on("slow")
	a, b, c := w.add("a", limit(time.Minute), bound), w.add("b", limit(time.Minute), bound), w.add("c", limit(time.Minute), bound)
	free := w.add("free", limit(time.Hour))
	w.runUntil("asked", time.Hour, func() bool { return len(w.s.Snapshot(w.now).Questions) == 1 })
	if w.job(a).Outcome != job.JobTimedOut || w.job(b).Outcome != job.JobTimedOut || w.job(c).State != job.JobWaiting {
		t.Errorf("a %s, b %s, c %s", w.job(a).Outcome, w.job(b).Outcome, w.job(c).State)
	}
	w.runUntil("the default is taken", 20*time.Minute, w.ended(c))
	if w.job(c).Outcome != job.JobNeedsYou || w.job(c).Why.Code != job.ErrGivenUp {
		t.Errorf("c ended %s %v", w.job(c).Outcome, w.job(c).Why)
	}
	w.runUntil("the free one is done elsewhere", time.Hour, w.ended(free))
	// Adding one again is a wish to try.
	w.hosts[0].seconds = 10
	d := w.add("d", limit(time.Minute), bound)
	w.runUntil("tried", time.Hour, w.ended(d))
	if w.job(d).Outcome != job.JobDone {
		t.Errorf("d ended %s", w.job(d).Outcome)
	}
}
