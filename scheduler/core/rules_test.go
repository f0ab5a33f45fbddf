package core_test

import (
	"slices"
	"testing"
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

func TestAJobGoesRunsAndIsDone(t *testing.T) {
	// Given a server that answers and a usual time
	w := newWorld(t, "gpu-1")
	w.usual(41)
	w.run(time.Second)
	// when a job is added
	id := w.add("beach-walk")
	w.runUntil("done", time.Hour, w.ended(id))
	// then it is told in order
	want := []job.EventKind{
		job.EventJobAdded, job.EventSubmitted, job.EventStarted, job.EventRunEnded, job.EventJobEnded,
	}
	if got := w.kinds(id); !slices.Equal(got, want) {
		t.Errorf("told %v, want %v", got, want)
	}
	j, r := w.job(id), w.disk.runs[job.RunID(id, 1)]
	if j.Outcome != job.JobDone || j.FinishedLate {
		t.Errorf("the job ended %s, late %v", j.Outcome, j.FinishedLate)
	}
	// and the record has the server's duration, the label and the forecast of the start
	if r.Seconds != job.Known(282.0) || r.Label != job.Clean || r.Forecast.N != 41 || r.Start != job.Cold {
		t.Errorf("the run is %+v", r)
	}
	if len(r.Outputs) != 1 || r.Outputs[0].File != "out/r_00001_.png" {
		t.Errorf("outputs %+v", r.Outputs)
	}
}

func TestALimitInterruptsAndLooksUntilTheRunIsGone(t *testing.T) {
	// Given a job that takes far longer than its limit, and one behind it
	w := newWorld(t, "gpu-1")
	w.usual(41)
	w.hosts[0].seconds = 3700
	id := w.add("harbour-night", limit(1782*time.Second))
	next := w.add("old-town", limit(time.Hour))
	// when the limit passes
	w.runUntil("told to stop", time.Hour, func() bool { return slices.Contains(w.kinds(id), job.EventInterrupt) })
	// then the second is held with the reason, and nothing else is sent
	w.run(time.Second)
	view := w.s.Snapshot(w.now)
	if len(view.Waiting) != 1 || len(view.Waiting[0].Holds) != 1 || view.Waiting[0].Holds[0].Code != job.HoldRunOpen {
		t.Errorf("waiting: %+v", view.Waiting)
	}
	w.runUntil("ended", time.Minute, w.ended(id))
	want := []job.EventKind{
		job.EventJobAdded, job.EventHeld, job.EventReleased, job.EventSubmitted, job.EventStarted, job.EventLimit,
		job.EventInterrupt, job.EventStopped, job.EventRunEnded, job.EventJobEnded,
	}
	if got := slices.Compact(w.kinds(id)); !slices.Equal(got, want) {
		t.Errorf("told %v,\nwant %v", got, want)
	}
	// and the record keeps apart what was decided and what the server did
	r := w.disk.runs[job.RunID(id, 1)]
	if w.job(id).Outcome != job.JobTimedOut || r.Outcome != job.RunInterrupted || r.LimitPassed.IsZero() {
		t.Errorf("job %s, run %s, limit passed %v", w.job(id).Outcome, r.Outcome, r.LimitPassed)
	}
	for _, kind := range []job.WitnessKind{job.SawLeaveSlot, job.SawTerminal, job.SawHistory} {
		if !slices.ContainsFunc(r.Witnesses, func(w job.Witness) bool { return w.Kind == kind && !w.At.IsZero() }) {
			t.Errorf("no witness %s in %v", kind, r.Witnesses)
		}
	}
	w.runUntil("the second is sent", time.Minute, func() bool { return w.job(next).State == job.JobRunning })
}

func TestARunThatEndsWellAfterItsLimitIsKeptAsLate(t *testing.T) {
	w := newWorld(t, "gpu-1")
	w.hosts[0].stubborn, w.hosts[0].seconds = true, 130
	id := w.add("slow", limit(100*time.Second))
	w.runUntil("ended", 10*time.Minute, w.ended(id))
	if j := w.job(id); j.Outcome != job.JobDone || !j.FinishedLate || len(w.disk.runs[job.RunID(id, 1)].Outputs) != 1 {
		t.Errorf("ended %s, late %v, want done and late with its output", j.Outcome, j.FinishedLate)
	}
}

func TestARunWithinItsLimitByTheServersClockIsDone(t *testing.T) {
	// Given a server that cannot be reached while the run ends in time
	w := newWorld(t, "gpu-1")
	h := w.hosts[0]
	h.seconds = 90
	id := w.add("in-time", limit(100*time.Second))
	w.runUntil("started", time.Minute, func() bool { return slices.Contains(w.kinds(id), job.EventStarted) })
	p := h.running
	h.up = false
	w.run(300 * time.Second)
	// when it answers again, long after the limit passed here
	h.history[p.id] = job.Record{
		PromptID: p.id, Outcome: job.RunSucceeded, Started: w.wall(p.started), Ended: w.wall(p.started + 90*time.Second),
		Outputs: []job.OutputRef{{Filename: "r.png", Type: "output"}},
	}
	h.up, h.running = true, nil
	w.runUntil("ended", 5*time.Minute, w.ended(id))
	// then it is done, and not late
	if j := w.job(id); j.Outcome != job.JobDone || j.FinishedLate {
		t.Errorf("ended %s, late %v", j.Outcome, j.FinishedLate)
	}
}

func TestALostReplyMakesOneRun(t *testing.T) {
	for name, spoil := range map[string]func(*host){
		"the server took it":        func(h *host) { h.loseReply = true },
		"it ran in no time":         func(h *host) { h.loseReply, h.seconds = true, 0.001 },
		"and the websocket is deaf": func(h *host) { h.loseReply, h.deaf = true, true },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "gpu-1")
			spoil(w.hosts[0])
			id := w.add("once")
			w.runUntil("ended", time.Hour, w.ended(id))
			if got := w.hosts[0].received; len(got) != 1 || w.job(id).Outcome != job.JobDone {
				t.Errorf("received %v, job %s", got, w.job(id).Outcome)
			}
		})
	}
}

