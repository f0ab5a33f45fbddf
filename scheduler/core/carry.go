package core

import (
	"maps"
	"slices"
	"time"

	"reckoner/scheduler/job"
)

// command carries out what the user wants.
func (t *turn) command(c Command) {
	switch c := c.(type) {
	case Cancel:
		t.cancel(c.Job)
	case Move:
		t.move(c)
	case Pause:
		t.State.settings.Paused = c.On
		t.outSettings, t.urgent = true, true
	case Configure:
		c.Settings.Paused = t.State.settings.Paused
		t.State.settings = c.Settings
		t.outSettings, t.urgent = true, true
	case PauseMachine:
		if m := t.machine(c.Machine); m != nil {
			m.rec.Paused = c.On
			t.touch(t.site(m.rec.ID))
			t.writeMachine(m)
		}
	case SendAnyway:
		t.sendAnyway(c.Job)
	case Restore:
		t.restore(c.Job)
	case Prioritize:
		t.prioritize(c)
	case SetLimit:
		t.setLimit(c)
	case CancelOn:
		t.cancelOn(c.Machine)
	case RunFailedAgain:
		t.runFailedAgain(c.Batch)
	case Ignore:
		t.ignore(c)
	case MoveTo:
		t.moveTo(c)
	case Again:
		t.again(c.Job)
	case Dismiss:
		t.dismiss(c.Job)
	case Reply:
		t.reply(c)
	case AnswerBaseline:
		t.answerBaseline(c)
	case HandOver:
		t.handOver(c.Count)
	case TakeBack:
		t.takeBack()
	case Leave:
		t.leave(c.On)
	case StartTest, EndTest, WithdrawNote, RewordNote, WriteNote:
		t.noteCommand(c)
	}
}

// sendAnyway lets a job go although other people's work is where it goes.
func (t *turn) sendAnyway(id job.ID) {
	if j := t.jobs[id]; j == nil || j.State != job.JobWaiting {
		return
	}
	j := t.editJob(id)
	j.SendAnyway = true
	t.enqueue(j)
	t.urgent = true
}

// leave stops every run and sends nothing more, or lets the queue go on.
func (t *turn) leave(on bool) {
	t.leaving = on
	if !on {
		return
	}
	for _, o := range t.openInOrder() {
		t.cancel(o.rec.Job)
	}
}

// writeMachine writes a machine's record, when it is one that is kept.
func (t *turn) writeMachine(m *machine) {
	if m.rec.Saved {
		t.outMachines = append(t.outMachines, m.rec)
		t.urgent = true
	}
}

// setLimit changes a time limit. One that has already passed is not taken back.
func (t *turn) setLimit(c SetLimit) {
	j := t.jobs[c.Job]
	if j == nil || j.State != job.JobWaiting && j.State != job.JobRunning {
		return
	}
	t.editJob(c.Job).Limit = c.Limit
	t.urgent = true
	if o := t.open[job.RunID(j.ID, j.Attempt)]; o != nil && o.rec.Stop == nil {
		r := t.editRun(o)
		r.LimitS, r.Extended = t.limitOf(c.Limit, r.Forecast), false
	}
}

// cancelOn cancels what is ours on a machine.
func (t *turn) cancelOn(id job.ID) {
	m := t.machine(id)
	if m == nil {
		return
	}
	for _, o := range slices.Clone(t.site(id).runs) {
		t.cancel(o.rec.Job)
	}
	for _, waiting := range t.waiting.ids() {
		if t.onlyOn(t.jobs[waiting], id) {
			t.cancel(waiting)
		}
	}
}

// onlyOn tells whether a job may run on servers of a machine and on no others.
func (t *turn) onlyOn(j *job.Job, machine job.ID) bool {
	some := false
	for _, srv := range t.order {
		if !t.allows(j, srv) {
			continue
		}
		if srv.rec.Machine != machine {
			return false
		}
		some = true
	}
	return some
}

func (t *turn) runFailedAgain(batch job.ID) {
	for _, id := range slices.Clone(t.State.ended) {
		if j := t.jobs[id]; batch != "" && j.Batch == batch && j.Outcome != job.JobDone && j.Outcome != job.JobCancelled {
			t.again(id)
		}
	}
}

// ignore ignores a reason to hold on a machine. Records are shared, so the map
// is copied before it changes.
func (t *turn) ignore(c Ignore) {
	m := t.machine(c.Machine)
	if m == nil {
		return
	}
	ignored := maps.Clone(m.rec.Ignored)
	if ignored == nil {
		ignored = map[job.HoldCode]time.Time{}
	}
	maps.DeleteFunc(ignored, func(_ job.HoldCode, until time.Time) bool { return !until.After(t.now.Wall) })
	if c.Until.IsZero() {
		delete(ignored, c.Code)
	} else {
		ignored[c.Code] = c.Until
	}
	m.rec.Ignored = ignored
	t.touch(t.site(m.rec.ID))
	t.writeMachine(m)
}

func (t *turn) cancel(id job.ID) {
	j := t.jobs[id]
	if j == nil {
		return
	}
	switch j.State {
	case job.JobWaiting:
		t.endJob(id, job.JobCancelled, nil)
	case job.JobRunning:
		if o := t.open[job.RunID(j.ID, j.Attempt)]; o != nil {
			t.wantStop(o, job.StopCancel)
		}
	case job.JobCollecting:
		t.leaveResults(id)
	case job.JobEnded:
		// There is nothing to stop.
	}
}

func (t *turn) moveTo(c MoveTo) {
	j := t.jobs[c.Job]
	if j == nil || j.State != job.JobWaiting {
		return
	}
	var servers []job.ID
	for _, srv := range t.order {
		if c.Machine != "" && srv.rec.Machine == c.Machine && !srv.rec.WatchOnly {
			servers = append(servers, srv.rec.ID)
		}
	}
	if c.Machine != "" && len(servers) == 0 {
		return
	}
	j = t.editJob(c.Job)
	j.Servers = servers
	if m := t.machine(c.Machine); m != nil {
		t.trustOn(m, j.Type.Key) // the user wants it there
	}
	t.enqueue(j)
	t.urgent = true
}

// again puts an ended job back into the queue, last.
func (t *turn) again(id job.ID) {
	j := t.jobs[id]
	if j == nil || j.State != job.JobEnded || t.open[job.RunID(j.ID, j.Attempt)] != nil {
		return
	}
	j = t.editJob(id)
	j.Place = t.lastPlace(j.Priority())
	j.State, j.Outcome, j.Why, j.FinishedLate, j.Hidden = job.JobWaiting, "", nil, false, false
	j.Tries = job.Tries{}
	t.trust(j.Type.Key)
	t.ended = without(t.ended, id)
	t.enqueue(j)
	t.toConvert(j)
	t.urgent = true
	t.say(job.Event{Kind: job.EventJobAdded, Job: j})
}

// dismiss takes an ended job off the list.
func (t *turn) dismiss(id job.ID) {
	if j := t.jobs[id]; j == nil || j.State != job.JobEnded {
		return
	}
	t.editJob(id).Hidden = true
	t.urgent = true
}

func index(list []job.ID, id job.ID) int { return slices.Index(list, id) }

func without[T comparable](list []T, x T) []T {
	kept := make([]T, 0, len(list))
	for _, y := range list {
		if y != x {
			kept = append(kept, y)
		}
	}
	return kept
}
