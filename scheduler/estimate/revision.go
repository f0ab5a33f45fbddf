package estimate

import (
	"time"

	"reckoner/scheduler/job"
)

// The words of a baseline's log are job's, since the log is kept and shown.
type (
	// Revision is a line in a baseline's log.
	Revision = job.Revision
	// Answer is the user's word about a baseline.
	Answer = job.BaselineAnswer
)

// Say says why a run is not counted.
func (w WhyNot) Say(r Run) job.Say {
	return job.Say{Code: job.BaselineLeftOut, Args: job.Args{At: r.At, Seconds: r.Seconds, Value: string(w)}}
}

// Say gives what is known as a sentence, with the time since which it is so.
func (e *Estimate) Say(since time.Time) job.Say {
	f := e.Forecast()
	switch f.Level {
	case job.LevelExact:
		return job.Say{Code: job.BaselineUsual, Args: job.Args{Seconds: e.base.mid, Count: f.N, Of: f.Unwatched, At: since}}
	case job.LevelOtherGPU:
		return job.Say{Code: job.BaselineOther, Args: job.Args{
			Seconds: f.LowS, UpTo: f.HighS, Count: f.Basis, GPU: f.BasisGPU,
		}}
	case job.LevelSimilar:
		return job.Say{Code: job.BaselineSimilar, Args: job.Args{Seconds: f.LowS, UpTo: f.HighS, Count: f.Basis}}
	case job.LevelNone:
	}
	return job.Say{Code: job.BaselineNone}
}
