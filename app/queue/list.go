package queue

import (
	"slices"
	"strconv"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// mostTall is how many running, and how many needs-you rows are shown; they are
// a plain box, which lays out all it holds.
const mostTall = 20

// entry is a row of the long list: a heading, a batch, or a job.
type entry struct {
	heading, count string
	batch          *batch
	view           *scheduler.JobView
	waiting, next  bool
	inner          bool // a job of the open batch above it
}

// id names what the row stands for; "" for a heading.
func (e entry) id() job.ID {
	switch {
	case e.batch != nil:
		return e.batch.key
	case e.view != nil:
		return e.view.Job.ID
	}
	return ""
}

// long is the long list of a snapshot: the sections waiting and done, each with
// a heading, in which jobs that were added together are one row that opens. It
// knows what stands where; what a row says is made when the row is seen, so that
// ten thousand jobs cost little more than the few that are.
type long struct {
	s       *scheduler.Snapshot
	rows    []spot
	batches []batch
}

// spot says what stands in a row: the index of a job or a batch in its section.
type spot struct {
	kind    spotKind
	waiting bool
	at      int32
}

type spotKind uint8

const (
	atHeading spotKind = iota
	atJob
	atInner // a job of the open batch above
	atBatch
)

// newLong arranges a snapshot's waiting and done jobs. open says which batches
// show their jobs.
func newLong(s *scheduler.Snapshot, open map[job.ID]bool) long {
	l := long{s: s}
	if s == nil {
		return l
	}
	l.rows = make([]spot, 0, len(s.Waiting)+len(s.Done)+2)
	tallies := tally(s)
	l.section(s.Waiting, true, waitingBatches(s.Waiting), tallies, open)
	l.section(s.Done, false, doneBatches(s.Done), tallies, open)
	return l
}

func (l *long) section(
	views []scheduler.JobView, waiting bool, of map[int][]int, tallies map[job.ID]counts, open map[job.ID]bool,
) {
	if len(views) == 0 {
		return
	}
	l.rows = append(l.rows, spot{kind: atHeading, waiting: waiting})
	seen := map[job.ID]int{} // batches, to tell apart the parts of one that was torn
	for i := range views {
		members, grouped := of[i]
		switch {
		case !grouped:
			l.rows = append(l.rows, spot{kind: atJob, waiting: waiting, at: int32(i)})
			continue
		case members == nil: // further down its batch, which has its row
			continue
		}
		id := views[i].Job.Batch
		b := batch{id: id, key: batchKey(id, waiting, seen[id]), waiting: waiting, counts: tallies[id]}
		seen[id]++
		for _, m := range members {
			b.members = append(b.members, &views[m])
		}
		b.open = open[b.key]
		l.rows = append(l.rows, spot{kind: atBatch, waiting: waiting, at: int32(len(l.batches))}) //nolint:gosec // likewise
		l.batches = append(l.batches, b)
		if b.open {
			for _, m := range members {
				l.rows = append(l.rows, spot{kind: atInner, waiting: waiting, at: int32(m)}) //nolint:gosec // likewise
			}
		}
	}
}

func (l *long) length() int { return len(l.rows) }

// at gives the i-th row.
func (l *long) at(i int) entry {
	if i < 0 || i >= len(l.rows) {
		return entry{}
	}
	p := l.rows[i]
	views, heading := l.s.Done, "DONE"
	if p.waiting {
		views, heading = l.s.Waiting, "WAITING"
	}
	switch p.kind {
	case atHeading:
		return entry{heading: heading, count: strconv.Itoa(len(views))}
	case atBatch:
		b := &l.batches[p.at]
		return entry{batch: b, waiting: p.waiting, next: p.waiting && i == 1}
	case atJob, atInner:
	}
	return entry{view: &views[p.at], waiting: p.waiting, next: p.waiting && p.at == 0, inner: p.kind == atInner}
}

// batch gives the batch with a key, nil when it is not on the list.
func (l *long) batch(key job.ID) *batch {
	for i := range l.batches {
		if l.batches[i].key == key {
			return &l.batches[i]
		}
	}
	return nil
}

// tall gives the running and needs-you jobs that are shown.
func tall(views []scheduler.JobView) (shown []scheduler.JobView, more int) {
	n := min(len(views), mostTall)
	return views[:n], len(views) - n
}

// find gives the view of a job, and nil when it is not on the list.
func find(s *scheduler.Snapshot, id job.ID) *scheduler.JobView {
	if s == nil || id == "" {
		return nil
	}
	for _, views := range [][]scheduler.JobView{s.Running, s.NeedsYou, s.Waiting, s.Done} {
		for i := range views {
			if views[i].Job.ID == id {
				return &views[i]
			}
		}
	}
	return nil
}

// neighbour gives the row that is by rows further down than id, for the arrow
// keys; the first one when id is not on the list.
func neighbour(l long, id job.ID, by int) job.ID {
	if l.s == nil {
		return ""
	}
	var ids []job.ID
	for _, views := range [][]scheduler.JobView{l.s.Running, l.s.NeedsYou} {
		shown, _ := tall(views)
		for i := range shown {
			ids = append(ids, shown[i].Job.ID)
		}
	}
	for i := range l.rows {
		if id := l.at(i).id(); id != "" {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return ""
	}
	at := slices.Index(ids, id)
	if at < 0 && by < len(ids) {
		return ids[0]
	}
	return ids[min(max(at+by, 0), len(ids)-1)]
}
