package core_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

// seat is what holds the GPU of gpu-1, told every five seconds.
type seat struct {
	list               []job.Process
	silent             bool // nobody tells of it
	listeners, parents map[int]int
}

// programs tells who holds the GPU until the end of the test, and its gauges.
func (w *world) programs(s *seat) {
	w.later(5*time.Second, func() {
		if s.silent {
			return
		}
		w.step(core.ProgramsSeen{Machine: "gpu-1", Programs: job.Programs{
			At: w.now.Wall, Source: "nvidia-smi", List: slices.Clone(s.list), Listeners: s.listeners, Parents: s.parents,
		}})
		w.programs(s)
	})
}

func computing(pid int, name string, sm float64, mib int64) job.Process {
	p := job.Process{PID: pid, Name: name, Mem: job.Known(mib << 20)}
	if sm > 0 {
		p.SM = job.Known(sm)
	}
	return p
}

// watched is a machine whose GPU's programs are seen, idle as far as its gauges
// tell.
func watched(t tb) (*world, *seat) {
	t.Helper()
	w := newWorld(t, "gpu-1")
	w.meter(&gauges{util: 0, power: 12, used: 9000})
	s := &seat{}
	w.programs(s)
	w.run(20 * time.Second)
	return w, s
}

// holdOf gives the hold of a waiting job for a program.
func (w *world) holdOf(id job.ID) *job.Hold {
	for _, v := range w.s.Snapshot(w.now).Waiting {
		if i := slices.IndexFunc(v.Holds, func(h job.Hold) bool { return h.Code == job.HoldForeignProc }); v.Job.ID == id && i >= 0 {
			return &v.Holds[i]
		}
	}
	return nil
}

func TestANamedProgramThatComputesHolds(t *testing.T) {
	// Given a program that computes on the GPU for a quarter of a minute,
	w, s := watched(t)
	s.list = []job.Process{computing(4988, "/usr/local/bin/ollama runner", 47, 5744)}
	w.run(20 * time.Second)
	// when a job is added, it waits for that program by its name.
	id := w.add("old-town")
	w.run(10 * time.Second)
	h := w.holdOf(id)
	if h == nil || h.Say.Args.Value != "ollama" || h.Say.Args.Count != 4988 {
		t.Fatalf("the hold is %+v\n%s", h, w.story())
	}
	v := w.card()
	if len(v.Programs) != 1 || v.Programs[0].PID != 4988 {
		t.Errorf("the card shows the programs %+v", v.Programs)
	}
	// When it is gone, the job still waits for a minute, then goes.
	s.list = nil
	w.run(50 * time.Second)
	if w.holdOf(id) == nil {
		t.Error("it was let go within a minute")
	}
	w.runUntil("the job runs", 30*time.Second, func() bool { return w.job(id).State == job.JobRunning })
}

func TestWhatNeverHolds(t *testing.T) {
	for name, s := range map[string]seat{
		"a desktop": {list: []job.Process{
			computing(1200, "/usr/lib/xorg/Xorg", 40, 900), computing(1300, "firefox", 60, 2100), computing(1400, "NVIDIA Overlay.exe", 20, 400),
		}},
		"a small program":                     {list: []job.Process{computing(77, "cat-detector", 9, 250)}},
		"a program that only holds memory":    {list: []job.Process{computing(4988, "ollama", 0, 5744)}},
		"a burst":                             {list: nil},
		"nobody can tell which is the server": {list: []job.Process{computing(4411, "python3", 99, 9000)}},
		"the server itself": {
			list: []job.Process{computing(4411, "python3", 99, 9000)}, listeners: map[int]int{80: 4411},
		},
		"what the server started": {
			list:      []job.Process{computing(4411, "python3", 0, 9000), computing(4500, "ffmpeg", 30, 400)},
			listeners: map[int]int{80: 4411}, parents: map[int]int{4500: 4499, 4499: 4411, 4411: 1},
		},
		"the server behind a wrapper": {
			list:      []job.Process{computing(4411, "python3", 99, 9000)},
			listeners: map[int]int{80: 4400}, parents: map[int]int{4411: 4400},
		},
		"one without a name": {list: []job.Process{computing(4411, "", 99, 9000)}},
	} {
		w, seat := watched(t)
		*seat = s
		if name == "a burst" {
			w.later(12*time.Second, func() { seat.list = []job.Process{computing(5, "blender", 99, 900)} })
			w.later(18*time.Second, func() { seat.list = nil })
		}
		w.run(30 * time.Second)
		id := w.add("old-town")
		w.run(10 * time.Second)
		if h := w.holdOf(id); h != nil || w.job(id).State == job.JobWaiting {
			t.Errorf("%s holds: %+v", name, h)
		}
	}
}

