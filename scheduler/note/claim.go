package note

import (
	"slices"
	"time"

	"reckoner/scheduler/job"
)

// Prompts is other people's work on one render server, as far as it was seen.
type Prompts struct {
	Server job.ID
	Name   string
	URL    string
	// Nth is the server's place among those of its machine, from 1.
	Nth         int
	Work        job.ForeignWork
	First, Last time.Time
}

// Seen is what is known of a machine's GPU at one moment, for a claim.
type Seen struct {
	Machine     job.ID
	MachineName string
	At          time.Time
	Prompts     []Prompts
	Programs    []job.Process // that are not ours nor a desktop's
	Source      string        // of the readings
	Reading     job.Reading   // the newest; zero when there is none
	Diagnosis   Diagnosis
	LowPower    bool // see job.LowPower
	BusyAlone   bool // it works while nothing of ours runs on it, and no prompt of others is known
}

// Claim is what is worth a note.
type Claim struct {
	Cause     job.NoteCause
	Machine   job.ID
	Server    job.ID
	Question  job.Say
	Finding   job.Say
	Mechanism job.Mechanism
	Strength  job.Strength
	Evidence  []job.Evidence
}

// fewPrompts is from how many prompts on a client is suspected, not a visitor.
const fewPrompts = 2

// BigProgram is from how much memory on a program that computes nothing is
// suspected: it can push a job out of memory.
const BigProgram = 1 << 30 // bytes

// Suspect gives the claim that what was seen is worth, while a run of ours is
// longer than it should be. ok is false when nothing odd was seen: a slow run
// alone is no claim about others.
//
// Whom to suspect comes from witnesses (prompts, processes, clock flags), never
// from gauges. Gauges that nobody can be named for give a question without a
// suspect.
func Suspect(s Seen) (c Claim, ok bool) {
	c = Claim{Machine: s.Machine, Mechanism: s.Diagnosis.Mechanism, Strength: s.Diagnosis.Strength}
	args := job.Args{Machine: s.MachineName}
	switch p, program := mostPrompts(s.Prompts), biggest(s.Programs); {
	case p != nil:
		c.Cause, c.Server = job.CauseOtherClient, p.Server
		c.Question = job.Say{Code: job.NoteOtherClient, Args: args}
		c.Finding = p.Say()
	case program != nil:
		c.Cause = job.CauseOtherProgram
		c.Question = job.Say{Code: job.NoteOtherProgram, Args: args}
		c.Finding = SayProgram(*program)
	case s.Diagnosis.Mechanism == job.Throttled && s.Diagnosis.Strength == job.Certain:
		c.Cause = job.CauseThrottled
		c.Question = job.Say{Code: job.NoteThrottled, Args: args}
		c.Finding = job.Say{Code: job.NoteSawThrottle}
	case s.odd():
		c.Cause = job.CauseUnexplained
		c.Question = job.Say{Code: job.NoteUnexplained, Args: args}
		if len(s.Diagnosis.Seen) > 0 {
			c.Finding = s.Diagnosis.Seen[0]
		}
	default:
		return Claim{}, false
	}
	c.Evidence = s.evidence()
	return c, true
}

// odd tells whether the gauges show a load that a job at work does not explain.
func (s Seen) odd() bool {
	if s.LowPower || s.BusyAlone {
		return true
	}
	switch s.Diagnosis.Mechanism {
	case job.Spill, job.Stalled, job.Throttled, job.SharedGPU:
		return true
	default:
		return false
	}
}

func mostPrompts(all []Prompts) *Prompts {
	var most *Prompts
	for i := range all {
		if p := &all[i]; p.Work.Prompts >= fewPrompts && (most == nil || p.Work.Prompts > most.Work.Prompts) {
			most = p
		}
	}
	return most
}

// biggest is the program that computes most, or else holds most.
func biggest(all []job.Process) *job.Process {
	var most *job.Process
	for i := range all {
		p := &all[i]
		if p.SM.Or(0) < foreignSMFrom && p.Mem.Or(0) < BigProgram {
			continue
		}
		if most == nil || p.SM.Or(0) > most.SM.Or(0) || p.SM.Or(0) == most.SM.Or(0) && p.Mem.Or(0) > most.Mem.Or(0) {
			most = p
		}
	}
	return most
}

