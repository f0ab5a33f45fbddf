package core

import (
	"time"

	"reckoner/scheduler/job"
)

// Jobs that share models are kept together on a server: ComfyUI forgets the files
// of the workflow before, so going to and fro between two kinds loads both again
// and again.
const (
	passedAtMost = 10 * time.Minute // what a job may lose by it, unless the settings say otherwise
	togetherLook = 50               // jobs that are looked at behind the first
)

// patienceWith is how long a job may be passed over in all.
func (s *State) patienceWith() time.Duration {
	if s.settings.Together != 0 {
		return s.settings.Together
	}
	return passedAtMost
}

// together gives the waiting job that goes to a server before the one whose turn
// it is, with how many it passes: that one would load its models first, this one
// finds its own there, and nobody loses more by it than is allowed. Jobs that the
// user put somewhere by hand neither pass nor are passed.
func (t *turn) together(first *job.Job, srv *server) (next *job.Job, passes []job.ID) {
	if t.notes.testing > 0 || srv.coldS(first.Type, t.forecast(first.Type, srv)) <= 0 || first.ByHand {
		return nil, nil
	}
	at := t.waiting.members[first.ID].spotInLine
	passes = []job.ID{first.ID}
	for range togetherLook {
		link := t.waiting.after(at)
		if link == nil {
			return nil, nil
		}
		at = link.spotInLine
		j := t.jobs[link.id]
		if j.ByHand || j.Priority() != first.Priority() {
			return nil, nil
		}
		if len(j.Type.Models) > 0 && srv.hasLoaded(j.Type.Models) && !j.Unconverted && t.goesTo(j, srv) && !t.failing(j) {
			return j, t.mayPass(j, srv, passes)
		}
		passes = append(passes, j.ID)
	}
	return nil, nil
}

// mayPass gives the jobs that another one passes if each of them can afford it,
// else none.
func (t *turn) mayPass(j *job.Job, srv *server, passes []job.ID) []job.ID {
	f := t.forecast(j.Type, srv)
	if f.N == 0 {
		return nil // nobody knows what they would lose
	}
	for _, id := range passes {
		if t.passed[id]+seconds(f.HighS) > t.patienceWith() {
			return nil
		}
	}
	return passes
}

// pass sends a job before others, and notes what they lose by it.
func (t *turn) pass(j *job.Job, srv *server, passes []job.ID) {
	f := t.forecast(j.Type, srv)
	for _, id := range passes {
		t.passed[id] += seconds(f.HighS)
	}
	t.start(j.ID, srv)
	if r := t.newest[j.ID]; r != nil {
		if o := t.open[r.ID]; o != nil {
			t.story(t.editRun(o), job.StoryTogether, job.Args{Server: srv.name(), Count: len(passes)})
		}
	}
}

func (t *turn) failing(j *job.Job) bool {
	_, failing := t.batchHold(j)
	return failing
}
