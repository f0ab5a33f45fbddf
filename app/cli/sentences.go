package cli

import (
	"fmt"
	"strings"
	"time"

	"reckoner/assets/text"
	"reckoner/scheduler/job"
)

// sentence says an event in words for a terminal.
func (e encoder) sentence(ev job.Event) string {
	switch {
	case ev.Kind == job.EventReading && ev.Reading != nil:
		age := max(0, ev.At.Wall.Sub(ev.Reading.At).Seconds())
		return fmt.Sprintf("%s GPU %s (%s, %s old)",
			machineName(ev.Machine), readingText(*ev.Reading), ev.Reading.Source, e.words.Duration(age))
	case ev.Kind == job.EventReleased:
		return ""
	case ev.Kind == job.EventProgress:
		line := e.words.Event(ev)
		if f, ok := ev.Bar.Fraction.Get(); ok {
			line = bar(f) + " " + line
		}
		return line
	}
	return e.words.Event(ev)
}

// bar draws an estimate. What is drawn is a clock's guess, so it has a pattern
// of its own, as on screen.
func bar(fraction float64) string {
	const width = 20
	full := min(width, max(0, int(fraction*width)))
	return "[" + strings.Repeat("/", full) + strings.Repeat(" ", width-full) + "]"
}

// failure says an error in English where it has a code, else as it is.
func (e encoder) failure(err error) string {
	coded, ok := asCoded(err)
	if !ok {
		return text.Plain(strings.ReplaceAll(err.Error(), "\n", "; ")) // of errors.Join
	}
	what, next := e.words.FinalError(coded)
	return strings.TrimSpace(what + " " + next)
}

// about says what is wrong with a file or a server, naming it once.
func (e encoder) about(name string, err error) string {
	name = text.Plain(name)
	said := e.failure(err)
	if strings.Contains(said, name) {
		return said
	}
	return name + ": " + said
}

// wrapped says what was being done and how it failed.
func (e encoder) wrapped(doing string, err error) string { return doing + ": " + e.failure(err) }

func timeText(t stamp) string { return time.Time(t).Local().Format("2006-01-02 15:04") }

func spaced(code string) string { return strings.ReplaceAll(code, "_", " ") }

func inBrackets(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}
