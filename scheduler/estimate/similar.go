package estimate

import (
	"cmp"
	"math"
	"slices"

	"reckoner/scheduler/job"
)

// Distances between job types (estimation, 3.2). The weight of frames and sizes
// is a guess that no log here could test.
const (
	perBatch    = 0.3 // each a factor e in the figure
	perSteps    = 1.0
	perPixels   = 1.0
	otherModels = 1.0
	otherTask   = 0.5
	neighbours  = 5
	lastRuns    = 5 // of a neighbour: of coarse groups the newest say most
)

// distance is how far the cost of one job type is from another's. ok is false
// when nothing of both is known that could be compared.
func distance(a, b job.Type) (float64, bool) {
	d, compared := 0.0, 0
	between := func(weight, x, y float64) {
		if x > 0 && y > 0 {
			d += weight * math.Abs(math.Log(x/y))
			compared++
		}
	}
	between(perBatch, float64(a.Cost.Batch), float64(b.Cost.Batch))
	between(perSteps, float64(a.Cost.Steps), float64(b.Cost.Steps))
	between(perPixels, pixels(a.Cost), pixels(b.Cost))
	if !slices.Equal(a.Models, b.Models) {
		d += otherModels
	}
	if a.Task != b.Task {
		d += otherTask
	}
	return d, compared > 0
}

// pixels are all that a job makes: of a video, of every frame. 0 is unknown.
func pixels(c job.Cost) float64 {
	return float64(c.Width) * float64(c.Height) * float64(max(c.Frames, 1))
}

type neighbour struct {
	key   string
	far   float64
	midS  float64
	large bool
}

// bySimilar is the median of the medians of the five nearest job types on the
// GPU. A time is never carried up a memory cliff: without a neighbour that makes
// as many pixels the upper end is unknown.
func (b *Book) bySimilar(t job.Type, gpu string, x *experience) *Estimate {
	var near []neighbour
	for _, key := range b.onGPU[gpu] {
		l := b.ledgers[place{key, gpu}]
		runs := l.membersOf()
		if len(runs) == 0 {
			runs = l.cold // without warm runs the cold ones are all there is
		}
		if key == t.Key || len(runs) == 0 {
			continue
		}
		of := b.types[key]
		if far, ok := distance(t, of); ok {
			last := baselineOf(newestOf(runs, lastRuns))
			near = append(near, neighbour{key, far, last.mid, pixels(of.Cost) >= pixels(t.Cost)})
		}
	}
	if len(near) == 0 {
		return &Estimate{}
	}
	slices.SortFunc(near, func(a, b neighbour) int { return cmp.Or(cmp.Compare(a.far, b.far), cmp.Compare(a.key, b.key)) })
	near = near[:min(len(near), neighbours)]
	e := &Estimate{level: job.LevelSimilar, basis: len(near), noCeiling: true}
	mids := make([]float64, 0, len(near))
	for _, n := range near {
		mids = append(mids, n.midS)
		e.noCeiling = e.noCeiling && !n.large
	}
	slices.Sort(mids)
	e.midS = middle(mids)
	return fallback(e, x, x.similar.shape, thinSimilar)
}
