package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	escape "reckoner/assets/text"
	"reckoner/scheduler/job"
)

// progressEvery is how often a run's progress is written where lines stay. On a
// terminal one line is drawn again and again instead.
const progressEvery = 30 * time.Second

// foreignEvery is how many times longer it is between two lines about the same
// other work.
const foreignEvery = 10

// printer writes JSON lines for scripts, or sentences made of them for people.
// The same lines come from an engine in this process or in another one.
type printer struct {
	json   io.Writer // nil: people only
	people io.Writer
	// redraw says that people is a terminal, whose last line may be drawn again.
	redraw bool
	now    func() time.Time
	// readings says that people want readings too.
	readings bool
	lines    int           // printed so far
	every    time.Duration // between two lines of progress of a run, where lines stay

	jobs  map[job.ID]string    // names
	runs  map[job.ID]job.ID    // a run's job
	told  map[job.ID]time.Time // when what is said again and again was last said: of a run, a server
	holds map[job.ID]string    // what was last said of a job's holds
	open  map[job.ID]leftJob
	drawn int // width of the line that is redrawn

	mu sync.Mutex // a signal's note comes from another goroutine
}

func newPrinter(jsonOut, people io.Writer) *printer {
	return &printer{
		json: jsonOut, people: people, redraw: isTerminal(people), now: time.Now, every: progressEvery,
		jobs: map[job.ID]string{}, runs: map[job.ID]job.ID{}, told: map[job.ID]time.Time{}, holds: map[job.ID]string{},
		open: map[job.ID]leftJob{},
	}
}

// show shows what was said.
func (p *printer) show(s said) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.json != nil {
		if _, err := fmt.Fprintf(p.json, "%s\n", s.Line); err != nil {
			return fmt.Errorf("write a line: %w", err)
		}
	}
	var l about
	if err := json.Unmarshal(s.Line, &l); err != nil {
		return fmt.Errorf("read a line: %w", err)
	}
	p.lines++
	p.track(l)
	if !p.wanted(l) {
		return nil
	}
	return p.say(s.Text, l.Event == job.EventProgress)
}

// wanted tells whether people want to read a line now.
func (p *printer) wanted(l about) bool {
	switch l.Event {
	case job.EventReading:
		return p.readings
	case job.EventProgress:
		now := p.now()
		if last, ok := p.told[l.Run]; ok && !p.redraw && now.Sub(last) < p.every {
			return false
		}
		p.told[l.Run] = now
	case job.EventForeign:
		// That somebody is there is news, each prompt of theirs is not.
		key := job.ID(l.Server)
		now := p.now()
		if last, ok := p.told[key]; ok && now.Sub(last) < foreignEvery*p.every {
			return false
		}
		p.told[key] = now
	case job.EventInterrupt:
		// It is sent again until the server has stopped the run.
		key := "interrupt " + l.Run
		if _, ok := p.told[key]; ok {
			return false
		}
		p.told[key] = p.now()
	case job.EventHeld:
		// The figures in a hold change all the time; said once is enough.
		var all []string
		for _, r := range l.Reasons {
			all = append(all, string(r.Code))
		}
		codes := strings.Join(all, " ")
		if p.holds[l.Job] == codes {
			return false
		}
		p.holds[l.Job] = codes
	case job.EventReleased:
		delete(p.holds, l.Job)
	default: // told once anyway
	}
	return true
}

// track keeps the names that lines leave out, and what is open.
func (p *printer) track(l about) {
	if l.Run != "" && l.Job != "" {
		p.runs[l.Run] = l.Job
	}
	switch l.Event {
	case job.EventJobAdded:
		p.jobs[l.Job] = l.Name
		p.open[l.Job] = leftJob{Name: l.Name}
	case job.EventSubmitted, job.EventStarted:
		p.open[l.Job] = leftJob{Name: p.jobs[l.Job], Server: l.Server, PromptID: l.PromptID}
	case job.EventRunEnded:
		if id := p.runs[l.Run]; p.open[id].Server != "" {
			p.open[id] = leftJob{Name: p.jobs[id]}
		}
	case job.EventJobEnded:
		delete(p.open, l.Job)
	default: // changes nothing of what is open
	}
}

// openJobs gives the ids of the jobs that had not ended by the last line.
func (p *printer) openJobs() []job.ID {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.open))
}

// left gives the jobs that had not ended by the last line. They are with another
// process, whose engine goes on with them.
func (p *printer) left() []leftJob {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, l := range p.open {
		l.Stands = leftToOther
		p.open[id] = l
	}
	return slices.SortedFunc(maps.Values(p.open), func(a, b leftJob) int { return strings.Compare(a.Name, b.Name) })
}

// say writes a sentence. On a terminal a passing one is drawn over by the next.
func (p *printer) say(text string, passing bool) error {
	if text == "" {
		return nil
	}
	text, end := escape.Plain(text), "\n"
	if p.redraw && passing {
		text, end = cut(text, terminalWidth-1), ""
	}
	width := len([]rune(text))
	if p.drawn > 0 {
		text = "\r" + text + strings.Repeat(" ", max(0, p.drawn-width))
	}
	p.drawn = 0
	if end == "" {
		p.drawn = width
	}
	_, err := io.WriteString(p.people, text+end)
	return err
}

// terminalWidth is the width that every terminal has: a longer line would wrap
// and could not be drawn over.
const terminalWidth = 80

func cut(s string, width int) string {
	if r := []rune(s); len(r) > width {
		return string(r[:width-1]) + "…"
	}
	return s
}

// isTerminal tells whether what is written is seen on a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

// note writes a sentence of the command itself.
func (p *printer) note(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.say(fmt.Sprintf(format, args...), false) // nobody is left to tell
}

// about is what a line says it is about.
type about struct {
	head
	Job      job.ID  `json:"job"`
	Run      job.ID  `json:"run"`
	Name     string  `json:"name"`
	Server   string  `json:"server"`
	PromptID string  `json:"prompt_id"`
	Reasons  reasons `json:"reasons"`
}

// reasons are those of a hold. A reading's, which are plain texts, are none.
type reasons []holdReason

// UnmarshalJSON reads a hold's reasons.
func (r *reasons) UnmarshalJSON(b []byte) error {
	var held []holdReason
	if json.Unmarshal(b, &held) == nil {
		*r = held
	}
	return nil
}
