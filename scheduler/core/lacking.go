package core

import (
	"maps"
	"slices"
	"time"

	"reckoner/scheduler/job"
)

const (
	// checkAgain is how long a server is believed to lack something: files come
	// while it runs, node classes with its restart.
	checkAgain = 5 * time.Minute
	// checkFails is how long a server is left alone that did not tell.
	checkFails = 30 * time.Second
	// refusedAtMost is how often a server may refuse jobs for what its own list
	// says that it has. Then the refusal is the job's end, and no retry.
	refusedAtMost = 2
)

// needed is what waiting jobs with the same needs were found to lack, by server.
type needed struct {
	graph string
	on    map[job.ID]*fit
	lacks int // servers that lack something
}

// fit is whether a server has what is needed. What is not known holds nothing.
type fit struct {
	asking bool
	lacks  job.Lacks
	since  job.Instant
	next   job.Maybe[job.Instant] // when it is asked again; unknown: it has all
	// refused is when it turned a job away for this. For a while that counts more
	// than what it says it has.
	refused job.Maybe[job.Instant]
}

// toCheck takes up what a waiting job needs.
func (s *State) toCheck(j *job.Job) {
	if j.Needs == "" || s.needs[j.Needs] != nil {
		return
	}
	s.needs[j.Needs] = &needed{graph: j.Graph, on: map[job.ID]*fit{}}
	s.checkNow = true
}

// lacking tells whether any server is known to lack what a job needs.
func (s *State) lacking(j *job.Job) bool {
	n := s.needs[j.Needs]
	return n != nil && n.lacks > 0
}

// lacks are what a server is known to lack for a job.
func (s *State) lacks(j *job.Job, srv *server) *fit {
	n := s.needs[j.Needs]
	if n == nil || n.lacks == 0 {
		return nil
	}
	if f := n.on[srv.rec.ID]; f != nil && f.lacks.Any() {
		return f
	}
	return nil
}

// lackHolds are the holds for what a server lacks.
func (s *State) lackHolds(j *job.Job, srv *server) []job.Hold {
	f := s.lacks(j, srv)
	if f == nil {
		return nil
	}
	var holds []job.Hold
	add := func(code job.HoldCode, say string, names []string, args job.Args) {
		if len(names) == 0 {
			return
		}
		args.Server, args.Count, args.Allowed = srv.rec.Name, len(names), names
		holds = append(holds, job.Hold{
			Code: code, Server: srv.rec.ID, Since: f.since.Wall, Say: job.Say{Code: say, Args: args},
		})
	}
	add(job.HoldMissingNode, job.SayMissingNode, f.lacks.Nodes, job.Args{Class: foremostOf(f.lacks.Nodes)})
	add(job.HoldMissingModel, job.SayMissingModel, f.lacks.Models, job.Args{Value: foremostOf(f.lacks.Models)})
	return holds
}

// lackedBy are the holds for what servers lack that a job may go to.
func (s *State) lackedBy(j *job.Job) []job.Hold {
	var holds []job.Hold
	for _, srv := range s.serversFor(j) {
		if s.allows(j, srv) {
			holds = append(holds, s.lackHolds(j, srv)...)
		}
	}
	return holds
}

