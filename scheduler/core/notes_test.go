package core_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

// gauges are what the meter of a machine shows, told every five seconds.
type gauges struct {
	util, power float64
	used        int64 // MiB
}

// meter tells the gauges of gpu-1 until the end of the test, whatever they are at
// the time.
func (w *world) meter(g *gauges) {
	w.later(5*time.Second, func() {
		w.step(core.ReadingsSeen{Machine: "gpu-1", Source: "nvidia-smi", Readings: []job.Reading{{
			At: w.now.Wall, Source: "nvidia-smi", GPU: job.GPU{Name: "Test GPU"},
			Util: job.Known(g.util), Power: job.Known(g.power), Limit: job.Known(180.0),
			MemUsed: job.Known(g.used << 20), MemTotal: job.Known(int64(16311 << 20)),
		}}})
		w.meter(g)
	})
}

// anyway sends a job in spite of other people's work, its models loaded; when its
// limit cuts it that is its end.
func anyway(j *job.Job) { j.SendAnyway, j.Loaders, j.Tries.Cut = true, nil, 1 }

// client submits to a host every so often while on.
func (w *world) client(h *host, every time.Duration, on *bool) {
	w.later(every, func() {
		if *on {
			h.foreign()
		}
		w.client(h, every, on)
	})
}

// slowed is the story's machine: 41 past runs of 4.7 min, a second server with a
// client every 35 s, and gauges of 100 % at 43 of 180 W with memory nearly full.
func slowed(t tb) (w *world, client *bool, g *gauges) {
	t.Helper()
	w = newWorld(t, "gpu-1", "gpu-1/watched")
	w.usual(41)
	on := true
	g = &gauges{util: 100, power: 43, used: 15600}
	w.client(w.host("gpu-1/watched"), 35*time.Second, &on)
	w.meter(g)
	w.host("gpu-1").seconds = 4000
	return w, &on, g
}

// rested is a card with its models loaded and nothing to do.
var rested = gauges{util: 0, power: 12, used: 9000}

func (w *world) notes() []*job.Note { return w.s.Snapshot(w.now).Notes }

// noteEvents gives what was told of notes.
func (w *world) noteEvents() []job.Event {
	var all []job.Event
	for _, ev := range w.told {
		if ev.Kind == job.EventNote {
			all = append(all, ev)
		}
	}
	return all
}

// theNote is the only one.
func (w *world) theNote() *job.Note {
	w.t.Helper()
	list := w.notes()
	if len(list) != 1 {
		w.t.Fatalf("%d notes, want one", len(list))
	}
	return list[0]
}

func TestALongRunBesideAnotherClientOpensOneProbableNote(t *testing.T) {
	// Given the story's machine, when a job passes all its past runs there.
	w, _, _ := slowed(t)
	id := w.add("harbour-night", limit(1782*time.Second), anyway)
	w.run(5 * time.Minute)
	if n := len(w.notes()); n != 0 {
		t.Fatalf("%d notes while the run is within its range", n)
	}
	w.run(15 * time.Minute)

	// Then one note asks about the other client, probable, with its pace.
	n := w.theNote()
	if n.Status != job.NoteProbable || n.Cause != job.CauseOtherClient || n.Server != "gpu-1/watched" {
		t.Fatalf("note %+v", n)
	}
	if a := n.Finding.Args; n.Finding.Code != job.NoteSawPrompts || math.Abs(a.Seconds-35) > 2 || a.Count < 8 || a.Of != 2 {
		t.Errorf("finding %+v", n.Finding)
	}
	if !hasEvidence(n, job.SawPrompts) || !hasEvidence(n, job.SawLowPower) || !hasEvidence(n, job.SawFullMemory) {
		t.Errorf("evidence %+v", n.Evidence)
	}
	if n.Test.N != 41 || n.Test.BoundS < 282 || n.Test.MidS < 270 || n.Test.Under() {
		t.Errorf("the test that would settle it: %+v", n.Test)
	}

	// And with our queue empty and the job stopped, it still is about now: the GPU
	// is busy though none of ours runs.
	w.runUntil("the job ends", 15*time.Minute, w.ended(id))
	w.run(20 * time.Minute)
	n = w.theNote()
	if n.Quiet || n.Status != job.NoteProbable || !hasEvidence(n, job.SawBusyAlone) {
		t.Errorf("after the stop: quiet %v, %s, evidence %+v", n.Quiet, n.Status, n.Evidence)
	}
	if views := w.s.Snapshot(w.now).Machines[0].Notes; len(views) != 1 || views[0] != n {
		t.Errorf("the card has %d notes", len(views))
	}
	if told := len(w.noteEvents()); told > 5 {
		t.Errorf("told %d times", told)
	}
	if kept, ok := w.disk.notes[n.ID]; !ok || kept.Status != job.NoteProbable {
		t.Error("it is not on disk")
	}
}

