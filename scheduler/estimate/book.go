package estimate

import (
	"math"
	"slices"
	"time"

	"reckoner/scheduler/job"
)

// Book is everything that past runs say: of each job type on each GPU its
// baseline, and of each GPU how widely runs spread there and how often what was
// said held. It is a function of the runs that were told to it; telling it the
// same again makes the same book. It belongs to one owner.
type Book struct {
	// Auto applies upward moves without asking: for logs that have nobody to ask.
	Auto bool

	ledgers  map[place]*ledger
	types    map[string]job.Type
	gpus     map[string]*experience
	onGPU    map[string][]string // the job types with a ledger there, in order of their first run
	gpuOrder []string
	made     map[place]*Estimate
}

// place is a job type on a GPU.
type place struct{ typeKey, gpu string }

// NewBook makes a book without runs.
func NewBook() *Book {
	return &Book{
		ledgers: map[place]*ledger{}, types: map[string]job.Type{}, gpus: map[string]*experience{},
		onGPU: map[string][]string{}, made: map[place]*Estimate{},
	}
}

// Learn tells the book the past runs of job types, all at once and in the order
// in which they ended, whatever the order in which they are given. Logs are what
// was kept of their baselines: each is taken up where its log ends.
func (b *Book) Learn(types []job.Type, past map[string][]Run, logs []job.BaselineLog) {
	type told struct {
		run Run
		of  int
	}
	var all []told
	kept := map[place][]job.Revision{}
	for i, t := range types {
		for _, r := range past[t.Key] {
			all = append(all, told{r, i})
		}
		for _, log := range logs {
			if log.TypeKey == t.Key {
				kept[place{log.TypeKey, log.GPU}] = log.Revisions
			}
		}
	}
	slices.SortFunc(all, func(x, y told) int {
		if c := compareRuns(x.run, y.run); c != 0 {
			return c
		}
		return x.of - y.of
	})
	for _, a := range all {
		t := types[a.of]
		at := place{t.Key, a.run.GPU}
		if log := kept[at]; len(log) > 0 && a.run.At.After(last(log).At) {
			b.resume(t, a.run.GPU, log)
			delete(kept, at)
		}
		b.Tell(t, a.run, nil)
	}
	for _, t := range types {
		for _, log := range logs {
			at := place{t.Key, log.GPU}
			if rest := kept[at]; log.TypeKey == t.Key && len(rest) > 0 {
				b.resume(t, log.GPU, rest)
				delete(kept, at)
			}
		}
	}
}

// resume takes up a baseline where its kept log ends.
func (b *Book) resume(t job.Type, gpu string, log []job.Revision) {
	l, x := b.ledgerOf(t, gpu), b.experienceOf(gpu)
	before := l.current
	l.resume(log)
	x.spreadChanged(before, l.current)
	delete(b.made, place{t.Key, gpu})
}

// ledgerOf gives the ledger of a type on a GPU, a new one where there is none.
func (b *Book) ledgerOf(t job.Type, gpu string) *ledger {
	at := place{t.Key, gpu}
	l := b.ledgers[at]
	if l == nil {
		l = newLedger()
		b.ledgers[at] = l
		b.onGPU[gpu] = append(b.onGPU[gpu], t.Key)
	}
	if known, ok := b.types[t.Key]; !ok || known.Task == "" {
		b.types[t.Key] = t
	}
	return l
}

// Tell takes in a run that ended. Said is what was said of it when it started;
// nil means what the book would say now.
func (b *Book) Tell(t job.Type, r Run, said *Estimate) WhyNot {
	if t.Key == "" {
		return WhyNotMeasured
	}
	if r.Why() == "" && r.Start != job.Cold {
		if said == nil {
			said = b.Estimate(t, r.GPU)
		}
		if said.Known() {
			b.experienceOf(r.GPU).tookFor(said, r.Seconds)
		}
	}
	at := place{t.Key, r.GPU}
	l := b.ledgerOf(t, r.GPU)
	x := b.experienceOf(r.GPU)
	before := l.current
	l.typical = x.typical()
	l.heard = append(l.heard, heard{r.ID, l.typical})
	why := l.tell(r, b.Auto)
	x.spreadChanged(before, l.current)
	delete(b.made, at)
	return why
}

// Answer carries out the user's word about a baseline.
func (b *Book) Answer(typeKey, gpu string, a Answer) {
	at := place{typeKey, gpu}
	l := b.ledgers[at]
	if l == nil {
		return
	}
	before := l.current
	l.answer(a)
	b.experienceOf(gpu).spreadChanged(before, l.current)
	delete(b.made, at)
}

// Revisions is the log of a baseline, oldest first.
func (b *Book) Revisions(typeKey, gpu string) []Revision {
	if l := b.ledgers[place{typeKey, gpu}]; l != nil {
		return slices.Clip(l.revisions)
	}
	return nil
}

// Baseline is what the counted runs of a job type on a GPU come to.
func (b *Book) Baseline(typeKey, gpu string) Baseline {
	if l := b.ledgers[place{typeKey, gpu}]; l != nil {
		return l.current
	}
	return Baseline{}
}

// Scores are how many of the newest 80 % ranges held on a GPU: by the runs' own
// ranks, by shape where there were fewer than nine, and those that rested on
// other GPUs and types.
func (b *Book) Scores(gpu string) map[string]Score {
	x := b.gpus[gpu]
	if x == nil {
		return nil
	}
	scores := map[string]Score{"ranks": x.ranked[0].score(), "few": x.shaped[0].score()}
	for level, w := range x.fallback {
		scores[string(level)] = w.score()
	}
	return scores
}

