package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"reckoner/scheduler/job"
)

// cutJob is the story's job that passes its limit.
const cutJob = "harbour-night"

// story watches whether the demo goes as it is told: one job passes its limit,
// is interrupted and is known to have stopped; all others end done. A run that
// was cut while the GPU was shared is tried once more, when the other client has
// gone: then that job ends done too.
type story struct {
	names   map[job.ID]string
	jobs    map[job.ID]job.ID // by run
	cut     []job.EventKind   // what happened to the job that passes its limit
	endings map[string]job.JobOutcome
}

func newStory() *story {
	return &story{names: map[job.ID]string{}, jobs: map[job.ID]job.ID{}, endings: map[string]job.JobOutcome{}}
}

// hear takes in a line, the same one that is printed.
func (s *story) hear(line said) error {
	var l struct {
		about
		Outcome string `json:"outcome"`
	}
	if err := json.Unmarshal(line.Line, &l); err != nil {
		return fmt.Errorf("follow the story: %w", err)
	}
	switch {
	case l.Event == job.EventJobAdded:
		s.names[l.Job] = l.Name
	case l.Run != "" && l.Job != "":
		s.jobs[l.Run] = l.Job
	case l.Event == job.EventJobEnded:
		s.endings[s.names[l.Job]] = job.JobOutcome(l.Outcome)
	}
	if l.Run != "" && s.names[s.jobs[l.Run]] == cutJob && l.Event != job.EventProgress {
		s.cut = append(s.cut, l.Event)
	}
	return nil
}

// differs says how the story went otherwise, "" when it went as told.
func (s *story) differs() string {
	var wrong []string
	rest := s.cut
	for _, want := range []job.EventKind{job.EventStarted, job.EventLimit, job.EventInterrupt, job.EventStopped} {
		at := slices.Index(rest, want)
		if at < 0 {
			wrong = append(wrong, fmt.Sprintf("%s had no %s in its turn", cutJob, want))
			break
		}
		rest = rest[at+1:]
	}
	again := slices.Contains(rest, job.EventRequeued)
	for _, j := range demoJobs {
		want := job.JobDone
		if j.name == cutJob && !again {
			want = job.JobTimedOut
		}
		if got := s.endings[j.name]; got != want {
			wrong = append(wrong, fmt.Sprintf("%s ended %q, not %q", j.name, got, want))
		}
	}
	return strings.Join(wrong, "; ")
}

// verdict makes the demo's exit status of the story. A run of it always has a
// job that was cut, so the status of its jobs says nothing.
func (s *story) verdict(err error, out *printer) error {
	e, ended := errors.AsType[*exitError](err)
	if err != nil && (!ended || e.status != exitFailed || e.text != "") {
		return err // it was stopped, or something else broke
	}
	if wrong := s.differs(); wrong != "" {
		return exitf(exitFailed, "the story went otherwise: %s", wrong)
	}
	out.note("The story went as told: %s passed its limit, was told to stop, and is known to have ended there. "+
		"At the end it is %s; all others are done.", cutJob, spaced(string(s.endings[cutJob])))
	return nil
}