// Say is what was seen of them, in a sentence.
func (p Prompts) Say() job.Say {
	return job.Say{Code: job.NoteSawPrompts, Args: job.Args{
		Server: p.Name, Of: p.Nth, Count: p.Work.Prompts, UpTo: p.Work.OverS, Seconds: p.Work.EveryS.Or(0),
	}}
}

// Computes tells whether a program computes, or only holds memory.
func Computes(p job.Process) bool { return p.SM.Or(0) >= foreignSMFrom }

// SayProgram is what was seen of a program of others, in a sentence.
func SayProgram(p job.Process) job.Say {
	args := job.Args{Value: job.ProgramName(p.Name), Count: p.PID, Bytes: p.Mem.Or(0)}
	if Computes(p) {
		return job.Say{Code: job.NoteSawComputing, Args: args}
	}
	return job.Say{Code: job.NoteSawProgram, Args: args}
}

// evidence lists what was seen: who else was there as facts, the mechanism with
// its own strength.
func (s Seen) evidence() []job.Evidence {
	var list []job.Evidence
	add := func(kind job.EvidenceKind, strength job.Strength, source string, say job.Say) {
		list = append(list, job.Evidence{
			Kind: kind, Strength: strength, Say: say, First: s.At, Last: s.At, Source: source,
		})
	}
	for _, p := range s.Prompts {
		if p.Work.Prompts > 0 {
			list = append(list, job.Evidence{
				Kind: job.SawPrompts, Strength: job.Certain, Say: p.Say(), First: p.First, Last: p.Last, Source: p.URL,
			})
		}
	}
	for _, p := range s.Programs {
		add(job.SawProgram, job.Certain, s.Source, SayProgram(p))
	}
	if s.BusyAlone {
		add(job.SawBusyAlone, job.Certain, s.Source, job.Say{Code: job.NoteSawBusyAlone, Args: job.Args{
			Machine: s.MachineName, Percent: s.Reading.Util.Or(0),
		}})
	}
	if s.LowPower {
		add(job.SawLowPower, job.Certain, s.Source, job.Say{Code: job.NoteSawLowPower, Args: job.Args{
			Percent: s.Reading.Util.Or(0), Watts: s.Reading.Power.Or(0), OfWatts: s.Reading.Limit.Or(0),
		}})
	}
	used, okU := s.Reading.MemUsed.Get()
	total, okT := s.Reading.MemTotal.Get()
	if okU && okT && total > 0 && float64(used)/float64(total) >= .95 {
		add(job.SawFullMemory, job.Certain, s.Source,
			job.Say{Code: job.NoteSawFull, Args: job.Args{Bytes: used, OfBytes: total}})
	}
	switch m := s.Diagnosis.Mechanism; m {
	case job.Spill, job.Stalled, job.Throttled, job.SharedGPU:
		add(job.SawMechanism, s.Diagnosis.Strength, s.Source, sayMechanism(m, s.Diagnosis.Strength))
	default:
	}
	return list
}

// againAfter is how long a claim that was refuted or withdrawn is not raised
// anew: what is seen meanwhile is added to the old note.
const againAfter = 24 * time.Hour

// Answers tells whether a claim belongs to a note that is there: the same cause
// on the same machine, or a question that had no suspect yet.
func Answers(n *job.Note, c Claim, now time.Time) bool {
	if n.Machine != c.Machine {
		return false
	}
	if !n.Open() && n.Status != job.NoteSupported && now.Sub(n.Changed) > againAfter {
		return false
	}
	if n.Open() && n.Cause == job.CauseUnexplained {
		return true
	}
	return n.Cause == c.Cause && n.Server == c.Server
}

// Open makes a note of a claim.
func Open(id job.ID, c Claim, r *job.Run, now time.Time) *job.Note {
	n := &job.Note{
		ID: id, Machine: c.Machine, Cause: c.Cause, Server: c.Server, Status: job.NoteProbable,
		Claim: c.Question, Finding: c.Finding, Mechanism: c.Mechanism, Strength: c.Strength,
		Opened: now, Changed: now, LastSeen: now,
	}
	if r != nil {
		n.Run, n.Job, n.TypeKey, n.GPU = r.ID, r.Job, r.TypeKey, r.GPU
	}
	for _, e := range c.Evidence {
		n.Evidence = merge(n.Evidence, e)
	}
	return n
}