func (b *Book) experienceOf(gpu string) *experience {
	x := b.gpus[gpu]
	if x == nil {
		x = &experience{}
		b.gpus[gpu] = x
		b.gpuOrder = append(b.gpuOrder, gpu)
	}
	return x
}

// Estimate says what is known of a job type on a GPU. It never gives nil. What
// rests on the type's own runs is kept until they change; what rests on others
// is worked out each time.
func (b *Book) Estimate(t job.Type, gpu string) *Estimate {
	at := place{t.Key, gpu}
	if e := b.made[at]; e != nil {
		return e
	}
	x := b.experienceOf(gpu)
	if l := b.ledgers[at]; l != nil && t.Key != "" {
		if e := l.estimate(x); e.Known() {
			b.made[at] = e
			return e
		}
	}
	for _, fallback := range [...]func(job.Type, string, *experience) *Estimate{b.byOtherGPU, b.bySimilar} {
		if e := fallback(t, gpu, x); e.Known() {
			return e
		}
	}
	return &Estimate{}
}

// estimate is what a type's own runs say. Without warm runs the cold ones are
// all there is.
func (l *ledger) estimate(x *experience) *Estimate {
	base := l.current
	if base.N() == 0 && len(l.cold) > 0 {
		base = baselineOf(l.cold)
	}
	n := base.N()
	if n == 0 {
		return &Estimate{}
	}
	spread := base.Spread(x.typical())
	e := &Estimate{
		level: job.LevelExact, n: n, base: base, midS: l.lately.seconds(base), spread: spread, scale: predictive(spread, n),
		shape: x.exact[bucketOf(n)].shape, df: float64(typicalWeight + n - 1), bounds: slices.Clone(l.bounds),
	}
	for i, nominal := range nominals {
		w := &x.shaped[i]
		if float64(n) >= 2/nominal-1 {
			w = &x.ranked[i]
		}
		e.misses[i] = w.misses(nominal)
	}
	if len(l.cold) >= spreadFrom && l.current.N() >= spreadFrom {
		e.coldS = max(0, baselineOf(l.cold).mid-base.mid)
	}
	if l.pending != nil {
		e.proposed = l.pending.base
	}
	return e
}

// thinScale is the spread that a fallback is taken to have until it has thirty
// residuals of its own: what it had where it was measured (estimation, 3.2, 3.3
// and 4.9: median errors of 10.7 and 24 %, over .67).
const (
	thinOther   = 0.16
	thinSimilar = 0.36
)

// fallback fills in what is alike for both fallbacks.
func fallback(e *Estimate, x *experience, residuals shape, thin float64) *Estimate {
	e.shape, e.scale, e.df = residuals, 1, typicalWeight
	if len(residuals) < shapeFrom {
		// Student's curve is in units of the scale, residuals are in log time.
		e.scale = thin
	}
	for i, nominal := range nominals {
		e.misses[i] = nominal
		if w := x.fallback[e.level]; w != nil && i == 0 {
			e.misses[i] = w.misses(nominal)
		}
	}
	return e
}

// The factor between two GPUs (estimation, 3.3).
const (
	factorFrom   = 2 // job types measured on both
	factorShrink = 3 // the types that no difference counts for
)

// factor is how much longer jobs take on one GPU than on another, in log time,
// from the types that were measured on both; ok is false with fewer than two.
func (b *Book) factor(gpu, other, except string) (float64, bool) {
	var ratios []float64
	for _, key := range b.onGPU[other] {
		here, there := b.ledgers[place{key, gpu}], b.ledgers[place{key, other}]
		if key == except || here == nil || here.current.N() == 0 || there.current.N() == 0 {
			continue
		}
		ratios = append(ratios, math.Log(here.current.mid/there.current.mid))
	}
	if len(ratios) < factorFrom {
		return 0, false
	}
	j := float64(len(ratios))
	return median(ratios) * j / (j + factorShrink), true
}

// byOtherGPU is the same job type on the other GPU that has most runs of it,
// times the factor between the two.
func (b *Book) byOtherGPU(t job.Type, gpu string, x *experience) *Estimate {
	e := &Estimate{}
	for _, other := range b.gpuOrder {
		l := b.ledgers[place{t.Key, other}]
		if other == gpu || l == nil || l.current.N() <= e.basis {
			continue
		}
		phi, ok := b.factor(gpu, other, t.Key)
		if !ok {
			continue
		}
		e.level, e.basis, e.basisGPU = job.LevelOtherGPU, l.current.N(), other
		e.midS = l.current.mid * math.Exp(phi)
	}
	return fallback(e, x, x.other.shape, thinOther)
}

// Since is when the oldest run of a baseline ended; zero without runs.
func (b *Book) Since(typeKey, gpu string) time.Time {
	l := b.ledgers[place{typeKey, gpu}]
	if l == nil || len(l.accepted) == 0 {
		return time.Time{}
	}
	return l.membersOf()[0].At
}

// GPUs are the GPUs that any run was on, in the order of their first run.
func (b *Book) GPUs() []string { return slices.Clone(b.gpuOrder) }

// Proposals are the baselines of which a change waits for the user, each with
// its log, which ends with the proposal.
func (b *Book) Proposals() []job.BaselineLog {
	var waiting []job.BaselineLog
	for _, gpu := range b.gpuOrder {
		for _, key := range b.onGPU[gpu] {
			if l := b.ledgers[place{key, gpu}]; l.pending != nil {
				waiting = append(waiting, job.BaselineLog{TypeKey: key, GPU: gpu, Revisions: slices.Clip(l.revisions)})
			}
		}
	}
	return waiting
}
