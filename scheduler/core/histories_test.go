package core_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

// TestRandomHistories plays what servers, networks, disks and users may do, in
// any order, with kills at any point. The rules that hold always are checked by
// the world while it runs: nothing is sent before it is on disk (rule 6), never
// a second prompt of ours on a server, never the same run twice (rule 4), and
// never a stop of what is not ours (rule 5). At the end every trouble is over,
// and then every job must have ended and every server be ours no more.
func TestRandomHistories(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t, "gpu-1", "gpu-1/watched", "attic")
		w.checking = true
		w.speed = 30 // progress is told every half minute: a history has many days
		w.latency = time.Duration(rapid.IntRange(1, 3000).Draw(t, "latency ms")) * time.Millisecond
		if rapid.Bool().Draw(t, "usual time known") {
			w.usual(12)
		}
		var jobs []job.ID
		for range rapid.IntRange(1, 40).Draw(t, "events") {
			jobs = w.trouble(t, jobs)
			w.reasons()
			w.run(time.Duration(rapid.SampledFrom([]int{0, 5, 15, 200, 2_000, 20_000, 200_000}).Draw(t, "ms")) * time.Millisecond)
		}
		w.heal()
		// A job whose record never reached the disk before a kill was never
		// acknowledged to anybody.
		jobs = slices.DeleteFunc(jobs, func(id job.ID) bool { return w.job(id) == nil })
		w.runUntil("all jobs have ended", 48*time.Hour, func() bool {
			return !slices.ContainsFunc(jobs, func(id job.ID) bool { return w.job(id).State != job.JobEnded })
		})
		w.runUntil("no server is ours", 2*time.Hour, func() bool {
			return !slices.ContainsFunc(w.hosts, func(h *host) bool { return h.ours() > 0 })
		})
		w.run(time.Minute)
		for _, n := range w.notes() {
			if n.Status != job.NoteProbable && len(n.Results) == 0 {
				t.Fatalf("note %s is %s without a test or the user\n%s", n.ID, n.Status, w.story())
			}
		}
		for _, id := range jobs {
			if j := w.job(id); j.State != job.JobEnded {
				t.Fatalf("job %s is still %s\n%s", j.Name, j.State, w.story())
			}
			w.checkRecords(t, id)
		}
	})
}