func TestASubmissionThatNeverArrivedGoesBackToTheQueue(t *testing.T) {
	w := newWorld(t, "gpu-1")
	w.hosts[0].dropNext = true
	id := w.add("again")
	w.runUntil("ended", time.Hour, w.ended(id))
	if j := w.job(id); j.Outcome != job.JobDone || j.Attempt != 1 || len(w.hosts[0].received) != 1 {
		t.Errorf("job %+v, received %v", j, w.hosts[0].received)
	}
}

func TestARestartOfTheServerLosesTheRun(t *testing.T) {
	w := newWorld(t, "gpu-1")
	id := w.add("gone")
	w.runUntil("started", time.Minute, func() bool { return slices.Contains(w.kinds(id), job.EventStarted) })
	w.hosts[0].restart()
	w.runUntil("ended", time.Minute, w.ended(id))
	r := w.disk.runs[job.RunID(id, 1)]
	if w.job(id).Outcome != job.JobLost || r.Outcome != job.RunLost || r.Err == nil || r.Err.Code != job.ErrVanished {
		t.Errorf("job %s, run %s %v", w.job(id).Outcome, r.Outcome, r.Err)
	}
}

func TestARunIsFoundAgainAfterAKill(t *testing.T) {
	for name, after := range map[string]time.Duration{
		"before the submission arrived": 5 * time.Millisecond,
		"before its reply":              15 * time.Millisecond,
		"while it runs":                 40 * time.Second,
		"after it ended":                282*time.Second + 15*time.Millisecond,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, "gpu-1")
			w.run(time.Second)
			id := w.add("survivor")
			w.run(after)
			// The server goes on while Reckoner is dead.
			h := w.hosts[0]
			w.crash()
			w.runUntil("ended", time.Hour, w.ended(id))
			if j := w.job(id); j.Outcome != job.JobDone || j.Attempt != 1 || len(h.received) > 1 {
				t.Errorf("job %s, attempt %d, received %v", j.Outcome, j.Attempt, h.received)
			}
		})
	}
}

