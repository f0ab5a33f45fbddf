package store

import (
	"reflect"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"reckoner/scheduler/job"
)

func revision(seq int, kind job.RevisionKind) job.Revision {
	return job.Revision{
		Seq: seq, At: time.Unix(int64(seq)*1000, 0).UTC(), Kind: kind, By: job.ByRule, Why: job.WhyTenRuns, MidS: 282,
		Runs: []job.Member{{ID: "r", At: time.Unix(1, 0).UTC(), Seconds: 282, Label: job.Clean}},
	}
}

func TestTheLogOfABaselineIsKeptAndOnlyGrows(t *testing.T) {
	// Given two logs, one of which grows later
	dir := t.TempDir()
	s := mustOpen(t, dir)
	save := func(of string, revs ...job.Revision) {
		t.Helper()
		mustSave(t, s, job.Changes{Baselines: []job.BaselineLog{{TypeKey: of, GPU: "RTX 5060 Ti/1", Revisions: revs}}})
	}
	save("a", revision(1, job.RevisionFounded))
	save("ab", revision(1, job.RevisionFounded))
	// when a line is written again with other words, then the first ones stay
	save("a", revision(1, job.RevisionUndone), revision(2, job.RevisionProposed))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	s = mustOpen(t, dir)
	kept, err := s.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []job.BaselineLog{
		{
			TypeKey: "a", GPU: "RTX 5060 Ti/1",
			Revisions: []job.Revision{revision(1, job.RevisionFounded), revision(2, job.RevisionProposed)},
		},
		{TypeKey: "ab", GPU: "RTX 5060 Ti/1", Revisions: []job.Revision{revision(1, job.RevisionFounded)}},
	}
	if !reflect.DeepEqual(kept.Baselines, want) {
		t.Errorf("got  %+v\nwant %+v", kept.Baselines, want)
	}
}

func TestALogIsTakenUpToItsFirstUnreadableLine(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	log := job.BaselineLog{TypeKey: "a", GPU: "g", Revisions: []job.Revision{
		revision(1, job.RevisionFounded), revision(2, job.RevisionProposed), revision(3, job.RevisionKept),
	}}
	mustSave(t, s, job.Changes{Baselines: []job.BaselineLog{log}})
	err := s.db.Update(func(tx *bolt.Tx) error {
		return tx.Bucket([]byte(bucketBaselines)).Put(baselineKey("a", "g", 2), []byte("{"))
	})
	if err != nil {
		t.Fatal(err)
	}
	kept, err := s.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(kept.Baselines) != 1 || len(kept.Baselines[0].Revisions) != 1 {
		t.Errorf("got %+v, want the first line alone", kept.Baselines)
	}
}
