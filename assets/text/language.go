package text

import (
	"strings"
	"time"

	"reckoner/scheduler/job"
)

// Language chooses the words. Its methods may be called from any goroutine. What
// they give is Plain: names and messages from outside are escaped where they
// would do anything but be read.
type Language uint8

// The languages. The zero Language is English, which JSON lines always use.
const (
	English Language = iota
)

// table is what a language has to bring. Each function returns "" for a code
// that it does not know.
type table struct {
	say      func(job.Say) string
	failure  func(*job.Error) (what, next string)
	hold     func(job.Say) string
	lacks    func(job.Say) string
	holdCode func(job.HoldCode) string
	waiting  string // goes before one or several holds
	and      string // goes between two of them
	event    func(job.Event) string
	typeOf   func(job.Type) string
	word     func(string) string
	units    units
	again    []string // what promises that something is tried again
	unsent   string   // what says that a request was not sent, behind what happened
}

// table gives the language's own. There is one so far, which is also what an
// unknown Language speaks.
func (l Language) table() table { return english() }

// Say makes a sentence of what was said, without a full stop. A code that has no
// words is returned as it is, so that nothing is ever silent.
func (l Language) Say(s job.Say) string { return Plain(l.say(s)) }

func (l Language) say(s job.Say) string {
	t := l.table()
	if text := t.say(s); text != "" {
		return text
	}
	if phrase := t.hold(s); phrase != "" {
		return capital(t.waiting + phrase)
	}
	if what, _ := t.failure(&job.Error{Say: s}); what != "" {
		return strings.TrimSuffix(what, ".")
	}
	return s.Code
}

// Error tells what happened, to which job or machine and what was kept, and what
// to do next. Both are whole sentences; next may be empty.
func (l Language) Error(e *job.Error) (what, next string) {
	if e == nil {
		return "", ""
	}
	what, next = l.failure(e)
	return Plain(what), Plain(next)
}

// FinalError is Error for one after which nothing is tried again: it does not
// promise that.
func (l Language) FinalError(e *job.Error) (what, next string) {
	what, next = l.Error(e)
	for _, promise := range l.table().again {
		next = strings.TrimSpace(strings.ReplaceAll(next, promise, ""))
	}
	return what, next
}

// Trouble is Error for a state that lasts, as that of a server: it does not say
// of the request that found it that nothing was sent.
func (l Language) Trouble(e *job.Error) (what, next string) {
	what, next = l.Error(e)
	return strings.TrimSuffix(what, l.table().unsent), next
}

func (l Language) failure(e *job.Error) (what, next string) {
	if what, next = l.table().failure(e); what != "" {
		return what, next
	}
	if said := l.table().say(e.Say); said != "" {
		return said + ".", ""
	}
	return e.Error(), ""
}

// Hold tells what a job waits for: "waiting for harbour-night to stop on gpu-1".
func (l Language) Hold(h job.Hold) string { return l.Holds([]job.Hold{h}) }

// Lacks says in a sentence what a server lacks for a job, "" of any other hold.
func (l Language) Lacks(h job.Hold) string { return Plain(l.table().lacks(h.Say)) }

// Holds tells everything that a job waits for in one line, each thing once. No
// holds give "".
func (l Language) Holds(holds []job.Hold) string {
	t := l.table()
	var phrases []string
	seen := map[string]bool{}
	for _, h := range holds {
		phrase := t.hold(h.Say)
		if phrase == "" {
			phrase = t.holdCode(h.Code)
		}
		if !seen[phrase] {
			seen[phrase] = true
			phrases = append(phrases, phrase)
		}
	}
	if len(phrases) == 0 {
		return ""
	}
	return Plain(t.waiting + strings.Join(phrases, t.and))
}

// Event tells an event in a line for people who follow a terminal. It is "" for
// events that are told by others.
func (l Language) Event(e job.Event) string { return Plain(l.table().event(e)) }

// Type names a job type: "Image to video · 640 × 640 · 161 frames · 20 steps".
// What is not known is left out.
func (l Language) Type(t job.Type) string { return Plain(l.table().typeOf(t)) }

// Outcome tells how a job ended, in a word or two.
func (l Language) Outcome(o job.JobOutcome) string { return l.word("job", string(o)) }

// RunOutcome tells how a run ended, by the server's last word.
func (l Language) RunOutcome(o job.RunOutcome) string { return l.word("run", string(o)) }

// State tells where a job stands.
func (l Language) State(s job.JobState) string { return l.word("state", string(s)) }

// Label tells whether the GPU was to itself during a run.
func (l Language) Label(label job.Label) string { return l.word("label", string(label)) }

// Start tells what the server had ready when a run started.
func (l Language) Start(s job.StartKind) string { return l.word("start", string(s)) }

// Witness tells what showed that a run ended.
func (l Language) Witness(w job.WitnessKind) string { return l.word("witness", string(w)) }

// Priority is a priority in words, as in a menu.
func (l Language) Priority(p job.Priority) string { return l.word("priority", string(p)) }

// Answer names a way to answer a question, as on a button.
func (l Language) Answer(a job.Answer) string { return l.word("answer", string(a)) }

func (l Language) word(of, value string) string {
	if value == "" {
		return ""
	}
	if w := l.table().word(of + ":" + value); w != "" {
		return w
	}
	return strings.ReplaceAll(value, "_", " ")
}

// Clock gives the local time of day: "21:16".
func (l Language) Clock(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format("15:04")
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