func TestOthersWorkHoldsAndTheGapBetweenTheirPromptsIsNotFree(t *testing.T) {
	// Given a second server on the GPU, whose client sends a prompt every 35 s
	w := newWorld(t, "gpu-1", "gpu-1/watched")
	for i := range 8 {
		w.later(time.Duration(i)*35*time.Second, w.hosts[1].foreign)
	}
	w.run(100 * time.Second)
	// when a job is added, between two of them
	id := w.add("old-town")
	w.run(100 * time.Second)
	// then it waits, with the reason
	view := w.s.Snapshot(w.now)
	if len(view.Waiting) != 1 || len(view.Waiting[0].Holds) != 1 || view.Waiting[0].Holds[0].Code != job.HoldForeign {
		t.Fatalf("waiting %+v\n%s", view.Waiting, w.story())
	}
	if work := view.Machines[0].Servers[1].Foreign; work.Prompts < 5 || work.EveryS.Or(0) < 30 || work.EveryS.Or(0) > 40 {
		t.Errorf("foreign work %+v, want about one every 35 s", work)
	}
	// and it goes once they stay away
	w.runUntil("ended", 20*time.Minute, w.ended(id))
	if w.job(id).Outcome != job.JobDone {
		t.Errorf("ended %s", w.job(id).Outcome)
	}
	if r := w.disk.runs[job.RunID(id, 1)]; r.Label != job.Clean {
		t.Errorf("the run is %s, want clean: they had gone", r.Label)
	}
}

func TestNoHoldForOthersWorkLastsAllNight(t *testing.T) {
	// Given somebody who never stops, and a job behind our own run of half an hour
	w := newWorld(t, "gpu-1", "gpu-1/watched")
	w.hosts[0].seconds = 1800
	first := w.add("first")
	w.runUntil("runs", time.Minute, func() bool { return w.hosts[0].running != nil })
	for i := range 200 {
		w.later(time.Duration(i)*35*time.Second, w.hosts[1].foreign)
	}
	next := w.add("next")
	w.runUntil("the first ends", time.Hour, w.ended(first))
	freed := w.now
	// then the time behind our own run does not count, and the job goes an hour
	// after it
	w.runUntil("the next is sent", 2*time.Hour, func() bool { return w.job(next).State == job.JobRunning })
	if after := w.now.Since(freed); after < 60*time.Minute || after > 61*time.Minute {
		t.Errorf("sent %v after the server was free of ours", after)
	}
}

func TestSendAnywayGoesAtOnceAndTheRunIsShared(t *testing.T) {
	w := newWorld(t, "gpu-1", "gpu-1/watched")
	for i := range 30 {
		w.later(time.Duration(i)*35*time.Second, w.hosts[1].foreign)
	}
	w.run(100 * time.Second)
	id := w.add("urgent")
	w.run(10 * time.Second)
	w.step(core.SendAnyway{Job: id})
	w.run(time.Second)
	if w.job(id).State != job.JobRunning {
		t.Fatalf("the job is %s", w.job(id).State)
	}
	w.runUntil("ended", time.Hour, w.ended(id))
	if r := w.disk.runs[job.RunID(id, 1)]; r.Label != job.Shared || len(r.Foreign) == 0 {
		t.Errorf("label %s, foreign %v", r.Label, r.Foreign)
	}
}

func TestOneForeignPromptHoldsOnlyWhileItIsThere(t *testing.T) {
	w := newWorld(t, "gpu-1")
	w.hosts[0].foreign()
	w.run(3 * time.Second)
	id := w.add("behind")
	w.run(5 * time.Second)
	if w.job(id).State != job.JobWaiting {
		t.Fatalf("the job is %s while somebody's prompt runs", w.job(id).State)
	}
	w.runUntil("sent", 40*time.Second, func() bool { return w.job(id).State == job.JobRunning })
}

func TestAnUnansweredStopTakesItsDefaultAndTheNightGoesOn(t *testing.T) {
	// Given two servers, one of which ignores interrupts
	w := newWorld(t, "stuck", "attic")
	w.usual(41)
	w.hosts[0].stubborn, w.hosts[0].seconds = true, 20000
	id := w.add("wedged", limit(5*time.Minute), on("stuck"))
	bound := w.add("bound", on("stuck"))
	w.run(2 * time.Second)
	free := w.add("free")
	// when the limit passes and nobody answers
	w.runUntil("asked", time.Hour, func() bool {
		return slices.ContainsFunc(w.told, func(e job.Event) bool { return e.Kind == job.EventQuestion })
	})
	w.runUntil("the job has ended", 20*time.Minute, w.ended(id))
	// then the default is told, the job ends by what was decided, and the run stays open
	i := slices.IndexFunc(w.told, func(e job.Event) bool { return e.Kind == job.EventDecided })
	if i < 0 || w.told[i].By != "default" || w.told[i].Answer != job.OutOfUse {
		t.Fatalf("no default was told:\n%s", w.story())
	}
	if w.job(id).Outcome != job.JobTimedOut || w.disk.runs[job.RunID(id, 1)].State != job.RunStarted {
		t.Errorf("job %s, run %s", w.job(id).Outcome, w.disk.runs[job.RunID(id, 1)].State)
	}
	// and other jobs go elsewhere, while what is bound here waits with the reason
	w.runUntil("the free one is done", time.Hour, w.ended(free))
	view := w.s.Snapshot(w.now)
	if len(view.Waiting) != 1 || view.Waiting[0].Job.ID != bound || view.Waiting[0].Holds[0].Code != job.HoldOutOfUse {
		t.Errorf("waiting %+v", view.Waiting)
	}
	// and a late end releases by itself, its result kept
	w.runUntil("released", 6*time.Hour, func() bool { return w.job(bound).State == job.JobRunning })
	w.run(time.Minute)
	if j := w.job(id); j.Outcome != job.JobDone || !j.FinishedLate {
		t.Errorf("the late one is %s, late %v", j.Outcome, j.FinishedLate)
	}
}