func foremostOf(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

// checkIfDue asks servers that answer for what waiting jobs need.
func (t *turn) checkIfDue() {
	if at, ok := t.checkAt.Get(); len(t.needs) == 0 || !t.checkNow && (!ok || t.now.Mono < at.Mono) {
		return
	}
	t.checkNow = false
	var w wake
	for _, key := range sortedStrings(t.needs) {
		n := t.needs[key]
		if t.waiting.needs[key] == 0 {
			delete(t.needs, key)
			continue
		}
		for _, srv := range t.order {
			if !srv.rec.WatchOnly && srv.answers() {
				t.checkOn(n, key, srv, &w)
			}
		}
	}
	t.State.checkAt = job.Maybe[job.Instant]{}
	if w.any {
		t.State.checkAt = job.Known(t.now.Add(w.next - t.now.Mono))
	}
}

// checkOn asks one server, unless it is known to have everything.
func (t *turn) checkOn(n *needed, key string, srv *server, w *wake) {
	f := n.on[srv.rec.ID]
	if f == nil {
		f = &fit{next: job.Known(t.now)}
		n.on[srv.rec.ID] = f
	}
	at, due := f.next.Get()
	switch {
	case f.asking || !due:
	case t.now.Mono < at.Mono:
		w.at(at.Mono)
	default:
		f.asking = true
		t.act(Check{Server: srv.rec.ID, Needs: key, Graph: n.graph})
	}
}

// checked takes in whether a server has what is needed.
func (t *turn) checked(e Checked) {
	srv, n := t.State.servers[e.Server], t.needs[e.Needs]
	if srv == nil || n == nil || n.on[e.Server] == nil {
		return
	}
	f := n.on[e.Server]
	if !f.asking {
		return
	}
	f.asking = false
	t.State.checkNow = true // what is due next is worked out anew
	switch {
	case e.Err != nil && e.Err.Code == job.ErrUnsupported:
		f.next = job.Maybe[job.Instant]{} // its refusals will tell
	case e.Err != nil:
		f.next = job.Known(t.now.Add(checkFails))
	default:
		if at, ok := f.refused.Get(); ok && !e.Lacks.Any() && t.now.Since(at) < checkAgain {
			f.next = job.Known(at.Add(checkAgain))
			return
		}
		t.setLacks(e.Needs, n, srv, e.Lacks)
	}
}

// setLacks notes what a server lacks, or that it has all.
func (t *turn) setLacks(key string, n *needed, srv *server, lacks job.Lacks) {
	f := n.on[srv.rec.ID]
	if f == nil {
		f = &fit{}
		n.on[srv.rec.ID] = f
	}
	had, has := f.lacks.Any(), lacks.Any()
	if has && !had {
		f.since = t.now
		n.lacks++
	}
	if had && !has {
		n.lacks--
	}
	changed := had != has || !slices.Equal(f.lacks.Nodes, lacks.Nodes) || !slices.Equal(f.lacks.Models, lacks.Models)
	f.lacks, f.next = lacks, job.Maybe[job.Instant]{}
	if has {
		f.next = job.Known(t.now.Add(checkAgain))
	}
	t.State.checkNow = true
	if changed {
		t.regrouped = true
		t.holdsAnew()
	}
	t.askMissing(key)
}

// refusedFor takes in that a server turned a run away for what it lacks, and
// tells whether its job waits for it elsewhere or here.
func (t *turn) refusedFor(o *openRun, srv *server, err *job.Error) bool {
	id := o.rec.Job
	key := t.jobs[id].Needs
	if srv == nil || key == "" || t.refusals[refusal{id, srv.rec.ID}] >= refusedAtMost {
		return false
	}
	t.refusals[refusal{id, srv.rec.ID}]++
	lacks := job.Lacks{Nodes: err.Args.Allowed}
	if err.Code == job.ErrMissingModel {
		lacks = job.Lacks{Models: err.Args.Allowed}
	} else if len(lacks.Nodes) == 0 {
		lacks.Nodes = []string{err.Args.Class}
	}
	t.unsendOne(o)
	if n := t.needs[key]; n != nil && t.jobs[id].State == job.JobWaiting {
		if f := n.on[srv.rec.ID]; f != nil { // a refusal names the first that is lacking
			lacks.Nodes = union(f.lacks.Nodes, lacks.Nodes)
			lacks.Models = union(f.lacks.Models, lacks.Models)
		}
		t.setLacks(key, n, srv, lacks)
		f := n.on[srv.rec.ID]
		f.next, f.refused = job.Known(t.now), job.Known(t.now) // its list may say more
	}
	t.sendHanded(srv)
	return true
}

func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, x := range b {
		if !slices.Contains(all, x) {
			all = append(all, x)
		}
	}
	return all
}

// refusal is a server's word that it cannot take a job.
type refusal struct{ job, server job.ID }

