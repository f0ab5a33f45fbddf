package core

import (
	"time"

	"reckoner/scheduler/job"
)

// plan places waiting jobs on servers, by what past runs say: each goes where it
// is expected to end first. Dispatch and view use the same one, so that what is
// shown is what is done.
type plan struct {
	s       *State
	now     time.Time
	free    map[*server]span // when a server is free; absent: never, or unknown
	latest  span
	counted bool
	left    int // jobs that cannot be counted
	held    int // those of them that are held
}

// span is a range of wall times.
type span struct{ from, to time.Time }

func (s *State) newPlan(now job.Instant) *plan {
	p := &plan{s: s, now: now.Wall, free: map[*server]span{}}
	for _, srv := range s.order {
		if srv.rec.WatchOnly {
			continue
		}
		o := s.open[srv.run]
		if o == nil {
			p.free[srv] = span{now.Wall, now.Wall}
			continue
		}
		midS, highS, known := o.ends(o.elapsed(now))
		if !known || o.rec.Stop != nil {
			p.left++
			continue
		}
		at := span{now.Wall.Add(seconds(midS)), now.Wall.Add(seconds(highS))}
		p.free[srv] = at
		p.until(at)
	}
	return p
}

func (p *plan) until(at span) {
	p.counted = true
	if at.from.After(p.latest.from) {
		p.latest.from = at.from
	}
	if at.to.After(p.latest.to) {
		p.latest.to = at.to
	}
}

// best gives the server on which a job is expected to end first, among those
// that may be considered, and when. Where nothing is known of the job's duration
// it is taken to be what it is elsewhere, or nothing: then the server that is
// free first is the best.
func (p *plan) best(j *job.Job, consider func(*server) bool) (*server, span) {
	elsewhere := p.anyForecast(j)
	var best *server
	var ends span
	for _, srv := range p.s.order {
		at, ok := p.free[srv]
		if !ok || !consider(srv) {
			continue
		}
		f := p.s.forecast(j.Type, srv)
		if f.HighS == 0 || f.Level == job.LevelSimilar && elsewhere.N > 0 {
			f = elsewhere
		}
		end := span{at.from.Add(seconds(f.MidS)), at.to.Add(seconds(f.HighS))}
		if best == nil || end.from.Before(ends.from) {
			best, ends = srv, end
		}
	}
	return best, ends
}

// ends is in how many seconds a run is likely to end, as far as that can be
// told: past the longest known run it cannot.
func (o *openRun) ends(elapsed float64) (midS, highS float64, known bool) {
	f := o.rec.Forecast
	if elapsed > max(f.LongestS, f.HighS) || f.HighS == 0 {
		return 0, 0, false
	}
	mid, high := f.MidS, f.HighS
	if o.said != nil {
		if left := o.said.At(elapsed); left.MidS > 0 && left.HighS > 0 {
			mid, high = left.MidS, left.HighS
		}
	}
	midS = max(0, mid-elapsed)
	return midS, max(midS, high-elapsed), true
}

// reserve takes a server until a time.
func (p *plan) reserve(srv *server, until span) { p.free[srv] = until }

// place gives a waiting job to its best server, and says when it is likely to
// start and how long it is likely to take.
func (p *plan) place(v *JobView) {
	best, ends := p.best(v.Job, func(srv *server) bool { return p.s.allows(v.Job, srv) })
	if best == nil {
		p.left++
		if len(v.Holds) > 0 {
			p.held++
		}
		v.Expected = p.anyForecast(v.Job)
		return
	}
	v.Expected = p.s.forecast(v.Job.Type, best)
	v.MachineName = p.s.machineName(best)
	if len(v.Holds) > 0 {
		p.left++
		p.held++
		return
	}
	v.StartsAbout = job.Known(p.free[best].from)
	if v.Expected.HighS == 0 {
		p.left++
		delete(p.free, best) // nothing behind it can be estimated there
		return
	}
	p.reserve(best, ends)
	p.until(ends)
}

// anyForecast is what is known of a job type on the first server that it may run
// on and that has any past runs of it.
func (p *plan) anyForecast(j *job.Job) job.Forecast {
	for _, srv := range p.s.order {
		if p.s.allows(j, srv) {
			if f := p.s.forecast(j.Type, srv); f.N > 0 {
				return f
			}
		}
	}
	return job.Forecast{}
}

func (p *plan) end() (job.Maybe[TimeRange], int) {
	if !p.counted {
		return job.Maybe[TimeRange]{}, p.left
	}
	return job.Known(TimeRange{From: p.latest.from, To: p.latest.to}), p.left
}