func hasEvidence(n *job.Note, kind job.EvidenceKind) bool {
	for _, e := range n.Evidence {
		if e.Kind == kind {
			return true
		}
	}
	return false
}

func TestANoteGoesQuietAndKeepsItsStatus(t *testing.T) {
	w, client, g := slowed(t)
	id := w.add("harbour-night", limit(900*time.Second), anyway)
	w.runUntil("the job ends", 20*time.Minute, w.ended(id))
	*client = false
	*g = gauges{util: 0, power: 10, used: 600}
	w.run(30 * time.Minute)
	if n := w.theNote(); !n.Quiet || n.Status != job.NoteProbable {
		t.Errorf("quiet %v, %s: a status is for a test and the user to change", n.Quiet, n.Status)
	}
	// The user may take it back, and it is not raised again the same day.
	w.step(core.WithdrawNote{Note: w.theNote().ID})
	*client = true
	w.add("old-town", limit(900*time.Second), anyway)
	w.run(20 * time.Minute)
	if n := w.theNote(); n.Status != job.NoteWithdrawn {
		t.Errorf("%s after the user withdrew it", n.Status)
	}
}

func TestTheTestWaitsForTheOtherClientAndRunsOneJob(t *testing.T) {
	// Given a note, and the client still at work.
	w, client, g := slowed(t)
	id := w.add("harbour-night", limit(900*time.Second), anyway)
	w.runUntil("the job ends", 20*time.Minute, w.ended(id))
	host := w.host("gpu-1")
	host.seconds = 282
	sent := len(host.received)

	// When the test is asked for, it waits: nothing is sent while the client is.
	w.step(core.StartTest{Note: w.theNote().ID})
	if n := w.theNote(); n.Test.State != job.TestWaiting || n.Test.Job == "" {
		t.Fatalf("test %+v", n.Test)
	}
	w.run(30 * time.Minute)
	if got := len(host.received); got != sent {
		t.Fatalf("%d submissions while the other client was there", got-sent)
	}

	// When the client is gone for two of its pauses, the job runs, and nothing
	// beside it.
	*client = false
	*g = rested
	w.run(50 * time.Second)
	if got := len(host.received); got != sent {
		t.Fatal("sent after one pause of the client's")
	}
	w.runUntil("the test runs", 3*time.Minute, func() bool { return w.theNote().Test.State == job.TestRunning })
	w.runUntil("the test ends", 6*time.Minute, func() bool { return !w.theNote().Test.Under() })

	// Then the usual time is back: supported, with what one run can say.
	n := w.theNote()
	if n.Status != job.NoteSupported || len(n.Results) != 1 || n.Results[0].Verdict != job.TestReturned {
		t.Fatalf("%s, results %+v", n.Status, n.Results)
	}
	r := n.Results[0]
	if s := r.Seconds.Or(0); s < 275 || s > 290 || r.Say.Args.Value == "" || r.Test.N != 41 {
		t.Errorf("result %+v", r)
	}
	if !hasEvidence(n, job.SawTest) {
		t.Error("the result is no evidence")
	}
}

