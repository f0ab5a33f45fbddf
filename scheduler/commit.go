package scheduler

import (
	"context"
	"errors"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

// commit is what a step of the core asked for.
type commit struct {
	effects core.Effects
	done    chan error // capacity 1: told whether what the step changed is written
}

// commitAll writes what steps changed, then acts, then tells, in their order.
// Steps that are there together are written in one transaction, so a burst costs
// one sync. It ends once the loop has.
func (e *Engine) commitAll() {
	for range e.commits.ready {
		batch, open := e.commits.take()
		e.commit(batch)
		if !open {
			return
		}
	}
}

func (e *Engine) commit(batch []commit) {
	changes, all := merge(batch)
	var err error
	if !isEmpty(changes) {
		// What was decided is written also while the engine stops.
		err = e.cfg.Store.Save(context.Background(), changes)
	}
	switch {
	case err != nil:
		e.log.Error("records could not be written", "err", err)
		e.inbox.push(item{event: core.WriteFailed{Err: asError(err, job.ErrDisk), Unsent: submissions(batch)}})
	case all:
		e.inbox.push(item{event: core.Written{}})
	}
	for _, c := range batch {
		for _, a := range c.effects.Do {
			if _, isSubmit := a.(core.Submit); isSubmit && err != nil {
				continue
			}
			e.act(a)
		}
		for _, ev := range c.effects.Tell {
			e.followers.tell(ev)
		}
		if c.done != nil {
			c.done <- err
		}
	}
}

// merge makes one write of several: of each record the last copy. All says that
// one of them held everything.
func merge(batch []commit) (out job.Changes, all bool) {
	out.Lazy = true
	jobs, runs, notes := map[job.ID]int{}, map[job.ID]int{}, map[job.ID]int{}
	for _, c := range batch {
		w := c.effects.Write
		for _, j := range w.Jobs {
			if i, ok := jobs[j.ID]; ok {
				out.Jobs[i] = j
				continue
			}
			jobs[j.ID] = len(out.Jobs)
			out.Jobs = append(out.Jobs, j)
		}
		for _, r := range w.Runs {
			if i, ok := runs[r.ID]; ok {
				out.Runs[i] = r
				continue
			}
			runs[r.ID] = len(out.Runs)
			out.Runs = append(out.Runs, r)
		}
		out.Machines = append(out.Machines, w.Machines...)
		out.Servers = append(out.Servers, w.Servers...)
		for _, n := range w.Notes {
			if i, ok := notes[n.ID]; ok {
				out.Notes[i] = n
				continue
			}
			notes[n.ID] = len(out.Notes)
			out.Notes = append(out.Notes, n)
		}
		out.Baselines = append(out.Baselines, w.Baselines...)
		out.IdlePower = append(out.IdlePower, w.IdlePower...)
		out.RemoveMachines = append(out.RemoveMachines, w.RemoveMachines...)
		if w.Settings != nil {
			out.Settings = w.Settings
		}
		out.Lazy = out.Lazy && w.Lazy
		all = all || c.effects.All
	}
	return out, all
}

func isEmpty(c job.Changes) bool {
	records := len(c.Jobs) + len(c.Runs) + len(c.Machines) + len(c.Servers) + len(c.RemoveMachines) + len(c.Notes) +
		len(c.Baselines) + len(c.IdlePower)
	return records == 0 && c.Settings == nil
}

func submissions(batch []commit) []job.ID {
	var runs []job.ID
	for _, c := range batch {
		for _, a := range c.effects.Do {
			if s, ok := a.(core.Submit); ok {
				runs = append(runs, s.Run.ID)
			}
		}
	}
	return runs
}

// asError makes any error one with a code.
func asError(err error, code string) *job.Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*job.Error](err); ok {
		return e
	}
	return job.Errorf(code, job.Args{Detail: err.Error()}, err)
}
