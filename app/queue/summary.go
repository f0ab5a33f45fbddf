package queue

import (
	"fmt"
	"strings"

	"reckoner/app/theme"
	"reckoner/app/widgets"
	"reckoner/assets/text"
	"reckoner/scheduler"
)

// Summary says when everything will be done, and what that does not count.
func Summary(s *scheduler.Snapshot, w text.Language) []widgets.Span {
	open := len(s.Running) + len(s.Waiting)
	switch r, ok := s.AllDone.Get(); {
	case s.Unwritable != nil:
		return []widgets.Span{{Text: said(w, s.Unwritable), Color: theme.ColorBad, Bold: true}}
	case s.Paused && open > 0:
		return []widgets.Span{
			widgets.Strong("Paused by you"),
			widgets.Muted(fmt.Sprintf("  %s; what runs goes on", plural(len(s.Waiting), "job waits", "jobs wait"))),
		}
	case open == 0:
		return []widgets.Span{widgets.Muted("No jobs are waiting")}
	case !ok:
		return []widgets.Span{
			widgets.Strong("No estimate yet"),
			widgets.Muted("  " + whyNoEstimate(s)),
		}
	default:
		from, to := w.Clock(r.From), w.Clock(r.To)
		about := "Done about " + from + " to " + to
		if from == to {
			about = "Done about " + from
		}
		rest := " estimate"
		if s.NotCounted > 0 {
			rest += ", not counting " + plural(s.NotCounted, "job", "jobs")
		}
		return []widgets.Span{widgets.Strong(about), widgets.Muted(rest)}
	}
}

// whyNoEstimate says why no job can be counted: a held one may well have past
// runs, but not when it goes.
func whyNoEstimate(s *scheduler.Snapshot) string {
	held := s.NotCountedHeld
	unknown := s.NotCounted - held
	switch {
	case held == 0:
		return "nothing is known of " + plural(unknown, "job", "jobs") + " yet"
	case unknown == 0:
		return plural(held, "job is held", "jobs are held")
	}
	return fmt.Sprintf("%s, of %d nothing is known yet", plural(held, "job is held", "jobs are held"), unknown)
}

// Counts says how many jobs there are of each kind, for the status bar and the
// tray.
func Counts(s *scheduler.Snapshot) []string {
	stop, handed := 0, 0
	for i := range s.Running {
		switch r := s.Running[i].Run; {
		case stopping(&s.Running[i]):
			stop++
		case r != nil && r.Handed && r.Started.IsZero():
			handed++
		}
	}
	var says []string
	for _, c := range []struct {
		n     int
		words string
	}{
		{len(s.Running) - stop - handed, "running"},
		{handed, "handed over"},
		{stop, "stopping"},
		{len(s.NeedsYou) + len(s.Questions), "for you to decide"},
		{len(s.Waiting), "waiting"},
	} {
		if c.n > 0 {
			says = append(says, fmt.Sprintf("%d %s", c.n, c.words))
		}
	}
	if len(says) == 0 {
		says = []string{"nothing to do"}
	}
	return says
}

// Host says how this computer fares, "" when nothing is known of it.
func Host(s *scheduler.Snapshot, w text.Language) string {
	var says []string
	if cpu, ok := s.Host.CPU.Get(); ok {
		says = append(says, fmt.Sprintf("CPU %.0f %%", cpu))
	}
	used, ok := s.Host.MemUsed.Get()
	if total, both := s.Host.MemTotal.Get(); ok && both {
		says = append(says, w.Bytes(used)+" of "+w.Bytes(total))
	}
	if free, ok := s.Host.DiskFree.Get(); ok {
		says = append(says, w.Bytes(free)+" free for results")
	}
	if len(says) == 0 {
		return ""
	}
	return "This computer: " + strings.Join(says, ", ")
}

// Speed says that the clock is not the real one, "" when it is.
func Speed(s *scheduler.Snapshot) string {
	if s.Speed == 1 || s.Speed == 0 {
		return ""
	}
	return fmt.Sprintf("demo at ×%.4g", s.Speed)
}
