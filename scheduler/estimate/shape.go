package estimate

import "slices"

// shapeKept is how many residuals a shape keeps, the newest (estimation, 3.5).
const shapeKept = 2000

// Shape is how runs of one kind fell around what had been said of them:
// residuals, sorted. It is never changed, so that an estimate can hold on to it;
// with gives the next one. The zero Shape has no residuals.
type Shape struct {
	sorted []float64
	oldest *ring
}

// ring holds the residuals as they came. Only the newest Shape uses it.
type ring struct {
	values []float64
	next   int
}

func (s Shape) with(residual float64) Shape {
	if s.oldest == nil {
		s.oldest = &ring{}
	}
	r := s.oldest
	next := make([]float64, len(s.sorted), len(s.sorted)+1)
	copy(next, s.sorted)
	if len(r.values) < shapeKept {
		r.values = append(r.values, residual)
	} else {
		next = remove(next, r.values[r.next])
		r.values[r.next] = residual
		r.next = (r.next + 1) % shapeKept
	}
	i, _ := slices.BinarySearch(next, residual)
	return Shape{sorted: slices.Insert(next, i, residual), oldest: r}
}

func (s Shape) n() int { return len(s.sorted) }
