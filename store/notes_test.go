package store

import (
	"reflect"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"reckoner/scheduler/job"
)

func aNote(id job.ID, opened time.Time) *job.Note {
	return &job.Note{
		ID: id, Machine: "gpu-1", Cause: job.CauseOtherClient, Server: "second", Status: job.NoteProbable,
		Claim:  job.Say{Code: job.NoteOtherClient, Args: job.Args{Machine: "gpu-1"}},
		Opened: opened, Changed: opened, LastSeen: opened, Mechanism: job.Spill, Strength: job.MayBe,
		Evidence: []job.Evidence{{
			Kind: job.SawPrompts, Strength: job.Certain, First: opened, Last: opened, Source: "http://second",
			Say: job.Say{Code: job.NoteSawPrompts, Args: job.Args{Count: 14, Seconds: 35, UpTo: 480}},
		}},
		Wordings: []job.Wording{{Claim: job.Say{Code: job.NoteUnexplained}, Until: opened}},
		Test:     job.NoteTest{State: job.TestWaiting, N: 41, MidS: 282, BoundS: 310, Job: "j"},
		Results:  []job.TestResult{{At: opened, Verdict: job.TestVoid, Seconds: job.Known(12.0)}},
	}
}

func TestNotesSurviveInTheOrderInWhichTheyWereOpened(t *testing.T) {
	// Given two notes, the older of which is settled later
	dir := t.TempDir()
	s := mustOpen(t, dir)
	evening := time.Date(2026, 11, 30, 20, 44, 0, 0, time.UTC)
	older, newer := aNote("b", evening), aNote("a", evening.Add(time.Hour))
	mustSave(t, s, job.Changes{Notes: []*job.Note{newer}})
	mustSave(t, s, job.Changes{Notes: []*job.Note{older}})
	settled := *older
	settled.Status, settled.Changed = job.NoteSupported, evening.Add(2*time.Hour)
	mustSave(t, s, job.Changes{Notes: []*job.Note{&settled}})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	// when they are read again, then all of both is there
	s = mustOpen(t, dir)
	kept, err := s.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := []job.Note{settled, *newer}; !reflect.DeepEqual(kept.Notes, want) {
		t.Errorf("got  %+v\nwant %+v", kept.Notes, want)
	}
}

func TestALazyNoteIsReadBackBeforeItIsWritten(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	mustSave(t, s, job.Changes{Notes: []*job.Note{aNote("a", time.Unix(1000, 0).UTC())}, Lazy: true})
	kept, err := s.Load(t.Context())
	if err != nil || len(kept.Notes) != 1 {
		t.Errorf("%d notes, %v", len(kept.Notes), err)
	}
}

func TestAnUnreadableNoteIsLeftInPlace(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	at := time.Unix(1000, 0).UTC()
	mustSave(t, s, job.Changes{Notes: []*job.Note{aNote("a", at), aNote("b", at.Add(time.Second))}})
	key := recordKey(at, "a")
	if err := s.db.Update(func(tx *bolt.Tx) error {
		return tx.Bucket([]byte(bucketNotes)).Put(key, []byte("{"))
	}); err != nil {
		t.Fatal(err)
	}
	kept, err := s.Load(t.Context())
	if err != nil || len(kept.Notes) != 1 || kept.Notes[0].ID != "b" {
		t.Errorf("%+v, %v", kept.Notes, err)
	}
	if err := s.db.View(func(tx *bolt.Tx) error {
		if got := string(tx.Bucket([]byte(bucketNotes)).Get(key)); got != "{" {
			t.Errorf("it became %q", got)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