// trouble is one thing that happens.
func (w *world) trouble(t *rapid.T, jobs []job.ID) []job.ID {
	h := w.hosts[rapid.IntRange(0, len(w.hosts)-1).Draw(t, "server")]
	some := func() job.ID {
		if len(jobs) == 0 {
			return "none"
		}
		return jobs[rapid.IntRange(0, len(jobs)-1).Draw(t, "job")]
	}
	switch what := rapid.SampledFrom([]string{
		"add", "add", "add", "add bound", "kill", "power cut", "server restarts", "server goes down", "server comes back",
		"reply is lost", "submission is lost", "goes deaf", "hears again", "ignores stops", "obeys", "somebody's prompt",
		"cancel", "pause", "go on", "disk full", "disk free", "move", "priority", "undo", "send anyway", "slow", "fast", "again", "fails", "works",
		"runs out of memory", "answers", "somebody is regular", "tests a note", "ends a test",
		"runs out of memory", "answers", "news comes twice", "answers come twice", "clock jumps", "laptop sleeps", "moves to a machine",
		"hands over", "hands over", "takes back", "GPU faults", "disk of a server full", "add odd", "loses a node", "gets its node",
		"limit changes", "machine paused", "machine goes on", "disk low", "disk has room", "ignore",
	}).Draw(t, "what"); what {
	case "add":
		return append(jobs, w.add("any", batch("a"), limit(time.Duration(rapid.IntRange(10, 900).Draw(t, "limit s"))*time.Second)))
	case "add bound":
		return append(jobs, w.add("bound", batch("b"), on("gpu-1")))
	case "add odd":
		return append(jobs, w.add("odd", batch("c"), needing("Odd")))
	case "loses a node":
		h.lacks, h.says = []string{"Odd"}, rapid.Bool().Draw(t, "and does not say so")
	case "gets its node":
		h.lacks = nil
	case "kill":
		w.crash()
	case "power cut":
		w.powerCut()
	case "server restarts":
		h.restart()
	case "server goes down":
		h.up = false
	case "server comes back":
		h.up = true
		h.next()
	case "reply is lost":
		h.loseReply = true
	case "submission is lost":
		h.dropNext = true
	case "goes deaf":
		h.deaf = true
	case "hears again":
		h.deaf = false
	case "ignores stops":
		h.stubborn = true
	case "obeys":
		h.stubborn = false
	case "somebody's prompt":
		h.foreign()
	case "cancel":
		w.step(core.Cancel{Job: some()})
	case "pause":
		w.step(core.Pause{On: true})
	case "go on":
		w.step(core.Pause{})
	case "disk full":
		w.broken = true
	case "disk free":
		w.broken = false
	case "move":
		w.step(core.Move{Job: some(), Before: some()})
	case "undo":
		w.step(core.Restore{Job: some()})
	case "priority":
		w.step(core.Prioritize{Job: some(), Priority: rapid.SampledFrom(job.Priorities()).Draw(t, "priority")})
	case "send anyway":
		w.step(core.SendAnyway{Job: some()})
	case "slow":
		h.seconds = 1500
	case "fast":
		h.seconds = 0.02
	case "again":
		w.step(core.Again{Job: some()})
	case "fails":
		h.fail = job.Errorf(job.ErrNodeFailed, job.Args{Class: "KSampler"}, nil)
	case "hands over":
		w.step(core.HandOver{Count: rapid.IntRange(0, 3).Draw(t, "so many")})
	case "takes back":
		w.step(core.TakeBack{})
	case "GPU faults":
		h.fail = gpuFault()
	case "disk of a server full":
		h.fail = job.Errorf(job.ErrServerDisk, job.Args{}, nil)
	case "runs out of memory":
		h.fail = job.Errorf(job.ErrOutOfMemory, job.Args{}, nil)
	case "answers":
		if asked := w.s.Snapshot(w.now).Questions; len(asked) > 0 {
			w.step(core.Reply{Question: asked[0].ID, Answer: rapid.SampledFrom(asked[0].Answers).Draw(t, "answer")})
		}
	case "somebody is regular":
		for range 3 {
			h.foreign()
		}
	case "tests a note", "ends a test":
		for _, n := range w.notes() {
			if what == "tests a note" {
				w.step(core.StartTest{Note: n.ID})
			} else {
				w.step(core.EndTest{Note: n.ID})
			}
		}
	case "news comes twice":
		w.again, w.againAfter = 3, time.Duration(rapid.IntRange(0, 20_000).Draw(t, "later ms"))*time.Millisecond
	case "answers come twice":
		w.twice, w.againAfter = 3, time.Duration(rapid.IntRange(0, 20_000).Draw(t, "later ms"))*time.Millisecond
	case "clock jumps":
		w.now.Wall = w.now.Wall.Add(time.Duration(rapid.IntRange(-7200, 7200).Draw(t, "s")) * time.Second)
	case "laptop sleeps":
		w.now.Wall = w.now.Wall.Add(time.Hour)
	case "moves to a machine":
		w.step(core.MoveTo{Job: some(), Machine: h.rec.Machine})
	case "limit changes":
		w.step(core.SetLimit{Job: some(), Limit: job.Limit{Kind: job.LimitSet, For: time.Minute}})
	case "machine paused":
		w.step(core.PauseMachine{Machine: h.rec.Machine, On: true})
	case "machine goes on":
		w.step(core.PauseMachine{Machine: h.rec.Machine})
	case "disk low":
		w.step(core.HostSeen{Reading: job.HostReading{DiskFree: job.Known(int64(1000))}})
	case "disk has room":
		w.step(core.HostSeen{Reading: job.HostReading{DiskFree: job.Known(int64(1 << 40))}})
	case "ignore":
		w.step(core.Ignore{Machine: h.rec.Machine, Code: job.HoldForeign, Until: w.now.Wall.Add(time.Hour)})
	case "works":
		h.fail = nil
	}
	return jobs
}

// heal ends every trouble.
func (w *world) heal() {
	w.broken = false
	w.step(core.Pause{})
	w.step(core.HostSeen{Reading: job.HostReading{DiskFree: job.Known(int64(1 << 40))}})
	for _, h := range w.hosts {
		h.up, h.deaf, h.stubborn, h.loseReply, h.dropNext, h.fail = true, false, false, false, false, nil
		h.lacks = nil
		h.next()
		w.step(core.PauseMachine{Machine: h.rec.Machine})
	}
}

// reasons fails when a waiting job is held without saying why and since when
// (rule 9).
func (w *world) reasons() {
	for _, row := range w.s.Snapshot(w.now).Waiting {
		for _, h := range row.Holds {
			if h.Code == "" || h.Say.Code == "" || h.Since.IsZero() {
				w.t.Fatalf("rule 9: %s is held by %+v", row.Job.Name, h)
			}
		}
	}
}

// checkRecords holds a job's record on disk against its run's.
func (w *world) checkRecords(t *rapid.T, id job.ID) {
	onDisk, inMind := w.disk.jobs[id], w.job(id)
	if onDisk.State != inMind.State || onDisk.Outcome != inMind.Outcome {
		t.Fatalf("on disk the job is %s %s, in mind %s %s\n%s",
			onDisk.State, onDisk.Outcome, inMind.State, inMind.Outcome, w.story())
	}
	r, ran := w.disk.runs[job.RunID(id, onDisk.Attempt)]
	if onDisk.Outcome == job.JobDone && (!ran || r.Outcome != job.RunSucceeded || len(r.Outputs) == 0) {
		t.Fatalf("the job is done and its run is %s with %d outputs\n%s", r.Outcome, len(r.Outputs), w.story())
	}
	if onDisk.Outcome == job.JobTimedOut && r.LimitPassed.IsZero() {
		t.Fatalf("the job timed out and no limit passed\n%s", w.story())
	}
	if onDisk.Attempt > 0 && r.State != job.RunEnded {
		t.Fatalf("the job has ended and its run is %s\n%s", r.State, w.story())
	}
}
