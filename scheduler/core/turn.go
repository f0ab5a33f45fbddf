package core

import (
	"slices"

	"reckoner/scheduler/job"
)

// turn is one step of the core: the state, the instant, and what the step will
// ask of the engine. Records are changed through it, copy on write, so that
// snapshots and the store may keep what they were given.
type turn struct {
	*State
	now  job.Instant
	do   []Action
	tell []job.Event

	jobsOut     map[job.ID]*job.Job
	runsOut     map[job.ID]*job.Run
	outMachines []job.Machine
	outServers  []job.Server
	outRemoved  []job.ID // machines
	outLogs     []job.BaselineLog
	outSettings bool
	// urgent says that something of this step must be synced before its actions.
	urgent bool
	// all says that everything is written again.
	all bool

	touched []*site
	// entered and left are the jobs that wait, or wait otherwise, and those that
	// no longer do. regrouped says that all have to be parted anew, stale that
	// some group's holds have to be worked out.
	entered, left    []job.ID
	regrouped, stale bool
	convert          bool // something changed that a conversion waits for
	newType          bool // a job of a type waits of which none did
	programsAnew     bool // which programs hold a GPU was looked at
	cut              bool // how often runs were cut somewhere changed
	// missing are the needs of which what servers lack may have changed.
	missing []string
}

// Step takes in an event at an instant. Instants never go back.
func (s *State) Step(ev Event, now job.Instant) Effects {
	t := &turn{State: s, now: now}
	t.notSeen()
	t.take(ev)
	t.touchDue()
	t.due()
	t.cutsIfDue()
	t.questionsIfDue()
	t.missingIfDue()
	t.notesIfDue()
	t.writesIfDue()
	t.shortages()
	if t.regrouped {
		t.regroup()
	}
	t.refreshTouched()
	t.elsewhereIfDue()
	t.convertIfDue()
	t.checkIfDue()
	t.dispatch()
	for t.regrouped { // a run that was just sent is its batch's first of its type
		t.regroup()
		t.dispatch()
	}
	t.tellHolds()
	t.setDeadlines()
	return t.effects()
}

func (t *turn) take(ev Event) {
	t.concerns(ev)
	switch e := ev.(type) {
	case Tick:
	case InputsGiven:
		t.inputsGiven(e)
	case JobRevised:
		t.revise(e)
	case JobsAdded:
		t.addJobs(e)
	case MachineAdded:
		t.addMachine(e)
	case MachineRemoved:
		t.removeMachine(e.Machine)
	case Probed:
		t.probed(e)
	case QueueSeen:
		t.queueSeen(e)
	case RecordSeen:
		t.recordSeen(e)
	case Submitted:
		t.submitted(e)
	case StopSent:
		t.stopSent(e)
	case Heard:
		t.heard(e)
	case Converted:
		t.converted(e)
	case Checked:
		t.checked(e)
	case Fetched:
		t.fetched(e)
	case ReadingsSeen:
		t.readingsSeen(e)
	case ProgramsSeen:
		t.programsSeen(e)
	case SourceFailed:
		t.sourceFailed(e)
	case ProcessSeen:
		if srv := t.State.servers[e.Server]; srv != nil {
			srv.process = e.Process
		}
	case RunCorrected:
		t.correct(e)
	case HostSeen:
		t.State.host = e.Reading
	case WriteFailed:
		t.writeFailed(e)
	case Written:
		t.State.unwritable = nil
	case Command:
		t.command(e)
	}
}

// concerns touches the site that an event is about. One that is about none may
// let any job go.
func (t *turn) concerns(ev Event) {
	about := func(id job.ID) { t.touch(t.siteOf(id)) }
	switch e := ev.(type) {
	case Tick:
	case Probed:
		about(e.Server)
	case QueueSeen:
		about(e.Server)
	case RecordSeen:
		about(e.Server)
	case Heard:
		about(e.Server)
	case Checked:
		about(e.Server)
	case ProcessSeen:
		about(e.Server)
	case Submitted:
		t.concernsRun(e.Run)
	case StopSent:
		t.concernsRun(e.Run)
	case Fetched:
		if f := t.fetches[e.Run]; f != nil {
			t.touch(f.site)
		}
	case ReadingsSeen:
		t.concernsMachine(e.Machine)
	case ProgramsSeen:
		t.concernsMachine(e.Machine)
	case SourceFailed:
		t.concernsMachine(e.Machine)
	default:
		t.replan, t.rows.stale, t.convert = true, true, true
	}
}

