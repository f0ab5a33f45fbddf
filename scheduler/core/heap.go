package core

// heap keeps things by an instant, earliest first; of equal ones, by rank. Each
// thing holds its own spot, so that it can be moved in logarithmic time.
type heap[T any] struct{ spots []*spot[T] }

// spot is a thing's place in a heap.
type spot[T any] struct {
	of   T
	at   int64
	rank int
	pos  int // in the heap, from 1; 0 while it is not there
}

// put adds a spot, or moves it.
func (h *heap[T]) put(s *spot[T], at int64) {
	if s.pos == 0 {
		h.spots = append(h.spots, s)
		s.pos = len(h.spots)
		s.at = at
		h.up(s.pos - 1)
		return
	}
	if s.at == at {
		return
	}
	s.at = at
	h.down(h.up(s.pos - 1))
}

// remove takes a spot out, if it is there.
func (h *heap[T]) remove(s *spot[T]) {
	if s.pos == 0 {
		return
	}
	i, last := s.pos-1, len(h.spots)-1
	h.swap(i, last)
	h.spots[last] = nil
	h.spots = h.spots[:last]
	s.pos = 0
	if i < last {
		h.down(h.up(i))
	}
}

// first gives the earliest, or nil.
func (h *heap[T]) first() *spot[T] {
	if len(h.spots) == 0 {
		return nil
	}
	return h.spots[0]
}

func (h *heap[T]) less(i, j int) bool {
	a, b := h.spots[i], h.spots[j]
	return a.at < b.at || a.at == b.at && a.rank < b.rank
}

func (h *heap[T]) swap(i, j int) {
	h.spots[i], h.spots[j] = h.spots[j], h.spots[i]
	h.spots[i].pos, h.spots[j].pos = i+1, j+1
}

// up moves what is at i towards the front, and gives where it ends.
func (h *heap[T]) up(i int) int {
	for i > 0 {
		parent := (i - 1) / 2
		if !h.less(i, parent) {
			break
		}
		h.swap(i, parent)
		i = parent
	}
	return i
}

func (h *heap[T]) down(i int) {
	for {
		child := 2*i + 1
		if child >= len(h.spots) {
			return
		}
		if child+1 < len(h.spots) && h.less(child+1, child) {
			child++
		}
		if !h.less(child, i) {
			return
		}
		h.swap(i, child)
		i = child
	}
}
