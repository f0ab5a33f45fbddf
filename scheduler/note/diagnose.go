package note

import "reckoner/scheduler/job"

// How a finding comes and goes (gpu-telemetry, 3.4): shown when its share stays
// high for some samples in a row, dropped when it stays low for longer.
const (
	windowLen = 10  // samples, about a second apart
	enter     = .60 // share
	enterFor  = 5   // samples
	leave     = .40
	leaveFor  = 10
	probably  = .80
)

// Diagnosis is what a GPU's last samples add up to.
type Diagnosis struct {
	// Mechanism is what may be said, Unclear when nothing is sure; Share is how
	// much speaks for it, Strength how it may be said.
	Mechanism job.Mechanism
	Share     float64
	Strength  job.Strength
	// PowerShare is the power above idle as a share of what the limit leaves.
	PowerShare job.Maybe[float64]
	// Facts are the mechanisms that were seen, not inferred. They may be said
	// whatever the score shows.
	Facts []job.Mechanism
	// All are the observations, the strongest first; Seen are the first two of
	// them. They stand alone when Mechanism is Unclear.
	All, Seen []job.Say
	// BusyAlone says that the card works while nothing of ours runs on it.
	BusyAlone bool
}

// Tracker follows one GPU. The zero Tracker is ready. It is no goroutine's: its
// owner feeds it.
type Tracker struct {
	window    []Sample
	shown     job.Mechanism
	candidate job.Mechanism
	in, out   int
	idle      idlePower
	last      Diagnosis
}

// Last gives the newest diagnosis. Before there are ten samples it is Unclear,
// with nothing seen.
func (t *Tracker) Last() Diagnosis {
	if t.last.Mechanism == "" {
		return Diagnosis{Mechanism: job.Unclear}
	}
	return t.last
}

// IdlePower gives what the card is known to draw at rest, in watts, with or
// without models loaded.
func (t *Tracker) IdlePower(loaded bool) job.Maybe[float64] { return t.idle.at(loaded) }

// Remind gives the tracker what was learned of the card before.
func (t *Tracker) Remind(of job.IdlePower) { t.idle.before = of }

// IdleNow is that figure for how full the card was in the last sample.
func (t *Tracker) IdleNow() job.Maybe[float64] {
	if len(t.window) == 0 {
		return job.Maybe[float64]{}
	}
	return t.idle.at(loaded(t.window[len(t.window)-1]))
}

// See takes in a sample and gives the diagnosis.
func (t *Tracker) See(s Sample) Diagnosis {
	t.idle.learn(s)
	if len(t.window) == windowLen {
		copy(t.window, t.window[1:])
		t.window = t.window[:windowLen-1]
	}
	t.window = append(t.window, s)
	if t.shown == "" {
		t.shown = job.Unclear
	}
	if len(t.window) < windowLen {
		return t.Last()
	}
	sc := scoreOf(t.window, t.idle.at(loaded(s)))
	shares := sc.shares()
	t.follow(shares)
	d := Diagnosis{Mechanism: t.shown, Share: shares[t.shown], All: sc.observations(), BusyAlone: BusyAlone(t.window)}
	d.Seen = d.All[:min(2, len(d.All))]
	for _, m := range [...]job.Mechanism{job.Throttled, job.Spill} {
		if fact(m, t.window) {
			d.Facts = append(d.Facts, m)
		}
	}
	d.Strength = strengthOf(t.shown, d.Share, t.window)
	if sc.facts.hasShare {
		d.PowerShare = job.Known(sc.facts.share)
	}
	t.last = d
	return d
}

// follow lets the shown mechanism come and go.
func (t *Tracker) follow(shares map[job.Mechanism]float64) {
	best := job.Unclear
	for _, m := range mechanisms {
		if shares[m] > shares[best] {
			best = m
		}
	}
	if best != t.shown && shares[best] >= enter {
		if t.candidate != best {
			t.in = 0
		}
		t.in++
		t.candidate = best
		if t.in >= enterFor {
			t.shown, t.out, t.in, t.candidate = best, 0, 0, ""
		}
	} else {
		t.in, t.candidate = 0, ""
	}
	if shares[t.shown] < leave {
		t.out++
	} else {
		t.out = 0
	}
	if t.shown != job.Unclear && t.out >= leaveFor {
		t.shown = job.Unclear
	}
}

// strengthOf says how surely a mechanism may be named: facts plainly, what
// several kinds of witness agree on as probable, what rests on gauges alone only
// as possible (gpu-telemetry, 3.3).
func strengthOf(m job.Mechanism, share float64, window []Sample) job.Strength {
	if fact(m, window) {
		return job.Certain
	}
	switch {
	case m == job.Unclear, share < leave:
		return job.Unsure
	case share < probably:
		return job.MayBe
	}
	switch m {
	case job.Spill, job.SharedGPU, job.Healthy:
		if gaugesOnly(window) {
			return job.MayBe
		}
	case job.Stalled:
		if last := window[len(window)-1]; !last.isStill() {
			return job.MayBe
		}
	default:
	}
	return job.Probably
}

// fact tells whether a mechanism was seen, not inferred. A fact must last: two
// of the last three samples, three of five for who computes, the whole window for
// a card that works although nobody known does.
func fact(m job.Mechanism, window []Sample) bool {
	n := len(window)
	switch m {
	case job.SharedGPU:
		prompts := count(window[n-3:], func(s Sample) bool { return s.ForeignPrompt })
		computes := count(window[n-5:], func(s Sample) bool { return s.ForeignSM.Or(0) >= foreignSMFrom })
		return prompts >= 2 || computes >= 3 || BusyAlone(window)
	case job.Throttled:
		util, ok := medianOf(window, func(s Sample) job.Maybe[float64] { return s.Util })
		return throttled(window) && ok && util >= 80
	case job.Spill:
		return moved(window)
	default:
		return false
	}
}

// busyAloneUtil is from which utilisation on a card works.
const busyAloneUtil = 20 // percent

// BusyAlone tells whether a card worked in all of a window while nothing of ours
// ran on it and no known server had anybody else's prompt either.
func BusyAlone(window []Sample) bool {
	return len(window) > 0 && count(window, func(s Sample) bool {
		ours, known := s.Ours.Get()
		return known && !ours && s.Util.Or(0) >= busyAloneUtil
	}) == len(window)
}

// gaugesOnly tells whether a window knows nothing but utilisation, power and
// memory.
func gaugesOnly(window []Sample) bool {
	return count(window, func(s Sample) bool {
		return s.BusIn.Known() || s.Speed.Known() || s.ForeignSM.Known() || s.ForeignMem.Known() ||
			s.Moved.Known() || s.ForeignPrompt || s.Ours.Known()
	}) == 0
}
