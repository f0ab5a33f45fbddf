package core

import (
	"maps"
	"slices"
	"time"

	"reckoner/scheduler/job"
)

// failAlike is how many jobs of a batch must fail in the same way before the
// rest of it waits for the user.
const failAlike = 3

// failure is a way to fail: the same node class with the same kind of error.
type failure struct {
	batch job.ID
	class string
	code  string
}

// countFailure counts how a batch fails, and asks when it goes on failing alike.
func (t *turn) countFailure(r *job.Run) {
	j := t.jobs[r.Job]
	if j.Batch == "" || r.Err == nil || r.Stop != nil ||
		j.Tries.Memory == 0 && r.Err.Code == job.ErrOutOfMemory || j.Tries.Disk == 0 && r.Err.Code == job.ErrServerDisk {
		return // it is tried again first
	}
	way := failure{batch: j.Batch, class: r.Err.Args.Class, code: r.Err.Code}
	t.failures[way]++
	if n := t.failures[way]; n >= failAlike && t.waiting.batches[j.Batch] > 0 {
		t.askAbout(subject{batch: j.Batch}, job.Say{Code: job.AskBatchFailing, Args: job.Args{
			Job: j.Name, Count: n, Class: way.class, Detail: way.code,
		}})
	}
}

// setCuts notes how many runs of a type, in a row, their limit stopped on a
// machine. Jobs of that type wait apart from others while there are any.
func (t *turn) setCuts(m *machine, typeKey string, n int) {
	was := m.cuts[typeKey]
	if was == n {
		return
	}
	switch {
	case was == 0:
		t.cutTypes[typeKey]++
		t.regrouped = true
	case n == 0:
		if t.cutTypes[typeKey]--; t.cutTypes[typeKey] == 0 {
			delete(t.cutTypes, typeKey)
		}
		t.regrouped = true
	}
	if n == 0 {
		delete(m.cuts, typeKey)
	} else {
		m.cuts[typeKey] = n
	}
	t.cut = true
	t.holdsAnew()
}

// subject is what a question is about, beside a run: the jobs of one type on one
// machine, the rest of a batch, or jobs whose needs no server has.
type subject struct {
	batch   job.ID
	machine job.ID
	typeKey string
	needs   string
}

// id tells subjects apart.
func (b subject) id() job.ID { return b.batch + "/" + b.machine + "/" + job.ID(b.typeKey+b.needs) }

// covers tells whether a waiting job is held by a question about a subject.
func (b subject) covers(j *job.Job) bool {
	if b.batch != "" {
		return j.Batch == b.batch
	}
	return j.Type.Key == b.typeKey
}

// askAbout asks the user about a subject, once.
func (t *turn) askAbout(about subject, say job.Say) {
	if slices.ContainsFunc(t.questions, func(q *question) bool { return q.about == about }) {
		return
	}
	q := &question{about: about, Question: job.Question{
		ID:    job.RunID(about.id(), int(t.now.Mono/time.Millisecond)),
		Asked: t.now, Say: say, Answers: []job.Answer{job.TryAgain, job.GiveUp}, Default: job.GiveUp,
		Due: t.now.Wall.Add(t.patience()),
	}}
	t.questions = append(slices.Clip(t.questions), q)
	t.regrouped = true
	asked := q.Question
	t.say(job.Event{Kind: job.EventQuestion, Question: &asked})
}

// cutsIfDue asks about a job type whose runs were stopped by their limit on a
// machine, twice in a row. Once that was settled it asks again only about a job
// that has lost every other way: a hold has to have an end.
func (t *turn) cutsIfDue() {
	if len(t.cutTypes) == 0 || !t.cut && len(t.entered) == 0 {
		return
	}
	for _, m := range t.State.machines {
		for _, key := range sortedStrings(m.cuts) {
			about := subject{machine: m.rec.ID, typeKey: key}
			if m.cuts[key] < cutsAsk {
				continue
			}
			j := t.firstOf(key, m)
			if j == nil {
				continue
			}
			delete(t.settled, about)
			t.askAbout(about, job.Say{Code: job.AskCutTwice, Args: job.Args{
				Machine: m.rec.Name, Job: j.Name, Count: m.cuts[key],
			}})
		}
	}
}

