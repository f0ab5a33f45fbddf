package scheduler

import (
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

// publishEvery bounds how often a snapshot is made; the window draws less often
// still.
const publishEvery = 100 * time.Millisecond

// run is the loop: the one goroutine that owns the core. It ends once the inbox
// is closed and what was in it is handled.
func (e *Engine) run() {
	defer e.commits.close()
	wake := time.NewTimer(0)
	defer wake.Stop()
	draw := time.NewTimer(publishEvery)
	defer draw.Stop()
	dirty := true
	for {
		select {
		case <-e.inbox.ready:
			items, open := e.inbox.take()
			for _, it := range items {
				e.handle(it)
			}
			if !open {
				return
			}
		case <-wake.C:
			e.step(core.Tick{}, nil)
		case <-draw.C:
			if dirty {
				e.publish(e.cfg.Clock.Now())
				dirty = false
			}
			draw.Reset(publishEvery)
			continue
		}
		dirty = true
		e.setWake(wake)
	}
}

func (e *Engine) handle(it item) {
	if it.ask != nil {
		it.ask(e.state)
		return
	}
	if added, ok := it.event.(core.MachineAdded); ok {
		e.hosts.addMachine(added.Machine, added.Servers)
		e.watchLocal(added.Machine, added.Servers)
	}
	if gone, ok := it.event.(core.MachineRemoved); ok && !e.state.InUse(gone.Machine) {
		e.hosts.removeMachine(gone.Machine, e.state.ServersOf(gone.Machine))
	}
	e.step(it.event, it.done)
}

// step gives the core an event, and what it asks for to the committer.
func (e *Engine) step(ev core.Event, done chan error) {
	effects := e.state.Step(ev, e.cfg.Clock.Now())
	for _, told := range effects.Tell {
		if told.Kind == job.EventRunEnded && told.Run != nil {
			e.hosts.live.forget(told.Run.ID)
		}
		if told.Kind == job.EventJobEnded && told.Job != nil {
			e.reports.due(told.Job.Batch)
		}
	}
	e.commits.push(commit{effects: effects, done: done})
}

func (e *Engine) setWake(t *time.Timer) {
	at, wanted := e.state.NextWake()
	if !wanted {
		t.Stop()
		return
	}
	wait := e.cfg.Clock.Real(at - e.cfg.Clock.Now().Mono)
	t.Reset(max(wait, minTick))
}

// minTick keeps a wish that lies in the past from spinning the loop.
const minTick = 2 * time.Millisecond

func (e *Engine) publish(now job.Instant) {
	e.snap.Store(e.state.Snapshot(now))
	e.changes.tell()
}
