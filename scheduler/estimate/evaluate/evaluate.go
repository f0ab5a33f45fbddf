package evaluate

import (
	"cmp"
	"container/heap"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"reckoner/scheduler/estimate"
	"reckoner/scheduler/job"
)

// fractions of the middle at which the rest is told, and times by which runs are
// slowed to see what is caught (estimation, 4.6 and 4.7).
var (
	fractions = [...]float64{0.5, 1, 1.25, 1.5, 2}
	times     = [...]float64{1.5, 2, 3, 6.3}
)

// alarmFrom is the number of past runs from which the rest, notices and alarms
// are judged (estimation, 4.6 and 4.7).
const alarmFrom = 9

// Run lets the runs of a log happen and measures what would have been said.
func Run(rows []Row, slow Slowing) Report {
	e := &evaluation{
		book: estimate.NewBook(), types: map[string]job.Type{}, rules: map[string]*rules{},
		at: map[string]*conditional{}, caught: map[string]*share{}, noticed: map[string]*share{},
	}
	// A log has nobody to ask.
	e.book.Auto = true
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b Row) int { return a.Start.Compare(b.Start) })
	for _, r := range slow.apply(rows) {
		e.until(r.Start)
		e.start(r)
	}
	e.until(time.Unix(1<<40, 0))
	return e.report()
}

// running is a run that has not ended, with what was said of it.
type running struct {
	slowed
	end    time.Time
	number int
	said   *estimate.Estimate
	rules  job.Maybe[[len(ruleNames)]float64]
}

// ends are running runs, the first to end on top.
type ends []*running

func (h *ends) Len() int      { return len(*h) }
func (h *ends) Swap(i, j int) { (*h)[i], (*h)[j] = (*h)[j], (*h)[i] }
func (h *ends) Less(i, j int) bool {
	a, b := (*h)[i], (*h)[j]
	return cmp.Or(a.end.Compare(b.end), cmp.Compare(a.number, b.number)) < 0
}
func (h *ends) Push(x any) { *h = append(*h, x.(*running)) } //nolint:forcetypeassert // only this file pushes
func (h *ends) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

type evaluation struct {
	book  *estimate.Book
	types map[string]job.Type
	rules map[string]*rules
	open  ends
	seen  int

	all                  accuracy
	perRule              [len(ruleNames)]accuracy
	held80, held90       share
	few, many            share
	width80, width90     []float64
	at                   map[string]*conditional
	notice, alarm, limit share
	nominal              float64
	caught, noticed      map[string]*share
}

// share counts how often something was so.
type share struct{ is, of int }

func (s *share) add(is bool) {
	s.of++
	if is {
		s.is++
	}
}

func (s *share) percent() float64 {
	if s.of == 0 {
		return 0
	}
	return 100 * float64(s.is) / float64(s.of)
}

type conditional struct {
	n      int
	apart  []float64
	inside share
	given  share
}

// until lets every run end that does so up to a time.
func (e *evaluation) until(t time.Time) {
	for len(e.open) > 0 && !e.open[0].end.After(t) {
		e.end(heap.Pop(&e.open).(*running)) //nolint:forcetypeassert // see Push
	}
}

func (e *evaluation) start(r slowed) {
	t, ok := e.types[r.Key]
	if !ok {
		t = job.Type{Key: r.Key}
		e.types[r.Key] = t
		e.rules[r.Key] = &rules{}
	}
	run := &running{
		slowed: r, number: e.seen, end: r.Start.Add(time.Duration(r.Duration * float64(time.Second))),
		said: e.book.Estimate(t, ""),
	}
	e.seen++
	if rule := e.rules[r.Key]; rule.n > 0 {
		run.rules = job.Known(rule.say())
	}
	heap.Push(&e.open, run)
}

func (e *evaluation) end(r *running) {
	took := estimate.Run{
		ID: job.ID(fmt.Sprintf("%09d", r.number)), At: r.end, Seconds: r.Duration, Label: r.Label, Bound: !r.Ended,
	}
	if r.Ended && !r.slow && r.Label != job.Shared {
		e.judge(r)
	}
	e.book.Tell(e.types[r.Key], took, r.said)
	if r.Ended {
		e.rules[r.Key].tell(r.Duration)
	}
}

