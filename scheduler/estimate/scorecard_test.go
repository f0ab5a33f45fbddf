package estimate_test

import (
	"testing"

	"reckoner/scheduler/estimate"
	"reckoner/scheduler/job"
)

func TestTheScorecardHoldsRangesAgainstWhatHappened(t *testing.T) {
	ranks := estimate.Shown{Level: job.LevelExact, N: 9, LowS: 270, HighS: 300}
	few := estimate.Shown{Level: job.LevelExact, N: 8, LowS: 270, HighS: 300}
	run := func(seconds float64, s estimate.Shown, change ...func(*estimate.Run)) estimate.Run {
		r := estimate.Run{Seconds: seconds, Label: job.Clean, Start: job.Warm, Shown: s}
		for _, c := range change {
			c(&r)
		}
		return r
	}
	card := estimate.Scorecard([]estimate.Run{
		run(270, ranks), run(300, ranks), run(301, ranks), run(285, few), run(200, few),
		run(100, estimate.Shown{Level: job.LevelOtherGPU, LowS: 90, HighS: 110}),
		run(100, estimate.Shown{Level: job.LevelSimilar, LowS: 10, HighS: 20}),
		run(100, estimate.Shown{}), // nothing was shown
		// what could not be foreseen says nothing of a range
		run(900, ranks, func(r *estimate.Run) { r.Label = job.Shared }),
		run(900, ranks, func(r *estimate.Run) { r.SetAside = true }),
		run(900, ranks, func(r *estimate.Run) { r.Bound = true }),
		run(1, ranks, func(r *estimate.Run) { r.Start = job.Cached }),
	})
	for kind, want := range map[estimate.RangeKind]estimate.Score{
		estimate.RangeRanks: {Held: 2, Of: 3}, estimate.RangeFew: {Held: 1, Of: 2},
		estimate.RangeOtherGPU: {Held: 1, Of: 1}, estimate.RangeSimilar: {Held: 0, Of: 1},
	} {
		if card[kind] != want {
			t.Errorf("%s: %+v, want %+v", kind, card[kind], want)
		}
	}
	if len(card) != 4 {
		t.Errorf("%d kinds", len(card))
	}
}
