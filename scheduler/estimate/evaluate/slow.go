package evaluate

import (
	"math"
	"math/rand/v2"

	"reckoner/scheduler/job"
)

// Slowing makes some runs of a log slower, as other work on the same GPU would:
// each with the chance Share, by a factor that is as likely in each equal ratio
// from From to To. Of those the share Labelled is seen to be shared. The same
// Seed slows the same runs.
type Slowing struct {
	Share, From, To, Labelled float64
	Seed                      uint64
}

// slowed is a run that may have been slowed.
type slowed struct {
	Row
	slow bool
}

func (s Slowing) apply(rows []Row) []slowed {
	all := make([]slowed, 0, len(rows))
	rng := rand.New(rand.NewPCG(s.Seed, 0)) //nolint:gosec // an experiment that can be repeated
	for _, r := range rows {
		// Each run draws alike, so that another share slows the same ones first.
		chance, times, seen := rng.Float64(), rng.Float64(), rng.Float64()
		one := slowed{Row: r}
		if chance < s.Share {
			one.slow = true
			one.Duration *= s.From * math.Pow(s.To/s.From, times)
			if seen < s.Labelled {
				one.Label = job.Shared
			}
		}
		all = append(all, one)
	}
	return all
}
