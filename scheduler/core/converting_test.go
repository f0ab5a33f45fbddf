package core_test

import (
	"testing"
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

// told is what a server says when workflows are converted with its classes.
type told struct {
	busy  bool       // it does not tell them
	unfit *job.Error // a workflow does not do with them
	asked int
}

func (h *host) convert(a core.Convert) core.Event {
	h.classes.asked++
	done := core.Converted{Job: a.Job, Server: a.Server}
	switch {
	case !h.up || h.classes.busy:
		done.Err = errDown
	case h.classes.unfit != nil:
		done.Err, done.Refused = h.classes.unfit, true
	default:
		done.Graph, done.Type, done.Nodes = "graph", job.Type{Key: "type of " + a.Name}, 7
	}
	return done
}

func unconverted(j *job.Job) { j.Unconverted, j.Graph, j.Type = true, "", job.Type{} }

var unfit = job.Errorf(job.ErrUnknownClass, job.Args{Class: "Magic"}, nil)

func TestAWorkflowOfThePageGoesOutOnceItIsConverted(t *testing.T) {
	w := newWorld(t, "gpu-1")
	w.hosts[0].classes.busy = true
	// given one that waits for a server's classes, and a job behind it
	id := w.add("walk", unconverted)
	other := w.add("other")
	// then the job behind it does not wait for it
	w.runUntil("other ended", time.Hour, w.ended(other))
	if j := w.job(id); j.State != job.JobWaiting || !j.Unconverted {
		t.Fatalf("%+v", j)
	}
	if asked := w.hosts[0].classes.asked; asked < 2 || asked > 12 {
		t.Errorf("asked %d times in %v", asked, w.now.Mono)
	}
	holds := w.s.Snapshot(w.now).Waiting[0].Holds
	if len(holds) != 1 || holds[0].Code != job.HoldNotConverted {
		t.Errorf("holds %+v", holds)
	}
	// when the server tells them
	w.hosts[0].classes.busy = false
	w.runUntil("ended", time.Hour, w.ended(id))
	// then it runs as what it is
	if j := w.job(id); j.Outcome != job.JobDone || j.Graph != "graph" || j.Type.Key != "type of walk" || j.Nodes != 7 {
		t.Errorf("%+v", j)
	}
}

func TestAWorkflowThatNoServerCanConvertNeedsYou(t *testing.T) {
	w := newWorld(t, "gpu-1", "gpu-2", "gpu-1/watched")
	// given two servers, of which one says no and the other is not there
	w.hosts[0].classes.unfit, w.hosts[1].classes.unfit = unfit, unfit
	w.hosts[1].up = false
	id := w.add("walk", unconverted)
	w.run(10 * time.Minute)
	// then it waits for the other one
	if j := w.job(id); j.State != job.JobWaiting {
		t.Fatalf("%+v", j)
	}
	if w.hosts[0].classes.asked != 1 {
		t.Errorf("the one that said no was asked %d times", w.hosts[0].classes.asked)
	}
	// when that one says no too
	w.hosts[1].up = true
	w.runUntil("ended", time.Hour, w.ended(id))
	// then it needs you, for what they said
	if j := w.job(id); j.Outcome != job.JobNeedsYou || j.Why == nil || j.Why.Code != job.ErrUnknownClass {
		t.Errorf("%+v", j)
	}
	// and asking for it again asks them again
	w.hosts[0].classes.unfit = nil
	w.step(core.Again{Job: id})
	w.runUntil("ended", time.Hour, w.ended(id))
	if j := w.job(id); j.Outcome != job.JobDone {
		t.Errorf("%+v", j)
	}
}

func TestAWorkflowThatWaitsToBeConvertedSurvivesARestart(t *testing.T) {
	w := newWorld(t, "gpu-1")
	w.hosts[0].up = false
	id := w.add("walk", unconverted)
	w.run(time.Minute)
	w.boot()
	w.hosts[0].up = true
	w.runUntil("ended", time.Hour, w.ended(id))
	if j := w.job(id); j.Outcome != job.JobDone {
		t.Errorf("%+v", j)
	}
}
