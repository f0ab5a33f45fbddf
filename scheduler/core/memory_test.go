package core_test

import (
	"slices"
	"testing"
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/estimate"
	"reckoner/scheduler/job"
)

// took gives the world past runs of the jobs' type that took so much of the GPU.
func (w *world) took(mib ...int64) {
	for i, m := range mib {
		w.past["type"] = append(w.past["type"], estimate.Run{
			ID: job.ID(rune('a' + i)), At: epoch.Add(time.Duration(i-100) * time.Hour), GPU: w.gpuKey(),
			Seconds: 280, Label: job.Clean, Start: job.Warm, MemoryB: m << 20,
		})
	}
	w.boot()
	w.run(20 * time.Second)
}

func (w *world) gpuKey() string { return w.s.Snapshot(w.now).Machines[0].GPUs[0].GPU.Key() }

// shortOf gives the hold of a waiting job for want of memory.
func (w *world) shortOf(id job.ID) *job.Hold {
	for _, v := range w.s.Snapshot(w.now).Waiting {
		if i := slices.IndexFunc(v.Holds, func(h job.Hold) bool { return h.Code == job.HoldMemoryShort }); v.Job.ID == id && i >= 0 {
			return &v.Holds[i]
		}
	}
	return nil
}

// full is a machine whose GPU has 16,000 MiB, of which another program holds 9,000
// and our server, found by its port, 500.
func full(t tb) (*world, *seat) {
	t.Helper()
	w, s := watched(t)
	s.listeners, s.parents = map[int]int{80: 100}, map[int]int{}
	s.list = []job.Process{computing(100, "python3", 0, 500), computing(200, "trainer", 0, 9000)}
	w.run(10 * time.Second)
	return w, s
}

func TestAJobWaitsForTheMemoryThatItsKindTookBefore(t *testing.T) {
	// Given past runs that took 12,000 MiB at least, and a card that another program half fills
	w, s := full(t)
	w.took(14000, 12000, 13000)
	// when a job of that kind is added
	id := w.add("video")
	w.run(5 * time.Second)
	// then it waits, and says for what
	h := w.shortOf(id)
	if h == nil || h.Say.Args.Bytes != 12000<<20 || h.Say.Args.Count != 3 || h.Say.Args.Value != "trainer" {
		t.Fatalf("the hold is %+v\n%s", h, w.story())
	}
	// and goes once there is room
	s.list = s.list[:1]
	w.runUntil("it runs", 30*time.Second, func() bool { return len(w.s.Snapshot(w.now).Running) == 1 })
}

func TestMemoryHoldsNobodyForNothing(t *testing.T) {
	for name, c := range map[string]struct {
		took  []int64
		given func(*world, *seat)
		job   func(*job.Job)
	}{
		"a kind that fits":                   {took: []int64{6000}},
		"a kind of which nothing is known":   {took: []int64{0}},
		"memory that only our server holds":  {took: []int64{12000}, given: func(_ *world, s *seat) { s.list[1].PID = 101; s.parents[101] = 100 }},
		"a server that fills the card":       {took: []int64{12000}, given: func(w *world, _ *seat) { w.hosts[0].fills = true }},
		"a look that is old":                 {took: []int64{12000}, given: func(_ *world, s *seat) { s.silent = true }},
		"a user who does not want to wait":   {took: []int64{12000}, job: func(j *job.Job) { j.SendAnyway = true }},
		"programs of which some are unknown": {took: []int64{12000}, given: func(_ *world, s *seat) { s.list = append(s.list, job.Process{PID: 7}) }},
	} {
		t.Run(name, func(t *testing.T) {
			w, s := full(t)
			if c.given != nil {
				c.given(w, s)
			}
			w.took(c.took...)
			var change []func(*job.Job)
			if c.job != nil {
				change = append(change, c.job)
			}
			w.add("video", change...)
			w.runUntil("it runs", 30*time.Second, func() bool { return len(w.s.Snapshot(w.now).Running) == 1 })
		})
	}
}

func TestAHoldForMemoryEnds(t *testing.T) {
	// Given a job that waits for memory which is never given back
	w, _ := full(t)
	w.took(12000)
	id := w.add("video")
	w.run(5 * time.Second)
	if w.shortOf(id) == nil {
		t.Fatal("it does not wait")
	}
	// then it goes after an hour
	w.run(50 * time.Minute)
	if w.shortOf(id) == nil {
		t.Error("it went too early")
	}
	w.runUntil("it runs", 15*time.Minute, func() bool { return len(w.s.Snapshot(w.now).Running) == 1 })
}

func TestAHoldForMemoryEndsWhenNobodyTellsOfThePrograms(t *testing.T) {
	w, s := full(t)
	w.took(12000)
	w.add("video")
	w.run(5 * time.Second)
	s.silent = true
	w.runUntil("it runs", time.Minute, func() bool { return len(w.s.Snapshot(w.now).Running) == 1 })
}

func TestARunKeepsWhatItsServerTook(t *testing.T) {
	// Given a run whose server takes 7,000 MiB for a while
	w, s := full(t)
	s.list = s.list[:1]
	w.hosts[0].seconds = 60
	id := w.add("video")
	w.run(20 * time.Second)
	s.list = []job.Process{computing(100, "python3", 0, 7000)}
	w.run(10 * time.Second)
	s.list = []job.Process{computing(100, "python3", 0, 600)}
	w.runUntil("it ends", 2*time.Minute, w.ended(id))
	if r := w.newest(id); r.MemoryB != 7000<<20 {
		t.Errorf("%d bytes", r.MemoryB)
	}
}

func TestAReasonOfMemoryCanBeIgnored(t *testing.T) {
	w, _ := full(t)
	w.took(12000)
	w.add("video")
	w.run(5 * time.Second)
	w.step(core.Ignore{Machine: "gpu-1", Code: job.HoldMemoryShort, Until: w.now.Wall.Add(time.Hour)})
	w.runUntil("it runs", 30*time.Second, func() bool { return len(w.s.Snapshot(w.now).Running) == 1 })
}
