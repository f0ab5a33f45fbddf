package core

import (
	"time"

	"reckoner/scheduler/job"
)

// unknownWork is how long a piece of work counts of which nothing is known, so
// that a server which has some of it is not the first choice.
const unknownWork = 10 * time.Minute

// plan places waiting jobs on servers, by what past runs say: each goes where it
// is expected to end first. Dispatch and view use the same rule, so that what is
// shown is what is done. Dispatch considers only servers that nothing holds, and
// keeps their turns from step to step; the view considers all.
type plan struct {
	s        *State
	now      job.Instant
	which    int
	fleets   *fleets
	reserved []*server

	latest  span
	counted bool
	left    int // jobs that cannot be counted
	held    int // those of them that are held
}

// dispatchPlan is the plan of what may be sent.
func (s *State) dispatchPlan(now job.Instant) *plan {
	return &plan{s: s, now: now, which: ofDispatch, fleets: &s.fleets}
}

// viewPlan is the plan of everything.
func (s *State) viewPlan(now job.Instant) *plan {
	p := &plan{s: s, now: now, which: ofView, fleets: &fleets{}}
	for _, srv := range s.order {
		srv.turns[ofView] = turnAt{spot: spot[*server]{of: srv, rank: srv.isFree.rank}}
		if srv.rec.WatchOnly {
			continue
		}
		from, high, known := s.freeAt(srv, now)
		if !known {
			p.left += 1 + len(srv.handed)
			continue
		}
		p.fleets.put(&srv.turns[ofView], s.gpuKey(srv), from, high)
		if srv.run != "" {
			p.until(span{from, high})
		}
	}
	return p
}

func (p *plan) until(at span) {
	p.counted = true
	p.latest.from = max(p.latest.from, at.from)
	p.latest.to = max(p.latest.to, at.to)
}

// best gives the server on which a job is expected to end first, among those
// that may be considered, and when. Where nothing is known of the job's duration
// it is taken to be what it is elsewhere, or nothing: then the server that is
// free first is the best.
func (p *plan) best(j *job.Job, consider func(*server) bool) (*server, span) {
	c := choice{p: p, job: j, elsewhere: p.anyForecast(j)}
	for _, srv := range p.s.serversFor(j) {
		if consider(srv) {
			c.offer(srv)
		}
	}
	return c.best, c.ends
}

// bestOfAll is best for a job that may run on any server: the first of each
// fleet is enough.
func (p *plan) bestOfAll(j *job.Job) (*server, span) {
	c := choice{p: p, job: j, elsewhere: p.anyForecast(j)}
	for _, f := range p.fleets.list {
		if first := f.firstFor(j.Type, p.s.forecastOn(j.Type, f.gpu)); first != nil {
			c.offer(first)
		}
	}
	return c.best, c.ends
}

// choice looks for the server on which a job ends first.
type choice struct {
	p         *plan
	job       *job.Job
	elsewhere job.Forecast
	best      *server
	ends      span
}

func (c *choice) offer(srv *server) {
	at := c.p.turn(srv, c.job.SendAnyway)
	if at == nil {
		return
	}
	f := c.p.s.forecastOn(c.job.Type, at.fleet.gpu)
	if f.HighS == 0 || f.Level == job.LevelSimilar && c.elsewhere.N > 0 {
		f = c.elsewhere
	}
	// Other people's prompts go first; how long they take is not known.
	from := max(at.at, int64(c.p.now.Mono)) + int64(srv.foreign.ahead)*int64(unknownWork)
	cold := int64(seconds(srv.coldS(c.job.Type, f)))
	ends := span{from + int64(seconds(f.MidS)) + cold, max(from, at.high) + int64(seconds(f.HighS)) + cold}
	if c.best == nil || ends.from < c.ends.from ||
		ends.from == c.ends.from && srv.run == "" && c.best.run != "" {
		c.best, c.ends = srv, ends
	}
}

// turn gives a server's turn in the plan, or nil when it has none. A job that
// does not wait for other people's work may go where that holds the others.
func (p *plan) turn(srv *server, anyway bool) *turnAt {
	at := &srv.turns[p.which]
	if at.fleet != nil || !anyway {
		return at.orNil()
	}
	from, high, known := p.s.freeAt(srv, p.now)
	if !known {
		return nil
	}
	return &turnAt{spot: spot[*server]{at: from}, high: high, fleet: &fleet{gpu: p.s.gpuKey(srv)}}
}

func (at *turnAt) orNil() *turnAt {
	if at.fleet == nil {
		return nil
	}
	return at
}

// from is when a server is free, in this plan.
func (p *plan) from(srv *server) int64 { return max(srv.turns[p.which].at, int64(p.now.Mono)) }

// reserve takes a server until a time.
func (p *plan) reserve(srv *server, until span) {
	if at := &srv.turns[p.which]; at.fleet != nil {
		p.fleets.put(at, at.fleet.gpu, until.from, until.to)
		p.reserved = append(p.reserved, srv)
	}
}

// ends is in how many seconds a run is likely to end, as far as that can be
// told: past the longest known run it cannot.
func (o *openRun) ends(elapsed float64) (midS, highS float64, known bool) {
	f := &o.rec.Forecast
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

// place gives a waiting job to its best server, and says when it is likely to
// start and how long it is likely to take.
func (p *plan) place(v *JobView) {
	var best *server
	var ends span
	if len(v.Job.Servers) == 0 && !p.s.lacking(v.Job) {
		best, ends = p.bestOfAll(v.Job)
	} else {
		best, ends = p.best(v.Job, func(srv *server) bool {
			return p.s.allows(v.Job, srv) && p.s.lacks(v.Job, srv) == nil
		})
	}
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
	v.StartsAbout = job.Known(wall(p.from(best), p.now))
	if v.Expected.HighS == 0 {
		p.left++
		p.fleets.drop(&best.turns[p.which]) // nothing behind it can be estimated there
		return
	}
	p.reserve(best, ends)
	p.until(ends)
}

// anyForecast is what is known of a job type on the first server that it may run
// on and that has any past runs of it.
func (p *plan) anyForecast(j *job.Job) job.Forecast {
	if len(j.Servers) == 0 {
		for _, f := range p.fleets.list {
			if f := p.s.forecastOn(j.Type, f.gpu); f.N > 0 {
				return f
			}
		}
		return job.Forecast{}
	}
	for _, srv := range p.s.serversFor(j) {
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
	at := func(mono int64) time.Time { return wall(mono, p.now) }
	return job.Known(TimeRange{From: at(p.latest.from), To: at(p.latest.to)}), p.left
}
