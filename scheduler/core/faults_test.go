package core_test

import (
	"slices"
	"testing"
	"time"

	"reckoner/scheduler/job"
)

func gpuFault() *job.Error {
	return job.Errorf(job.ErrGPUFault, job.Args{Class: "KSampler", Detail: "CUDA error: an illegal memory access"}, nil)
}

func TestAServerWithTwoGPUFaultsInARowIsLeftAlone(t *testing.T) {
	// Given a server whose process fails at everything since a fault
	w := newWorld(t, "gpu-1")
	h := w.host("gpu-1")
	h.seconds, h.fail = 5, gpuFault()
	var jobs []job.ID
	for range 5 {
		jobs = append(jobs, w.add("one"))
	}
	// when two jobs in a row have failed by it
	w.runUntil("two have failed", time.Hour, w.ended(jobs[1]))
	w.run(time.Minute)
	// then the others wait for its restart
	if held := w.heldBy(jobs[2]); !slices.Equal(held, []job.HoldCode{job.HoldOutOfUse}) {
		t.Fatalf("held by %v\n%s", held, w.story())
	}
	// and go once it has restarted
	h.up = false
	w.run(time.Minute)
	h.up, h.fail = true, nil
	h.restart()
	w.runUntil("all have ended", 20*time.Minute, w.ended(jobs[4]))
	if out := w.job(jobs[2]).Outcome; out != job.JobDone {
		t.Errorf("it is %s", out)
	}
}

func TestAServerThatNobodyRestartsIsTriedWithOneJob(t *testing.T) {
	// Given such a server
	w := newWorld(t, "gpu-1")
	h := w.host("gpu-1")
	h.seconds, h.fail = 5, gpuFault()
	var jobs []job.ID
	for range 5 {
		jobs = append(jobs, w.add("one"))
	}
	w.runUntil("two have failed", time.Hour, w.ended(jobs[1]))
	// when half an hour passes and nobody has restarted it
	w.run(31 * time.Minute)
	// then one job has tried it, and the rest wait again
	if w.job(jobs[2]).State != job.JobEnded || w.job(jobs[3]).State != job.JobWaiting {
		t.Errorf("they are %s and %s\n%s", w.job(jobs[2]).State, w.job(jobs[3]).State, w.story())
	}
}

func TestOneGPUFaultBetweenGoodRunsHoldsNothing(t *testing.T) {
	// Given a server on which a job ends with a fault of the GPU
	w := newWorld(t, "gpu-1")
	h := w.host("gpu-1")
	h.seconds = 5
	for range 2 {
		h.fail = gpuFault()
		w.runUntil("failed", time.Hour, w.ended(w.add("bad")))
		// when the next one is good, each time
		h.fail = nil
		good := w.add("good")
		w.runUntil("done", time.Minute, w.ended(good))
		// then nothing was held
		if out := w.job(good).Outcome; out != job.JobDone {
			t.Errorf("it is %s", out)
		}
	}
}

func TestAFullDiskHoldsTheWholeMachineAndCostsNoJob(t *testing.T) {
	// Given two servers of one machine, and another machine
	w := newWorld(t, "gpu-1", "gpu-1/b", "attic")
	w.usual(12)
	for _, h := range w.hosts {
		h.seconds = 5
	}
	w.host("gpu-1").fail = job.Errorf(job.ErrServerDisk, job.Args{Class: "SaveImage"}, nil)
	w.run(time.Second)
	// when one of them says that its disk is full
	id := w.add("big", on("gpu-1", "attic"))
	w.runUntil("it went back", time.Minute, func() bool { return w.job(id).Tries.Disk == 1 })
	bound := w.add("bound", on("gpu-1/b"))
	w.runUntil("ended", time.Minute, w.ended(id))
	// then the job goes elsewhere, and nothing to that machine
	if j, r := w.job(id), w.disk.runs[job.RunID(id, 2)]; j.Outcome != job.JobDone || r.Server != "attic" {
		t.Errorf("it is %s, on %q", j.Outcome, r.Server)
	}
	if held := w.heldBy(bound); !slices.Contains(held, job.HoldDiskLow) {
		t.Errorf("a job for the other server there is held by %v", held)
	}
	// and one tries it in the end
	w.host("gpu-1").fail = nil
	w.runUntil("tried", time.Hour, w.ended(bound))
}
