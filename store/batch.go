package store

import (
	"maps"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"

	"reckoner/scheduler/job"
)

// batch is what goes into one transaction: of each record the newest form.
type batch struct {
	jobs     map[job.ID]*job.Job
	runs     map[job.ID]*job.Run
	machines ordered[job.Machine]
	servers  ordered[job.Server]
	removed  map[job.ID]bool // machines
	settings *job.Settings
	logs     []job.BaselineLog
	idle     map[string]job.IdlePower // by GPU
	notes    ordered[*job.Note]
}

// ordered are records by id, in the order in which they came.
type ordered[T any] struct {
	ids  []job.ID
	byID map[job.ID]T
}

func (o *ordered[T]) put(id job.ID, record T) {
	if o.byID == nil {
		o.byID = map[job.ID]T{}
	}
	if _, there := o.byID[id]; !there {
		o.ids = append(o.ids, id)
	}
	o.byID[id] = record
}

func (o *ordered[T]) clone() ordered[T] {
	return ordered[T]{ids: append([]job.ID(nil), o.ids...), byID: maps.Clone(o.byID)}
}

func (b *batch) clone() batch {
	return batch{
		jobs: maps.Clone(b.jobs), runs: maps.Clone(b.runs),
		machines: b.machines.clone(), servers: b.servers.clone(),
		removed: maps.Clone(b.removed), settings: b.settings, logs: slices.Clone(b.logs),
		notes: b.notes.clone(), idle: maps.Clone(b.idle),
	}
}

func (b *batch) empty() bool {
	return len(b.jobs) == 0 && len(b.runs) == 0 && len(b.machines.ids) == 0 && len(b.servers.ids) == 0 &&
		len(b.removed) == 0 && b.settings == nil && len(b.logs) == 0 && len(b.notes.ids) == 0 &&
		len(b.idle) == 0
}

// add puts changes on top of those that are there.
func (b *batch) add(c job.Changes) {
	for _, j := range c.Jobs {
		if b.jobs == nil {
			b.jobs = map[job.ID]*job.Job{}
		}
		b.jobs[j.ID] = j
	}
	for _, r := range c.Runs {
		if b.runs == nil {
			b.runs = map[job.ID]*job.Run{}
		}
		b.runs[r.ID] = r
	}
	for _, m := range c.Machines {
		b.machines.put(m.ID, m)
		delete(b.removed, m.ID)
	}
	for _, s := range c.Servers {
		b.servers.put(s.ID, s)
	}
	for _, id := range c.RemoveMachines {
		if b.removed == nil {
			b.removed = map[job.ID]bool{}
		}
		b.removed[id] = true
	}
	b.logs = append(b.logs, c.Baselines...)
	for _, p := range c.IdlePower {
		if b.idle == nil {
			b.idle = map[string]job.IdlePower{}
		}
		b.idle[p.GPU] = p
	}
	for _, n := range c.Notes {
		b.notes.put(n.ID, n)
	}
	if c.Settings != nil {
		settings := *c.Settings
		b.settings = &settings
	}
}

// apply writes the batch. Machines are removed last, with whatever was saved of
// them in the same batch.
func (b *batch) apply(tx *bolt.Tx, now time.Time) error {
	for _, j := range b.jobs {
		if err := putJob(tx, j); err != nil {
			return err
		}
	}
	for _, r := range b.runs {
		if err := putRun(tx, r); err != nil {
			return err
		}
	}
	// Records of one batch differ by a nanosecond in their keys, to keep their
	// order.
	for i, id := range b.machines.ids {
		if err := putMachine(tx, b.machines.byID[id], now.Add(time.Duration(i))); err != nil {
			return err
		}
	}
	for i, id := range b.servers.ids {
		if err := putServer(tx, b.servers.byID[id], now.Add(time.Duration(i))); err != nil {
			return err
		}
	}
	for _, log := range b.logs {
		if err := putBaseline(tx, log); err != nil {
			return err
		}
	}
	for _, id := range b.notes.ids {
		if err := putNote(tx, b.notes.byID[id]); err != nil {
			return err
		}
	}
	if err := putIdlePower(tx, maps.Clone(b.idle)); err != nil {
		return err
	}
	for id := range b.removed {
		if err := removeMachine(tx, id); err != nil {
			return err
		}
	}
	if b.settings != nil {
		return putSettings(tx, *b.settings)
	}
	return nil
}
