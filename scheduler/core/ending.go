package core

import (
	"slices"
	"time"

	"reckoner/scheduler/job"
)

// seenEvery is how often every known server of a GPU must have been read during
// a run for its label to say that nobody else was there (estimation, 3.4).
const seenEvery = 15 * time.Second

// endRun ends a run by its entry in the server's history: the record.
func (t *turn) endRun(o *openRun, rec job.Record) {
	r := t.editRun(o)
	if rec.PromptID != "" {
		r.PromptID = rec.PromptID
	}
	if r.State == job.RunIntended {
		t.accepted(o, rec.PromptID, job.StoryFound)
	}
	t.witness(o, job.SawHistory)
	r = t.editRun(o)
	r.Outcome = rec.Outcome
	if r.Outcome == "" {
		r.Outcome = o.heardEnd // servers before 2024 keep no word of the end
	}
	if r.Outcome == "" {
		// A history entry is written when a prompt is over; one that does not say
		// how is not a success.
		r.Outcome = job.RunFailed
	}
	if rec.Err != nil {
		r.Err = rec.Err
	}
	r.ServerStarted, r.ServerEnded = rec.Started, rec.Ended
	if !rec.Started.IsZero() && !rec.Ended.Before(rec.Started) {
		r.Seconds = job.Known(rec.Ended.Sub(rec.Started).Seconds())
	}
	if r.Started.IsZero() {
		// It was over before it was seen to start: its start is the server's, and
		// nobody watched the GPU meanwhile, unless it was too short to matter.
		r.Started = t.now.Wall.Add(-seconds(r.Seconds.Or(0)))
		if r.Seconds.Or(0) > seenEvery.Seconds() {
			r.Gaps++
		}
	}
	r.Listed = rec.Outputs
	r.Start = startKind(t.jobs[r.Job], rec)
	t.finish(o, rec.OtherOutputs)
}

// gone ends a run that is neither on its server's queue nor in its history.
func (t *turn) gone(o *openRun) {
	t.witness(o, job.SawAbsent)
	r := t.editRun(o)
	r.Outcome = job.RunLost
	srv := t.State.servers[r.Server]
	if r.Stop == nil {
		r.Err = job.Errorf(job.ErrVanished, job.Args{Server: srv.name()}, nil)
	}
	t.story(r, job.StoryLost, job.Args{Server: srv.name()})
	t.finish(o, 0)
}

// finish closes a run whose outcome is known, tells it, and lets its job go on.
func (t *turn) finish(o *openRun, others int) {
	r := t.editRun(o)
	r.Label = t.label(o)
	r.SilenceS = t.silenceOf(o, t.now).Seconds()
	r.Conditions = t.conditions(o)
	if r.Outcome == job.RunSucceeded {
		r.AfterS, r.MemoryB = t.afterSteps(o, t.now).Seconds(), o.memory
	}
	if r.Stop != nil {
		stop := *r.Stop
		stop.Confirmed = t.now.Wall
		r.Stop = &stop
		after := t.now.Wall.Sub(stop.At).Seconds()
		t.story(r, job.StoryStopped, job.Args{Seconds: after})
		t.say(job.Event{Kind: job.EventStopped, Run: r, AfterS: after})
	}
	switch r.Outcome {
	case job.RunSucceeded:
		r.FinishedLate = !r.LimitPassed.IsZero() && !(r.Seconds.Known() && r.Seconds.Or(0) <= r.LimitS)
		code := job.StorySucceeded
		if r.FinishedLate {
			code = job.StoryLate
		}
		t.story(r, code, job.Args{Seconds: r.Seconds.Or(0)})
	case job.RunFailed:
		t.story(r, job.StoryFailed, job.Args{})
	case job.RunInterrupted:
		t.story(r, job.StoryInterrupted, job.Args{})
	case job.RunLost:
	}
	t.closeRun(o)
	t.noteRunEnded(r)
	t.remember(r, t.jobs[r.Job].Type, o.said)
	t.goOn(r, others)
}

