package core

import (
	"cmp"
	"slices"
	"time"

	"reckoner/scheduler/job"
	"reckoner/scheduler/note"
)

// When notes are looked at and written, in story time.
const (
	notesEvery = 5 * time.Second
	// noteGone is how long nothing must have spoken for a note before it is no
	// longer about now.
	noteGone = 10 * time.Minute
	// noteWrite is how far apart newer figures of a note are written; what is new
	// in it is written at once.
	noteWrite = time.Minute
)

// notebook holds the notes, and what their rules remember of each GPU.
type notebook struct {
	list     []*job.Note // oldest first
	trackers map[*gpu]*note.Tracker
	next     job.Instant
	written  map[job.ID]job.Instant
	out      map[job.ID]*job.Note // to write in this step
	testing  int                  // notes whose test is under way
}

// recallNotes takes up the notes that were kept.
func (s *State) recallNotes(kept []job.Note) {
	s.notes = notebook{
		trackers: map[*gpu]*note.Tracker{}, written: map[job.ID]job.Instant{}, out: map[job.ID]*job.Note{},
	}
	for i := range kept {
		n := kept[i]
		s.notes.list = append(s.notes.list, &n)
	}
	slices.SortStableFunc(s.notes.list, func(a, b *job.Note) int {
		return cmp.Or(a.Opened.Compare(b.Opened), cmp.Compare(a.ID, b.ID))
	})
	s.notes.recount()
}

func (b *notebook) recount() {
	b.testing = 0
	for _, n := range b.list {
		if n.Test.Under() {
			b.testing++
		}
	}
}

func (b *notebook) index(id job.ID) int {
	return slices.IndexFunc(b.list, func(n *job.Note) bool { return n.ID == id })
}

// take gives the notes to write in this step.
func (b *notebook) take() []*job.Note {
	if len(b.out) == 0 {
		return nil
	}
	var list []*job.Note
	for _, id := range sortedKeys(b.out) {
		list = append(list, b.out[id])
	}
	clear(b.out)
	return list
}

// notesAgain writes all notes again.
func (t *turn) notesAgain() {
	for _, n := range t.State.notes.list {
		t.State.notes.out[n.ID] = n
	}
}

// putNote puts a changed copy of a note, or a new one, in its place. fresh says
// that it is to be told and written at once; newer figures are written once a
// minute.
func (t *turn) putNote(n *job.Note, fresh bool) {
	b := &t.State.notes
	// Snapshots share the list, so it is replaced, not changed.
	list := slices.Clone(b.list)
	if i := b.index(n.ID); i >= 0 {
		list[i] = n
	} else {
		list = append(list, n)
	}
	b.list = list
	b.recount()
	t.touch(t.site(n.Machine)) // its card shows it
	if last, written := b.written[n.ID]; !fresh && written && t.now.Since(last) < noteWrite {
		return
	}
	b.written[n.ID] = t.now
	b.out[n.ID] = n
	if !fresh {
		return
	}
	t.urgent = true
	ev := job.Event{Kind: job.EventNote, Note: n}
	if m := t.machine(n.Machine); m != nil {
		rec := m.rec
		ev.Machine = &rec
	}
	t.say(ev)
}

// diagnose follows what a GPU's readings add up to.
func (t *turn) diagnose(m *machine, r job.Reading) {
	g := m.find(r.GPU)
	if g == nil {
		return
	}
	tr := t.State.notes.trackers[g]
	if tr == nil {
		tr = &note.Tracker{}
		t.State.notes.trackers[g] = tr
	}
	t.idle.follow(g, tr, t.now)
	s := note.FromReading(g.last)
	t.whoWorks(&s, m, g)
	t.whoHolds(&s, g, t.now)
	tr.See(s)
}

