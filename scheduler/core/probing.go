package core

import (
	"slices"
	"time"

	"reckoner/scheduler/job"
	"reckoner/scheduler/note"
)

// How long nobody else must have been seen before a note's test begins, and how
// long it waits for that. A client that comes every half minute is gone after two
// of its pauses, not after one.
const (
	quietLeast   = time.Minute
	testPatience = 2 * time.Hour
)

type (
	// StartTest tests a note: once nobody else was seen on the GPU for a while, one
	// job of the kind that raised it runs there, before others, and its time says
	// whether the usual one comes back. Who runs the other client stops it; this
	// program never does.
	StartTest struct{ Note job.ID }
	// EndTest gives a test up; its job stays in the queue.
	EndTest struct{ Note job.ID }
	// WithdrawNote takes a note back.
	WithdrawNote struct{ Note job.ID }
	// RewordNote gives a note the user's words; the earlier ones are kept.
	RewordNote struct {
		Note job.ID
		Text string
	}
	// WriteNote opens a note by hand.
	WriteNote struct {
		Note    job.ID // its id, new
		Machine job.ID
		Text    string
	}
)

func (StartTest) event()      {}
func (EndTest) event()        {}
func (WithdrawNote) event()   {}
func (RewordNote) event()     {}
func (WriteNote) event()      {}
func (StartTest) command()    {}
func (EndTest) command()      {}
func (WithdrawNote) command() {}
func (RewordNote) command()   {}
func (WriteNote) command()    {}

// noteTextMost bounds what a user writes into a note.
const noteTextMost = 2000 // bytes

// noteCommand carries out what the user wants of a note.
func (t *turn) noteCommand(c Command) {
	find := func(id job.ID) *job.Note {
		if i := t.State.notes.index(id); i >= 0 {
			return t.State.notes.list[i]
		}
		return nil
	}
	wall := t.now.Wall
	switch c := c.(type) {
	case StartTest:
		if n := find(c.Note); n != nil && !n.Test.Under() && n.Status != job.NoteWithdrawn {
			t.beginTest(n)
		}
	case EndTest:
		if n := find(c.Note); n != nil && n.Test.Under() {
			t.settle(n, note.Void(n.Test, job.VoidCancelled, wall))
		}
	case WithdrawNote:
		if n := find(c.Note); n != nil && n.Status != job.NoteWithdrawn {
			if n.Test.Under() {
				n = note.Settle(n, note.Void(n.Test, job.VoidCancelled, wall))
			}
			t.putNote(note.Withdraw(n, wall), true)
		}
	case RewordNote:
		if n := find(c.Note); n != nil && c.Text != "" {
			t.putNote(note.Reword(n, c.Text[:min(len(c.Text), noteTextMost)], wall), true)
		}
	case WriteNote:
		if find(c.Note) == nil && t.machine(c.Machine) != nil && c.Text != "" {
			claim := note.Claim{Cause: job.CauseByHand, Machine: c.Machine}
			n := note.Open(c.Note, claim, nil, wall)
			n.Text = c.Text[:min(len(c.Text), noteTextMost)]
			t.putNote(n, true)
		}
	}
}

// beginTest writes down what will count as what, and puts the job that is run for
// it first in the queue.
func (t *turn) beginTest(n *job.Note) {
	plan, enough := note.Plan(t.book.Baseline(n.TypeKey, n.GPU).Seconds())
	if !enough {
		plan.Asked = t.now.Wall
		t.settle(n, note.Void(plan, job.VoidNoBound, t.now.Wall))
		return
	}
	srv := t.serverOf(n)
	id := job.ID("")
	if srv != nil {
		id = t.testJob(n, srv)
	}
	if id == "" {
		plan.Asked = t.now.Wall
		t.settle(n, note.Void(plan, job.VoidNoJob, t.now.Wall))
		return
	}
	plan.Job, plan.QuietForS = id, t.quietFor(srv).Seconds()
	t.putNote(note.Begin(n, plan, t.now.Wall), true)
}

// serverOf is the server of ours on a note's GPU where its test runs.
func (s *State) serverOf(n *job.Note) *server {
	for _, srv := range s.order {
		if srv.rec.Machine == n.Machine && !srv.rec.WatchOnly && (n.GPU == "" || s.gpuKey(srv) == n.GPU) {
			return srv
		}
	}
	return nil
}

// testJob gives the job that a test runs: a waiting one of that kind, so that no
// work is done twice, or the one that raised the note once more. It goes first.
func (t *turn) testJob(n *job.Note, srv *server) job.ID {
	var id job.ID
	for waiting := range t.waiting.all() {
		if j := t.jobs[waiting]; j.Type.Key == n.TypeKey && t.allows(j, srv) && !j.SendAnyway {
			id = waiting
			break
		}
	}
	if id == "" {
		id = t.copyForTest(n)
	}
	if id == "" {
		return ""
	}
	j := t.editJob(id)
	j.Servers = []job.ID{srv.rec.ID}
	t.enqueue(j)
	t.move(Move{Job: id, Before: t.waiting.first().id})
	t.urgent = true
	return id
}