// closeRun takes a run that ended off its server.
func (t *turn) closeRun(o *openRun) {
	r := t.editRun(o)
	r.State = job.RunEnded
	r.Ended = t.now.Wall
	delete(t.open, r.ID)
	o.site.leave(o)
	t.setTrial(o, false)
	t.forgetRun(r.ID)
	if srv := t.State.servers[r.Server]; srv != nil {
		t.next(srv, r.ID)
	}
	t.urgent = true
}

// goOn decides what a run's end means for its job.
func (t *turn) goOn(r *job.Run, others int) {
	if r.Outcome == job.RunSucceeded {
		t.counters(r)
		if len(r.Listed) > 0 {
			t.collect(r)
			return
		}
		t.sayEnded(r)
		outcome := job.JobNoOutput
		if others > 0 {
			outcome = job.JobDone
		}
		t.endJobOf(r, outcome, r.Err)
		return
	}
	if r.Outcome == job.RunInterrupted && r.Stop == nil && r.Err == nil {
		r.Err = job.Errorf(job.ErrInterrupted, job.Args{Server: t.State.servers[r.Server].name()}, nil)
	}
	t.sayEnded(r)
	t.counters(r)
	if t.jobs[r.Job].State == job.JobRunning && t.tryAgain(r) {
		return
	}
	switch {
	case r.Stop != nil:
		t.endJobOf(r, stoppedAs(r.Stop.Why), r.Err)
	case r.Outcome == job.RunLost && t.jobs[r.Job].Tries.Lost > 0:
		t.endJobOf(r, job.JobNeedsYou, r.Err) // lost twice
	case r.Outcome == job.RunLost:
		t.endJobOf(r, job.JobLost, r.Err)
	default:
		t.endJobOf(r, job.JobFailed, r.Err)
	}
}

func (t *turn) sayEnded(r *job.Run) { t.say(job.Event{Kind: job.EventRunEnded, Run: r}) }

// endJobOf ends the job of a run. A job whose run was cut, and which ended by
// that, is ended again when the run turns out to have ended otherwise.
func (t *turn) endJobOf(r *job.Run, outcome job.JobOutcome, why *job.Error) {
	j := t.jobs[r.Job]
	if j == nil || j.State == job.JobEnded && j.Outcome == outcome {
		return
	}
	t.endJob(r.Job, outcome, why)
	t.editJob(r.Job).FinishedLate = r.FinishedLate
}

// endJob ends a job.
func (t *turn) endJob(id job.ID, outcome job.JobOutcome, why *job.Error) {
	j := t.editJob(id)
	if j.State == job.JobWaiting {
		t.dequeue(id)
	}
	if j.State != job.JobEnded {
		t.State.ended = append(t.State.ended, id)
	}
	j.State, j.Outcome, j.Why, j.Ended = job.JobEnded, outcome, why, t.now.Wall
	t.urgent = true
	t.say(job.Event{Kind: job.EventJobEnded, Job: j, Run: t.newest[id]})
}

// label judges whether a run had its GPU to itself, by what was seen of the
// known servers of that GPU and never by how long it took.
func (t *turn) label(o *openRun) job.Label {
	if len(o.rec.Foreign) > 0 {
		return job.Shared
	}
	srv := t.State.servers[o.rec.Server]
	if srv == nil || o.rec.Gaps > 0 || o.recovered {
		return job.LabelUnknown
	}
	if o.rec.Seconds.Or(seenEvery.Seconds()+1) <= 0 {
		return job.LabelUnknown
	}
	for other := range t.neighbours(srv) {
		at, ok := other.queueAt.Get()
		if !ok || t.now.Since(at) > seenEvery {
			return job.LabelUnknown
		}
	}
	return job.Clean
}

// startKind tells what the server had ready, from the nodes whose results it
// took from its cache.
func startKind(j *job.Job, rec job.Record) job.StartKind {
	if j == nil || j.Nodes == 0 || rec.Started.IsZero() {
		return ""
	}
	if len(rec.Cached) >= j.Nodes {
		return job.Cached
	}
	for _, loader := range j.Loaders {
		if !slices.Contains(rec.Cached, loader) {
			return job.Cold
		}
	}
	return job.Warm
}
