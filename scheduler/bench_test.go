package scheduler_test

import (
	"testing"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

func benchmarkSnapshot(b *testing.B, n int) {
	b.Helper()
	now := job.NewClock(1).Now()
	s := core.New(job.Kept{App: "app"}, nil, core.Options{}, now)
	jobs := make([]job.Job, n)
	for i := range jobs {
		jobs[i] = job.Job{ID: job.UUIDFrom([16]byte{byte(i), byte(i >> 8)}), Type: job.Type{Key: "k"}}
	}
	s.Step(core.JobsAdded{Jobs: jobs}, now)
	b.Run("snapshot", func(b *testing.B) {
		for b.Loop() {
			s.Snapshot(now)
		}
	})
	b.Run("step", func(b *testing.B) {
		for b.Loop() {
			s.Step(core.Tick{}, now)
		}
	})
}