func TestAStopWithProgressIsNotAsked(t *testing.T) {
	w := newWorld(t, "gpu-1")
	h := w.hosts[0]
	h.stubborn, h.stepping, h.seconds = true, true, 600
	id := w.add("steps", limit(100*time.Second))
	w.runUntil("ended", 20*time.Minute, w.ended(id))
	if slices.ContainsFunc(w.told, func(e job.Event) bool { return e.Kind == job.EventQuestion }) {
		t.Errorf("a question was asked although steps arrived:\n%s", w.story())
	}
}

func TestADefaultLimitIsDoubledOnceWhileStepsArriveInTime(t *testing.T) {
	// Given a usual time of 4.7 min, so a default limit of 19 min, and a run of 30
	w := newWorld(t, "gpu-1")
	w.usual(41)
	w.hosts[0].stepping, w.hosts[0].seconds = true, 1800
	id := w.add("slow but fine")
	h := w.hosts[0]
	w.runUntil("started", time.Minute, func() bool { return h.running != nil })
	for i := range 180 {
		w.later(time.Duration(i)*10*time.Second, func() {
			h.say(job.News{Kind: job.NewsStep, PromptID: string(job.RunID(id, 1)), Node: "7", Value: float64(i), Max: 180})
		})
	}
	h.stepping = false
	w.runUntil("ended", time.Hour, w.ended(id))
	kinds := w.kinds(id)
	if !slices.Contains(kinds, job.EventExtended) || slices.Contains(kinds, job.EventLimit) || w.job(id).Outcome != job.JobDone {
		t.Errorf("told %v, ended %s", kinds, w.job(id).Outcome)
	}
}

func TestALimitThatTheUserSetIsExact(t *testing.T) {
	w := newWorld(t, "gpu-1")
	w.hosts[0].stepping, w.hosts[0].seconds = true, 130
	id := w.add("exact", limit(100*time.Second))
	w.runUntil("cut", 10*time.Minute, func() bool { return slices.Contains(w.kinds(id), job.EventLimit) })
	i := slices.IndexFunc(w.told, func(e job.Event) bool { return e.Kind == job.EventLimit })
	j := slices.IndexFunc(w.told, func(e job.Event) bool { return e.Kind == job.EventStarted })
	if after := w.told[i].At.Since(w.told[j].At); after < 100*time.Second || after > 101*time.Second {
		t.Errorf("cut after %v", after)
	}
}

func TestNothingIsSentWhileRecordsCannotBeWritten(t *testing.T) {
	w := newWorld(t, "gpu-1")
	w.run(2 * time.Second)
	w.broken = true
	id := w.add("unwritten")
	w.run(30 * time.Second)
	if n := len(w.hosts[0].received); n != 0 || w.job(id).State != job.JobWaiting {
		t.Fatalf("received %d, the job is %s", n, w.job(id).State)
	}
	view := w.s.Snapshot(w.now)
	if view.Unwritable == nil || view.Waiting[0].Holds[0].Code != job.HoldUnwritable {
		t.Errorf("holds %+v", view.Waiting[0].Holds)
	}
	w.broken = false
	w.runUntil("ended", time.Hour, w.ended(id))
	if w.disk.jobs[id].Outcome != job.JobDone {
		t.Errorf("on disk it is %+v", w.disk.jobs[id])
	}
}

