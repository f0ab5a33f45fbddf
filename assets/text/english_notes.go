package text

import (
	"fmt"
	"strings"

	"reckoner/scheduler/job"
)

// englishNote has what notes say. "Because" is not among its words, nor is any
// cause stated as a fact: a claim is a question, a finding is what was seen
// (DESIGN, rule 8).
func englishNote(s job.Say) string {
	a := s.Args
	machine := or(a.Machine, "this machine")
	switch s.Code {
	case job.NoteOtherClient:
		return fmt.Sprintf("Is another client slowing %s?", machine)
	case job.NoteOtherProgram:
		return fmt.Sprintf("Is another program slowing %s?", machine)
	case job.NoteThrottled:
		return fmt.Sprintf("Is %s held back by heat or its power supply?", machine)
	case job.NoteUnexplained:
		return fmt.Sprintf("What is slowing %s?", machine)
	case job.NoteReworded:
		return "Changed when somebody was seen who may have to do with it"
	}
	for _, words := range [...]func(job.Say) string{englishSeen, englishNoteRun, englishNoteTest} {
		if text := words(s); text != "" {
			return text
		}
	}
	return ""
}

// englishSeen has what was seen on a GPU: facts, each on its own.
func englishSeen(s job.Say) string {
	a, l := s.Args, English
	switch s.Code {
	case job.NoteSawPrompts:
		text := fmt.Sprintf("%s took %s in %s", itsServer(a.Of), plural(a.Count, "job"), l.Duration(a.UpTo))
		if a.Seconds > 0 {
			text += ", one about every " + l.Duration(a.Seconds)
		}
		return text + "; none are yours"
	case job.NoteSawProgram:
		return fmt.Sprintf("%s holds %s of the GPU's memory", program(a), l.Bytes(a.Bytes))
	case job.NoteSawComputing:
		return program(a) + " computes on the GPU"
	case job.NoteSawBusyAlone:
		return fmt.Sprintf("The GPU was %.0f %% busy while none of your jobs ran there", a.Percent)
	case job.NoteSawThrottle:
		return "Heat or the power supply holds its clocks back"
	case job.NoteSawLowPower:
		return fmt.Sprintf("%.0f %% busy at %.0f of %.0f W", a.Percent, a.Watts, a.OfWatts)
	case job.NoteSawFull:
		return fmt.Sprintf("%.1f of %.1f GiB of its memory in use", float64(a.Bytes)/(1<<30), float64(a.OfBytes)/(1<<30))
	case job.NoteSawBus:
		return fmt.Sprintf("The bus towards it is %.0f %% busy", a.Percent)
	case job.NoteSawSlow:
		if a.Percent < 50 && a.Percent > 0 {
			return fmt.Sprintf("Your job takes about %.0f times its usual time", 100/a.Percent)
		}
		return fmt.Sprintf("Your job runs at about %.0f %% of its usual speed", a.Percent)
	case job.NoteSawNoProgress:
		return "Your job has made no progress for " + l.Duration(a.Seconds)
	case job.NoteSawIdlePower:
		return fmt.Sprintf("At rest it draws about %.0f W, as learned here", a.Watts)
	case job.NoteBusyAlone:
		return "It is busy, and not with your jobs"
	case job.NoteSawMechanism:
		return mechanism(job.Mechanism(a.Value), job.Strength(a.Detail))
	}
	return ""
}

// englishNoteRun has what runs say for a claim or against it.
func englishNoteRun(s job.Say) string {
	a, l := s.Args, English
	switch s.Code {
	case job.NoteSlowShared:
		return fmt.Sprintf("%s took %s, usually %s, while other work was there",
			jobName(a), l.Usual(a.Seconds), l.Usual(a.UpTo))
	case job.NoteSlowAlone:
		return fmt.Sprintf("%s took %s, usually %s, with nobody else seen there",
			jobName(a), l.Usual(a.Seconds), l.Usual(a.UpTo))
	case job.NoteUsualShared:
		return fmt.Sprintf("%s took %s, as usual, although other work was there", jobName(a), l.Usual(a.Seconds))
	case job.NoteUsualAlone:
		return fmt.Sprintf("%s took %s, as usual, with nobody else seen there", jobName(a), l.Usual(a.Seconds))
	}
	return ""
}

