package queue

import (
	"fmt"
	"slices"
	"strings"

	"reckoner/app/widgets"
	"reckoner/assets/text"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// batch is the jobs of one section that were added together: one row that opens.
type batch struct {
	id      job.ID // of the batch
	key     job.ID // of its row
	waiting bool
	open    bool
	members []*scheduler.JobView // in the order of the list
	counts  counts
}

// counts are how many jobs of a batch the list has, in all sections.
type counts struct{ all, waiting, done, bad, cancelled int }

// batchKey names the row of a batch. A colon keeps it apart from every job's id.
// part tells apart the rows of a waiting batch that others were moved into.
func batchKey(id job.ID, waiting bool, part int) job.ID {
	section := "done"
	if waiting {
		section = "waiting"
	}
	return job.ID(fmt.Sprintf("%s:%s:%d", section, id, part))
}

// tally counts the jobs of every batch. Jobs of a batch mostly stand together, so
// that a long list takes few look-ups.
func tally(s *scheduler.Snapshot) map[job.ID]counts {
	of := map[job.ID]counts{}
	for _, views := range [][]scheduler.JobView{s.Running, s.NeedsYou, s.Waiting, s.Done} {
		for i := 0; i < len(views); {
			id, c := views[i].Job.Batch, of[views[i].Job.Batch]
			for ; i < len(views) && views[i].Job.Batch == id; i++ {
				c.add(views[i].Job)
			}
			if id != "" {
				of[id] = c
			}
		}
	}
	return of
}

func (c *counts) add(j *job.Job) {
	c.all++
	switch {
	case j.State == job.JobWaiting:
		c.waiting++
	case j.State != job.JobEnded:
	case j.Outcome == job.JobDone:
		c.done++
	case j.Outcome == job.JobCancelled:
		c.cancelled++
	default:
		c.bad++
	}
}

// leastBatch is how many jobs make a row of their own.
const leastBatch = 2

// waitingBatches groups waiting jobs of one batch that stand next to each other:
// their order is that of the queue, so nothing is moved together that is not.
// The first job's index has them all, those of the others have nil.
func waitingBatches(views []scheduler.JobView) map[int][]int {
	of := map[int][]int{}
	for i := 0; i < len(views); {
		j, id := i+1, views[i].Job.Batch
		for j < len(views) && views[j].Job.Batch == id {
			j++
		}
		if id != "" && j-i >= leastBatch {
			members := make([]int, 0, j-i)
			for k := i; k < j; k++ {
				members = append(members, k)
				of[k] = nil
			}
			of[i] = members
		}
		i = j
	}
	return of
}

// doneBatches groups ended jobs by their batch, at the place of the newest.
func doneBatches(views []scheduler.JobView) map[int][]int {
	byBatch := map[job.ID][]int{}
	for i := range views {
		if id := views[i].Job.Batch; id != "" {
			byBatch[id] = append(byBatch[id], i)
		}
	}
	of := map[int][]int{}
	for _, members := range byBatch {
		if len(members) < leastBatch {
			continue
		}
		for _, m := range members {
			of[m] = nil
		}
		of[members[0]] = members
	}
	return of
}

// name is the name that the jobs of a batch share, or that of the first with how
// many more there are. Copies of one file share theirs.
func (b *batch) name() string {
	first := b.members[0].Job.Name
	same := !slices.ContainsFunc(b.members, func(v *scheduler.JobView) bool { return v.Job.Name != first })
	if same {
		return fmt.Sprintf("%s × %d", first, max(b.counts.all, len(b.members)))
	}
	return fmt.Sprintf("%s and %d more", first, len(b.members)-1)
}

// BatchRow makes the line of a batch.
func (b *batch) row(s *scheduler.Snapshot, next bool, w text.Language) widgets.LineState {
	l := widgets.LineState{Name: b.name(), Fold: widgets.FoldClosed}
	if b.open {
		l.Fold = widgets.FoldOpen
	}
	if !b.waiting {
		l.Text = b.ended(w)
		switch {
		case len(b.results()) > 0:
			l.Action = widgets.Action{Key: doOpen, Label: "Open"}
		case b.counts.bad > 0:
			l.Action = widgets.Action{Key: doFailedAgain, Label: "Run failed again"}
		}
		if b.counts.bad > 0 {
			l.Tone = widgets.Odd
		}
		return l
	}
	first := WaitingRow(s, b.members[0], next, w)
	l.Text = fmt.Sprintf("%d of %d waiting · %s", len(b.members), b.counts.all, first.Text)
	if len(b.members[0].Holds) == 0 && b.members[0].Expected.N > 0 {
		l.Text += " each"
	}
	l.Right = first.Right
	if slices.ContainsFunc(b.members, func(v *scheduler.JobView) bool { return whereTo(s, v) != l.Right }) {
		l.Right = "different machines"
	}
	return l
}

// ended says how the jobs of a batch ended: "8 of 8 done, 25 min · 8 videos".
func (b *batch) ended(w text.Language) string {
	says := fmt.Sprintf("%d of %d done", b.counts.done, b.counts.all)
	if b.counts.bad > 0 {
		says += fmt.Sprintf(", %d unsuccessful", b.counts.bad)
	}
	if b.counts.cancelled > 0 {
		says += fmt.Sprintf(", %d cancelled", b.counts.cancelled)
	}
	seconds, known := 0.0, true
	var made kinds
	for _, v := range b.members {
		made.count(results(v))
		if v.Run == nil || v.Job.Outcome != job.JobDone {
			continue
		}
		took, ok := v.Run.Seconds.Get()
		seconds, known = seconds+took, known && ok
	}
	if known && seconds > 0 {
		says += ", " + w.Usual(seconds)
	}
	if text := made.String(); text != "" {
		says += " · " + text
	}
	return says
}

// results are the files that the jobs of a batch made.
func (b *batch) results() []job.Output {
	var out []job.Output
	for _, v := range b.members {
		out = append(out, results(v)...)
	}
	return out
}

// picture is the first one that there is of a batch.
func (b *batch) picture() job.Picture {
	for _, v := range b.members {
		if p := picture(v); p != (job.Picture{}) {
			return p
		}
	}
	return job.Picture{}
}

// details are what is shown of a batch, with what can be done to all its jobs at
// once.
func (b *batch) details(w text.Language) DetailState {
	d := DetailState{ID: b.key, Name: b.name(), Picture: b.picture(), Kind: w.Type(b.members[0].Job.Type)}
	for _, v := range b.members {
		if v.Job.Type.Key != b.members[0].Job.Type.Key {
			d.Kind = "Jobs of different kinds"
		}
	}
	if b.waiting {
		d.Actions = []widgets.Action{
			{Key: doFirst, Label: "Move first"},
			{Key: doLast, Label: "Move last"},
			{Key: doCancel, Label: "Cancel all"},
			menuAction(),
		}
	} else if len(b.results()) > 0 {
		d.Actions = []widgets.Action{{Key: doOpen, Label: "Open"}}
	}
	if b.counts.bad > 0 {
		d.Actions = append(d.Actions, widgets.Action{Key: doFailedAgain, Label: "Run failed again"})
	}
	c := b.counts
	for _, line := range []struct {
		n    int
		what string
	}{
		{c.done, "done"},
		{c.bad, "ended without success"},
		{c.cancelled, "cancelled"},
		{c.all - c.done - c.bad - c.cancelled - c.waiting, "running"},
		{c.waiting, "waiting"},
	} {
		if line.n > 0 {
			d.Batch = append(d.Batch, fmt.Sprintf("%d of %d %s", line.n, c.all, line.what))
		}
	}
	d.Batch = append(d.Batch, b.causes(w)...)
	return d
}

// causes says why jobs of a batch did not end well, a line a cause.
func (b *batch) causes(w text.Language) []string {
	var order []string
	n := map[string]int{}
	for _, v := range b.members {
		if v.Job.State != job.JobEnded || v.Job.Outcome == job.JobDone || v.Job.Outcome == job.JobCancelled {
			continue
		}
		why := w.Outcome(v.Job.Outcome)
		if v.Job.Why != nil {
			why = strings.TrimSuffix(said(w, v.Job.Why), ".")
		}
		if n[why] == 0 {
			order = append(order, why)
		}
		n[why]++
	}
	for i, why := range order {
		order[i] = plural(n[why], "job", "jobs") + ": " + why
	}
	return order
}