func TestEndsThatAreNotSuccess(t *testing.T) {
	oom := job.Errorf(job.ErrOutOfMemory, job.Args{Node: "8"}, nil)
	for _, c := range []struct {
		name  string
		spoil func(*host)
		want  job.JobOutcome
		start job.StartKind
	}{
		{"an error on the server", func(h *host) { h.fail = oom }, job.JobFailed, job.Cold},
		{"success without outputs", func(h *host) { h.noOutput = true }, job.JobNoOutput, job.Cold},
		{"all from the cache", func(h *host) { h.cachedAll, h.seconds = true, 0.01 }, job.JobDone, job.Cached},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, "gpu-1")
			c.spoil(w.hosts[0])
			id := w.add("x")
			w.runUntil("ended", time.Hour, w.ended(id))
			if r := w.disk.runs[job.RunID(id, 1)]; w.job(id).Outcome != c.want || r.Start != c.start {
				t.Errorf("ended %s, start %s", w.job(id).Outcome, r.Start)
			}
		})
	}
	t.Run("refused by the server", func(t *testing.T) {
		w := newWorld(t, "gpu-1")
		w.hosts[0].refuse = job.Errorf(job.ErrRefused, job.Args{}, nil)
		id := w.add("x")
		next := w.add("y")
		w.runUntil("ended", time.Minute, w.ended(id))
		w.runUntil("the next too", time.Minute, w.ended(next))
		if w.job(id).Outcome != job.JobFailed || w.job(id).Why.Code != job.ErrRefused {
			t.Errorf("ended %s %v", w.job(id).Outcome, w.job(id).Why)
		}
	})
	t.Run("a server that fails at each submission", func(t *testing.T) {
		w := newWorld(t, "gpu-1")
		w.hosts[0].refuse = job.Errorf(job.ErrServerFault, job.Args{Status: 500}, nil)
		id := w.add("x")
		w.runUntil("ended", 10*time.Minute, w.ended(id))
		if w.job(id).Outcome != job.JobFailed || w.job(id).Why.Code != job.ErrServerFault {
			t.Errorf("ended %s %v", w.job(id).Outcome, w.job(id).Why)
		}
	})
	t.Run("stopped by somebody else", func(t *testing.T) {
		w := newWorld(t, "gpu-1")
		id := w.add("x")
		w.runUntil("runs", time.Minute, func() bool { return w.hosts[0].running != nil })
		w.run(time.Second)
		p := w.hosts[0].running
		p.cut, p.ends = true, w.now.Mono
		w.hosts[0].finish(p)
		w.runUntil("ended", time.Minute, w.ended(id))
		if w.job(id).Outcome != job.JobFailed || w.job(id).Why.Code != job.ErrInterrupted {
			t.Errorf("ended %s %v", w.job(id).Outcome, w.job(id).Why)
		}
	})
}

func TestCancel(t *testing.T) {
	w := newWorld(t, "gpu-1")
	running, waiting := w.add("running"), w.add("waiting")
	w.runUntil("runs", time.Minute, func() bool { return w.hosts[0].running != nil })
	w.step(core.Cancel{Job: waiting})
	w.step(core.Cancel{Job: running})
	if w.job(waiting).Outcome != job.JobCancelled || w.job(running).State != job.JobRunning {
		t.Errorf("waiting is %s, running is %s", w.job(waiting).Outcome, w.job(running).State)
	}
	w.runUntil("stopped", time.Minute, w.ended(running))
	if w.job(running).Outcome != job.JobCancelled || w.hosts[0].ours() != 0 {
		t.Errorf("ended %s with %d on the server", w.job(running).Outcome, w.hosts[0].ours())
	}
}

func TestQueueOrderMoveAndPause(t *testing.T) {
	w := newWorld(t, "gpu-1")
	w.run(time.Second)
	w.step(core.Pause{On: true})
	a, b, c := w.add("a"), w.add("b"), w.add("c")
	w.run(10 * time.Second)
	if len(w.hosts[0].received) != 0 {
		t.Fatal("a job was sent while the queue is paused")
	}
	w.step(core.Move{Job: c, Before: a})
	w.step(core.Move{Job: b})
	var order []job.ID
	for _, v := range w.s.Snapshot(w.now).Waiting {
		order = append(order, v.Job.ID)
	}
	if want := []job.ID{c, a, b}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
	w.step(core.Pause{})
	for i, id := range []job.ID{c, a, b} {
		w.runUntil("ended", time.Hour, w.ended(id))
		if got := w.hosts[0].received[i]; got != string(job.RunID(id, 1)) {
			t.Errorf("number %d was %s", i, got)
		}
	}
}