// Update gives a note with what was seen since. fresh says that there is
// something new in it, beyond newer figures. The status stays: only a test and
// the user change it. A question that had no suspect takes the claim's words, and
// keeps its own as an earlier wording.
func Update(old *job.Note, c Claim, now time.Time) (n *job.Note, fresh bool) {
	n = clone(old)
	fresh = n.Quiet
	if n.Open() && n.Cause == job.CauseUnexplained && c.Cause != job.CauseUnexplained {
		n.Wordings = append(n.Wordings, job.Wording{
			Claim: n.Claim, Text: n.Text, Until: now, Why: job.Say{Code: job.NoteReworded},
		})
		n.Cause, n.Server, n.Claim, fresh = c.Cause, c.Server, c.Question, true
	}
	before := len(n.Evidence)
	for _, e := range c.Evidence {
		n.Evidence = merge(n.Evidence, e)
	}
	n.Finding, n.Mechanism, n.Strength = c.Finding, c.Mechanism, c.Strength
	n.LastSeen, n.Quiet = now, false
	fresh = fresh || len(n.Evidence) != before
	if fresh {
		n.Changed = now
	}
	return n, fresh
}

// Hush gives a note whose evidence is gone. It is still open, and no longer
// about now: rule 8 leaves its status to a test and to the user.
func Hush(old *job.Note, now time.Time) *job.Note {
	n := clone(old)
	n.Quiet, n.Changed = true, now
	return n
}

// Withdraw gives a note that the user takes back.
func Withdraw(old *job.Note, now time.Time) *job.Note {
	n := clone(old)
	n.Status, n.Changed = job.NoteWithdrawn, now
	return n
}

// Reword gives a note with the claim in the user's words.
func Reword(old *job.Note, text string, now time.Time) *job.Note {
	n := clone(old)
	n.Wordings = append(n.Wordings, job.Wording{Claim: n.Claim, Text: n.Text, Until: now})
	n.Text, n.Changed = text, now
	return n
}

// AddRun gives a note with a run that ended as evidence, once a run. usual says
// whether its time was within what is usual; nobody's status changes by it.
func AddRun(old *job.Note, r *job.Run, name string, usual bool, now time.Time) *job.Note {
	s, ok := r.Seconds.Get()
	if !ok || r.Label == job.LabelUnknown || r.Label == "" {
		return old
	}
	if slices.ContainsFunc(old.Evidence, func(e job.Evidence) bool { return e.Run == r.ID && e.Kind != job.SawTest }) {
		return old
	}
	n := clone(old)
	if len(n.Evidence) >= job.NoteEvidenceKept {
		n.LeftOut++
		return n
	}
	e := job.Evidence{Strength: job.Certain, Run: r.ID, First: now, Last: now, Source: "history"}
	args := job.Args{Job: name, Seconds: s, UpTo: r.Forecast.MidS}
	alone := r.Label == job.Clean
	switch {
	case alone && usual:
		e.Kind, e.Say.Code = job.SawUsualAlone, job.NoteUsualAlone
	case alone:
		e.Kind, e.Against, e.Say.Code = job.SawSlowAlone, true, job.NoteSlowAlone
	case usual:
		e.Kind, e.Against, e.Say.Code = job.SawUsualShared, true, job.NoteUsualShared
	default:
		e.Kind, e.Say.Code = job.SawSlowShared, job.NoteSlowShared
	}
	e.Say.Args = args
	n.Evidence = append(n.Evidence, e)
	n.Changed = now
	return n
}

// merge puts evidence into a list: what was seen before is brought up to date,
// with the time when it was first seen kept.
func merge(list []job.Evidence, e job.Evidence) []job.Evidence {
	for i := range list {
		if list[i].Kind == e.Kind && list[i].Source == e.Source && list[i].Run == e.Run && sameSubject(list[i].Say, e.Say) {
			first := list[i].First
			list[i] = e
			list[i].First = first
			return list
		}
	}
	if len(list) >= job.NoteEvidenceKept {
		return list
	}
	return append(list, e)
}

// sameSubject tells whether two sayings are about the same thing, figures apart:
// a mechanism is told from another one, a program from another one.
func sameSubject(a, b job.Say) bool { return a.Code == b.Code && a.Args.Value == b.Args.Value }

func clone(old *job.Note) *job.Note {
	n := *old
	n.Evidence = slices.Clone(old.Evidence)
	n.Wordings = slices.Clone(old.Wordings)
	n.Results = slices.Clone(old.Results)
	return &n
}
