package core

import (
	"slices"

	"reckoner/scheduler/job"
	"reckoner/scheduler/note"
)

// observe fills in what a GPU's readings and the work on it add up to: the
// strongest sentence that may be said, or, while it is busy and nothing is sure,
// the two strongest observations and no verdict; and what they rest on.
func (s *State) observe(v *GPUView, at *site, g *gpu, now job.Instant) {
	v.Diagnosis.Mechanism, v.Programs = job.Unclear, s.others(g, now)
	tr := s.notes.trackers[g]
	if tr == nil {
		return
	}
	v.Diagnosis, v.IdleW = tr.Last(), tr.IdleNow()
	if say, ok := v.Diagnosis.Verdict(); ok {
		v.Verdict = &say
	} else if v.Diagnosis.Mechanism == job.Unclear && g.last.Util.Or(0) >= busyUtil {
		v.Seen = v.Diagnosis.Seen
	}
	if v.Verdict == nil && len(v.Seen) == 0 {
		return
	}
	v.Evidence = slices.Concat(s.othersOn(at, g, now), v.Diagnosis.All)
	if watts, ok := v.IdleW.Get(); ok {
		v.Evidence = append(v.Evidence, job.Say{Code: job.NoteSawIdlePower, Args: job.Args{Watts: watts}})
	}
}

// othersOn is what was seen of other people's work on a GPU.
func (s *State) othersOn(at *site, g *gpu, now job.Instant) []job.Say {
	var says []job.Say
	for i, srv := range at.servers {
		if s.gpuOf(srv) != g || !srv.answers() {
			continue
		}
		if p, there := promptsOn(srv, nil, i+1, now); there {
			says = append(says, p.Say())
		}
	}
	for _, p := range s.others(g, now) {
		says = append(says, note.SayProgram(p))
	}
	return says
}

// promptsOn is other people's work on a server, when it is there at the time that
// matters: while a slow run was, or now.
func promptsOn(srv *server, slow *openRun, nth int, now job.Instant) (note.Prompts, bool) {
	f := &srv.foreign
	last, ok := f.last.Get()
	if !ok || len(f.first) == 0 {
		return note.Prompts{}, false
	}
	if slow != nil {
		started, _ := slow.started.Get()
		if last.Mono < started.Mono {
			return note.Prompts{}, false
		}
	} else if !f.busy(now) {
		return note.Prompts{}, false
	}
	return note.Prompts{
		Server: srv.rec.ID, Name: srv.rec.Name, URL: srv.rec.URL, Nth: nth, Work: f.work(now),
		First: f.first[0].Wall, Last: last.Wall,
	}, true
}