func TestTheTestIsVoidWhenTheClientComesBack(t *testing.T) {
	w, client, g := slowed(t)
	id := w.add("harbour-night", limit(900*time.Second), anyway)
	w.runUntil("the job ends", 20*time.Minute, w.ended(id))
	w.host("gpu-1").seconds = 282
	*client, *g = false, rested
	w.step(core.StartTest{Note: w.theNote().ID})
	w.runUntil("the test runs", 5*time.Minute, func() bool { return w.theNote().Test.State == job.TestRunning })
	*client = true
	w.runUntil("the test ends", 2*time.Minute, func() bool { return !w.theNote().Test.Under() })
	n := w.theNote()
	if n.Status != job.NoteProbable || len(n.Results) != 1 || n.Results[0].Verdict != job.TestVoid ||
		n.Results[0].Say.Args.Detail != job.VoidForeign {
		t.Errorf("%s, results %+v", n.Status, n.Results)
	}
	// Its job goes on as any other.
	probe := n.Results[0].Test.Job
	w.runUntil("the job of the test ends", 10*time.Minute, w.ended(probe))
	if got := w.job(probe).Outcome; got != job.JobDone {
		t.Errorf("the job of the test ended %s", got)
	}
}

func TestTheTestSaysStillSlow(t *testing.T) {
	w, client, g := slowed(t)
	id := w.add("harbour-night", limit(900*time.Second), anyway)
	w.runUntil("the job ends", 20*time.Minute, w.ended(id))
	w.host("gpu-1").seconds = 864
	*client, *g = false, rested
	w.step(core.StartTest{Note: w.theNote().ID})
	w.runUntil("the test ends", 30*time.Minute, func() bool { return len(w.theNote().Results) > 0 })
	if n := w.theNote(); n.Status != job.NoteRefuted || n.Results[0].Verdict != job.TestStayed {
		t.Errorf("%s, results %+v", n.Status, n.Results)
	}
}

// The user's waiting job of that kind does the test, first in the queue; nothing
// is done twice, and a kill in between loses nothing.
func TestAWaitingJobDoesTheTestAndAKillLosesNothing(t *testing.T) {
	w, client, g := slowed(t)
	id := w.add("harbour-night", limit(900*time.Second), anyway)
	w.runUntil("the job ends", 20*time.Minute, w.ended(id))
	w.host("gpu-1").seconds = 282
	w.add("logo-spin", func(j *job.Job) { j.Type.Key = "other" })
	mine := w.add("old-town")
	w.step(core.StartTest{Note: w.theNote().ID})
	if got := w.theNote().Test.Job; got != mine {
		t.Fatalf("the test runs %s, want the waiting %s", got, mine)
	}
	w.run(time.Minute)
	w.powerCut()
	if n := w.theNote(); n.Test.State != job.TestWaiting || n.Test.Job != mine {
		t.Fatalf("after a power cut: %+v", n.Test)
	}
	*client, *g = false, rested
	w.runUntil("the test ends", 20*time.Minute, func() bool { return !w.theNote().Test.Under() })
	if n := w.theNote(); n.Status != job.NoteSupported {
		t.Errorf("%s, results %+v", n.Status, n.Results)
	}
}

func TestATestThatCannotBeMadeIsVoid(t *testing.T) {
	w, _, _ := slowed(t)
	w.step(core.WriteNote{Note: "mine", Machine: "gpu-1", Text: "the colleague's script"})
	w.step(core.StartTest{Note: "mine"})
	if n := w.theNote(); n.Status != job.NoteProbable || len(n.Results) != 1 || n.Results[0].Verdict != job.TestVoid ||
		n.Text != "the colleague's script" {
		t.Errorf("%+v", n)
	}
}

// What the user changes in a note is on the machine's card with the next snapshot.
func TestTheCardHasTheNoteAtOnce(t *testing.T) {
	w := newWorld(t, "gpu-1")
	w.run(time.Minute)
	card := func() []*job.Note { return w.s.Snapshot(w.now).Machines[0].Notes }
	if len(card()) != 0 {
		t.Fatal("a note before there is one")
	}
	w.step(core.WriteNote{Note: "mine", Machine: "gpu-1", Text: "the colleague's script"})
	if got := card(); len(got) != 1 || got[0].Text != "the colleague's script" {
		t.Errorf("the card has %+v", got)
	}
	w.step(core.RewordNote{Note: "mine", Text: "the nightly export"})
	if got := card(); len(got) != 1 || got[0].Text != "the nightly export" || len(got[0].Wordings) != 1 {
		t.Errorf("the card has %+v", got)
	}
}

