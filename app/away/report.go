package away

import (
	"slices"
	"time"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// Report is what happened while nobody was there.
type Report struct {
	From, To      time.Time
	Done, Waiting int
	Causes        []Cause // of jobs that ended otherwise, the most frequent first
	Decided       []Decision
	Hours         []Hours // in the order of the machines
}

// Cause is why jobs did not end well: those that ended alike on one machine.
type Cause struct {
	Outcome job.JobOutcome
	Why     *job.Error // of the first of them; nil when none is known
	Jobs    []job.ID
	Machine string // its name, "" when not known
	// Elsewhere is a machine to try them on: one with more memory, when that is
	// what they lacked. ElsewhereName is its name, "" for none.
	Elsewhere     job.ID
	ElsewhereName string
	// Again says that the user has queued them again from the report.
	Again bool
}

// Failed counts the jobs of all causes.
func (r *Report) Failed() int {
	n := 0
	for _, c := range r.Causes {
		n += len(c.Jobs)
	}
	return n
}

type alike struct {
	outcome     job.JobOutcome
	code, class string
	machine     job.ID
}

func (w *Watch) report(s *scheduler.Snapshot) *Report {
	r := &Report{From: w.last, To: s.At.Wall, Waiting: len(s.Waiting), Decided: w.decided}
	causes := map[alike]int{}
	for _, id := range w.order {
		e := w.ended[id]
		switch e.job.Outcome {
		case job.JobDone:
			r.Done++
			continue
		case job.JobCancelled:
			continue
		default:
		}
		key := alike{outcome: e.job.Outcome, machine: e.machine}
		if e.job.Why != nil {
			key.code, key.class = e.job.Why.Code, e.job.Why.Args.Class
		}
		at, known := causes[key]
		if !known {
			at = len(r.Causes)
			causes[key] = at
			r.Causes = append(r.Causes, cause(s, e))
		}
		r.Causes[at].Jobs = append(r.Causes[at].Jobs, id)
	}
	slices.SortStableFunc(r.Causes, func(a, b Cause) int { return len(b.Jobs) - len(a.Jobs) })
	for _, m := range s.Machines {
		if h := w.hours[m.Machine.ID]; h != nil {
			r.Hours = append(r.Hours, *h)
		}
	}
	return r
}

func cause(s *scheduler.Snapshot, e ending) Cause {
	c := Cause{Outcome: e.job.Outcome, Why: e.job.Why}
	here := int64(0)
	for _, m := range s.Machines {
		if m.Machine.ID == e.machine {
			c.Machine, here = m.Machine.Name, memory(m)
		}
	}
	if e.job.Why == nil || e.job.Why.Code != job.ErrOutOfMemory || here == 0 {
		return c
	}
	most := here
	for _, m := range s.Machines {
		if has := memory(m); has > most {
			most, c.Elsewhere, c.ElsewhereName = has, m.Machine.ID, m.Machine.Name
		}
	}
	return c
}

// memory is that of a machine's largest GPU, 0 when it is not known.
func memory(m scheduler.MachineView) int64 {
	most := int64(0)
	for _, g := range m.GPUs {
		most = max(most, g.Last.MemTotal.Or(0))
	}
	return most
}
