package core_test

import (
	"reflect"
	"testing"
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

// correct gives the user's word about a job's newest run, and the record as it is
// since then.
func (w *world) correct(of job.ID, kind job.CorrectionKind, label job.Label) *job.Run {
	w.t.Helper()
	w.run(time.Minute)
	w.step(core.RunCorrected{Run: *w.newest(of), Past: w.past["type"], Kind: kind, Label: label})
	return w.newest(of)
}

// newest is a job's newest run as a snapshot shows it.
func (w *world) newest(of job.ID) *job.Run {
	w.t.Helper()
	for _, v := range w.s.Snapshot(w.now).Done {
		if v.Job.ID == of {
			return v.Run
		}
	}
	w.t.Fatalf("job %s is not among the ended ones", of)
	return nil
}

func TestTheUsersWordAboutARunMovesTheUsualTimeAndIsTakenBack(t *testing.T) {
	// Given 41 runs around 4.7 min, and a clean one inside their range
	w := newWorld(t, "gpu-1")
	w.usual(41)
	w.run(time.Second)
	w.hosts[0].seconds = 300
	id := w.add("beach", warm)
	w.runUntil("ended", time.Hour, w.ended(id))
	known := func() core.UsualTime { return w.s.UsualTimes("type")[0] }
	before, seen := known(), *w.newest(id)
	if seen.Label != job.Clean || len(seen.Corrections) != 0 {
		t.Fatalf("the run is %q", seen.Label)
	}
	// when the user says that other work was there
	r := w.correct(id, job.CorrectLabel, job.Shared)
	// then what was seen stays in the record, beside the user's word and its time
	if r.Label != job.Clean || r.Judged() != job.Shared || len(r.Corrections) != 1 || r.Corrections[0].At.IsZero() {
		t.Errorf("the record has %q and %+v", r.Label, r.Corrections)
	}
	// and the usual time is another one, its log says why
	after := known()
	line := after.Revisions[len(after.Revisions)-1]
	if after.Say.Args.Seconds == before.Say.Args.Seconds || line.Kind != job.RevisionCorrected || line.Corrected.ID != r.ID {
		t.Errorf("known is %+v, was %+v; the log ends with %+v", after.Say, before.Say, line)
	}
	// and a word that changes nothing leaves no trace
	if again := w.correct(id, job.CorrectLabel, job.Shared); len(again.Corrections) != 1 {
		t.Errorf("the same word twice: %+v", again.Corrections)
	}
	// and taken back, everything is as it was, with both words in the record.
	r = w.correct(id, job.CorrectUndo, "")
	if got := known(); got.Say.Args.Seconds != before.Say.Args.Seconds || got.Say.Args.Count != before.Say.Args.Count {
		t.Errorf("taken back: %+v, before: %+v", got.Say, before.Say)
	}
	if r.Judged() != job.Clean || len(r.Corrections) != 2 {
		t.Errorf("taken back, the record has %+v", r.Corrections)
	}
	if got := w.correct(id, job.CorrectUndo, ""); !reflect.DeepEqual(got.Corrections, r.Corrections) {
		t.Error("there was nothing left to take back, but something was")
	}
}

func TestARunThatGoesOnIsNotCorrected(t *testing.T) {
	w := newWorld(t, "gpu-1")
	w.usual(41)
	id := w.add("beach", warm)
	w.run(30 * time.Second)
	r := w.s.Snapshot(w.now).Running[0].Run
	w.step(core.RunCorrected{Run: *r, Kind: job.SetAside})
	if got := w.s.Snapshot(w.now).Running[0].Run; len(got.Corrections) != 0 {
		t.Errorf("run of %s: %+v", id, got.Corrections)
	}
}

func TestTheScorecardFollowsTheUsersWord(t *testing.T) {
	// Given a usual time, and a run that took far longer than the range that was shown
	w := newWorld(t, "gpu-1")
	w.usual(12)
	w.hosts[0].seconds = 400
	id := w.add("beach", warm)
	w.runUntil("it ends", time.Hour, w.ended(id))
	held := func() job.Args {
		for _, u := range w.s.UsualTimes("type") {
			for _, say := range u.Held {
				return say.Args
			}
		}
		return job.Args{}
	}
	if got := held(); got.Of != 1 || got.Count != 0 {
		t.Fatalf("it held %d of %d times", got.Count, got.Of)
	}
	// when the user says that its GPU was shared, then it is held against nobody
	w.step(core.RunCorrected{Run: *w.newest(id), Past: w.past["type"], Kind: job.CorrectLabel, Label: job.Shared})
	if got := held(); got.Of != 0 {
		t.Errorf("it held %d of %d times", got.Count, got.Of)
	}
}