func TestAnUnreachableServerHolds(t *testing.T) {
	w := newWorld(t, "gpu-1")
	w.hosts[0].up = false
	id := w.add("patient")
	w.run(10 * time.Minute)
	if kinds := w.kinds(id); !slices.Equal(slices.Compact(kinds), []job.EventKind{job.EventJobAdded, job.EventHeld}) {
		t.Errorf("told %v", kinds)
	}
	w.hosts[0].up = true
	w.runUntil("ended", time.Hour, w.ended(id))
}

func TestADeafWebsocketChangesNoOutcome(t *testing.T) {
	w := newWorld(t, "gpu-1")
	w.hosts[0].deaf = true
	id := w.add("quiet")
	w.runUntil("ended", time.Hour, w.ended(id))
	r := w.disk.runs[job.RunID(id, 1)]
	if w.job(id).Outcome != job.JobDone || r.Label != job.Clean {
		t.Errorf("ended %s, label %s", w.job(id).Outcome, r.Label)
	}
}

func TestAGapInWatchingMakesTheLabelUnknown(t *testing.T) {
	w := newWorld(t, "gpu-1", "gpu-1/watched")
	id := w.add("unwatched")
	w.runUntil("runs", time.Minute, func() bool { return w.hosts[0].running != nil })
	w.run(time.Second)
	w.hosts[1].up = false
	w.run(60 * time.Second)
	w.hosts[1].up = true
	w.runUntil("ended", time.Hour, w.ended(id))
	if r := w.disk.runs[job.RunID(id, 1)]; r.Label != job.LabelUnknown {
		t.Errorf("label %s", r.Label)
	}
}

func TestTwoServersShareTheQueue(t *testing.T) {
	w := newWorld(t, "gpu-1", "attic")
	ids := []job.ID{w.add("a"), w.add("b"), w.add("c"), w.add("d")}
	for _, id := range ids {
		w.runUntil("ended", time.Hour, w.ended(id))
	}
	if a, b := len(w.hosts[0].received), len(w.hosts[1].received); a != 2 || b != 2 {
		t.Errorf("%d and %d runs, want 2 and 2", a, b)
	}
}

func TestAHistoryWithoutAWordGoesByTheTerminalMessage(t *testing.T) {
	// Given a server from before 2024
	w := newWorld(t, "gpu-1")
	w.hosts[0].noWord, w.hosts[0].seconds = true, 500
	id := w.add("cut", limit(60*time.Second))
	w.runUntil("ended", 10*time.Minute, w.ended(id))
	if r := w.disk.runs[job.RunID(id, 1)]; r.Outcome != job.RunInterrupted || w.job(id).Outcome != job.JobTimedOut {
		t.Errorf("the run is %s, the job %s", r.Outcome, w.job(id).Outcome)
	}
	w.hosts[0].seconds = 5
	id = w.add("well")
	w.runUntil("ended", time.Minute, w.ended(id))
	if w.job(id).Outcome != job.JobDone {
		t.Errorf("the job is %s", w.job(id).Outcome)
	}
}

func TestARunWhoseEndWasNotWrittenIsLookedForBeforeItsJobGoesAgain(t *testing.T) {
	// Given a run that ends while the disk is full
	w := newWorld(t, "gpu-1")
	w.usual(41)
	id := w.add("beach-walk")
	w.runUntil("it runs", time.Minute, func() bool { return slices.Contains(w.kinds(id), job.EventStarted) })
	w.broken = true
	w.runUntil("it ended", time.Hour, w.ended(id))
	// when there is room again, the user wants it again, and the program is
	// killed before the run's end is written too
	w.broken = false
	w.step(core.Again{Job: id})
	if r := w.disk.runs[job.RunID(id, 1)]; r.State != job.RunStarted || w.disk.jobs[id].State != job.JobWaiting {
		t.Fatalf("on disk: run %s, job %s", r.State, w.disk.jobs[id].State)
	}
	w.crash()
	// then the job does not wait beside its own run, whose result is taken
	if j := w.job(id); j.State != job.JobRunning {
		t.Errorf("the job is %s", j.State)
	}
	w.runUntil("it ended", time.Hour, w.ended(id))
	if j := w.job(id); j.Outcome != job.JobDone || len(w.hosts[0].received) != 1 {
		t.Errorf("the job is %s after %d submissions", j.Outcome, len(w.hosts[0].received))
	}
}
