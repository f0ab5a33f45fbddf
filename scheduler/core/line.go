package core

import (
	"iter"

	"reckoner/scheduler/job"
)

// line is jobs in the order of their places, and of their ids where places are
// equal: a treap, so that a job joins or leaves anywhere in logarithmic time,
// however long the queue. Its shape follows from places and ids, never from
// chance.
type line struct {
	root *link
	n    int
}

type link struct {
	spotInLine
	weight      uint64
	left, right *link
}

// spotInLine is where in a line a job stands.
type spotInLine struct {
	place int64
	id    job.ID
}

func (a spotInLine) before(b spotInLine) bool {
	return a.place < b.place || a.place == b.place && a.id < b.id
}

// weightOf scatters places (splitmix64), so that the tree is balanced whatever
// order jobs come in.
func weightOf(at spotInLine) uint64 {
	x := uint64(at.place) + 0x9e3779b97f4a7c15 //nolint:gosec // any bits will do
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func (l *line) add(at spotInLine) {
	l.n++
	l.root = l.root.add(&link{spotInLine: at, weight: weightOf(at)})
}

func (k *link) add(fresh *link) *link {
	switch {
	case k == nil:
		return fresh
	case fresh.weight > k.weight:
		fresh.left, fresh.right = k.split(fresh.spotInLine)
		return fresh
	case fresh.spotInLine.before(k.spotInLine):
		k.left = k.left.add(fresh)
	default:
		k.right = k.right.add(fresh)
	}
	return k
}

// split parts a tree into what is before a spot and the others.
func (k *link) split(at spotInLine) (before, others *link) {
	if k == nil {
		return nil, nil
	}
	if k.spotInLine.before(at) {
		k.right, others = k.right.split(at)
		return k, others
	}
	before, k.left = k.left.split(at)
	return before, k
}

func (l *line) remove(at spotInLine) {
	k := &l.root
	for *k != nil && (*k).spotInLine != at {
		if at.before((*k).spotInLine) {
			k = &(*k).left
		} else {
			k = &(*k).right
		}
	}
	if *k != nil {
		*k = join((*k).left, (*k).right)
		l.n--
	}
}

func join(a, b *link) *link {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	case a.weight > b.weight:
		a.right = join(a.right, b)
		return a
	}
	b.left = join(a, b.left)
	return b
}

// first gives the job at the head, or nil.
func (l *line) first() *link {
	k := l.root
	for k != nil && k.left != nil {
		k = k.left
	}
	return k
}

// after gives the next behind a spot, or nil.
func (l *line) after(at spotInLine) *link {
	var best *link
	for k := l.root; k != nil; {
		if at.before(k.spotInLine) {
			best, k = k, k.left
		} else {
			k = k.right
		}
	}
	return best
}

// last gives the last before a spot, or nil.
func (l *line) last(at spotInLine) *link {
	var best *link
	for k := l.root; k != nil; {
		if k.spotInLine.before(at) {
			best, k = k, k.right
		} else {
			k = k.left
		}
	}
	return best
}

// all gives the jobs in order. The line must not change meanwhile.
func (l *line) all() iter.Seq[job.ID] {
	return func(yield func(job.ID) bool) { l.root.walk(yield) }
}

func (k *link) walk(yield func(job.ID) bool) bool {
	return k == nil || k.left.walk(yield) && yield(k.id) && k.right.walk(yield)
}

// ids gives the jobs in order, as a list of its own.
func (l *line) ids() []job.ID {
	list := make([]job.ID, 0, l.n)
	for id := range l.all() {
		list = append(list, id)
	}
	return list
}
