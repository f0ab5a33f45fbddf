package core

import (
	"slices"
	"time"

	"reckoner/scheduler/job"
)

// elsewhereAfter is how long other people's work is on a machine before jobs for
// it go elsewhere, where the user wants that: a single short prompt moves none.
const elsewhereAfter = time.Minute

// elsewhereAt is when jobs for a server's machine may go elsewhere; false when
// they may not, or nobody else is there.
func (s *State) elsewhereAt(srv *server) (job.Instant, bool) {
	since, held := srv.behind.Get()
	m := srv.site.m
	if !held || m == nil || m.rec.Others != job.OthersElsewhere {
		return job.Instant{}, false
	}
	return since.Add(elsewhereAfter), true
}

// elsewhereIfDue lets jobs that may run on one machine only run on any, while
// other people's work is there and another machine could take them.
func (t *turn) elsewhereIfDue() {
	for _, at := range t.touched {
		for _, srv := range at.servers {
			if when, ok := t.elsewhereAt(srv); !ok || t.now.Mono < when.Mono {
				continue
			}
			for _, g := range slices.Clone(t.waiting.bound[srv.rec.ID]) {
				for _, id := range g.ids() {
					t.goElsewhere(t.jobs[id], at.m)
				}
			}
		}
	}
}

// goElsewhere lets one job run anywhere, if there is an anywhere.
func (t *turn) goElsewhere(j *job.Job, m *machine) {
	if !t.onlyOn(j, m.rec.ID) {
		return
	}
	free := *j
	free.Servers = nil
	other := slices.ContainsFunc(t.order, func(srv *server) bool {
		return srv.rec.Machine != m.rec.ID && t.allows(&free, srv) && srv.answers() && t.lacks(&free, srv) == nil
	})
	if !other {
		return
	}
	j = t.editJob(j.ID)
	j.Servers = nil
	t.enqueue(j)
	t.urgent = true
	t.say(job.Event{Kind: job.EventRequeued, Job: j, Why: job.Say{
		Code: job.AgainAny, Args: job.Args{Machine: m.rec.Name},
	}})
}
