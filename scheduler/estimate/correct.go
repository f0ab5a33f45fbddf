package estimate

import (
	"slices"
	"time"

	"reckoner/scheduler/job"
)

// Correction is what the user said of one run: At, Kind and the run as it is since
// then.
type Correction struct {
	At   time.Time
	Kind job.CorrectionKind
	Run  Run
}

// heard is the spread that was typical of the machine when a run was told.
type heard struct {
	run     job.ID
	typical float64
}

// Correct works a baseline out anew after the user said something else of one of
// its runs. Runs are all past runs of the type on that run's GPU, as they are to
// be judged now; what the user answered to changes meanwhile is repeated where it
// still applies. The outcome depends on these alone, so that taking a correction
// back brings back what was there, to the bit. The log goes on with a line about
// it.
func (b *Book) Correct(t job.Type, c Correction, runs []Run) {
	if t.Key == "" {
		return
	}
	at := place{t.Key, c.Run.GPU}
	old, x := b.ledgerOf(t, c.Run.GPU), b.experienceOf(c.Run.GPU)
	anew := old.replay(runs, b.Auto)
	anew.goOn(old, c)
	x.spreadChanged(old.current, anew.current)
	b.ledgers[at] = anew
	delete(b.made, at)
}

// replay tells runs to a new ledger, with the user's answers of this one's log
// among them.
func (l *ledger) replay(runs []Run, auto bool) *ledger {
	spreads := make(map[job.ID]float64, len(l.heard))
	for _, h := range l.heard {
		spreads[h.run] = h.typical
	}
	anew := newLedger()
	anew.typical, anew.heard = l.typical, l.heard
	answers := answersIn(l.revisions)
	for _, r := range inOrder(runs) {
		for len(answers) > 0 && answers[0].At.Before(r.At) {
			anew.repeat(answers[0])
			answers = answers[1:]
		}
		anew.typical = l.typical
		if typical, ok := spreads[r.ID]; ok {
			anew.typical = typical
		}
		anew.tell(r, auto)
	}
	for _, a := range answers {
		anew.repeat(a)
	}
	anew.typical = l.typical
	return anew
}

// given is an answer of the user, and when the change came about that it undoes.
type given struct {
	Answer
	change time.Time
}

// answersIn are the user's answers in a log.
func answersIn(log []job.Revision) []given {
	var answers []given
	for _, rev := range log {
		if rev.By != job.ByUser {
			continue
		}
		a := given{Answer: Answer{At: rev.At}}
		switch rev.Kind {
		case job.RevisionApplied:
			a.Kind = job.AnswerUse
		case job.RevisionKept:
			a.Kind = job.AnswerKeep
		case job.RevisionUndone:
			a.Kind = job.AnswerUndo
			if rev.About > 0 && rev.About <= len(log) {
				a.change = log[rev.About-1].At
			}
		default:
			continue
		}
		answers = append(answers, a)
	}
	return answers
}

// repeat gives an answer to what is there now in the place of what it was given
// to. Where nothing is, it falls away.
func (l *ledger) repeat(a given) {
	if l.pending != nil {
		a.About = l.pending.seq
	}
	if a.Kind == job.AnswerUndo {
		a.About = 0
		for seq := range l.before {
			if l.revisions[seq-1].At.Equal(a.change) {
				a.About = seq
			}
		}
	}
	l.answer(a.Answer)
}

// mayUndo is the newest change that can be undone, 0 for none.
func (l *ledger) mayUndo() int {
	newest := 0
	for seq := range l.before {
		newest = max(newest, seq)
	}
	return newest
}

// goOn takes up the log of the ledger that this one replaces, with a line about the
// correction that made it, and the proposal that waits since then.
func (l *ledger) goOn(old *ledger, c Correction) {
	stands := l.standing(old.revisions)
	l.revisions = slices.Clip(old.revisions)
	rev := Revision{
		At: c.At, Kind: job.RevisionCorrected, By: job.ByUser, Why: job.WhyUserDecided, Runs: membersIn(l.membersOf()),
		MidS: l.current.MidS(), LongestS: l.current.LongestS(), WasMidS: old.current.MidS(), Was: old.members,
		Corrected: &job.CorrectedRun{Member: membersIn([]Run{c.Run})[0], Kind: c.Kind, Aside: c.Run.SetAside},
	}
	was := l.before[l.mayUndo()]
	l.before = map[int]*snapshot{}
	if stands != 0 {
		rev.About, rev.Before = stands, membersIn(was.accepted)
		l.before[stands] = was
	}
	l.write(rev)
	if l.pending != nil {
		l.ask(l.pending, c.At)
	}
}

// standing is the line of a kept log that tells of the newest change that can be
// undone here, 0 where that log has none: a change that came about by the
// correction is taken back with it.
func (l *ledger) standing(kept []job.Revision) int {
	newest := l.mayUndo()
	if newest == 0 {
		return 0
	}
	here := l.revisions[newest-1]
	for _, rev := range slices.Backward(kept) {
		if rev.Kind == job.RevisionApplied && rev.At.Equal(here.At) {
			return rev.Seq
		}
	}
	return 0
}
