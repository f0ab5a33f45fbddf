package core

import (
	"maps"
	"slices"
	"time"

	"reckoner/scheduler/job"
)

// conversion is what is known of a waiting job whose file holds a workflow in
// the format of ComfyUI's page: it becomes a job with the node classes of a
// server that it may go to.
type conversion struct {
	asking bool
	last   job.ID                 // the server that was asked last
	next   job.Maybe[job.Instant] // when servers are asked again; unknown: as soon as one answers
	no     map[job.ID]*job.Error  // why it does not do with a server's classes
}

// convertAgain is how long servers are left alone that did not tell their
// classes: to tell them is much work.
const convertAgain = 30 * time.Second

// toConvert takes up a waiting job that is not converted yet.
func (s *State) toConvert(j *job.Job) {
	if j.Unconverted && s.conversions[j.ID] == nil {
		s.conversions[j.ID] = &conversion{no: map[job.ID]*job.Error{}}
	}
}

// convertIfDue has jobs converted for servers that answer, one server at a time.
func (t *turn) convertIfDue() {
	if at, ok := t.convertAt.Get(); len(t.conversions) == 0 || !t.convert && (!ok || t.now.Mono < at.Mono) {
		return
	}
	var w wake
	for _, id := range slices.SortedFunc(maps.Keys(t.conversions), compare) {
		c, j := t.conversions[id], t.jobs[id]
		if j == nil || j.State != job.JobWaiting {
			delete(t.conversions, id)
			continue
		}
		if c.asking {
			continue
		}
		if at, waits := c.next.Get(); waits && t.now.Mono < at.Mono {
			w.at(at.Mono)
			continue
		}
		c.next = job.Maybe[job.Instant]{}
		if srv := t.converter(j, c); srv != nil {
			c.asking, c.last = true, srv.rec.ID
			t.act(Convert{
				Job: id, Server: srv.rec.ID, Source: j.Source, Name: j.Name, File: j.File, Inputs: j.Inputs,
			})
		}
	}
	t.convertAt = job.Maybe[job.Instant]{}
	if w.any {
		t.convertAt = job.Known(t.now.Add(w.next - t.now.Mono))
	}
}

// converter gives the server whose classes are tried next: one that answers and
// has not said no, and another one than before where there is one.
func (t *turn) converter(j *job.Job, c *conversion) *server {
	var again *server
	for _, srv := range t.order {
		if !t.allows(j, srv) || !srv.answers() || c.no[srv.rec.ID] != nil {
			continue
		}
		if srv.rec.ID != c.last {
			return srv
		}
		again = srv
	}
	return again
}

// converted takes in what became of a conversion.
func (t *turn) converted(e Converted) {
	c, j := t.conversions[e.Job], t.jobs[e.Job]
	if c == nil || j == nil || j.State != job.JobWaiting || !c.asking {
		return
	}
	c.asking = false
	switch {
	case e.Err == nil:
		delete(t.conversions, e.Job)
		j = t.editJob(e.Job)
		j.Unconverted, j.Graph, j.Type, j.Nodes, j.Loaders = false, e.Graph, e.Type, e.Nodes, e.Loaders
		j.Workflow, j.Inputs, j.Needs, j.Samplers = e.Workflow, e.Inputs, e.Needs, e.Samplers
		t.enqueue(j)
		t.learn([]job.Type{e.Type}, e.Past)
		t.trust(j.Type.Key)
	case e.Refused:
		c.no[e.Server] = e.Err
		t.giveUpConverting(j, c)
	default:
		c.next = job.Known(t.now.Add(convertAgain))
	}
}

// giveUpConverting ends a job for which no server that it may go to does.
func (t *turn) giveUpConverting(j *job.Job, c *conversion) {
	var why *job.Error
	for _, srv := range t.order {
		if !t.allows(j, srv) {
			continue
		}
		if c.no[srv.rec.ID] == nil {
			return
		}
		if why == nil {
			why = c.no[srv.rec.ID]
		}
	}
	if why != nil {
		delete(t.conversions, j.ID)
		t.endJob(j.ID, job.JobNeedsYou, why)
	}
}

// convertHold is the hold of a job that is not converted yet.
func (s *State) convertHold(j *job.Job) (job.Hold, bool) {
	if !j.Unconverted {
		return job.Hold{}, false
	}
	return job.Hold{Code: job.HoldNotConverted, Since: j.Added, Say: job.Say{Code: job.SayNotConverted}}, true
}