// firstOf gives the first waiting job of a type to ask about on a machine.
func (t *turn) firstOf(typeKey string, m *machine) *job.Job {
	settled := t.settled[subject{machine: m.rec.ID, typeKey: typeKey}]
	for id := range t.waiting.all() {
		j := t.jobs[id]
		if j.Type.Key == typeKey && t.mayRunOn(j, m) && (!settled || !t.mayGoElsewhere(j, m.rec.ID, t.now)) {
			return j
		}
	}
	return nil
}

// mayGoElsewhere tells whether a job may go to a server of another machine, where
// nothing speaks against jobs like it.
func (s *State) mayGoElsewhere(j *job.Job, machine job.ID, now job.Instant) bool {
	return slices.ContainsFunc(s.order, func(srv *server) bool {
		return srv.rec.Machine != machine && s.allows(j, srv) && len(s.holdsAlike(j, srv, now)) == 0
	})
}

func (s *State) mayRunOn(j *job.Job, m *machine) bool {
	return slices.ContainsFunc(s.site(m.rec.ID).servers, func(srv *server) bool { return s.allows(j, srv) })
}

// decideAbout carries out an answer about a subject. Giving up ends the jobs
// that have nowhere else to go; the others go elsewhere.
func (t *turn) decideAbout(about subject, a job.Answer) {
	if about.needs != "" {
		t.decideMissing(about.needs, a)
		return
	}
	m := t.machine(about.machine)
	if a == job.TryAgain {
		if m != nil {
			t.setCuts(m, about.typeKey, 0)
		}
		maps.DeleteFunc(t.failures, func(way failure, _ int) bool { return way.batch == about.batch })
		return
	}
	t.settled[about] = true
	for _, id := range t.waiting.ids() {
		j := t.jobs[id]
		if !about.covers(j) {
			continue
		}
		if m != nil && t.mayGoElsewhere(j, about.machine, t.now) {
			continue
		}
		t.endJob(id, job.JobNeedsYou, job.Errorf(job.ErrGivenUp, job.Args{Machine: t.nameOf(m)}, nil))
	}
}

// trust lets a job type go again where its runs were cut: the user added one or
// asked for one again, after the question about it was settled.
func (t *turn) trust(typeKey string) {
	for _, m := range t.State.machines {
		t.trustOn(m, typeKey)
	}
}

// trustOn does that for one machine.
func (t *turn) trustOn(m *machine, typeKey string) {
	about := subject{machine: m.rec.ID, typeKey: typeKey}
	if t.settled[about] {
		delete(t.settled, about)
		t.setCuts(m, typeKey, 0)
	}
}

func (t *turn) nameOf(m *machine) string {
	if m == nil {
		return ""
	}
	return m.rec.Name
}

// apart tells whether a job may be held otherwise than most, by what happened to
// others like it, or is happening now, or by what servers lack.
func (s *State) apart(j *job.Job) bool {
	return s.typeApart(j.Type.Key) || s.lacking(j) || s.onTrial(j)
}

// holdsAlike are the holds of a job on a server by what happened to others like
// it, and by what the server lacks.
func (s *State) holdsAlike(j *job.Job, srv *server, now job.Instant) []job.Hold {
	holds := s.lackHolds(j, srv)
	m := s.machine(srv.rec.Machine)
	if h, short := s.memoryHold(j, srv, m, now); short {
		holds = append(holds, h)
	}
	if m != nil && m.cuts[j.Type.Key] >= cutsAsk {
		holds = append(holds, job.Hold{Code: job.HoldCutTwice, Server: srv.rec.ID, Since: s.askedAt(j, j.Added), Say: job.Say{
			Code: job.SayCutTwice, Args: job.Args{Machine: m.rec.Name, Count: m.cuts[j.Type.Key]},
		}})
	}
	return holds
}

// batchHold is the hold of a batch that fails alike, while the user is asked.
func (s *State) batchHold(j *job.Job) (job.Hold, bool) {
	for _, q := range s.questions {
		if q.about.batch != "" && q.about.batch == j.Batch {
			return job.Hold{Code: job.HoldBatchFailing, Since: q.Asked.Wall, Say: job.Say{
				Code: job.SayBatchFailing, Args: q.Say.Args,
			}}, true
		}
	}
	return job.Hold{}, false
}

func (s *State) askedAt(j *job.Job, otherwise time.Time) time.Time {
	for _, q := range s.questions {
		if q.about.typeKey != "" && q.about.typeKey == j.Type.Key {
			return q.Asked.Wall
		}
	}
	return otherwise
}

func sortedStrings[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
