package estimate

import (
	"math"
	"slices"
	"time"

	"reckoner/scheduler/job"
)

// When a baseline may move (estimation, 3.10). All of these are choices made
// there on two sets of logs; none was tuned here.
const (
	lastSides   = 6
	sidesEnough = 5
	shiftFrom   = 0.0488 // ln 1.05
	agreeTimes  = 2      // the baseline's spread
	agreeFrom   = 0.02   // the least spread that agreement is held against
	sureEnough  = 0.0005 // the chance of such ranks, to that side, if nothing had changed

	fifteen        = 15      // the second arm, for types that scatter
	scattersFrom   = 0.15    // by so much
	fifteenShift   = 0.0953  // ln 1.1
	fifteenSure    = 0.00025 // asks for more: it looks again at every run
	fifteenAgainst = 15      // the fewest runs that they are held against

	insideAgain  = 3                // runs in a row that withdraw a proposal
	sessionApart = 30 * time.Minute // without a run, where starts of the server are not known
)

// sided is a clean run with the side of the baseline's usual range on which it
// fell: -1 below, 1 above.
type sided struct {
	run  Run
	side int
}

// proposal is a change that waits, with what has come since.
type proposal struct {
	seq    int
	side   int
	runs   []Run // that it would be made of
	inside []Run // that came meanwhile and fell inside the baseline
	row    int   // of them, in a row
	why    job.RevisionWhy
	base   Baseline
}

func (l *ledger) remember(r Run, side int) {
	l.sides = append(l.sides, sided{r, side})
	l.sides = l.sides[max(0, len(l.sides)-lastSides):]
	l.newest = newestOf(append(l.newest, r), fifteen)
}

// propose says what the newest clean runs would have the baseline become, nil
// when they would not change it.
func (l *ledger) propose() *proposal {
	if p := l.fiveOfSix(); p != nil {
		return p
	}
	return l.fifteenNewest()
}

func (l *ledger) fiveOfSix() *proposal {
	count := 0
	for _, s := range l.sides {
		count += s.side
	}
	if count < sidesEnough-1 && count > -(sidesEnough-1) {
		return nil
	}
	side := 1
	if count < 0 {
		side = -1
	}
	var runs []Run
	for _, s := range l.sides {
		if s.side == side {
			runs = append(runs, s.run)
		}
	}
	if len(runs) < sidesEnough || !severalSessions(runs) {
		return nil
	}
	base := baselineOf(runs)
	if float64(side)*math.Log(base.mid/l.current.mid) < shiftFrom {
		return nil
	}
	agree := agreeTimes * max(l.current.Spread(typicalAtFirst), agreeFrom)
	if base.own > agree || ranksBy(base.sorted, l.against(runs), side) >= sureEnough {
		return nil
	}
	return &proposal{side: side, runs: runs, why: job.WhyFiveOfSix, base: base}
}

func (l *ledger) fifteenNewest() *proposal {
	if len(l.newest) < fifteen || l.current.Spread(typicalAtFirst) <= scattersFrom {
		return nil
	}
	base := baselineOf(l.newest)
	side, shift := 1, math.Log(base.mid/l.current.mid)
	if shift < 0 {
		side, shift = -1, -shift
	}
	if shift < fifteenShift || !severalSessions(l.newest) {
		return nil
	}
	against := l.against(l.newest)
	if len(against) < fifteenAgainst || ranksBy(base.sorted, against, side) >= fifteenSure {
		return nil
	}
	return &proposal{side: side, runs: slices.Clone(l.newest), why: job.WhyFifteen, base: base}
}

func baselineOf(runs []Run) Baseline {
	durations := make([]float64, 0, len(runs))
	for _, r := range runs {
		durations = append(durations, r.Seconds)
	}
	return newBaseline(durations, 0, typicalAtFirst)
}

// against is what a proposal is held against: the baseline without its runs.
func (l *ledger) against(runs []Run) []float64 {
	var durations []float64
	for _, m := range newestOf(without(l.accepted, runs), window) {
		durations = append(durations, m.Seconds)
	}
	slices.Sort(durations)
	return durations
}

func without(runs, gone []Run) []Run {
	kept := make([]Run, 0, len(runs))
	for _, r := range runs {
		if !slices.ContainsFunc(gone, func(g Run) bool { return compareRuns(g, r) == 0 }) {
			kept = append(kept, r)
		}
	}
	return kept
}