// whoWorks fills in what the render servers of a GPU say. It stays unknown while
// one of them was not read lately, and in the seconds after a run of ours.
func (t *turn) whoWorks(s *note.Sample, m *machine, g *gpu) {
	seen, known, ours := 0, true, false
	for _, srv := range t.site(m.rec.ID).servers {
		if t.gpuOf(srv) != g {
			continue
		}
		seen++
		s.ForeignPrompt = s.ForeignPrompt || srv.answers() && srv.foreign.ahead > 0
		if left, ok := srv.foreign.left.Get(); ok {
			since := t.now.Since(left).Seconds()
			s.SinceOthers = job.Known(min(since, s.SinceOthers.Or(since)))
		}
		if at, ok := srv.ours.Get(); !srv.answers() || !srv.fresh(t.now) || ok && t.now.Since(at) < oursLingers {
			known = false
		}
		o := t.open[srv.run]
		if o == nil || !o.started.Known() {
			continue
		}
		ours = true
		s.SinceProgress = job.Known(t.now.Since(o.lastSign).Seconds())
		s.StepS = o.sampling.pace()
		s.Speed = t.speed(o, t.now)
	}
	if ours {
		s.Ours = job.Known(true)
	} else if seen > 0 && known {
		s.Ours = job.Known(false)
	}
}

// speed is how fast a run is against its baseline, by its live steps, or once it
// has taken longer than usual. Before that nothing is known of it.
func (s *State) speed(o *openRun, now job.Instant) job.Maybe[float64] {
	mid := o.rec.Forecast.MidS
	if mid <= 0 || o.rec.Forecast.Level != job.LevelExact {
		return job.Maybe[float64]{}
	}
	if total, ok := s.total(o); ok && total > 0 {
		return job.Known(mid / total)
	}
	if elapsed := o.elapsed(now); elapsed > mid {
		return job.Known(mid / elapsed)
	}
	return job.Maybe[float64]{}
}

// slow tells whether a run is past what is usual: past all of nine or more runs,
// or past the line at which something must be holding it.
func (o *openRun) slow(now job.Instant) bool {
	f, elapsed := o.rec.Forecast, o.elapsed(now)
	return isSlow(f, elapsed)
}

func isSlow(f job.Forecast, seconds float64) bool {
	const ranked = 9
	if f.Level != job.LevelExact {
		return false
	}
	return f.N >= ranked && seconds > f.LongestS || f.AlarmS > 0 && seconds > f.AlarmS
}

// notesIfDue looks at each machine once in a while: whether a run there is worth
// a note, whether notes are still about now, and how far their tests are.
func (t *turn) notesIfDue() {
	b := &t.State.notes
	if t.now.Mono < b.next.Mono {
		return
	}
	b.next = t.now.Add(notesEvery)
	if b.testing > 0 {
		t.testsIfDue()
	}
	for _, m := range t.State.machines {
		open := slices.ContainsFunc(b.list, func(n *job.Note) bool { return n.Machine == m.rec.ID && n.Open() && !n.Quiet })
		slow := t.slowOn(m)
		if slow == nil && !open {
			continue
		}
		t.noteOn(m, slow)
	}
}

// slowOn gives the run on a machine that is longest past what is usual, nil when
// none is.
func (t *turn) slowOn(m *machine) *openRun {
	var worst *openRun
	for _, srv := range t.site(m.rec.ID).servers {
		o := t.open[srv.run]
		if o == nil || !o.started.Known() || !o.slow(t.now) {
			continue
		}
		if worst == nil || o.elapsed(t.now) > worst.elapsed(t.now) {
			worst = o
		}
	}
	return worst
}

