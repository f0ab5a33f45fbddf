package gpu

import (
	"context"
	"sort"
	"strings"
	"time"

	"reckoner/scheduler/job"
)

// follow runs the tool with a query and hands over its ticks. It ends with the
// tool, with ctx, or when no row came for silence.
func (s *smi) follow(
	ctx context.Context, p plan, args []string, silence time.Duration, out func([]job.Reading),
) error {
	began := time.Now()
	t := ticks{table: newTable(p.fields), source: s.name, now: s.opt.Now, out: func(tick []job.Reading) {
		s.remember(tick)
		out(tick)
	}}
	t.young = func() bool { return time.Since(began) < startTime }
	lastRow, patience := began, max(firstRow, silence)
	return s.run(ctx, p.tool, args, handler{
		first: patience,
		line: func(line string) time.Duration {
			if t.take(line) {
				lastRow, patience = time.Now(), silence
				return tickPause
			}
			if len(t.pending) > 0 {
				return tickPause
			}
			return max(time.Millisecond, patience-time.Since(lastRow))
		},
		silent: func() time.Duration {
			t.flush()
			return patience - time.Since(lastRow)
		},
		said:  t.said.String,
		found: func() bool { return t.rows > 0 },
	})
}

// ticks gathers the rows of a table into ticks: all GPUs of one moment.
type ticks struct {
	table  *table
	source string
	now    func() time.Time
	young  func() bool // the driver may just have been woken
	out    func([]job.Reading)

	pending []job.Reading
	rows    int   // so far
	said    words // what was not a row, since the last row
}

// take takes a line and tells whether it was a row.
func (t *ticks) take(line string) bool {
	if t.table.header(line) {
		t.table.open = true
		return false
	}
	if !t.table.open {
		t.said.add(line) // a greeting of the shell, or why there is no table
		return false
	}
	s, err := t.table.row(line)
	if err != nil {
		t.said.add(line)
		return false
	}
	if t.young() && s.waking() {
		s = s.withoutLoad()
	}
	t.said.clear()
	t.rows++
	r := s.reading(t.now(), t.source)
	if t.has(r.GPU) {
		t.flush()
	}
	t.pending = append(t.pending, r)
	return true
}

func (t *ticks) has(g job.GPU) bool {
	for _, r := range t.pending {
		if r.GPU.UUID == g.UUID && r.GPU.Index == g.Index {
			return true
		}
	}
	return false
}

// flush hands over the tick so far, if there is one.
func (t *ticks) flush() {
	if len(t.pending) == 0 {
		return
	}
	tick := t.pending
	t.pending = nil
	byIndex(tick)
	t.out(tick)
}

// byIndex sorts readings by index, and those without one last.
func byIndex(readings []job.Reading) {
	sort.SliceStable(readings, func(i, j int) bool {
		a, okA := readings[i].GPU.Index.Get()
		b, okB := readings[j].GPU.Index.Get()
		if okA != okB {
			return okA
		}
		return a < b
	})
}

// words keeps the last lines of something that talks.
type words struct{ lines []string }

const maxWords = 12

func (w *words) add(line string) {
	if len(w.lines) == maxWords {
		w.lines = append(w.lines[:0], w.lines[1:]...)
	}
	w.lines = append(w.lines, line)
}

func (w *words) clear() { w.lines = w.lines[:0] }

func (w *words) String() string { return strings.Join(w.lines, "\n") }