// judge compares what was said of a run with what it took.
func (e *evaluation) judge(r *running) {
	rules, ok := r.rules.Get()
	f := r.said.Forecast()
	if !ok || f.N == 0 {
		return
	}
	e.all.add(f.MidS, r.Duration)
	for i := range e.perRule {
		e.perRule[i].add(rules[i], r.Duration)
	}
	e.judgeRanges(r, f)
	if f.N >= alarmFrom {
		e.judgeRest(r, f)
		e.judgeLines(r, f)
	}
}

func (e *evaluation) judgeRanges(r *running, f job.Forecast) {
	if low, high, ok := r.said.Range80(); ok {
		held := low <= r.Duration && r.Duration <= high
		e.held80.add(held)
		e.width80 = append(e.width80, (high-low)/f.MidS)
		if f.N < alarmFrom {
			e.few.add(held)
		} else {
			e.many.add(held)
		}
	}
	if low, high, ok := r.said.Range90(); ok {
		e.held90.add(low <= r.Duration && r.Duration <= high)
		e.width90 = append(e.width90, (high-low)/f.MidS)
	}
}

// judgeRest compares what was said of the rest while the run went on.
func (e *evaluation) judgeRest(r *running, f job.Forecast) {
	for _, fraction := range fractions {
		elapsed := fraction * f.MidS
		if r.Duration <= elapsed {
			return
		}
		c := e.at[name(fraction)]
		if c == nil {
			c = &conditional{}
			e.at[name(fraction)] = c
		}
		c.n++
		left := r.said.At(elapsed)
		if left.MidS > 0 {
			c.apart = append(c.apart, math.Abs(math.Log(left.MidS/r.Duration)))
		}
		c.given.add(left.HighS > 0)
		if left.HighS > 0 {
			c.inside.add(left.LowS <= r.Duration && r.Duration <= left.HighS)
		}
	}
}

func (e *evaluation) judgeLines(r *running, f job.Forecast) {
	notice, noticed := r.said.NoticeS()
	alarm, alarmed := r.said.AlarmS()
	e.notice.add(noticed && r.Duration > notice)
	e.alarm.add(alarmed && r.Duration > alarm)
	e.limit.add(r.Duration > r.said.Limit().Seconds())
	e.nominal += 1 / float64(f.N+1)
	for _, x := range times {
		if e.caught[name(x)] == nil {
			e.caught[name(x)], e.noticed[name(x)] = &share{}, &share{}
		}
		e.caught[name(x)].add(alarmed && x*r.Duration > alarm)
		e.noticed[name(x)].add(noticed && x*r.Duration > notice)
	}
}

func name(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

func (e *evaluation) report() Report {
	r := Report{
		N: len(e.all.apart), Accuracy: e.all.result(),
		Coverage80: e.held80.percent(), Width80: 100 * medianOf(e.width80),
		Coverage90: e.held90.percent(), Width90: 100 * medianOf(e.width90),
		CoverageFew: e.few.percent(), CoverageMany: e.many.percent(),
		NoticePct: e.notice.percent(), AlarmPct: e.alarm.percent(), LimitPct: e.limit.percent(),
		Conditional: map[string]Conditional{}, Caught: map[string]float64{}, Noticed: map[string]float64{},
		PerRule: map[string]Accuracy{},
	}
	if e.notice.of > 0 {
		r.NoticeNominal = 100 * e.nominal / float64(e.notice.of)
	}
	for at, c := range e.at {
		r.Conditional[at] = Conditional{
			N: c.n, Error: medianOf(c.apart), Coverage: c.inside.percent(), Given: c.given.percent(),
		}
	}
	for x, s := range e.caught {
		r.Caught[x], r.Noticed[x] = s.percent(), e.noticed[x].percent()
	}
	for i, rule := range ruleNames {
		r.PerRule[rule] = e.perRule[i].result()
	}
	for key := range e.types {
		for _, rev := range e.book.Revisions(key, "") {
			if rev.Kind == job.RevisionApplied {
				r.Revisions++
			}
		}
	}
	return r
}
