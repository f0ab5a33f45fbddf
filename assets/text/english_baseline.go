package text

import (
	"fmt"
	"time"

	"reckoner/scheduler/job"
)

// englishBaseline has what is known of a kind of job, and the log of how that
// came about.
func englishBaseline(s job.Say) string {
	a, l := s.Args, English
	switch s.Code {
	case job.BaselineUsual:
		text := fmt.Sprintf("%s, %s", l.Usual(a.Seconds), plural(a.Count, "run"))
		if a.Of > 0 {
			text += fmt.Sprintf(" (%d not watched)", a.Of)
		}
		if !a.At.IsZero() {
			text += ", since " + englishDay(a.At)
		}
		return text
	case job.BaselineOther:
		return fmt.Sprintf("First on this GPU: %s on %s suggest %s",
			plural(a.Count, "run"), or(a.GPU, "another one"), l.rangeOf(a.Seconds, a.UpTo))
	case job.BaselineSimilar:
		if a.UpTo <= 0 {
			return fmt.Sprintf("First of its kind, and the largest: similar jobs suggest %s or more", l.Usual(a.Seconds))
		}
		return "First of its kind: similar jobs suggest " + l.rangeOf(a.Seconds, a.UpTo)
	case job.BaselineNone:
		return "Nothing is known of this kind of job yet"
	case job.BaselineAddsCold:
		return fmt.Sprintf("About %s more when models are loaded first", l.About(a.Seconds, 0))
	case job.BaselineTwoTimes:
		return fmt.Sprintf("Usually %s or %s", l.Usual(a.Seconds), l.Usual(a.UpTo))
	case job.BaselineLeftOut:
		return fmt.Sprintf("%s one run of %s was not counted: %s",
			englishOn(a.At), l.Usual(a.Seconds), englishWhyNot(a.Value))
	case job.BaselineScore:
		return fmt.Sprintf("%s held %d of %d times", englishRange(a.Value), a.Count, a.Of)
	case job.BaselineNoScore:
		return "No range has been put to the test yet"
	case job.BaselineDataShort:
		return fmt.Sprintf("Only the newest %s were looked at", plural(a.Count, "run"))
	}
	return englishRevision(s)
}

// englishRevision has the lines of a baseline's log.
func englishRevision(s job.Say) string {
	a, l := s.Args, English
	on := englishOn(a.At)
	switch s.Code {
	case job.BaselineFounded:
		return fmt.Sprintf("%s %s made %s the usual time", on, plural(a.Count, "run"), l.Usual(a.Seconds))
	case job.BaselineProposed:
		return fmt.Sprintf("%s the last %s were found to take %s, before it %s: this waits for your word",
			on, plural(a.Count, "clean run"), l.Usual(a.Seconds), l.Usual(a.UpTo))
	case job.BaselineApplied:
		who := "the usual time became"
		if a.Value == "user" {
			who = "you made the usual time"
		}
		return fmt.Sprintf("%s %s %s (%s), before it %s",
			on, who, l.Usual(a.Seconds), plural(a.Count, "run"), l.Usual(a.UpTo))
	case job.BaselineWithdrawn:
		return fmt.Sprintf("%s runs took the usual %s again, so nothing was changed", on, l.Usual(a.Seconds))
	case job.BaselineKept:
		return fmt.Sprintf("%s you kept the usual time of %s", on, l.Usual(a.Seconds))
	case job.BaselineCorrected:
		return englishCorrected(a)
	case job.BaselineUndone:
		return fmt.Sprintf("%s you took a change back: %s again (%s)", on, l.Usual(a.Seconds), plural(a.Count, "run"))
	}
	return ""
}

// englishCorrected has what the user said of a run, and what became of the usual
// time.
func englishCorrected(a job.Args) string {
	l := English
	text := englishOn(a.At) + " "
	run := "one run of " + l.Usual(a.RunS)
	switch a.Value {
	case string(job.Clean):
		text += "you said that " + run + " had the GPU to itself"
	case string(job.Shared):
		text += "you said that other work was on the GPU during " + run
	case string(job.SetAside):
		text += "you set " + run + " aside"
	case string(job.TakeIn):
		text += "you let " + run + " count again"
	case string(job.CorrectUndo):
		text += "you took back what you had said of " + run
	default:
		text += "you said that nobody knows what else ran during " + run
	}
	switch {
	case a.Count == 0:
		return text + ": no run is counted now"
	case a.Seconds == a.UpTo && a.Count == a.Of:
		return fmt.Sprintf("%s: the usual time stays %s (%s)", text, l.Usual(a.Seconds), plural(a.Count, "run"))
	case a.Of == 0:
		return fmt.Sprintf("%s: the usual time is %s (%s)", text, l.Usual(a.Seconds), plural(a.Count, "run"))
	}
	return fmt.Sprintf("%s: the usual time is %s (%s), before it %s (%s)",
		text, l.Usual(a.Seconds), plural(a.Count, "run"), l.Usual(a.UpTo), plural(a.Of, "run"))
}

// Correction has what the user said of a run, for the list of what was said.
func (l Language) Correction(c job.Correction) string {
	on := englishOn(c.At)
	switch c.Kind {
	case job.CorrectLabel:
		return on + " you said: " + l.Label(c.Label)
	case job.SetAside:
		return on + " you set it aside: it does not count for the usual time"
	case job.TakeIn:
		return on + " you let it count again"
	case job.CorrectUndo:
		return on + " you took that back"
	}
	return ""
}

// englishWhyNot says why a run is not counted, after a colon.
func englishWhyNot(why string) string {
	switch why {
	case "shared":
		return "other work was on the GPU during it"
	case "set_aside":
		return "you set it aside"
	case "cached":
		return "its result came from the server's cache"
	case "cold":
		return "models were loaded first"
	case "not_ended":
		return "it was stopped before its end"
	case "outside":
		return "one run outside the usual range changes nothing"
	case "unwatched":
		return "nobody knows what else ran on the GPU"
	case "proposed":
		return "it is part of a change that waits for your word"
	}
	return "its time is not known"
}

// englishRange names a kind of range for a sentence about how often it held.
func englishRange(kind string) string {
	switch kind {
	case "few":
		return "Ranges from fewer than 9 runs"
	case string(job.LevelOtherGPU):
		return "Ranges from another GPU"
	case string(job.LevelSimilar):
		return "Ranges from similar jobs"
	}
	return "Ranges of 8 in 10"
}

func englishDay(t time.Time) string { return t.Local().Format("2 January") }

func englishOn(t time.Time) string {
	if t.IsZero() {
		return "Once"
	}
	return "On " + englishDay(t)
}
