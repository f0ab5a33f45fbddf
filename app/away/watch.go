package away

import (
	"slices"
	"sync"
	"time"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

const (
	// LongEnough is how long nobody has to be there for a report to be made.
	LongEnough = 2 * time.Hour
	// mostKept bounds the jobs and the decisions that are remembered one by one.
	mostKept = 10_000
	// mostBetween is how much time between two samples is counted: more was not
	// seen, as when the computer slept.
	mostBetween = 15 * time.Minute
)

// Watch gathers what happens since somebody was last there. Its methods may be
// called from any goroutine.
type Watch struct {
	mu      sync.Mutex
	last    time.Time // somebody was there
	sampled time.Time
	ended   map[job.ID]ending
	order   []job.ID
	ran     map[job.ID]job.ID // the machine of a job's newest run
	decided []Decision
	hours   map[job.ID]*Hours
}

type ending struct {
	job     *job.Job
	machine job.ID
}

// Decision is a question that took its default.
type Decision struct {
	At       time.Time
	Question job.Say
	Answer   job.Answer
}

// Hours is what a machine did with the time. They are sampled, not measured.
type Hours struct {
	Machine                              job.ID
	Name                                 string
	Rendering, Others, Unreachable, Idle time.Duration
}

// New makes a watch; somebody is there now.
func New(now time.Time) *Watch {
	return &Watch{last: now, ended: map[job.ID]ending{}, ran: map[job.ID]job.ID{}, hours: map[job.ID]*Hours{}}
}

// reset forgets everything. It is called for every movement of the mouse, so it
// makes nothing new.
func (w *Watch) reset(now time.Time) {
	w.last, w.decided, w.order = now, nil, nil
	clear(w.ended)
	clear(w.ran)
	clear(w.hours)
}

// Event takes in something that happened.
func (w *Watch) Event(e job.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e.Kind {
	case job.EventRunEnded:
		if e.Run != nil && e.Server != nil && len(w.ran) < mostKept {
			w.ran[e.Run.Job] = e.Server.Machine
		}
	case job.EventJobEnded:
		if e.Job == nil {
			return
		}
		if _, again := w.ended[e.Job.ID]; !again {
			if len(w.order) >= mostKept {
				return
			}
			w.order = append(w.order, e.Job.ID)
		}
		w.ended[e.Job.ID] = ending{e.Job, w.ran[e.Job.ID]}
	case job.EventRequeued:
		if e.Job != nil {
			delete(w.ended, e.Job.ID)
			w.order = slices.DeleteFunc(w.order, func(id job.ID) bool { return id == e.Job.ID })
		}
	case job.EventDecided:
		if e.By == "default" && e.Question != nil && len(w.decided) < mostKept {
			w.decided = append(w.decided, Decision{At: e.At.Wall, Question: e.Question.Say, Answer: e.Answer})
		}
	default:
	}
}

// Sample takes in what the machines do at the moment.
func (w *Watch) Sample(s *scheduler.Snapshot) {
	w.mu.Lock()
	defer w.mu.Unlock()
	passed := s.At.Wall.Sub(w.sampled)
	first := w.sampled.IsZero()
	w.sampled = s.At.Wall
	if first || passed <= 0 || passed > mostBetween*time.Duration(max(s.Speed, 1)) {
		return
	}
	for i := range s.Machines {
		m := &s.Machines[i]
		h := w.hours[m.Machine.ID]
		if h == nil {
			h = &Hours{Machine: m.Machine.ID}
			w.hours[m.Machine.ID] = h
		}
		h.Name = m.Machine.Name
		switch {
		case m.Mine != scheduler.MineNone:
			h.Rendering += passed
		case unreachable(m):
			h.Unreachable += passed
		case m.Foreign:
			h.Others += passed
		default:
			h.Idle += passed
		}
	}
}

// unreachable tells whether no server of a machine answers.
func unreachable(m *scheduler.MachineView) bool {
	return len(m.Servers) > 0 && !slices.ContainsFunc(m.Servers, func(v scheduler.ServerView) bool { return v.Err == nil })
}

// Here says that somebody is there, at the time of a snapshot. It gives the
// report of the time before, nil when that was short or nothing happened.
func (w *Watch) Here(s *scheduler.Snapshot) *Report {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := s.At.Wall
	defer w.reset(now)
	if now.Sub(w.last) < LongEnough || len(w.order)+len(w.decided) == 0 {
		return nil
	}
	return w.report(s)
}