// severalSessions tells whether runs are from two starts of a server or more,
// or from two times of use.
func severalSessions(runs []Run) bool {
	for i := 1; i < len(runs); i++ {
		a, b := runs[i-1], runs[i]
		if a.Session != b.Session || b.began().Sub(a.At) >= sessionApart {
			return true
		}
	}
	return false
}

// open writes a proposal down. Downwards it is applied at once: no run is fast
// by accident. Upwards it waits for the user, and the baseline is frozen.
func (l *ledger) open(p *proposal, r Run, auto bool) {
	l.accepted = without(l.accepted, p.runs)
	l.refit()
	l.lately = recent{}
	if p.side < 0 || auto {
		l.apply(p, Revision{At: r.At, By: job.ByRule, Why: p.why})
		return
	}
	l.ask(p, r.At)
}

// ask puts a proposal to the user.
func (l *ledger) ask(p *proposal, at time.Time) {
	l.write(Revision{
		At: at, Kind: job.RevisionProposed, By: job.ByRule, Why: p.why, Runs: membersIn(p.runs),
		MidS: p.base.MidS(), LongestS: p.base.LongestS(), WasMidS: l.current.MidS(), Was: l.members,
		Before: membersIn(l.accepted),
	})
	p.seq = len(l.revisions)
	l.pending = p
}

// apply makes the runs of a proposal the baseline: exactly those that agree.
func (l *ledger) apply(p *proposal, rev Revision) {
	was := &snapshot{accepted: slices.Clone(l.accepted), current: l.current, lately: l.lately}
	rev.Kind, rev.WasMidS, rev.Was = job.RevisionApplied, l.current.MidS(), l.members
	rev.Before = membersIn(l.accepted)
	l.pending = nil
	l.accepted, l.lately = slices.Clone(p.runs), recent{}
	l.sides, l.newest = nil, nil
	l.refit()
	rev.Runs, rev.MidS, rev.LongestS = membersIn(p.runs), l.current.MidS(), l.current.LongestS()
	l.write(rev)
	l.before[len(l.revisions)] = was
}

// noticeInProposal takes in a clean run while a proposal waits.
func (l *ledger) noticeInProposal(r Run, side int) WhyNot {
	p := l.pending
	if side == 0 {
		p.inside = append(p.inside, r)
		if p.row++; p.row >= insideAgain {
			l.close(Revision{At: r.At, Kind: job.RevisionWithdrawn, By: job.ByRule, Why: job.WhyInsideAgain})
			return ""
		}
		return WhyNotWaiting
	}
	p.row = 0
	if side == p.side {
		p.runs = newestOf(append(p.runs, r), window)
		p.base = baselineOf(p.runs)
	}
	return WhyNotWaiting
}

// close ends a proposal that is not taken. What fell inside the baseline
// meanwhile joins it now; what did not stays out.
func (l *ledger) close(rev Revision) {
	p := l.pending
	l.pending = nil
	l.sides, l.newest = nil, nil
	for _, r := range p.inside {
		l.accept(r)
	}
	rev.About, rev.Runs = p.seq, membersIn(l.membersOf())
	rev.MidS, rev.LongestS, rev.WasMidS, rev.Was = l.current.MidS(), l.current.LongestS(), p.base.MidS(), p.base.N()
	l.write(rev)
}

// answer carries out the user's word. One that fits nothing is no word.
func (l *ledger) answer(a Answer) {
	switch a.Kind {
	case job.AnswerUse:
		if p := l.pending; p != nil && p.seq == a.About {
			l.apply(p, Revision{At: a.At, By: job.ByUser, Why: job.WhyUserDecided, About: a.About})
		}
	case job.AnswerKeep:
		if p := l.pending; p != nil && p.seq == a.About {
			l.close(Revision{At: a.At, Kind: job.RevisionKept, By: job.ByUser, Why: job.WhyUserDecided})
		}
	case job.AnswerUndo:
		was, ok := l.before[a.About]
		if !ok {
			return
		}
		delete(l.before, a.About)
		rev := Revision{
			At: a.At, Kind: job.RevisionUndone, By: job.ByUser, Why: job.WhyUserDecided, About: a.About,
			WasMidS: l.current.MidS(), Was: l.members,
		}
		l.pending, l.sides, l.newest = nil, nil, nil
		l.accepted, l.current, l.lately = was.accepted, was.current, was.lately
		l.members = min(len(was.accepted), window)
		for _, r := range was.later {
			if !l.beyond(r.Seconds) {
				l.accept(r)
			}
		}
		rev.Runs, rev.MidS, rev.LongestS = membersIn(l.membersOf()), l.current.MidS(), l.current.LongestS()
		l.write(rev)
	}
}
