package estimate

import "reckoner/scheduler/job"

// RangeKind is a way in which a range comes about; ranges of one kind are held
// against what happened together.
type RangeKind string

// The kinds of range.
const (
	RangeRanks    RangeKind = "ranks"     // 8 in 10 of nine runs or more
	RangeFew      RangeKind = "few"       // the shortest to the longest of fewer
	RangeOtherGPU RangeKind = "other_gpu" // from the same type on another GPU
	RangeSimilar  RangeKind = "similar"   // from similar types
)

// RangeKinds gives all of them, the firmest first.
func RangeKinds() []RangeKind { return []RangeKind{RangeRanks, RangeFew, RangeOtherGPU, RangeSimilar} }

// kind tells how a range came about, "" for none.
func (s Shown) kind() RangeKind {
	switch {
	case s.HighS <= 0:
		return ""
	case s.N >= rankedFrom:
		return RangeRanks
	case s.N > 0:
		return RangeFew
	case s.Level == job.LevelOtherGPU:
		return RangeOtherGPU
	case s.Level == job.LevelSimilar:
		return RangeSimilar
	}
	return ""
}

// Scorecard tells how often the ranges held that were shown when runs started. Runs
// that would not count for a baseline do not count here either: a range says
// nothing of what others do on the GPU.
func Scorecard(runs []Run) map[RangeKind]Score {
	card := map[RangeKind]Score{}
	for _, r := range runs {
		kind := r.Shown.kind()
		if kind == "" || r.Why() != "" {
			continue
		}
		s := card[kind]
		s.Of++
		if r.Shown.LowS <= r.Seconds && r.Seconds <= r.Shown.HighS {
			s.Held++
		}
		card[kind] = s
	}
	return card
}

// Say says how often ranges of a kind held.
func (k RangeKind) Say(s Score) job.Say {
	return job.Say{Code: job.BaselineScore, Args: job.Args{Count: s.Held, Of: s.Of, Value: string(k)}}
}