// lookAgainOn asks a server anew for what it was found to lack: it may have been
// restarted with it.
func (t *turn) lookAgainOn(srv *server) {
	for _, n := range t.needs {
		if f := n.on[srv.rec.ID]; f != nil && f.next.Known() {
			f.next, f.refused = job.Known(t.now), job.Maybe[job.Instant]{}
		}
	}
	t.State.checkNow = true
}

// forgetFits forgets what a server that is taken away was found to lack.
func (t *turn) forgetFits(id job.ID) {
	for _, key := range sortedStrings(t.needs) {
		n := t.needs[key]
		if f := n.on[id]; f != nil && f.lacks.Any() {
			n.lacks--
		}
		delete(n.on, id)
		t.missing = append(t.missing, key)
	}
	t.regrouped = true
}

// nowhere tells whether every server that a job may go to lacks what it needs.
func (s *State) nowhere(j *job.Job) (*fit, bool) {
	var lack *fit
	for _, srv := range s.serversFor(j) {
		if !s.allows(j, srv) {
			continue
		}
		f := s.lacks(j, srv)
		if f == nil {
			return nil, false
		}
		if lack == nil {
			lack = f
		}
	}
	return lack, lack != nil
}

// askMissing asks about jobs that can go nowhere for what they need, or takes
// the question back.
func (t *turn) askMissing(key string) { t.missing = append(t.missing, key) }

// missingIfDue carries that out at the step's end.
func (t *turn) missingIfDue() {
	for _, id := range slices.Concat(t.entered, t.left) {
		if j := t.jobs[id]; j != nil && t.lacking(j) && !slices.Contains(t.missing, j.Needs) {
			t.missing = append(t.missing, j.Needs)
		}
	}
	if len(t.missing) == 0 {
		return
	}
	for _, key := range slices.Compact(slices.Sorted(slices.Values(t.missing))) {
		about := subject{needs: key}
		j, lack := t.firstNowhere(key)
		asked := slices.IndexFunc(t.questions, func(q *question) bool { return q.about == about })
		switch {
		case j == nil && asked >= 0:
			t.forget(t.questions[asked])
		case j != nil && asked < 0:
			t.askAbout(about, job.Say{Code: job.AskMissing, Args: job.Args{
				Job: j.Name, Class: foremostOf(lack.lacks.Nodes), Value: foremostOf(lack.lacks.Models),
				Count: len(lack.lacks.Nodes) + len(lack.lacks.Models),
			}})
		}
	}
	t.missing = nil
}

// firstNowhere gives the first waiting job with some needs that can go nowhere.
func (t *turn) firstNowhere(key string) (*job.Job, *fit) {
	n := t.needs[key]
	if n == nil || n.lacks == 0 {
		return nil, nil
	}
	for id := range t.waiting.all() {
		if j := t.jobs[id]; j.Needs == key {
			if lack, nowhere := t.nowhere(j); nowhere {
				return j, lack
			}
		}
	}
	return nil, nil
}

// decideMissing carries out an answer about jobs that can go nowhere.
func (t *turn) decideMissing(key string, a job.Answer) {
	if n := t.needs[key]; a == job.TryAgain && n != nil {
		for _, id := range slices.Sorted(maps.Keys(n.on)) {
			if f := n.on[id]; f.next.Known() {
				f.next, f.refused = job.Known(t.now), job.Maybe[job.Instant]{}
			}
		}
		t.State.checkNow = true
		return
	}
	for _, id := range t.waiting.ids() {
		j := t.jobs[id]
		if j.Needs != key {
			continue
		}
		if lack, nowhere := t.nowhere(j); nowhere {
			t.endJob(id, job.JobNeedsYou, lackError(lack.lacks))
		}
	}
}

// lackError says what is lacking everywhere.
func lackError(l job.Lacks) *job.Error {
	if len(l.Nodes) > 0 {
		return job.Errorf(job.ErrMissingNode, job.Args{Class: l.Nodes[0], Allowed: l.Nodes}, nil)
	}
	return job.Errorf(job.ErrMissingModel, job.Args{Value: foremostOf(l.Models), Allowed: l.Models}, nil)
}
