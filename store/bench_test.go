package store

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"reckoner/scheduler/job"
)

// benchRuns is the size of the history that the benchmarks read: 1,000,000 for
// the figures that Reckoner must hold.
var benchRuns = flag.Int("runs", 20_000, "past runs in the benchmarks' history")

// fillHistory makes runs of 50 types on four GPUs, in transactions of 5000.
func fillHistory(b *testing.B, s *Store, runs int) {
	b.Helper()
	s.db.NoSync = true
	defer func() { s.db.NoSync = false }()
	for from := 0; from < runs; from += 5000 {
		var c job.Changes
		for n := from; n < min(runs, from+5000); n++ {
			at := day.Add(time.Duration(n) * time.Minute)
			j := endedJob(n, at)
			j.ID = job.ID(fmt.Sprintf("3f2b8c1e-0000-4000-8000-%012d", n))
			j.Added = at.Add(-5 * time.Minute)
			r := endedRun(j, 1, at, 280+rand.Float64())
			r.TypeKey, r.GPU = fmt.Sprintf("type%02d", n%50), fmt.Sprintf("NVIDIA GeForce RTX 4080/u%d", n%4)
			r.Story = []job.Happening{
				{At: at, Say: job.Say{Code: job.StoryIntended, Args: job.Args{Server: "gpu-1"}}},
				{At: at, Say: job.Say{Code: job.StoryStarted, Args: job.Args{Server: "gpu-1"}}},
				{At: at, Say: job.Say{Code: job.StorySucceeded, Args: job.Args{Server: "gpu-1"}}},
			}
			c.Jobs, c.Runs = append(c.Jobs, j), append(c.Runs, r)
		}
		if err := s.Save(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.db.Sync(); err != nil {
		b.Fatal(err)
	}
}

func BenchmarkWithManyRuns(b *testing.B) {
	dir := b.TempDir()
	s, err := Open(dir, testOptions())
	if err != nil {
		b.Fatal(err)
	}
	fillHistory(b, s, *benchRuns)
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	b.Run("open and load", func(b *testing.B) {
		for b.Loop() {
			s, err := Open(dir, testOptions())
			if err != nil {
				b.Fatal(err)
			}
			if kept, err := s.Load(b.Context()); err != nil || len(kept.Jobs) != min(endedAtStart, *benchRuns) {
				b.Fatal(len(kept.Jobs), err)
			}
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
	s = mustOpen(b, dir)
	b.Run("estimate", func(b *testing.B) {
		for b.Loop() {
			if runs, err := s.PastRuns(b.Context(), "type07", 50); err != nil || len(runs) == 0 {
				b.Fatal(len(runs), err)
			}
		}
	})
	middle := day.Add(time.Duration(*benchRuns/2) * time.Minute)
	for name, q := range map[string]job.HistoryQuery{
		"page newest":  {},
		"page middle":  {Before: middle},
		"page of type": {TypeKey: "type07", Before: middle},
		"page of GPU":  {GPU: "NVIDIA GeForce RTX 4080/u3", Before: middle},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if rows, err := s.History(b.Context(), q); err != nil || len(rows) == 0 {
					b.Fatal(len(rows), err)
				}
			}
		})
	}
	b.Run("add a run", func(b *testing.B) {
		n := *benchRuns
		for b.Loop() {
			n++
			j := endedJob(n, day)
			r := endedRun(j, 1, day.Add(time.Duration(n)*time.Minute), 1)
			if err := s.Save(b.Context(), job.Changes{Jobs: []*job.Job{j}, Runs: []*job.Run{r}}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
