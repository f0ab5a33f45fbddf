package core

import (
	"math"
	"slices"
	"time"

	"reckoner/scheduler/job"
)

// courseKept is how many readings of a run are kept at most. Twice as many are
// gathered: then every other one goes, and from there on they come half as often.
const courseKept = 32

// course gathers the readings of a run.
type course struct {
	every    time.Duration
	next     time.Duration // of the monotonic clock
	readings []job.Reading
}

// add takes in a reading, when it is time for one.
func (c *course) add(r job.Reading, now job.Instant) {
	if c.every == 0 {
		c.every = time.Second
	}
	if now.Mono < c.next {
		return
	}
	c.next = now.Mono + c.every
	c.readings = append(c.readings, r)
	if len(c.readings) < 2*courseKept {
		return
	}
	c.every *= 2
	kept := c.readings[:0]
	for i := 1; i < len(c.readings); i += 2 {
		kept = append(kept, c.readings[i])
	}
	c.readings = kept
}

// follow lets the runs of ours on a GPU gather its readings.
func (t *turn) follow(m *machine, r job.Reading) {
	g := m.find(r.GPU)
	if g == nil {
		return
	}
	for _, o := range t.site(m.rec.ID).runs {
		if srv := t.State.servers[o.rec.Server]; srv != nil && o.started.Known() && t.gpuOf(srv) == g {
			o.course.add(g.last, t.now)
		}
	}
}

// conditions are those under which a run that ends now went.
func (t *turn) conditions(o *openRun) job.Conditions {
	var c job.Conditions
	srv := t.State.servers[o.rec.Server]
	if srv == nil {
		return c
	}
	if info, ok := srv.info.Get(); ok {
		c.ComfyUI, c.Torch = info.Version, info.Torch
	}
	of := o.course.readings
	if len(of) == 0 {
		return c
	}
	last := of[len(of)-1]
	c.Driver, c.LimitW = last.Driver, last.Limit
	c.UtilPct = median(of, func(r job.Reading) job.Maybe[float64] { return r.Util })
	c.PowerW = median(of, func(r job.Reading) job.Maybe[float64] { return r.Power })
	c.TempC = median(of, func(r job.Reading) job.Maybe[float64] { return r.Temp })
	c.Course = thinned(of, o.elapsed(t.now))
	return c
}

// thinned gives a course of readings that were taken at equal times over a run.
func thinned(of []job.Reading, took float64) job.Course {
	n := min(len(of), courseKept)
	c := job.Course{EveryS: took / float64(n)}
	for i := range n {
		r := of[(i+1)*len(of)/n-1]
		c.UtilPct = append(c.UtilPct, whole(r.Util))
		c.PowerW = append(c.PowerW, whole(r.Power))
		c.TempC = append(c.TempC, whole(r.Temp))
		mem := -1
		if used, ok := r.MemUsed.Get(); ok {
			mem = int(used >> 20)
		}
		c.MemMiB = append(c.MemMiB, mem)
	}
	for _, figures := range []*[]int{&c.UtilPct, &c.PowerW, &c.TempC, &c.MemMiB} {
		if !slices.ContainsFunc(*figures, func(v int) bool { return v >= 0 }) {
			*figures = nil
		}
	}
	return c
}

func whole(v job.Maybe[float64]) int {
	if v, ok := v.Get(); ok {
		return int(math.Round(v))
	}
	return -1
}

// median is that of a figure over those readings that know it.
func median(of []job.Reading, figure func(job.Reading) job.Maybe[float64]) job.Maybe[float64] {
	var all []float64
	for _, r := range of {
		if v, ok := figure(r).Get(); ok {
			all = append(all, v)
		}
	}
	if len(all) == 0 {
		return job.Maybe[float64]{}
	}
	slices.Sort(all)
	return job.Known(all[len(all)/2])
}
