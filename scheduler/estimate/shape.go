package estimate

import "slices"

const (
	// shapeKept is how many residuals a shape keeps, the newest (estimation, 3.5).
	shapeKept = 2000
	// shapeBehind is the part of its residuals by which a shape may be behind: it
	// is copied when that is reached, not for every one.
	shapeBehind = 64
)

// shape is how runs of one kind fell around what had been said of them:
// residuals, sorted. It is never changed, so that an estimate can hold on to it.
type shape []float64

// residuals makes shapes of residuals as they come.
type residuals struct {
	shape          shape
	values         []float64 // as they came: a ring once it is full
	next           int
	added, dropped []float64 // since the shape was made
}

func (r *residuals) add(residual float64) {
	if len(r.values) < shapeKept {
		r.values = append(r.values, residual)
	} else {
		r.dropped = append(r.dropped, r.values[r.next])
		r.values[r.next] = residual
		r.next = (r.next + 1) % shapeKept
	}
	r.added = append(r.added, residual)
	if len(r.added)*shapeBehind < len(r.values) {
		return
	}
	sorted := make([]float64, len(r.shape), len(r.shape)+len(r.added))
	copy(sorted, r.shape)
	for _, v := range r.added {
		sorted = insert(sorted, v)
	}
	for _, v := range r.dropped {
		sorted = remove(sorted, v)
	}
	r.shape = slices.Clip(sorted)
	r.added, r.dropped = r.added[:0], r.dropped[:0]
}