// Where the render server is known among the programs, another program in Python
// is somebody else's.
func TestAnotherPythonIsTheirsOnceTheServerIsKnown(t *testing.T) {
	w, s := watched(t)
	s.list = []job.Process{computing(4411, "python3", 0, 9000), computing(6000, "python3", 80, 4000)}
	s.listeners = map[int]int{80: 4411}
	w.run(30 * time.Second)
	id := w.add("old-town")
	w.run(10 * time.Second)
	if h := w.holdOf(id); h == nil || h.Say.Args.Count != 6000 {
		t.Errorf("the hold is %+v", h)
	}
}

// No hold for other people's work lasts all night.
func TestAProgramHoldsForAnHourAtMost(t *testing.T) {
	w, s := watched(t)
	s.list = []job.Process{computing(4988, "ollama", 90, 5744)}
	w.run(30 * time.Second)
	id := w.add("old-town")
	w.run(59 * time.Minute)
	if w.holdOf(id) == nil {
		t.Fatal("it went within the hour")
	}
	w.runUntil("the job runs", 2*time.Minute, func() bool { return w.job(id).State == job.JobRunning })
}

// A look that does not come any more holds nobody.
func TestProgramsThatAreNotSeenAnyMoreHoldNobody(t *testing.T) {
	w := newWorld(t, "gpu-1")
	w.step(core.ReadingsSeen{Machine: "gpu-1", Source: "nvidia-smi", Readings: []job.Reading{{
		At: w.now.Wall, Source: "nvidia-smi", GPU: job.GPU{Name: "Test GPU"},
	}}})
	for range 5 {
		w.step(core.ProgramsSeen{Machine: "gpu-1", Programs: job.Programs{
			List: []job.Process{computing(4988, "ollama", 90, 5744)},
		}})
		w.run(5 * time.Second)
	}
	id := w.add("old-town")
	w.run(5 * time.Second)
	if w.holdOf(id) == nil {
		t.Fatal("nothing holds")
	}
	w.runUntil("the job runs", 90*time.Second, func() bool { return w.job(id).State == job.JobRunning })
}

func TestARunBesideAProgramIsShared(t *testing.T) {
	w, s := watched(t)
	id := w.add("old-town")
	w.run(10 * time.Second)
	s.list = []job.Process{computing(4988, "ollama", 47, 5744)}
	w.run(30 * time.Second)
	s.list = nil
	w.runUntil("the job ends", time.Hour, w.ended(id))
	r := w.disk.runs[job.RunID(id, 1)]
	if r.Label != job.Shared || len(r.Foreign) != 1 || r.Foreign[0].Program != "ollama" || r.Foreign[0].PID != 4988 {
		t.Errorf("the run is %s beside %+v", r.Label, r.Foreign)
	}
	if !slices.ContainsFunc(r.Story, func(h job.Happening) bool { return h.Code == job.StoryProgram }) {
		t.Errorf("its story says nothing of it: %+v", r.Story)
	}
}

// The spill of the story: another program holds 5.6 GiB and computes nothing. That
// is evidence on the card, no hold.
func TestWhoHoldsMemoryIsEvidence(t *testing.T) {
	w := newWorld(t, "gpu-1")
	w.usual(41)
	w.meter(&gauges{util: 100, power: 43, used: 15600})
	w.programs(&seat{
		list:      []job.Process{computing(4411, "python3", 99, 9120), computing(4988, "ollama", 0, 5744)},
		listeners: map[int]int{80: 4411},
	})
	w.host("gpu-1").seconds = 4000
	w.add("harbour-night", anyway)
	w.run(25 * time.Minute)
	v := w.card()
	found := slices.ContainsFunc(v.Evidence, func(s job.Say) bool { return s.Code == job.NoteSawProgram && s.Args.Value == "ollama" })
	if !found {
		t.Errorf("evidence %v for %+v", codes(v.Evidence), v.Verdict)
	}
	if n := w.theNote(); n.Cause != job.CauseOtherProgram || !strings.Contains(n.Finding.Args.Value, "ollama") {
		t.Errorf("the note is about %s: %+v", n.Cause, n.Finding)
	}
}