// noteOn opens a note on a machine, or brings the one that is there up to date.
// slow is the run that is too long, nil when none is: then nothing is opened.
func (t *turn) noteOn(m *machine, slow *openRun) {
	seen := t.seenOn(m, slow)
	claim, ok := note.Suspect(seen)
	wall := t.now.Wall
	for _, n := range slices.Clone(t.State.notes.list) {
		if n.Machine != m.rec.ID {
			continue
		}
		if ok && note.Answers(n, claim, wall) {
			next, fresh := note.Update(n, claim, wall)
			t.putNote(next, fresh)
			ok = false
		} else if n.Open() && n.Cause != job.CauseByHand && !n.Quiet && !n.Test.Under() && wall.Sub(n.LastSeen) > noteGone {
			t.putNote(note.Hush(n, wall), true)
		}
	}
	if !ok || slow == nil {
		return
	}
	id := job.RunID(m.rec.ID+"/"+job.ID(claim.Cause)+"/"+claim.Server, int(wall.UnixMilli()))
	n := note.Open(id, claim, slow.rec, wall)
	n.Test, _ = note.Plan(t.book.Baseline(n.TypeKey, n.GPU).Seconds())
	t.putNote(n, true)
}

// seenOn gathers what is known of a machine now. Other clients count that were
// there while the slow run was; without one, those that are there now.
func (t *turn) seenOn(m *machine, slow *openRun) note.Seen {
	seen := note.Seen{Machine: m.rec.ID, MachineName: m.rec.Name, At: t.now.Wall}
	var on *server
	if slow != nil {
		on = t.State.servers[slow.rec.Server]
	}
	nth := 0
	for _, srv := range t.site(m.rec.ID).servers {
		nth++
		if on == nil || t.sharesGPU(on, srv) {
			if p, there := promptsOn(srv, slow, nth, t.now); there {
				seen.Prompts = append(seen.Prompts, p)
			}
		}
	}
	g := t.gpuToSee(m, on)
	if g == nil || t.now.Wall.Sub(g.last.At) > freshFor*time.Duration(max(1, t.opts.Speed)) {
		return seen
	}
	seen.Reading, seen.Source, seen.LowPower = g.last, g.last.Source, g.lowPower()
	seen.Programs = t.others(g, t.now)
	if tr := t.State.notes.trackers[g]; tr != nil {
		seen.Diagnosis = tr.Last()
		seen.BusyAlone = seen.Diagnosis.BusyAlone
	}
	return seen
}

// gpuToSee is the GPU that a note is about: the slow run's, or the only one.
func (t *turn) gpuToSee(m *machine, on *server) *gpu {
	if on != nil {
		return t.gpuOf(on)
	}
	if len(m.gpus) == 1 {
		return m.gpus[0]
	}
	return nil
}

// noteRunEnded takes a run that ended as evidence in the notes of its machine,
// and as the result of the test that it was made for.
func (t *turn) noteRunEnded(r *job.Run) {
	srv := t.State.servers[r.Server]
	if srv == nil || len(t.State.notes.list) == 0 {
		return
	}
	s, known := r.Seconds.Get()
	for _, n := range slices.Clone(t.State.notes.list) {
		if n.Test.Under() && n.Test.Job == r.Job {
			t.testEnded(n, r)
			continue
		}
		measured := known && r.Forecast.Level == job.LevelExact && r.Start != job.Cached
		if n.Machine != srv.rec.Machine || !n.Open() || !measured {
			continue
		}
		slow := isSlow(r.Forecast, s) && r.Start != job.Cold
		usual := r.Outcome == job.RunSucceeded && s <= r.Forecast.HighS
		if slow == usual {
			continue // neither one nor the other
		}
		if next := note.AddRun(n, r, t.jobName(r.Job), usual, t.now.Wall); next != n {
			t.putNote(next, false)
		}
	}
}

// notesOf gives the notes of a machine for its card: open ones about now first,
// then the settled ones of the last day, newest first.
func (s *State) notesOf(machine job.ID) []*job.Note {
	var list []*job.Note
	for _, v := range slices.Backward(s.notes.list) {
		if n := v; n.Machine == machine {
			list = append(list, n)
		}
	}
	slices.SortStableFunc(list, func(a, b *job.Note) int { return cmp.Compare(noteRank(a), noteRank(b)) })
	return list
}

func noteRank(n *job.Note) int {
	switch {
	case n.Open() && !n.Quiet:
		return 0
	case n.Open():
		return 1
	default:
		return 2
	}
}
