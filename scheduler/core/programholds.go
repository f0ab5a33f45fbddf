package core

import (
	"slices"

	"reckoner/scheduler/job"
)

// programHolds are the holds for named programs that compute on a server's GPU.
func (s *State) programHolds(srv *server, now job.Instant) []job.Hold {
	list := s.computing(s.gpuOf(srv), now)
	if len(list) == 0 {
		delete(srv.since, job.HoldForeignProc)
		return nil
	}
	since := s.mark(srv, job.HoldForeignProc, now)
	var holds []job.Hold
	for _, p := range list {
		holds = append(holds, job.Hold{
			Code: job.HoldForeignProc, Server: srv.rec.ID, Since: since.Wall,
			Say: job.Say{Code: job.SayForeignProc, Args: job.Args{
				Server: srv.rec.Name, Value: job.ProgramName(p.Name), Count: p.PID, Percent: p.SM.Or(0), Bytes: p.Mem.Or(0),
			}},
		})
	}
	return holds
}

// noteProgramsOnRuns notes programs of others that compute on a GPU on the runs
// of ours there: such a run had it not to itself.
func (t *turn) noteProgramsOnRuns(m *machine, g *gpu) {
	list := t.computing(g, t.now)
	if len(list) == 0 {
		return
	}
	for _, o := range t.site(m.rec.ID).runs {
		on := t.State.servers[o.rec.Server]
		if on == nil || t.gpuOf(on) != g {
			continue
		}
		started, ok := o.started.Get()
		for _, p := range list {
			if last, _ := p.last.Get(); ok && last.Mono >= started.Mono {
				t.noteProgram(o, p)
			}
		}
	}
}

func (t *turn) noteProgram(o *openRun, p *program) {
	r := t.editRun(o)
	name := job.ProgramName(p.Name)
	list := slices.Clone(r.Foreign)
	i := slices.IndexFunc(list, func(f job.ForeignSeen) bool { return f.PID == p.PID && f.Program == name })
	if i < 0 {
		list = append(list, job.ForeignSeen{Program: name, PID: p.PID, First: t.now.Wall, Last: t.now.Wall})
		t.story(r, job.StoryProgram, job.Args{Value: name, Count: p.PID})
	} else {
		list[i].Last = t.now.Wall
	}
	r.Foreign = list
}
