package estimate

import (
	"time"

	"reckoner/scheduler/job"
)

// few is the number of past runs up to which a caption names them instead of
// giving a time left: two runs that disagree say nothing firmer.
const few = 2

// Bar says what the bar of a run shows, elapsed seconds after the server's
// start, at the wall time now. The forecast is the one frozen at the start, so
// that the bar never goes back (INTERFACES: bar.fraction).
func Bar(f job.Forecast, elapsed float64, now time.Time) job.Bar {
	elapsed = max(elapsed, 0)
	switch {
	case f.N == 0:
		return job.Bar{Kind: job.BarNone, Caption: job.Say{
			Code: job.CaptionFirst, Args: job.Args{Seconds: elapsed},
		}}
	case elapsed > f.LongestS:
		return job.Bar{Kind: job.BarOver, Caption: job.Say{
			Code: job.CaptionOver, Args: job.Args{Seconds: elapsed, Count: f.N},
		}}
	}
	bar := job.Bar{Kind: job.BarEstimate, Fraction: job.Known(min(1, elapsed/f.HighS))}
	switch {
	case f.N <= few:
		bar.Caption = job.Say{Code: job.CaptionFew, Args: job.Args{Seconds: f.LowS, UpTo: f.HighS, Count: f.N}}
	case elapsed > f.MidS:
		bar.Caption = job.Say{Code: job.CaptionPastHalf, Args: job.Args{UpTo: f.LongestS - elapsed, Count: f.N}}
	default:
		left := f.MidS - elapsed
		bar.Caption = job.Say{Code: job.CaptionEstimate, Args: job.Args{
			Seconds: left, UpTo: max(f.HighS-elapsed, left), Count: f.N,
			At: now.Add(time.Duration(left * float64(time.Second))),
		}}
	}
	return bar
}