func (t *turn) concernsRun(id job.ID) {
	if o := t.open[id]; o != nil {
		t.touch(o.site)
	}
}

func (t *turn) concernsMachine(id job.ID) { t.touch(t.sites[id]) }

// openInOrder gives the open runs in an order that does not depend on a map.
func (s *State) openInOrder() []*openRun {
	list := make([]*openRun, 0, len(s.open))
	for _, o := range s.open {
		list = append(list, o)
	}
	slices.SortFunc(list, func(a, b *openRun) int { return compare(a.rec.ID, b.rec.ID) })
	return list
}

func (s *State) fetchesInOrder() []*fetch {
	list := make([]*fetch, 0, len(s.fetches))
	for _, f := range s.fetches {
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b *fetch) int { return compare(a.rec.ID, b.rec.ID) })
	return list
}

func compare(a, b job.ID) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// editJob gives a copy of a job to change in this step; it will be written.
func (t *turn) editJob(id job.ID) *job.Job {
	if j, ok := t.jobsOut[id]; ok {
		return j
	}
	old, ok := t.jobs[id]
	if !ok {
		return nil
	}
	j := *old
	t.writeJob(&j)
	t.jobs[id] = &j
	return &j
}

// writeJob lets a job's record be written.
func (t *turn) writeJob(j *job.Job) {
	if t.jobsOut == nil {
		t.jobsOut = map[job.ID]*job.Job{}
	}
	t.jobsOut[j.ID] = j
	t.rows.stale = true
}

// writeRun lets a run's record be written.
func (t *turn) writeRun(r *job.Run) {
	if t.runsOut == nil {
		t.runsOut = map[job.ID]*job.Run{}
	}
	t.runsOut[r.ID] = r
}

// editRun gives a copy of an open run's record to change in this step; it will
// be written.
func (t *turn) editRun(o *openRun) *job.Run {
	t.touch(o.site)
	if r, ok := t.runsOut[o.rec.ID]; ok {
		o.rec = r
		return r
	}
	r := *o.rec
	t.writeRun(&r)
	o.rec = &r
	t.newest[r.Job] = &r
	return &r
}

// story adds a line to a run's story. Slices are shared between copies of a
// record, so they are cut before they grow.
func (t *turn) story(r *job.Run, code string, args job.Args) {
	r.Story = append(slices.Clip(r.Story), job.Happening{At: t.now.Wall, Say: job.Say{Code: code, Args: args}})
}

func (t *turn) say(ev job.Event) {
	ev.At = t.now
	if ev.Run != nil && ev.Job == nil {
		ev.Job = t.jobs[ev.Run.Job]
	}
	if ev.Run != nil && ev.Server == nil {
		if srv := t.State.servers[ev.Run.Server]; srv != nil {
			rec := srv.rec
			ev.Server = &rec
		}
	}
	t.tell = append(t.tell, ev)
}

func (t *turn) act(a Action) { t.do = append(t.do, a) }

func (t *turn) effects() Effects {
	e := Effects{All: t.all, Do: t.do, Tell: t.tell}
	for _, id := range sortedKeys(t.jobsOut) {
		e.Write.Jobs = append(e.Write.Jobs, t.jobsOut[id])
	}
	for _, id := range sortedKeys(t.runsOut) {
		e.Write.Runs = append(e.Write.Runs, t.runsOut[id])
	}
	e.Write.Machines = t.outMachines
	e.Write.Servers = t.outServers
	e.Write.RemoveMachines = t.outRemoved
	e.Write.Notes = t.State.notes.take()
	e.Write.Baselines = t.outLogs
	e.Write.IdlePower = t.State.idle.take()
	if t.outSettings {
		settings := t.State.settings
		e.Write.Settings = &settings
	}
	e.Write.Lazy = !t.urgent
	// What was told holds records as they were then; the last copy is the one
	// that the step ended with, which is what a reader expects to see.
	return e
}

func sortedKeys[V any](m map[job.ID]V) []job.ID {
	keys := make([]job.ID, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
