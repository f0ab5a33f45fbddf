package core

import (
	"slices"
	"time"

	"reckoner/scheduler/estimate"
	"reckoner/scheduler/job"
)

// UsualTime is what is known of a job type on one GPU, and the log of how that came
// about.
type UsualTime struct {
	job.BaselineLog
	// Say says what is known now, since when.
	Say job.Say
	// MayUndo is the revision that the user may take back, 0 for none: the newest
	// that changed the baseline, unless it was taken back already.
	MayUndo int
	// Held says how often the ranges held that were shown before runs of it.
	Held []job.Say
}

// UsualTimes gives what is known of a job type whose past runs were told, by GPU.
func (s *State) UsualTimes(typeKey string) []UsualTime {
	var all []UsualTime
	for _, gpu := range s.book.GPUs() {
		log := s.book.Revisions(typeKey, gpu)
		said := s.saidOn(job.Type{Key: typeKey}, gpu)
		if len(log) == 0 && said.forecast.Level != job.LevelExact {
			continue
		}
		u := UsualTime{BaselineLog: job.BaselineLog{TypeKey: typeKey, GPU: gpu, Revisions: log}}
		u.Say, u.MayUndo, u.Held = said.estimate.Say(since(log)), mayUndo(log), s.scorecard(typeKey, gpu)
		all = append(all, u)
	}
	return all
}

// scorecard says how often the ranges held that were shown before runs of a job type on a
// GPU. It is worked out anew each time, so that it follows the user's corrections.
func (s *State) scorecard(typeKey, gpu string) []job.Say {
	var runs []estimate.Run
	for _, r := range s.past[typeKey] {
		if r.GPU == gpu {
			runs = append(runs, r)
		}
	}
	card := estimate.Scorecard(runs)
	var says []job.Say
	for _, kind := range estimate.RangeKinds() {
		if score := card[kind]; score.Of > 0 {
			says = append(says, kind.Say(score))
		}
	}
	return says
}

// since is when a baseline became what it is; zero when its log does not say.
func since(log []job.Revision) time.Time {
	at := time.Time{}
	for _, r := range log {
		switch r.Kind {
		case job.RevisionFounded, job.RevisionApplied, job.RevisionUndone, job.RevisionCorrected:
			at = r.At
		case job.RevisionProposed, job.RevisionWithdrawn, job.RevisionKept:
		}
	}
	return at
}

func mayUndo(log []job.Revision) int {
	for _, r := range slices.Backward(log) {
		switch r.Kind {
		case job.RevisionApplied:
			return r.Seq
		case job.RevisionUndone, job.RevisionFounded, job.RevisionProposed:
			return 0
		case job.RevisionCorrected:
			return r.About
		case job.RevisionWithdrawn, job.RevisionKept:
		}
	}
	return 0
}
