package queue

import (
	"strconv"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// mostTall is how many running, and how many needs-you rows are shown; they are
// a plain box, which lays out all it holds.
const mostTall = 20

// entry is a row of the long list: a heading, or a job.
type entry struct {
	heading, count string
	view           *scheduler.JobView
	waiting, next  bool
}

// long is the long list of a snapshot: the sections waiting and done, each with
// a heading. It makes no row before it is asked for one, so that ten thousand
// jobs cost no more than the few that are seen.
type long struct{ s *scheduler.Snapshot }

func (l long) length() int {
	if l.s == nil {
		return 0
	}
	return section(len(l.s.Waiting)) + section(len(l.s.Done))
}

// section is how many rows a section of n jobs takes.
func section(n int) int {
	if n == 0 {
		return 0
	}
	return n + 1
}

// at gives the i-th row.
func (l long) at(i int) entry {
	if l.s == nil || i < 0 || i >= l.length() {
		return entry{}
	}
	waiting := section(len(l.s.Waiting))
	switch {
	case i == 0 && waiting > 0:
		return entry{heading: "WAITING", count: strconv.Itoa(len(l.s.Waiting))}
	case i < waiting:
		return entry{view: &l.s.Waiting[i-1], waiting: true, next: i == 1}
	case i == waiting:
		return entry{heading: "DONE", count: strconv.Itoa(len(l.s.Done))}
	}
	return entry{view: &l.s.Done[i-waiting-1]}
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

// neighbour gives the job that is by rows further down than id, for the arrow
// keys; the first one when id is not on the list.
func neighbour(s *scheduler.Snapshot, id job.ID, by int) job.ID {
	if s == nil {
		return ""
	}
	running, _ := tall(s.Running)
	needs, _ := tall(s.NeedsYou)
	sections := [][]scheduler.JobView{running, needs, s.Waiting, s.Done}
	at, total := -1, 0
	for _, views := range sections {
		for i := range views {
			if views[i].Job.ID == id {
				at = total + i
			}
		}
		total += len(views)
	}
	if total == 0 {
		return ""
	}
	if at < 0 {
		at, by = 0, 0
	}
	at = min(max(at+by, 0), total-1)
	for _, views := range sections {
		if at < len(views) {
			return views[at].Job.ID
		}
		at -= len(views)
	}
	return ""
}
