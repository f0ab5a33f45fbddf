package core

import "reckoner/scheduler/job"

// dotsShown is how many past runs a snapshot has for a job, the newest.
const dotsShown = 100

// Snapshot gives everything that people see, at an instant. It shares records
// with the state, which never changes a record in place, and with the snapshot
// before whatever did not change since.
func (s *State) Snapshot(now job.Instant) *Snapshot {
	snap := &Snapshot{
		At: now, Speed: s.opts.Speed, Paused: s.settings.Paused, Settings: s.settings, Host: s.host, Unwritable: s.unwritable,
		Machines:  make([]MachineView, 0, len(s.machines)),
		Proposals: s.book.Proposals(),
	}
	for _, m := range s.machines {
		at := s.sites[m.rec.ID]
		if at.view == nil {
			v := s.machineView(at, now)
			at.view = &v
		}
		snap.Machines = append(snap.Machines, *at.view)
	}
	for _, o := range s.openAsTheyRun() {
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
	s.rows.fill(s, now)
	snap.Waiting, snap.AllDone = s.rows.waiting, s.rows.allDone
	snap.NotCounted, snap.NotCountedHeld = s.rows.notCounted, s.rows.notCountedHeld
	snap.NeedsYou, snap.Done = s.rows.needsYou, s.rows.done
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
	v.Bar = o.bar(srv.name(), ahead, srv.before(o), now)
	v.Step = o.step
	if srv != nil && srv.err != nil {
		v.Trouble, v.TroubleSince = srv.err, srv.errAt.Wall
	}
	if o.step.Known() {
		v.StepsDone, v.StepsOf = o.sampling.done(j.Samplers)
	}
	if o.frames > 0 && o.rec.Stop == nil {
		v.Live = job.Picture{Live: o.rec.PromptID, Frame: o.frames}
	}
	if total, ok := s.total(o); ok {
		v.Pace = job.Known(total)
	}
	return v
}

// pastRuns are the dots of a job type on a GPU.
func (s *State) pastRuns(typeKey, gpu string) []PastRun {
	of := [2]string{typeKey, gpu}
	dots, known := s.dots[of]
	if known {
		return dots
	}
	for _, r := range s.past[typeKey] {
		if r.GPU == gpu && r.Start != job.Cached && !r.Bound {
			dots = append(dots, PastRun{At: r.At, Seconds: r.Seconds, Label: r.Label})
		}
	}
	dots = dots[max(0, len(dots)-dotsShown):]
	s.dots[of] = dots
	return dots
}

func (s *State) machineName(srv *server) string {
	if m := s.machine(srv.rec.Machine); m != nil {
		return m.rec.Name
	}
	return srv.rec.Name
}

func (s *State) machineView(at *site, now job.Instant) MachineView {
	m := at.m
	v := MachineView{Machine: m.rec}
	for _, srv := range at.servers {
		sv := ServerView{Server: srv.rec, Info: srv.info, Err: srv.err, Process: srv.process, Foreign: srv.foreign.work(now)}
		if seen, ok := srv.seen.Get(); ok {
			sv.Seen = seen.Wall
		}
		if srv.live {
			sv.LiveSince = job.Known(srv.liveSince.Wall)
		}
		if o := s.open[srv.run]; o != nil {
			sv.AskEvery = s.pauseInRun(srv, o)
		}
		v.Servers = append(v.Servers, sv)
		v.Foreign = v.Foreign || srv.answers() && (srv.foreign.ahead > 0 || srv.foreign.busy(now))
		if o := s.open[srv.run]; o != nil {
			v.Mine = MineRunning
			if o.rec.Stop != nil {
				v.Mine = MineStopping
			}
		}
	}
	for _, g := range m.gpus {
		gv := GPUView{GPU: g.gpu, Last: g.last, Origins: g.of, Recent: g.recent, LowPower: g.lowPower()}
		s.observe(&gv, at, g, now)
		v.GPUs = append(v.GPUs, gv)
	}
	v.Notes = s.notesOf(m.rec.ID)
	for _, name := range sortedSources(m.sources) {
		v.SourceErr = append(v.SourceErr, m.sources[name])
	}
	return v
}
