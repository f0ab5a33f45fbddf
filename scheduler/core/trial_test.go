package core_test

import (
	"testing"
	"time"

	"reckoner/scheduler/job"
)

// running is how many runs there are now on a machine.
func (w *world) running(machine string) int {
	n := 0
	for _, v := range w.s.Snapshot(w.now).Running {
		if v.Run != nil && string(w.host(v.Run.Server).rec.Machine) == machine {
			n++
		}
	}
	return n
}

func TestABatchOfANewKindSendsOneJobAlone(t *testing.T) {
	// Given a machine with two servers, and another one
	w := newWorld(t, "gpu-1", "gpu-1/b", "attic")
	w.run(2 * time.Second)
	// when a batch of a kind that never ran is added, and a job of somebody else's
	var ids []job.ID
	for range 6 {
		ids = append(ids, w.add("new", batch("b")))
	}
	w.run(time.Minute)
	// then one of them runs alone on each machine
	if a, b := w.running("gpu-1"), w.running("attic"); a != 1 || b != 1 {
		t.Fatalf("%d and %d run\n%s", a, b, w.story())
	}
	// and a job of another batch takes the server beside it
	other := w.add("other", batch("other"), func(j *job.Job) { j.Type.Key = "another" })
	w.run(5 * time.Second)
	if w.job(other).State != job.JobRunning || w.running("gpu-1") != 2 {
		t.Errorf("the other job is %s\n%s", w.job(other).State, w.story())
	}
	// When the first has ended well, both servers are used.
	w.runUntil("the first ends", 10*time.Minute, w.ended(ids[0]))
	w.runUntil("two of them run there", 10*time.Minute, func() bool {
		n := 0
		for _, v := range w.s.Snapshot(w.now).Running {
			if v.Job.Batch == "b" && v.Run != nil && w.host(v.Run.Server).rec.Machine == "gpu-1" {
				n++
			}
		}
		return n == 2
	})
	for _, id := range ids {
		w.runUntil("all end", time.Hour, w.ended(id))
	}
}

func TestABatchOfANewKindThatFailsIsTriedOneByOne(t *testing.T) {
	// Given a machine with two servers on which such jobs fail
	w := newWorld(t, "gpu-1", "gpu-1/b")
	for _, h := range w.hosts {
		h.seconds, h.fail = 30, job.Errorf(job.ErrNodeFailed, job.Args{Class: "VAEDecode"}, nil)
	}
	w.run(2 * time.Second)
	for range 6 {
		w.add("new", batch("b"))
	}
	most := 0
	for range 60 {
		w.run(2 * time.Second)
		most = max(most, w.running("gpu-1"))
	}
	if most != 1 || w.hosts[0].w.count(job.EventQuestion) != 1 {
		t.Errorf("%d ran at once, asked %d times\n%s", most, w.count(job.EventQuestion), w.story())
	}
}

func TestAKindThatIsKnownNeedsNoTrial(t *testing.T) {
	w := newWorld(t, "gpu-1", "gpu-1/b")
	w.usual(3)
	w.run(2 * time.Second)
	for range 4 {
		w.add("known", batch("b"))
	}
	w.run(10 * time.Second)
	if n := w.running("gpu-1"); n != 2 {
		t.Errorf("%d run\n%s", n, w.story())
	}
}