// An hour of healthy work, with loads and decodes, opens no note and holds
// nothing.
func TestHealthyWorkOpensNoNote(t *testing.T) {
	w := newWorld(t, "gpu-1", "gpu-1/watched")
	w.usual(41)
	g := &gauges{util: 98, power: 158, used: 15600}
	w.meter(g)
	for i := range 12 {
		at := time.Duration(i) * 5 * time.Minute
		w.later(at, func() { *g = gauges{util: 8, power: 30, used: 6000} })                   // loads
		w.later(at+30*time.Second, func() { *g = gauges{util: 98, power: 158, used: 15600} }) // samples
		w.later(at+260*time.Second, func() { *g = gauges{util: 40, power: 60, used: 15900} }) // decodes
		w.add("job")
	}
	w.run(time.Hour)
	if n := w.notes(); len(n) != 0 {
		t.Errorf("a note: %+v", n[0])
	}
	for _, ev := range w.told {
		if ev.Kind == job.EventHeld && ev.At.Mono > time.Second {
			t.Errorf("held: %+v", ev.Holds)
		}
	}
}

// A hundred slow runs are one note.
func TestManySlowRunsAreOneNote(t *testing.T) {
	w, _, _ := slowed(t)
	w.host("gpu-1").seconds = 500
	for range 20 {
		w.add("job", anyway, limit(time.Hour))
	}
	w.run(4 * time.Hour)
	n := w.theNote()
	slow := 0
	for _, e := range n.Evidence {
		if e.Kind == job.SawSlowShared {
			slow++
		}
	}
	if slow < 15 {
		t.Errorf("%d runs are evidence, want nearly all of 20", slow)
	}
	if n.Status != job.NoteProbable {
		t.Errorf("%s", n.Status)
	}
}

// Whatever happens around a test, it ends; it gives a verdict only by a run that
// was alone on its GPU all along; and without a verdict nothing but the user
// changes the note.
func TestRandomTestsOfANote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, client, g := slowed(t)
		w.speed = 30
		id := w.add("harbour-night", limit(400*time.Second), anyway)
		w.runUntil("the job ends", time.Hour, w.ended(id))
		w.host("gpu-1").seconds = float64(rapid.SampledFrom([]int{282, 282, 500, 900}).Draw(t, "seconds"))
		jobs := []job.ID{id}
		// Trouble may open a note on another cause; this test is about the first.
		asked := w.theNote().ID
		first := func() *job.Note {
			notes := w.notes()
			if i := slices.IndexFunc(notes, func(n *job.Note) bool { return n.ID == asked }); i >= 0 {
				return notes[i]
			}
			return nil
		}
		for range rapid.IntRange(1, 8).Draw(t, "events") {
			switch rapid.SampledFrom([]string{"trouble", "test", "test", "end", "client comes", "client goes"}).Draw(t, "what") {
			case "trouble":
				jobs = w.trouble(t, jobs)
			case "test":
				w.step(core.StartTest{Note: asked})
			case "end":
				w.step(core.EndTest{Note: asked})
			case "client comes":
				*client = true
			case "client goes":
				*client, *g = false, rested
			}
			w.run(time.Duration(rapid.SampledFrom([]int{1, 30, 100, 300}).Draw(t, "s")) * time.Second)
			if first() == nil {
				return // a power cut took the disk back to before it
			}
		}
		w.heal()
		*client, *g = false, rested
		w.runUntil("the test ends", 48*time.Hour, func() bool { return !first().Test.Under() })
		w.run(time.Minute) // in which what a full disk did not take is written again
		n := first()
		verdicts := 0
		for _, r := range n.Results {
			if r.Verdict == job.TestVoid {
				continue
			}
			verdicts++
			if run := w.disk.runs[r.Run]; run.Label != job.Clean || len(run.Foreign) > 0 {
				t.Fatalf("%s by a run that was %s, beside %+v\n%s", r.Verdict, run.Label, run.Foreign, w.story())
			}
		}
		if verdicts == 0 && n.Status != job.NoteProbable {
			t.Fatalf("%s without a verdict", n.Status)
		}
	})
}
