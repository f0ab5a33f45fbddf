package core

import (
	"time"

	"reckoner/scheduler/job"
)

// Foreseen is what is known of a job before it is queued, behind all that waits.
type Foreseen struct {
	Expected job.Forecast
	// End is when it is likely to end; unknown where nothing is known of it or of
	// something before it.
	End job.Maybe[TimeRange]
}

// Foresee places jobs behind those that wait, as if they were queued now, and
// changes nothing. Only what says where they may run and how long they take is
// looked at.
func (s *State) Foresee(jobs []job.Job, now job.Instant) []Foreseen {
	plan := s.viewPlan(now)
	for id := range s.waiting.all() {
		v := JobView{Job: s.jobs[id], Holds: s.waiting.members[id].group.holds}
		plan.place(&v)
	}
	all := make([]Foreseen, 0, len(jobs))
	for i := range jobs {
		v := JobView{Job: &jobs[i]}
		plan.place(&v)
		f := Foreseen{Expected: v.Expected}
		if start, ok := v.StartsAbout.Get(); ok && v.Expected.HighS > 0 {
			after := func(s float64) time.Time { return start.Add(seconds(s)) }
			f.End = job.Known(TimeRange{From: after(v.Expected.MidS), To: after(v.Expected.HighS)})
		}
		all = append(all, f)
	}
	return all
}
