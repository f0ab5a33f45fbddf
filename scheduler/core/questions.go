package core

import (
	"cmp"
	"slices"
	"time"

	"reckoner/scheduler/job"
)

// unansweredAfter is how long a question waits for the user (rule 4).
const unansweredAfter = 15 * time.Minute

// question is one that the user has not answered yet: about a run, or about a
// subject.
type question struct {
	job.Question
	about subject
}

// ask asks what to do about a run whose stop is not confirmed.
func (t *turn) ask(o *openRun, srv *server) {
	for _, q := range t.questions {
		if q.Run == o.rec.ID {
			return
		}
	}
	q := &question{Question: job.Question{
		// One question a run: its id follows from the run's.
		ID: job.RunID(o.rec.ID, 0), Asked: t.now, Run: o.rec.ID, Server: srv.rec.ID,
		Say: job.Say{Code: job.AskUnconfirmed, Args: job.Args{
			Job: t.jobName(o.rec.Job), Server: srv.name(), Seconds: t.sinceStop(o.rec),
		}},
		Answers: []job.Answer{job.KeepWaiting, job.OutOfUse}, Default: job.OutOfUse,
		Due: t.now.Wall.Add(t.patience()),
	}}
	t.questions = append(slices.Clip(t.questions), q)
	asked := q.Question
	t.say(job.Event{Kind: job.EventQuestion, Run: o.rec, Question: &asked})
}

// patience is how long a question waits before its default is taken.
func (s *State) patience() time.Duration {
	return cmp.Or(s.opts.UnansweredAfter, s.settings.UnansweredAfter, unansweredAfter)
}

// questionsIfDue gives each question that waited long enough its default. They
// are in the order in which they were asked.
func (t *turn) questionsIfDue() {
	after := t.patience()
	for len(t.questions) > 0 && t.now.Since(t.questions[0].Asked) >= after {
		t.decide(t.questions[0], t.questions[0].Default, "default")
	}
}

// forgetRun withdraws the question about a run that has ended.
func (t *turn) forgetRun(id job.ID) {
	for _, q := range t.questions {
		if q.Run == id {
			t.forget(q)
			return
		}
	}
}

// reply takes in the user's answer.
func (t *turn) reply(c Reply) {
	for _, q := range t.questions {
		if q.ID == c.Question && slices.Contains(q.Answers, c.Answer) {
			t.decide(q, c.Answer, "user")
			return
		}
	}
}

func (t *turn) decide(q *question, a job.Answer, by string) {
	t.forget(q)
	asked := q.Question
	if q.about != (subject{}) {
		t.say(job.Event{Kind: job.EventDecided, Question: &asked, Answer: a, By: by})
		t.decideAbout(q.about, a)
		t.urgent = true
		return
	}
	o := t.open[q.Run]
	if o == nil {
		return
	}
	t.say(job.Event{Kind: job.EventDecided, Run: o.rec, Question: &asked, Answer: a, By: by})
	switch a {
	case job.KeepWaiting:
		o.askNext = t.now.Add(unansweredAfter)
	case job.OutOfUse:
		t.outOfUse(o)
	case job.Release, job.TryAgain, job.GiveUp:
		// Not among the answers to this question.
	}
}

// outOfUse takes a server out of use until the run on it ends. The job ends now,
// by what was decided about it; the run stays open, because the server still
// lists it.
func (t *turn) outOfUse(o *openRun) {
	o.excused = true
	if srv := t.State.servers[o.rec.Server]; srv != nil {
		srv.outOfUse = true
	}
	t.endJobOf(o.rec, stoppedAs(o.rec.Stop.Why), nil)
}

func (t *turn) forget(q *question) {
	if q.about != (subject{}) {
		t.regrouped = true
	}
	t.questions = slices.DeleteFunc(slices.Clone(t.questions), func(x *question) bool { return x == q })
}

// stoppedAs is how a job ends whose run was stopped.
func stoppedAs(why job.StopReason) job.JobOutcome {
	switch why {
	case job.StopLimit:
		return job.JobTimedOut
	case job.StopWaited, job.StopTakenBack:
		return job.JobNeedsYou
	case job.StopCancel:
	}
	return job.JobCancelled
}
