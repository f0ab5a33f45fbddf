package estimate

import (
	"time"

	"reckoner/scheduler/job"
)

// few is the number of past runs up to which a caption names them instead of
// giving a time left: two runs that disagree say nothing firmer.
const few = 2

// Bar is Bar of an estimate of which only the frozen figures are left.
func Bar(f job.Forecast, elapsed float64, now time.Time) job.Bar {
	return (&Estimate{}).Bar(f, elapsed, now)
}

// Bar says what the bar of a run shows, elapsed seconds after the server's
// start, at the wall time now. The forecast is the one frozen at the start, so
// that the bar never goes back (INTERFACES: bar.fraction); what is left comes
// from the past runs that got this far. Only runs of this very type on this GPU
// fill a bar: everything else is a sentence beside an empty one.
func (e *Estimate) Bar(f job.Forecast, elapsed float64, now time.Time) job.Bar {
	elapsed = max(elapsed, 0)
	longest := max(f.LongestS, f.ProposedS)
	switch {
	case f.N == 0:
		return job.Bar{Kind: job.BarNone, Caption: fallbackCaption(f, elapsed)}
	case elapsed > longest && f.AlarmS > 0 && elapsed > f.AlarmS:
		return job.Bar{Kind: job.BarOver, Caption: job.Say{Code: job.CaptionAlarm, Args: job.Args{
			Seconds: elapsed, UpTo: f.MidS, Count: f.N,
		}}}
	case elapsed > longest:
		return job.Bar{Kind: job.BarOver, Caption: job.Say{
			Code: job.CaptionOver, Args: job.Args{Seconds: elapsed, Count: f.N},
		}}
	}
	return job.Bar{
		Kind: job.BarEstimate, Fraction: job.Known(min(1, elapsed/f.HighS)), Caption: e.caption(f, elapsed, now),
	}
}

// fallbackCaption says what is known where no run of this type on this GPU is.
func fallbackCaption(f job.Forecast, elapsed float64) job.Say {
	switch f.Level {
	case job.LevelOtherGPU:
		return job.Say{Code: job.CaptionOtherGPU, Args: job.Args{
			Seconds: f.LowS, UpTo: f.HighS, Count: f.Basis, GPU: f.BasisGPU,
		}}
	case job.LevelSimilar:
		return job.Say{Code: job.CaptionSimilar, Args: job.Args{Seconds: f.LowS, UpTo: f.HighS, Count: f.Basis}}
	case job.LevelExact, job.LevelNone:
	}
	return job.Say{Code: job.CaptionFirst, Args: job.Args{Seconds: elapsed}}
}

// caption says what is left of a run that is not longer than all before it.
func (e *Estimate) caption(f job.Forecast, elapsed float64, now time.Time) job.Say {
	if f.N <= few {
		return job.Say{Code: job.CaptionFew, Args: job.Args{Seconds: f.LowS, UpTo: f.HighS, Count: f.N}}
	}
	if elapsed > f.MidS {
		more := max(f.LongestS, f.ProposedS) - elapsed
		args := job.Args{UpTo: more, Count: f.N}
		if left := e.At(elapsed); left.MidS > elapsed && left.Of == f.N {
			args.Seconds = min(left.MidS-elapsed, more)
		}
		return job.Say{Code: job.CaptionPastHalf, Args: args}
	}
	mid, high := f.MidS, f.HighS
	if left := e.At(elapsed); left.MidS > elapsed && left.HighS >= left.MidS && left.Of == f.N {
		mid, high = left.MidS, left.HighS
	}
	left := mid - elapsed
	return job.Say{Code: job.CaptionEstimate, Args: job.Args{
		Seconds: left, UpTo: max(high-elapsed, left), Count: f.N,
		At: now.Add(time.Duration(left * float64(time.Second))),
	}}
}
