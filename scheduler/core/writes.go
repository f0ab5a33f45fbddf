package core

import (
	"time"

	"reckoner/scheduler/job"
)

// writeAgain is between two tries to write what could not be written.
const writeAgain = 5 * time.Second

// writeFailed takes in that this step's or an earlier one's records are not on
// disk. Nothing was sent that depended on them; nothing more is sent until
// writing works, and everything that changed is written again.
func (t *turn) writeFailed(e WriteFailed) {
	t.State.unwritable = e.Err
	t.State.retryWrite = t.now.Add(writeAgain)
	for _, id := range e.Unsent {
		if o := t.open[id]; o != nil && o.submitting {
			t.unsend(o)
		}
	}
}

// writesIfDue writes all records of what is open again, once a while, until a
// write succeeds: which of the failed ones mattered is not worth keeping apart.
func (t *turn) writesIfDue() {
	if t.State.unwritable == nil || t.now.Mono < t.State.retryWrite.Mono {
		return
	}
	t.State.retryWrite = t.now.Add(writeAgain)
	t.urgent, t.all = true, true
	for _, id := range sortedKeys(t.State.jobs) {
		if _, out := t.jobsOut[id]; !out {
			t.writeJob(t.State.jobs[id])
		}
	}
	for _, id := range sortedKeys(t.newest) {
		if r := t.newest[id]; t.runsOut[r.ID] == nil {
			t.writeRun(r)
		}
	}
	for _, m := range t.State.machines {
		if m.rec.Saved {
			t.outMachines = append(t.outMachines, m.rec)
		}
	}
	t.notesAgain()
	t.outSettings = true
	t.logsAgain()
}

// readingsSeen takes in the readings of a machine's GPUs.
func (t *turn) readingsSeen(e ReadingsSeen) {
	m := t.machine(e.Machine)
	if m == nil {
		return
	}
	delete(m.sources, e.Source)
	for i := range e.Readings {
		if m.read(e.Readings[i], staleAfter*time.Duration(max(1, t.opts.Speed))) {
			t.diagnose(m, e.Readings[i])
			t.follow(m, e.Readings[i])
		}
		reading := e.Readings[i]
		rec := m.rec
		t.say(job.Event{Kind: job.EventReading, Machine: &rec, Reading: &reading})
	}
}

// sourceFailed takes in that a source gives nothing. It is told when it is new.
func (t *turn) sourceFailed(e SourceFailed) {
	m := t.machine(e.Machine)
	if m == nil {
		return
	}
	was, failing := m.sources[e.Source]
	since := t.now.Wall
	if failing {
		since = was.Since
	}
	m.sources[e.Source] = SourceError{Source: e.Source, Err: e.Err, Since: since}
	if !failing || was.Err.Code != e.Err.Code {
		rec := m.rec
		t.say(job.Event{Kind: job.EventSourceError, Machine: &rec, Source: e.Source, Err: e.Err})
	}
}
