package core

import (
	"slices"
	"time"

	"reckoner/scheduler/job"
)

// When a machine loses jobs, and how long it is then left alone before one job
// tries it (DESIGN.md, questions and their defaults).
const (
	lostTrips = 2
	tripFor   = 30 * time.Minute
	cutsAsk   = 2
)

// counted takes in the number that a server gave a submission. A counter that
// goes back shows that the process is a new one: it was down in between.
func (srv *server) counted(number float64, at job.Instant) {
	if number < srv.number && number >= 0 {
		srv.refused = job.Known(at)
	}
	srv.number = number
}

// restartedSince tells whether it is proven that a server's process ended after
// an instant: it refused a connection since.
func (srv *server) restartedSince(at job.Instant) bool {
	refused, ok := srv.refused.Get()
	return ok && refused.Mono > at.Mono
}

// tryAgain puts a job whose run ended through no fault of its own back into the
// queue, a bounded number of times. Errors of the workflow, and stops from
// outside, are never tried again.
func (t *turn) tryAgain(r *job.Run) bool {
	j := t.jobs[r.Job]
	srv := t.State.servers[r.Server]
	switch {
	case r.Stop != nil && r.Stop.Why.OnlyWaiting() && r.Started.IsZero():
		return t.againQueued(j, r)
	case r.Outcome == job.RunLost && r.Stop == nil:
		return t.againLost(j, r, srv)
	case r.Stop != nil && r.Stop.Why == job.StopLimit && r.Label == job.Shared &&
		j.Tries.Cut == 0 && !t.State.settings.CutForGood:
		t.goBack(r, true, job.Say{Code: job.AgainCut}).Tries.Cut++
		return true
	case r.Outcome == job.RunFailed && r.Stop == nil && r.Err != nil && r.Err.Code == job.ErrOutOfMemory:
		return t.againMemory(j, r, srv)
	case r.Outcome == job.RunFailed && r.Stop == nil && r.Err != nil && r.Err.Code == job.ErrServerDisk:
		return t.againDisk(j, r, srv)
	}
	return false
}

// againLost tries a job again that was lost with a restart of its server: one
// that had not started as if it had not been sent, one that ran once, and last.
// Without proof of a restart somebody may have deleted it, and that is theirs to
// do.
func (t *turn) againLost(j *job.Job, r *job.Run, srv *server) bool {
	if srv == nil || j.Tries.Lost > 0 || !srv.restartedSince(runSent(t.now, r)) {
		return false
	}
	say := job.Say{Code: job.AgainLost, Args: job.Args{Server: srv.name()}}
	last := true
	if r.ServerStarted.IsZero() && r.Started.IsZero() {
		say.Code, last = job.AgainUnsent, false
	}
	t.goBack(r, last, say).Tries.Lost++
	return true
}

// runSent gives the instant at which a run was sent, on the monotonic clock.
func runSent(now job.Instant, r *job.Run) job.Instant {
	return now.Add(min(0, r.Sent.Sub(now.Wall)))
}

// againMemory tries a job again that ran out of memory: once on the same server
// after that has freed its memory, which is asked only while nobody else has
// work there, and then on a machine with more of it.
func (t *turn) againMemory(j *job.Job, r *job.Run, srv *server) bool {
	if srv == nil {
		return false
	}
	switch j.Tries.Memory {
	case 0:
		if srv.foreign.ahead == 0 {
			t.act(Free{Server: srv.rec.ID})
		}
		t.goBack(r, false, job.Say{Code: job.AgainMemory, Args: job.Args{Server: srv.name()}}).Tries.Memory++
		return true
	case 1:
		larger := t.largerThan(srv, j)
		if len(larger) == 0 {
			return false
		}
		back := t.goBack(r, false, job.Say{Code: job.AgainElse, Args: job.Args{Server: srv.name()}})
		back.Tries.Memory++
		back.Servers = larger
		return true
	}
	return false
}

// largerThan gives the servers that a job may run on and whose cards have more
// memory than a server's.
func (s *State) largerThan(srv *server, j *job.Job) []job.ID {
	has, ok := srv.memory().Get()
	if !ok {
		return nil
	}
	var larger []job.ID
	for _, other := range s.order {
		if m, ok := other.memory().Get(); ok && m > has && s.allows(j, other) {
			larger = append(larger, other.rec.ID)
		}
	}
	return larger
}

// memory is the size of a server's card in bytes.
func (srv *server) memory() job.Maybe[int64] {
	if info, ok := srv.info.Get(); ok && len(info.Devices) > 0 {
		return info.Devices[0].VRAMTotal
	}
	return job.Maybe[int64]{}
}

// goBack puts a job back into the queue, at its place or last.
func (t *turn) goBack(r *job.Run, last bool, why job.Say) *job.Job {
	j := t.editJob(r.Job)
	j.State = job.JobWaiting
	if last {
		j.Place = t.lastPlace(j.Priority())
	}
	t.enqueue(j)
	t.urgent = true
	if run, ok := t.runsOut[r.ID]; ok {
		run.Story = append(slices.Clip(run.Story), job.Happening{At: t.now.Wall, Say: why})
	}
	t.say(job.Event{Kind: job.EventRequeued, Job: j, Run: r, Why: why})
	return j
}

// counters keeps count of what went wrong in a row on a machine, and asks or
// pauses when it is too much.
func (t *turn) counters(r *job.Run) {
	srv := t.State.servers[r.Server]
	if srv == nil {
		return
	}
	m := t.machine(srv.rec.Machine)
	if m == nil {
		return
	}
	t.countFaults(r, srv, m)
	switch {
	case r.Outcome == job.RunSucceeded:
		m.lost, m.tripped = 0, job.Maybe[job.Instant]{}
		t.setCuts(m, r.TypeKey, 0)
		delete(t.settled, subject{machine: m.rec.ID, typeKey: r.TypeKey})
	case r.Outcome == job.RunLost && r.Stop == nil && srv.restartedSince(runSent(t.now, r)):
		m.lost++
		if m.lost >= lostTrips {
			m.tripped = job.Known(t.now)
		}
	case r.Stop != nil && r.Stop.Why == job.StopLimit && r.Label != job.Shared && r.TypeKey != "":
		t.setCuts(m, r.TypeKey, m.cuts[r.TypeKey]+1)
	case r.Outcome == job.RunFailed:
		t.countFailure(r)
	}
}

// trippedUntil tells whether a machine is left alone after losing jobs, and
// until when.
func (m *machine) trippedUntil(now job.Instant) (job.Instant, bool) {
	at, ok := m.tripped.Get()
	if !ok {
		return job.Instant{}, false
	}
	until := at.Add(tripFor)
	return until, now.Mono < until.Mono
}