// copyForTest queues the job that raised a note once more, as a job of its own.
func (t *turn) copyForTest(n *job.Note) job.ID {
	old := t.jobs[n.Job]
	if old == nil || old.Graph == "" {
		return ""
	}
	id := job.RunID(n.ID, len(n.Results)+1)
	if t.jobs[id] != nil {
		return ""
	}
	j := &job.Job{
		ID: id, Batch: id, Name: old.Name, File: old.File, Graph: old.Graph, Type: old.Type, Added: t.now.Wall,
		Place: t.lastPlace(job.PriorityNormal), Limit: job.Limit{Kind: job.LimitDefault},
		OutDir: old.OutDir, Names: old.Names,
		BatchName: old.BatchName, Nodes: old.Nodes, Loaders: old.Loaders, Samplers: old.Samplers, Needs: old.Needs,
		State: job.JobWaiting,
	}
	t.jobs[id] = j
	t.writeJob(j)
	t.enqueue(j)
	t.say(job.Event{Kind: job.EventJobAdded, Job: j})
	return id
}

// quietFor is how long nobody else must have been seen on a server's GPU.
func (s *State) quietFor(srv *server) time.Duration {
	wait := quietLeast
	for other := range s.neighbours(srv) {
		if gap, ok := other.foreign.gap(); ok {
			wait = max(wait, min(2*gap, quietAtMost))
		}
	}
	return wait
}

// quiet tells whether nobody else was seen on a server's GPU for so long, and
// since when nobody was. A server that was not read lately shows nothing.
func (s *State) quiet(srv *server, wait time.Duration, now job.Instant) (since time.Time, enough bool) {
	for other := range s.neighbours(srv) {
		if !other.answers() || !other.fresh(now) || other.foreign.ahead > 0 {
			return time.Time{}, false
		}
		if last, ok := other.foreign.last.Get(); ok && last.Wall.After(since) {
			since = last.Wall
		}
	}
	if len(s.computing(s.gpuOf(srv), now)) > 0 {
		return time.Time{}, false
	}
	return since, now.Wall.Sub(since) >= wait
}

// keptForTest tells whether a job may not go to a server for the sake of a test:
// the test's own before the GPU is quiet, any other beside it.
func (s *State) keptForTest(j *job.Job, srv *server, now job.Instant) bool {
	if s.notes.testing == 0 {
		return false
	}
	for _, n := range s.notes.list {
		if !n.Test.Under() || n.Machine != srv.rec.Machine {
			continue
		}
		if n.Test.Job == j.ID {
			_, enough := s.quiet(srv, seconds(n.Test.QuietForS), now)
			return n.Test.State == job.TestWaiting && !enough
		}
		if on := s.serverOf(n); n.Test.State == job.TestRunning && on != nil && s.sharesGPU(on, srv) {
			return true
		}
	}
	return false
}

// testsIfDue follows the tests under way.
func (t *turn) testsIfDue() {
	for _, n := range slices.Clone(t.State.notes.list) {
		if !n.Test.Under() {
			continue
		}
		j := t.jobs[n.Test.Job]
		switch {
		case j == nil, j.State == job.JobEnded && n.Test.State == job.TestWaiting:
			t.settle(n, note.Void(n.Test, job.VoidCancelled, t.now.Wall))
		case j.State == job.JobRunning:
			t.testRuns(n, t.open[job.RunID(j.ID, j.Attempt)])
		case n.Test.State == job.TestWaiting && t.now.Wall.Sub(n.Test.Asked) > testPatience:
			t.settle(n, note.Void(n.Test, job.VoidNotQuiet, t.now.Wall))
		case n.Test.State == job.TestWaiting:
			t.testWaits(n)
		}
	}
}

// testWaits notes since when nobody else was seen.
func (t *turn) testWaits(n *job.Note) {
	srv := t.serverOf(n)
	if srv == nil {
		return
	}
	since, _ := t.quiet(srv, seconds(n.Test.QuietForS), t.now)
	if since.Equal(n.Test.QuietSince) {
		return
	}
	test := n.Test
	test.QuietSince = since
	t.putNote(note.Step(n, test), false)
}

// testRuns notes that the test's job is under way, and ends the test as void once
// somebody else is there: what it then takes says nothing. The job goes on.
func (t *turn) testRuns(n *job.Note, o *openRun) {
	if o == nil {
		return
	}
	if n.Test.State == job.TestWaiting {
		test := n.Test
		test.State, test.Run = job.TestRunning, o.rec.ID
		n = note.Step(n, test)
		t.putNote(n, true)
	}
	probe := note.Probe{Run: o.rec.ID, Seconds: o.elapsed(t.now), Open: true, Disturbed: len(o.rec.Foreign) > 0}
	if result, decided := note.Judge(n.Test, probe, t.now.Wall); decided {
		t.settle(n, result)
	}
}

// testEnded judges a test by its run.
func (t *turn) testEnded(n *job.Note, r *job.Run) {
	result, _ := note.Judge(n.Test, note.Probe{
		Run: r.ID, Seconds: r.Seconds.Or(0), Well: r.Outcome == job.RunSucceeded,
		Cut:   r.Stop != nil && r.Stop.Why == job.StopLimit,
		Label: r.Label, Start: r.Start, Disturbed: len(r.Foreign) > 0,
	}, t.now.Wall)
	t.settle(n, result)
}

func (t *turn) settle(n *job.Note, r job.TestResult) {
	n = note.Settle(n, r)
	// What would settle it stays known, for the next test.
	n.Test, _ = note.Plan(t.book.Baseline(n.TypeKey, n.GPU).Seconds())
	t.putNote(n, true)
}
