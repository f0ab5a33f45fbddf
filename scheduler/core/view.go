package core

import "reckoner/scheduler/job"

// doneShown is how many ended jobs a snapshot lists.
const doneShown = 1000

// dotsShown is how many past runs a snapshot has for a job, the newest.
const dotsShown = 100

// Snapshot gives everything that people see, at an instant. It shares records
// with the state, which never changes a record in place.
func (s *State) Snapshot(now job.Instant) *Snapshot {
	snap := &Snapshot{
		At: now, Speed: s.opts.Speed, Paused: s.settings.Paused, Host: s.host, Unwritable: s.unwritable,
		Proposals: s.book.Proposals(),
	}
	for _, m := range s.machines {
		snap.Machines = append(snap.Machines, s.machineView(m, now))
	}
	for _, o := range s.openInOrder() {
		j := s.jobs[o.rec.Job]
		if j == nil || j.State == job.JobEnded {
			continue
		}
		snap.Running = append(snap.Running, s.runningView(j, o, now))
	}
	for _, f := range s.fetchesInOrder() {
		v := s.rowOf(s.jobs[f.rec.Job])
		v.Bar = job.Bar{Kind: job.BarNone, Caption: job.Say{
			Code: job.CaptionFetching, Args: job.Args{Of: len(f.rec.Listed)},
		}}
		if f.err != nil {
			v.Trouble, v.TroubleSince = f.err, f.started.Wall
		}
		snap.Running = append(snap.Running, v)
	}
	snap.Notes = s.notes.list
	s.waitingViews(snap, now)
	for i := len(s.ended) - 1; i >= 0 && len(snap.Done)+len(snap.NeedsYou) < doneShown; i-- {
		j := s.jobs[s.ended[i]]
		switch {
		case j.Hidden:
		case j.Outcome == job.JobNeedsYou:
			snap.NeedsYou = append(snap.NeedsYou, s.rowOf(j))
		default:
			snap.Done = append(snap.Done, s.rowOf(j))
		}
	}
	for _, q := range s.questions {
		snap.Questions = append(snap.Questions, q.Question)
	}
	return snap
}

// rowOf is a job's row as far as only its records say.
func (s *State) rowOf(j *job.Job) JobView {
	v := JobView{Job: j, Run: s.newest[j.ID]}
	if v.Run != nil {
		if srv := s.servers[v.Run.Server]; srv != nil {
			v.MachineName = s.machineName(srv)
			v.Past = s.pastRuns(j.Type.Key, v.Run.GPU)
		}
		v.Expected = v.Run.Forecast
	}
	return v
}

func (s *State) runningView(j *job.Job, o *openRun, now job.Instant) JobView {
	v := s.rowOf(j)
	srv := s.servers[o.rec.Server]
	ahead := 0
	if srv != nil {
		ahead = srv.foreign.ahead
	}
	v.ElapsedS = o.elapsed(now)
	v.Bar = o.bar(srv.name(), ahead, now)
	v.Step = o.step
	if srv != nil && srv.err != nil {
		v.Trouble, v.TroubleSince = srv.err, srv.errAt.Wall
	}
	if total, ok := o.total(); ok {
		v.Pace = job.Known(total)
	}
	return v
}

// waitingViews fills in the waiting jobs, when they are likely to start, and
// when all will be done: each server takes the next job that may run on it as
// soon as it is free, which is what dispatch does.
func (s *State) waitingViews(snap *Snapshot, now job.Instant) {
	plan := s.newPlan(now)
	holds := s.holdsByGroup(now)
	snap.Waiting = make([]JobView, 0, len(s.waiting))
	for _, id := range s.waiting {
		v := JobView{Job: s.jobs[id], Run: s.newest[id], Holds: holds[s.groupOf[id]]}
		plan.place(&v)
		snap.Waiting = append(snap.Waiting, v)
	}
	snap.AllDone, snap.NotCounted = plan.end()
	snap.NotCountedHeld = plan.held
}

// pastRuns are the dots of a job type on a GPU.
func (s *State) pastRuns(typeKey, gpu string) []PastRun {
	var dots []PastRun
	for _, r := range s.past[typeKey] {
		if r.GPU == gpu && r.Start != job.Cached && !r.Bound {
			dots = append(dots, PastRun{At: r.At, Seconds: r.Seconds, Label: r.Label})
		}
	}
	return dots[max(0, len(dots)-dotsShown):]
}

func (s *State) machineName(srv *server) string {
	if m := s.machine(srv.rec.Machine); m != nil {
		return m.rec.Name
	}
	return srv.rec.Name
}

func (s *State) machineView(m *machine, now job.Instant) MachineView {
	v := MachineView{Machine: m.rec}
	for _, srv := range s.order {
		if srv.rec.Machine != m.rec.ID {
			continue
		}
		sv := ServerView{Server: srv.rec, Info: srv.info, Err: srv.err, Process: srv.process, Foreign: srv.foreign.work(now)}
		if seen, ok := srv.seen.Get(); ok {
			sv.Seen = seen.Wall
		}
		if srv.live {
			sv.LiveSince = job.Known(srv.liveSince.Wall)
		}
		v.Servers = append(v.Servers, sv)
		v.Foreign = v.Foreign || srv.answers() && srv.foreign.busy(now)
		if o := s.open[srv.run]; o != nil {
			v.Mine = MineRunning
			if o.rec.Stop != nil {
				v.Mine = MineStopping
			}
		}
	}
	for _, g := range m.gpus {
		gv := GPUView{GPU: g.gpu, Last: g.last, Recent: g.recent, LowPower: g.lowPower()}
		gv.Diagnosis, gv.Seen = s.seenOf(g)
		v.GPUs = append(v.GPUs, gv)
	}
	v.Notes = s.notesOf(m.rec.ID)
	for _, name := range sortedSources(m.sources) {
		v.SourceErr = append(v.SourceErr, m.sources[name])
	}
	return v
}
