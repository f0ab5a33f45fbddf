package text

import (
	"fmt"
	"path/filepath"
	"strings"

	"reckoner/scheduler/job"
)

// englishEvent has a line for each event that people follow; readings are not
// among them.
func englishEvent(e job.Event) string {
	l := English
	name := "a job"
	if e.Job != nil {
		name = or(e.Job.Name, name)
	}
	s := eventServer(e)
	switch e.Kind {
	case job.EventJobAdded:
		return fmt.Sprintf("%s: added%s", name, addedType(e.Job))
	case job.EventHeld:
		return fmt.Sprintf("%s: %s", name, or(l.Holds(e.Holds), "waiting"))
	case job.EventReleased:
		return name + ": waits for nothing any more"
	case job.EventRequeued:
		return fmt.Sprintf("%s: %s", name, lowerFirst(l.Say(e.Why)))
	case job.EventSubmitted:
		return fmt.Sprintf("%s: taken by %s", name, s)
	case job.EventHandedOver:
		return fmt.Sprintf("%s: handed over, it waits in the queue of %s", name, s)
	case job.EventTakenBack:
		return fmt.Sprintf("%s: taken back from the queue of %s", name, s)
	case job.EventStarted:
		return fmt.Sprintf("%s: started on %s", name, s)
	case job.EventProgress:
		return fmt.Sprintf("%s: %s%s", name, l.Say(e.Bar.Caption), stepOf(e.Step))
	case job.EventTrouble:
		return fmt.Sprintf("%s: %s does not answer, so what it does is not known now%s", name, s, why(l, e.Err))
	case job.EventTroubleOver:
		return fmt.Sprintf("%s: %s answers again", name, s)
	case job.EventFetch:
		return fmt.Sprintf("%s: its results could not be fetched from %s; tried again at %s%s",
			name, s, l.Clock(e.AgainAt), why(l, e.Err))
	case job.EventLimit:
		if e.Run != nil && e.Run.SilentS > 0 {
			return fmt.Sprintf("%s: no sign of life for %s, and the first of its kind: that is the limit",
				name, l.Duration(e.Run.SilentS))
		}
		return fmt.Sprintf("%s: your limit%s passed", name, limitOf(e.Run))
	case job.EventExtended:
		return fmt.Sprintf("%s: steps still arrive, so the default limit was extended to %s", name, l.Duration(e.ToS))
	case job.EventInterrupt:
		return fmt.Sprintf("%s: told %s to stop it", name, s)
	case job.EventUnconfirmed:
		return fmt.Sprintf("%s: %s has not confirmed the stop after %s; Reckoner keeps looking",
			name, s, l.Duration(e.AfterS))
	case job.EventStopped:
		return fmt.Sprintf("%s: known to have ended on %s, %s after the stop%s",
			name, s, l.Duration(e.AfterS), witnesses(e.Run))
	case job.EventRunEnded:
		return fmt.Sprintf("%s: %s", name, runEnded(e.Run, s))
	case job.EventJobEnded:
		return fmt.Sprintf("%s: %s", name, jobEnded(e))
	default:
		return englishOtherEvent(e, s)
	}
}

// englishOtherEvent has the events that are about no job.
func englishOtherEvent(e job.Event, s string) string {
	l := English
	switch e.Kind {
	case job.EventQuestion:
		if e.Question != nil {
			without := lowerFirst(l.Answer(e.Question.Default))
			return fmt.Sprintf("Question: %s Without an answer: %s", l.Say(e.Question.Say), without)
		}
	case job.EventDecided:
		by := "you"
		if e.By == "default" {
			by = "default, as nobody answered"
		}
		return fmt.Sprintf("Decided (%s): %s", by, lowerFirst(l.Answer(e.Answer)))
	case job.EventForeign:
		return otherWork(e.Foreign, s)
	case job.EventNote:
		return englishNoteEvent(e.Note)
	case job.EventSourceError:
		what, next := l.Error(e.Err)
		return strings.TrimSpace(what + " " + next)
	default:
	}
	return ""
}

func eventServer(e job.Event) string {
	switch {
	case e.Server != nil && e.Server.Name != "":
		return e.Server.Name
	case e.Server != nil && e.Server.URL != "":
		return e.Server.URL
	case e.Machine != nil && e.Machine.Name != "":
		return e.Machine.Name
	}
	return "the render server"
}

func addedType(j *job.Job) string {
	if j == nil || j.Type.Task == "" {
		return ""
	}
	return " · " + English.Type(j.Type)
}

func stepOf(step job.Maybe[job.Step]) string {
	s, ok := step.Get()
	if !ok || s.Max <= 0 {
		return ""
	}
	return fmt.Sprintf(" · server reports step %.0f of %.0f", s.Value, s.Max)
}

func limitOf(r *job.Run) string {
	if r == nil || r.LimitS <= 0 {
		return ""
	}
	return " of " + English.Duration(r.LimitS)
}

func witnesses(r *job.Run) string {
	if r == nil {
		return ""
	}
	var saw []string
	for _, w := range r.Witnesses {
		saw = append(saw, English.Witness(w.Kind))
	}
	return inBrackets(strings.Join(saw, "; "))
}

func runEnded(r *job.Run, s string) string {
	if r == nil {
		return "the run ended on " + s
	}
	line := fmt.Sprintf("%s on %s", English.RunOutcome(r.Outcome), s)
	if seconds, ok := r.Seconds.Get(); ok {
		line += " after " + English.Duration(seconds)
	}
	if r.Outcome == job.RunSucceeded && r.Label != "" {
		line += ", " + English.Label(r.Label)
	}
	if r.Start == job.Cached {
		line += ", " + English.Start(r.Start)
	}
	return line
}

func jobEnded(e job.Event) string {
	if e.Job == nil {
		return "ended"
	}
	line := English.Outcome(e.Job.Outcome)
	if e.Job.FinishedLate {
		line += ", finished late; the results are kept"
	}
	if e.Run != nil && len(e.Run.Outputs) > 0 {
		line += fmt.Sprintf(", %s in %s", plural(len(e.Run.Outputs), "file"), filepath.Dir(e.Run.Outputs[0].File))
	}
	if what, next := English.FinalError(e.Job.Why); what != "" { // nothing is tried for it any more
		line += ". " + strings.TrimSpace(what+" "+next)
	}
	return line
}

func otherWork(f *job.ForeignWork, s string) string {
	if f == nil || f.Prompts == 0 {
		return "Other work on " + s
	}
	line := fmt.Sprintf("Other work on %s: %s", s, prompts(f.Prompts))
	if f.OverS > 0 {
		line += " in " + English.Duration(f.OverS)
	}
	if every, ok := f.EveryS.Get(); ok {
		line += ", one about every " + English.About(every, 0)
	}
	if f.Ahead > 0 && f.Reckoners == f.Ahead {
		line += "; what is there now is another Reckoner's, and yours takes turns with it"
	}
	return line
}

func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// why is an error in brackets, "" when there is none.
func why(l Language, err *job.Error) string {
	if err == nil {
		return ""
	}
	what, _ := l.Error(err)
	return inBrackets(strings.TrimSuffix(what, "."))
}
