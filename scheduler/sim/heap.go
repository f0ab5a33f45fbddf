package sim

import "cmp"

// item is a prompt that was accepted.
type item struct {
	number  float64
	written any // the number as it stands in replies: an int, or a float that the sender chose
	id      string
	prompt  *object
	extra   *object
	outputs []string // the output nodes that passed validation
}

// before is the order of Python's tuples (number, id, ...).
func (it *item) before(other *item) bool {
	if c := cmp.Compare(it.number, other.number); c != 0 {
		return c < 0
	}
	return it.id < other.id
}

// A server lists its waiting prompts as the raw array of Python's heapq, so the
// array is built with exactly heapq's moves.

// heapPush adds an item as heapq.heappush does.
func heapPush(h []*item, x *item) []*item {
	h = append(h, x)
	siftUp(h, 0, len(h)-1)
	return h
}

// heapPop takes the first item as heapq.heappop does.
func heapPop(h []*item) ([]*item, *item) {
	last := h[len(h)-1]
	h = h[:len(h)-1]
	if len(h) == 0 {
		return h, last
	}
	first := h[0]
	h[0] = last
	siftDown(h, 0)
	return h, first
}

// heapDelete removes the i-th of the array and restores the heap as
// heapq.heapify does.
func heapDelete(h []*item, i int) []*item {
	h = append(h[:i:i], h[i+1:]...)
	for j := len(h)/2 - 1; j >= 0; j-- {
		siftDown(h, j)
	}
	return h
}

// siftUp moves h[pos] towards the root, but not past start.
func siftUp(h []*item, start, pos int) {
	x := h[pos]
	for pos > start {
		parent := (pos - 1) / 2
		if !x.before(h[parent]) {
			break
		}
		h[pos] = h[parent]
		pos = parent
	}
	h[pos] = x
}

// siftDown moves the smaller child up until a leaf is free, then lets the item
// rise from there: heapq's way, which leaves another array than the textbook's.
func siftDown(h []*item, pos int) {
	start, end := pos, len(h)
	x := h[pos]
	for child := 2*pos + 1; child < end; child = 2*pos + 1 {
		if right := child + 1; right < end && !h[child].before(h[right]) {
			child = right
		}
		h[pos] = h[child]
		pos = child
	}
	h[pos] = x
	siftUp(h, start, pos)
}
