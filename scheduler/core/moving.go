package core

import (
	"slices"

	"reckoner/scheduler/job"
)

// placeStep is between the places of jobs that are added one after the other: so
// much room that a job can be moved without the others.
const placeStep = 1 << 20

// move puts a waiting job before another one, or last. Where there is no room
// between two places, those behind move up.
func (t *turn) move(c Move) {
	if _, waits := t.waiting.members[c.Job]; !waits || c.Job == c.Before {
		return
	}
	t.urgent = true
	if c.Before == "" {
		t.place += placeStep
		t.moveJob(c.Job, t.place)
		return
	}
	to, waits := t.waiting.members[c.Before]
	if !waits {
		return
	}
	before := t.waiting.last(to.spotInLine)
	switch {
	case before != nil && before.id == c.Job:
		return // it is there
	case before == nil:
		t.moveJob(c.Job, to.place-placeStep)
		return
	}
	place := before.place + (to.place-before.place)/2
	t.dequeue(c.Job)
	if place == before.place {
		place++
		t.makeRoom(to.spotInLine, place)
	}
	t.moveJob(c.Job, place)
}

// makeRoom moves a job behind a place, and those behind it as far as needed.
func (t *turn) makeRoom(at spotInLine, behind int64) {
	var shift []spotInLine
	for free := behind + 1; at.place < free; free++ {
		shift = append(shift, spotInLine{place: free, id: at.id})
		next := t.waiting.after(at)
		if next == nil {
			break
		}
		at = next.spotInLine
	}
	// From the last on, so that none passes another.
	for _, to := range slices.Backward(shift) {
		t.moveJob(to.id, to.place)
	}
}

func (t *turn) moveJob(id job.ID, place int64) {
	j := t.editJob(id)
	j.Place = place
	t.place = max(t.place, place)
	t.enqueue(j)
}
