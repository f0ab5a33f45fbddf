package core

import (
	"slices"

	"reckoner/scheduler/job"
)

// placeStep is between the places of jobs that are added one after the other: so
// much room that a job can be moved without the others.
const placeStep = 1 << 20

// lastPlace gives a place behind all jobs of a priority.
func (s *State) lastPlace(p job.Priority) int64 {
	at, some := s.ends[p]
	if !some {
		at = p.Start()
	}
	s.ends[p] = at + placeStep
	return at + placeStep
}

// taken notes that a place is in use.
func (s *State) taken(place int64) {
	p := job.PriorityAt(place)
	if at, some := s.ends[p]; !some || place > at {
		s.ends[p] = place
	}
}

// prioritize puts a waiting job last among those of a priority.
func (t *turn) prioritize(c Prioritize) {
	if _, waits := t.waiting.members[c.Job]; !waits || t.jobs[c.Job].Priority() == c.Priority {
		return
	}
	t.urgent = true
	t.moveJob(c.Job, t.lastPlace(c.Priority))
}

// move puts a waiting job before another one, whose priority it gets, or last of
// its own. Where there is no room between two places, those behind move up.
func (t *turn) move(c Move) {
	if _, waits := t.waiting.members[c.Job]; !waits || c.Job == c.Before {
		return
	}
	t.urgent = true
	t.editJob(c.Job).ByHand = true
	if c.Before == "" {
		t.moveJob(c.Job, t.lastPlace(t.jobs[c.Job].Priority()))
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
	t.taken(place)
	t.enqueue(j)
}