// englishNoteTest has tests, and what they showed with their odds.
func englishNoteTest(s job.Say) string {
	a, l := s.Args, English
	compare := "run one such job, see whether it takes its usual time"
	if a.Seconds > 0 {
		compare = fmt.Sprintf("run one such job, see whether it takes about %s", l.Usual(a.Seconds))
	}
	switch s.Code {
	case job.NoteTestOtherClient:
		return "Would test it: stop that client, " + compare
	case job.NoteTestProgram:
		return "Would test it: end that program, " + compare
	case job.NoteTestThrottled:
		return "Would test it: let it cool, " + compare
	case job.NoteTestUnexplained:
		return "Would test it: while nothing else is there, " + compare
	case job.NoteTestWaits:
		return fmt.Sprintf("The test waits until nobody else was seen for %s", l.Duration(a.Seconds))
	case job.NoteTestRuns:
		return fmt.Sprintf("The test runs: up to %s counts as usual", l.Duration(a.Seconds))
	case job.NoteReturned:
		return fmt.Sprintf("Tested once, with nobody else there: one job took %s, usually %s. That fits, and is one run: "+
			"a GPU at two thirds of its speed would pass with %s, and slow spells also end by themselves",
			l.Usual(a.Seconds), l.Usual(a.UpTo), a.Value)
	case job.NoteStayed:
		return fmt.Sprintf("Tested once, with nobody else there: one job still took %s, usually %s, "+
			"so that is not the whole story; a usual GPU looks like that with %s", l.Usual(a.Seconds), l.Usual(a.UpTo), a.Value)
	case job.NoteVoid:
		return "The test says nothing: " + voidReason(a.Detail)
	}
	return ""
}

func voidReason(why string) string {
	switch why {
	case job.VoidForeign:
		return "other work was there meanwhile"
	case job.VoidCold:
		return "models had to be loaded first"
	case job.VoidCached:
		return "the result came from the server's cache"
	case job.VoidUnwatched:
		return "it was not seen all along who else was there"
	case job.VoidNotEnded:
		return "its job did not end well"
	case job.VoidNoBound:
		return "too few past runs of this kind are known"
	case job.VoidNoJob:
		return "no job of this kind is there to run; add one and start it again"
	case job.VoidNotQuiet:
		return "the other work did not end"
	case job.VoidCancelled:
		return "it was ended"
	}
	return why
}

// mechanism names how work is held up, in a word that carries its strength.
func mechanism(m job.Mechanism, how job.Strength) string {
	verb := "may be"
	switch how {
	case job.Certain:
		verb = "is"
	case job.Probably:
		verb = "is probably"
	case job.MayBe, job.Unsure:
	}
	switch m {
	case job.SharedGPU:
		return "The GPU " + verb + " computing for somebody else too"
	case job.Spill:
		return "Its memory " + verb + " swapped over the bus"
	case job.Throttled:
		return "It " + verb + " slowed by heat or its power supply"
	case job.Stalled:
		if how == job.Probably || how == job.Certain {
			return "The work on it " + verb + " stuck"
		}
		return "It is busy and may be getting nowhere"
	case job.HostBound:
		return "It " + verb + " waiting for loading or decoding"
	case job.Healthy:
		return "It " + verb + " working normally"
	case job.Idle:
		return "It " + verb + " idle"
	case job.Unclear:
	}
	return "What the gauges add up to is not clear"
}

// itsServer names a machine's first, second, ... render server.
func itsServer(nth int) string {
	if nth < 2 {
		return "Its server"
	}
	if names := [...]string{"second", "third", "fourth"}; nth-2 < len(names) {
		return "Its " + names[nth-2] + " server"
	}
	return fmt.Sprintf("Its server number %d", nth)
}

func program(a job.Args) string {
	name := or(a.Value, "A program")
	if a.Count > 0 {
		return fmt.Sprintf("%s (process %d)", name, a.Count)
	}
	return name
}

// NoteStatus says where a note stands: "Probable, not tested".
func (l Language) NoteStatus(n *job.Note) string {
	switch {
	case n.Test.State == job.TestWaiting:
		return "Probable; its test waits"
	case n.Test.State == job.TestRunning:
		return "Probable; its test runs"
	case n.Status == job.NoteSupported:
		return "Supported by a test"
	case n.Status == job.NoteRefuted:
		return "Not borne out by a test"
	case n.Status == job.NoteWithdrawn:
		return "Withdrawn by you"
	case n.Cause == job.CauseUnexplained, n.Cause == job.CauseByHand:
		return "Open, not tested"
	}
	return "Probable, not tested"
}

// NoteClaim is what a note asks, in the user's words where there are any.
func (l Language) NoteClaim(n *job.Note) string {
	if n.Text != "" {
		return n.Text
	}
	return l.Say(n.Claim)
}

// englishNoteEvent tells a note in a line.
func englishNoteEvent(n *job.Note) string {
	if n == nil {
		return "A note changed"
	}
	parts := []string{English.NoteClaim(n), English.NoteStatus(n) + "."}
	switch {
	case len(n.Results) > 0 && !n.Test.Under():
		parts = append(parts, English.Say(n.Results[len(n.Results)-1].Say)+".")
	case n.Quiet:
		parts = append(parts, "Nothing of it was seen lately.")
	case n.Finding.Code != "":
		parts = append(parts, English.Say(n.Finding)+".")
	}
	return strings.Join(parts, " ")
}
