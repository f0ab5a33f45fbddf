package core

import (
	"fmt"
	"slices"
	"strings"

	"reckoner/scheduler/job"
)

// queue is the waiting jobs: all in their order, and parted into groups that
// are held alike, so that what holds a hundred thousand jobs is worked out once.
type queue struct {
	line
	members  map[job.ID]member
	groups   map[string]*group
	anywhere []*group            // whose jobs may run on any server, by key
	bound    map[job.ID][]*group // the others, by server
	batches  map[job.ID]int      // how many wait of each batch
	needs    map[string]int      // how many wait with each needs
	types    map[string]int      // how many wait of each job type
}

// group is the waiting jobs of one placement, with their holds as last told.
type group struct {
	placement
	line
	holds []job.Hold
	sign  string
	stale bool // its holds have to be worked out anew
}

// member is where a waiting job stands.
type member struct {
	group *group
	spotInLine
	batch job.ID
	needs string
	typed string
}

// placement is a set of conditions under which jobs are held alike: where they
// may run, whether they wait for other people's work, and what happened to
// others like them.
type placement struct {
	servers []job.ID // none: any
	anyway  bool
	typeKey string // set while runs of this type are cut, or lack memory, somewhere
	batch   job.ID // set while this batch fails
	trial   trial  // set while this batch tries this type somewhere
	needs   string // set while some server lacks them

	unconverted bool // not sent before it is
}

func newQueue() queue {
	return queue{
		members: map[job.ID]member{}, groups: map[string]*group{},
		bound: map[job.ID][]*group{}, batches: map[job.ID]int{}, needs: map[string]int{},
		types: map[string]int{},
	}
}

func (p placement) key() string {
	if len(p.servers) == 0 && !p.anyway && p.typeKey == "" && p.batch == "" && p.trial == (trial{}) && p.needs == "" &&
		!p.unconverted {
		return ""
	}
	return fmt.Sprintf("%v/%t/%s/%s/%v/%s/%t", p.servers, p.anyway, p.typeKey, p.batch, p.trial, p.needs, p.unconverted)
}

// placementOf gives a job's placement.
func (s *State) placementOf(j *job.Job) placement {
	p := placement{servers: j.Servers, anyway: j.SendAnyway, unconverted: j.Unconverted}
	if s.typeApart(j.Type.Key) {
		p.typeKey = j.Type.Key
	}
	if _, on := s.batchHold(j); on {
		p.batch = j.Batch
	}
	if s.onTrial(j) {
		p.trial = trial{batch: j.Batch, typeKey: j.Type.Key}
	}
	if s.lacking(j) {
		p.needs = j.Needs
	}
	return p
}

// add lets a job wait at its place.
func (q *queue) add(j *job.Job, p placement) {
	key := p.key()
	g := q.groups[key]
	if g == nil {
		g = &group{placement: p, stale: true}
		q.groups[key] = g
		if len(p.servers) == 0 {
			q.anywhere = insertGroup(q.anywhere, g)
		}
		for _, id := range p.servers {
			q.bound[id] = insertGroup(q.bound[id], g)
		}
	}
	at := member{
		group: g, spotInLine: spotInLine{place: j.Place, id: j.ID}, batch: j.Batch, needs: j.Needs, typed: j.Type.Key,
	}
	q.line.add(at.spotInLine)
	g.line.add(at.spotInLine)
	q.members[j.ID] = at
	q.batches[j.Batch]++
	q.needs[j.Needs]++
	q.types[j.Type.Key]++
}

// remove takes a job out, if it waits.
func (q *queue) remove(id job.ID) bool {
	at, waits := q.members[id]
	if !waits {
		return false
	}
	delete(q.members, id)
	q.line.remove(at.spotInLine)
	at.group.line.remove(at.spotInLine)
	if q.batches[at.batch]--; q.batches[at.batch] == 0 {
		delete(q.batches, at.batch)
	}
	if q.needs[at.needs]--; q.needs[at.needs] == 0 {
		delete(q.needs, at.needs)
	}
	if q.types[at.typed]--; q.types[at.typed] == 0 {
		delete(q.types, at.typed)
	}
	if g := at.group; g.n == 0 {
		delete(q.groups, g.key())
		q.anywhere = without(q.anywhere, g)
		for _, id := range g.servers {
			if q.bound[id] = without(q.bound[id], g); len(q.bound[id]) == 0 {
				delete(q.bound, id)
			}
		}
	}
	return true
}

func insertGroup(list []*group, g *group) []*group {
	i, there := slices.BinarySearchFunc(list, g, func(a, b *group) int { return strings.Compare(a.key(), b.key()) })
	if there {
		return list
	}
	return slices.Insert(list, i, g)
}

// enqueue lets a job wait at its place, or takes in that it waits otherwise.
func (t *turn) enqueue(j *job.Job) {
	t.waiting.remove(j.ID)
	t.toCheck(j)
	t.newType = t.newType || t.waiting.types[j.Type.Key] == 0
	t.waiting.add(j, t.placementOf(j))
	t.entered = append(t.entered, j.ID)
	t.replan, t.rows.stale = true, true
}

// dequeue takes a job off the queue.
func (t *turn) dequeue(id job.ID) {
	delete(t.passed, id)
	if t.waiting.remove(id) {
		t.left = append(t.left, id)
		t.replan, t.rows.stale = true, true
	}
}

// regroup parts all waiting jobs anew: what happened to jobs like them changed.
func (t *turn) regroup() {
	for _, id := range t.waiting.ids() {
		t.enqueue(t.jobs[id])
	}
	t.regrouped = false
}
