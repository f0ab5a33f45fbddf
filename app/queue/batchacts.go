package queue

import (
	"path/filepath"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// actOnBatch carries out what was asked of all jobs of a batch.
func (p *Page) actOnBatch(key job.ID, what string) {
	b := p.list.rows.batch(key)
	if b == nil {
		return
	}
	switch what {
	case doOpen:
		if made := b.results(); len(made) > 0 && p.OnOpen != nil {
			p.OnOpen(filepath.Dir(made[0].File))
		}
	case doFailedAgain:
		p.send(scheduler.RunFailedAgain{Batch: b.id})
	case doCancel:
		p.cancelBatch(b)
	case doFirst, doLast:
		p.moveTo(b, what == doFirst)
	}
}

// cancelBatch cancels the waiting jobs of a batch, after asking: they are many.
func (p *Page) cancelBatch(b *batch) {
	if !b.waiting || p.OnCancelAll == nil {
		return
	}
	ids := make([]job.ID, len(b.members))
	for i, v := range b.members {
		ids[i] = v.Job.ID
	}
	p.OnCancelAll(b.name(), len(ids), func() {
		for _, id := range ids {
			p.send(scheduler.Cancel{Job: id})
		}
	})
}

// moveTo moves the waiting jobs of a batch to the head or the end of the queue.
func (p *Page) moveTo(b *batch, first bool) {
	before := job.ID("")
	if first {
		before = p.snapshot.Waiting[0].Job.ID
	}
	p.moveBefore(b, before)
}

// moveBatch moves the waiting jobs of a batch before the row above it, or behind
// the one below.
func (p *Page) moveBatch(b *batch, forward bool) {
	if !b.waiting {
		return
	}
	var rows []entry // of the section, without jobs inside of batches
	at := -1
	for i := range p.list.rows.length() {
		e := p.list.rows.at(i)
		if !e.waiting || e.heading != "" || e.inner {
			continue
		}
		if e.batch != nil && e.batch.key == b.key {
			at = len(rows)
		}
		rows = append(rows, e)
	}
	switch {
	case at < 0, forward && at == 0, !forward && at == len(rows)-1:
	case forward:
		p.moveBefore(b, rows[at-1].first())
	case at+2 < len(rows):
		p.moveBefore(b, rows[at+2].first())
	default:
		p.moveBefore(b, "")
	}
}

// moveBefore moves all jobs of a batch, in their order.
func (p *Page) moveBefore(b *batch, before job.ID) {
	if b.members[0].Job.ID == before {
		return // it is there
	}
	for _, v := range b.members {
		p.send(scheduler.Move{Job: v.Job.ID, Before: before})
	}
}

// first is the first job of a row.
func (e entry) first() job.ID {
	if e.batch != nil {
		return e.batch.members[0].Job.ID
	}
	return e.id()
}
