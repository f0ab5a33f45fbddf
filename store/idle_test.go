package store

import (
	"reflect"
	"testing"

	bolt "go.etcd.io/bbolt"

	"reckoner/scheduler/job"
)

func TestIdlePowerSurvives(t *testing.T) {
	// Given what two GPUs draw at rest, one of them learned anew later
	dir := t.TempDir()
	s := mustOpen(t, dir)
	mustSave(t, s, job.Changes{IdlePower: []job.IdlePower{
		{GPU: "A10/1", Empty: job.Known(15.0)}, {GPU: "A10/2", Empty: job.Known(16.0)},
	}})
	again := job.IdlePower{GPU: "A10/1", Empty: job.Known(15.5), Loaded: job.Known(58.0)}
	mustSave(t, s, job.Changes{IdlePower: []job.IdlePower{again}, Lazy: true})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	// when it is read again, then the newest figures of both are there
	s = mustOpen(t, dir)
	kept, err := s.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := []job.IdlePower{again, {GPU: "A10/2", Empty: job.Known(16.0)}}; !reflect.DeepEqual(kept.IdlePower, want) {
		t.Errorf("got  %+v\nwant %+v", kept.IdlePower, want)
	}
}

// What cannot be read is learned anew, and nothing else is lost with it.
func TestIdlePowerThatCannotBeReadIsLearnedAnew(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	err := s.db.Update(func(tx *bolt.Tx) error {
		return tx.Bucket([]byte(bucketMeta)).Put([]byte(keyIdlePower), []byte("{"))
	})
	if err != nil {
		t.Fatal(err)
	}
	if kept, err := s.Load(t.Context()); err != nil || len(kept.IdlePower) != 0 {
		t.Fatalf("%+v, %v", kept.IdlePower, err)
	}
	learned := []job.IdlePower{{GPU: "A10/1", Empty: job.Known(15.0)}}
	mustSave(t, s, job.Changes{IdlePower: learned})
	if kept, err := s.Load(t.Context()); err != nil || !reflect.DeepEqual(kept.IdlePower, learned) {
		t.Errorf("%+v, %v", kept.IdlePower, err)
	}
}
