package text

import (
	"fmt"
	"strconv"
	"strings"

	"reckoner/scheduler/job"
)

func english() table {
	return table{
		say: englishSay, failure: englishFailure, hold: englishHold, holdCode: englishHoldCode,
		lacks:   englishLacks,
		waiting: "waiting ", and: ", and ",
		event: englishEvent, typeOf: englishType, word: englishWord,
		units:  units{day: "d", hour: "h", minute: "min", second: "s", decimal: "."},
		again:  []string{again, asksAgain, fetchesAgain, "; Reckoner tries again by itself", "; it tries again by itself"},
		unsent: " Nothing was sent.",
	}
}

// englishSay has captions, stories, questions and warnings.
func englishSay(s job.Say) string {
	for _, words := range [...]func(job.Say) string{
		englishCaption,
		englishStory,
		englishWarning,
		englishConvertWarning,
		englishBaseline,
		englishNote,
	} {
		if text := words(s); text != "" {
			return text
		}
	}
	return ""
}

// englishCaption has the captions of bars. Those that a clock drives begin with
// "Estimate" (DESIGN, rule 2).
func englishCaption(s job.Say) string {
	a, l := s.Args, English
	switch s.Code {
	case job.CaptionEstimate:
		done := ""
		if !a.At.IsZero() {
			done = ", done about " + l.Clock(a.At)
		}
		return fmt.Sprintf("Estimate: about %s left%s (%s)",
			l.About(a.Seconds, a.UpTo-a.Seconds), done, pastRuns(a.Count))
	case job.CaptionPastHalf:
		return fmt.Sprintf("Estimate: longer than half of %s; the rest took up to %s more",
			pastRuns(a.Count), l.About(a.UpTo, 0))
	case job.CaptionAlarm:
		return fmt.Sprintf("%s: %s times the usual %s, longer than all %s. Something is slowing or holding this job",
			l.Duration(a.Seconds), l.times(a.Seconds, a.UpTo), l.Usual(a.UpTo), pastRuns(a.Count))
	case job.CaptionOtherGPU:
		on := "another one"
		if a.GPU != "" {
			on = a.GPU
		}
		return fmt.Sprintf("First on this GPU, so no bar yet: %s on %s suggest %s",
			plural(a.Count, "run"), on, l.rangeOf(a.Seconds, a.UpTo))
	case job.CaptionSimilar:
		if a.UpTo <= 0 {
			return fmt.Sprintf("First of its kind, and the largest, so no estimate yet: similar jobs suggest %s or more",
				l.Usual(a.Seconds))
		}
		return fmt.Sprintf("First of its kind, so no bar yet: similar jobs suggest %s",
			l.rangeOf(a.Seconds, a.UpTo))
	case job.CaptionFew:
		took := l.rangeOf(a.Seconds, max(a.UpTo, a.Seconds))
		return fmt.Sprintf("Estimate: %s took %s", pastRuns(a.Count), took)
	case job.CaptionOver:
		than := fmt.Sprintf("all %s", pastRuns(a.Count))
		if a.Count == 1 {
			than = "the only past run"
		}
		return fmt.Sprintf("%s: longer than %s, so no estimate of what is left", l.Duration(a.Seconds), than)
	case job.CaptionFirst:
		return fmt.Sprintf("First of its kind, so no estimate yet: %s so far", l.Duration(a.Seconds))
	case job.CaptionQueued, job.CaptionHanded:
		return englishQueued(s)
	case job.CaptionFetching:
		if a.Of > 0 {
			return fmt.Sprintf("Fetching results: %d of %s", a.Count, plural(a.Of, "file"))
		}
		return "Fetching results"
	case job.CaptionSending:
		return fmt.Sprintf("Being sent to %s", server(a))
	case job.CaptionChecking:
		return fmt.Sprintf("Looking for it on %s", server(a))
	}
	return ""
}

// englishStory has the lines of a run's story, and the questions.
func englishStory(s job.Say) string {
	a, l := s.Args, English
	switch s.Code {
	case job.StoryIntended:
		return "Written down, to be sent to " + server(a)
	case job.StorySubmitted:
		return "Taken by " + server(a)
	case job.StoryFound:
		return "Found again on " + server(a)
	case job.StoryStarted:
		return "Started on " + server(a)
	case job.StoryLonger:
		if a.Count == 1 {
			return "Longer than the only past run"
		}
		return fmt.Sprintf("Longer than all %s", pastRuns(a.Count))
	case job.StoryAlarm:
		return fmt.Sprintf("%s times the usual %s: something is slowing or holding this job",
			capital(l.times(a.Seconds, a.UpTo)), l.Usual(a.UpTo))
	case job.StoryLimit, job.StorySilent, job.StoryExtended:
		return englishLimit(s.Code, l.Duration(a.Seconds))
	case job.StoryEndsFirst, job.StoryFreeFirst, job.StoryOnlyOne, job.StoryTogether,
		job.StoryWaited, job.StoryHanded, job.StoryTaking, job.StoryStartedYet:
		return englishQueued(s)
	case job.StoryCancelled:
		return "You cancelled it"
	case job.StoryToldToStop:
		return fmt.Sprintf("Told %s to stop this job", server(a))
	case job.StoryUnconfirmed:
		return fmt.Sprintf("Not confirmed ended, %s after the stop", l.Duration(a.Seconds))
	case job.StoryStopped:
		return fmt.Sprintf("Known to have ended, %s after the stop", l.Duration(a.Seconds))
	case job.StorySucceeded:
		return "The server reported success"
	case job.StoryFailed:
		return "The server reported an error"
	case job.StoryInterrupted:
		return "The server reported that it was interrupted"
	case job.StoryLost:
		return fmt.Sprintf("No longer in the queue of %s, nor in its history", server(a))
	case job.StoryLate:
		return "Finished after your limit had passed; the results are kept"
	case job.StoryFetched:
		return plural(a.Count, "file") + " fetched"
	case job.StoryProgram:
		return program(a) + " was seen computing on the same GPU"
	case job.StoryForeign:
		return fmt.Sprintf("Other work was there: %s on %s", prompts(a.Count), server(a))
	case job.StoryNoNews:
		return fmt.Sprintf("No news of %s for %s", server(a), l.Duration(a.Seconds))
	case job.AskUnconfirmed:
		return fmt.Sprintf("%s was told to stop on %s %s ago and is still listed there. What now?",
			jobName(a), server(a), l.Duration(a.Seconds))
	}
	return englishAgain(s)
}

// englishLimit has what became of a time limit.
func englishLimit(code, limit string) string {
	switch code {
	case job.StorySilent:
		return "First of its kind, and no sign of life for " + limit + ": that is the limit"
	case job.StoryExtended:
		return "Steps still arrive, so the default limit was extended to " + limit
	}
	return "Your limit of " + limit + " passed"
}

// englishWarning has what is said about files that were read all the same.
func englishWarning(s job.Say) string {
	a := s.Args
	switch s.Code {
	case job.WarnNaN:
		return fmt.Sprintf("%s taken as null: NaN or Infinity, which JSON does not have", were(a.Count, "value"))
	case job.WarnIsChanged:
		return fmt.Sprintf("A leftover of an earlier run (is_changed) was left out of %s", plural(a.Count, "node"))
	case job.WarnNoInputs:
		return were(a.Count, "node") + " given an empty set of inputs; without one a render server can hang"
	case job.WarnRepeated:
		return are(a.Count, "name") + " in the file more than once; the last value counts"
	case job.WarnUnneeded:
		return fmt.Sprintf("%s needed by no output and will not run", are(a.Count, "node"))
	case job.WarnMaybeNone:
		return capital(nodeName(a.Node, a.Class)) + " may be an output; Reckoner does not know this class"
	case job.WarnCost:
		return fmt.Sprintf("This is unusually much work: %s pixels, %s, %s in all, %s",
			or(a.Value, "unknown"), plural(a.Of, "picture"), plural(a.Count, "million pixel"), plural(int(a.Seconds), "step"))
	case job.WarnAccount:
		return fmt.Sprintf("%s a paid service, as %s does: without an account they fail. Reckoner gives none",
			asks(a.Count), nodeName(a.Node, a.Class))
	case job.WarnInputBound:
		return "The size is that of an input file, so times of this kind may differ"
	}
	return ""
}

func asks(n int) string {
	if n == 1 {
		return "1 node asks"
	}
	return fmt.Sprintf("%d nodes ask", n)
}

// englishHold has what a job waits for, to go after "waiting".
func englishHold(s job.Say) string {
	a, l := s.Args, English
	switch s.Code {
	case job.SayUnreachable:
		return fmt.Sprintf("for %s to answer%s", server(a), inBrackets(englishReason(a.Detail)))
	case job.SayNotProbed:
		return fmt.Sprintf("for a first answer of %s", server(a))
	case job.SayRunOpen:
		return fmt.Sprintf("for %s to end on %s", jobName(a), server(a))
	case job.SayStopping:
		return fmt.Sprintf("for %s to stop on %s", jobName(a), server(a))
	case job.SayUnconfirmed:
		return fmt.Sprintf("for %s to stop on %s, which is not confirmed", jobName(a), server(a))
	case job.SayOutOfUse:
		return fmt.Sprintf("for %s, which is out of use until %s ends there or it restarts", server(a), jobName(a))
	case job.SayForeign:
		return fmt.Sprintf("for other work on %s to end%s", server(a), inBrackets(foreignFigures(a)))
	case job.SayForeignGPU:
		return fmt.Sprintf("for other work on the same GPU to end%s", inBrackets(strings.Join(
			nonEmpty("on "+server(a), foreignFigures(a)), ", ")))
	case job.SayForeignProc:
		return fmt.Sprintf("for %s to end, which computes on the GPU of %s", program(a), server(a))
	case job.SayMemoryShort:
		return englishShort(a)
	case job.SayMachinePaused:
		return fmt.Sprintf("for %s, which you paused", or(a.Machine, "the machine"))
	case job.SayStray:
		return fmt.Sprintf("for %s of yours to end on %s that had been given up as lost", prompts(a.Count), server(a))
	case job.SayBusyUnnamed:
		return fmt.Sprintf("for the GPU of %s, busy for %s with nobody to be named", server(a), l.Duration(a.Seconds))
	case job.SayTripped:
		return fmt.Sprintf("for %s, which lost %s in a row; one tries it at %s",
			or(a.Machine, "the machine"), plural(a.Count, "job"), l.Clock(a.At))
	case job.SayNotConverted:
		return "for a render server to tell what the nodes of its workflow are"
	case job.SayCutTwice:
		return fmt.Sprintf("for your answer: %s of this kind in a row passed their limit on %s",
			plural(a.Count, "run"), or(a.Machine, "the machine"))
	case job.SayBatchFailing:
		return fmt.Sprintf("for your answer: %s added with it failed alike", plural(a.Count, "job"))
	case job.SayPoisoned, job.SayServerDisk, job.SayMissingNode, job.SayMissingModel:
		return englishUnfit(s)
	case job.SayQueuePaused:
		return "for the queue, which you paused"
	case job.SayDiskLow:
		return fmt.Sprintf("for free space where results go (%s left)", l.Bytes(a.Bytes))
	case job.SayNoRoom:
		return "for room where results go" + inBrackets(or(a.Detail, a.File))
	case job.SayUnwritable:
		return "for Reckoner's records to be writable again" + inBrackets(a.Detail)
	case job.SayNoServer:
		return "for a render server that takes this job"
	}
	return ""
}

// namesOf names the first of count things.
func namesOf(first string, count int) string {
	if count > 1 {
		return fmt.Sprintf("%s and %s", first, plural(count-1, "other"))
	}
	return first
}

func foreignFigures(a job.Args) string {
	var now, every string
	if a.Count > 0 {
		now = prompts(a.Count) + " now"
	}
	if a.Seconds > 0 {
		every = "one about every " + English.About(a.Seconds, 0)
	}
	return strings.Join(nonEmpty(now, every), ", ")
}

// englishReason names a connection's failure in a word or two; other text stays.
func englishReason(code string) string {
	switch code {
	case job.ErrUnreachable:
		return "no connection"
	case job.ErrBusy:
		return "connected, no answer in time"
	case job.ErrNotComfy:
		return "what answers there is not ComfyUI"
	case job.ErrOrigin:
		return "it refuses this computer's requests"
	case job.ErrLogin:
		return "login needed"
	case job.ErrTLS:
		return "its certificate is not trusted"
	case job.ErrHostKey:
		return "its computer is not known to ssh yet"
	case job.ErrHostKeyChanged:
		return "its computer shows another key than ssh knows"
	case job.ErrKeyring:
		return "what opens it could not be read"
	case job.ErrServerFault:
		return "it reports a fault of its own"
	case job.ErrBadReply, job.ErrTooLarge:
		return "its answer could not be read"
	}
	return code
}

// englishShort has a hold for want of memory.
func englishShort(a job.Args) string {
	held := int64(a.Percent / 100 * float64(a.OfBytes))
	return fmt.Sprintf("for GPU memory on %s: this kind took %s (%s), and other programs hold %s of %s%s",
		server(a), English.Bytes(a.Bytes), plural(a.Count, "run"), English.Bytes(held), English.Bytes(a.OfBytes),
		inBrackets(mostOf(a.Value)))
}

func mostOf(program string) string {
	if program == "" {
		return ""
	}
	return program + " most"
}

// englishHoldCode has what is known from a hold's code alone.
func englishHoldCode(code job.HoldCode) string {
	switch code {
	case job.HoldUnreachable:
		return "for a render server to answer"
	case job.HoldRunOpen:
		return "for an earlier job to end"
	case job.HoldUnconfirmed:
		return "for an earlier job to stop, which is not confirmed"
	case job.HoldOutOfUse:
		return "for a render server that is out of use"
	case job.HoldForeign:
		return "for other work to end"
	case job.HoldForeignProc:
		return "for another program on the GPU to end"
	case job.HoldBusyUnnamed:
		return "for the GPU, which is busy with work that is not known"
	case job.HoldMemoryShort:
		return "for free GPU memory"
	case job.HoldMachinePaused:
		return "for a machine that you paused"
	case job.HoldQueuePaused:
		return "for the queue, which you paused"
	case job.HoldMissingNode:
		return "for a render server that has its node classes"
	case job.HoldMissingModel:
		return "for a render server that has its models"
	case job.HoldMissingInput:
		return "for its input files"
	case job.HoldNotConverted:
		return "for its workflow to be converted"
	case job.HoldCutTwice:
		return "for you: this kind was cut short twice here"
	case job.HoldBatchFailing:
		return "for you: jobs of its batch fail alike"
	case job.HoldDiskLow:
		return "for free space where results go"
	case job.HoldUnwritable:
		return "for Reckoner's records to be writable again"
	}
	return "for " + strings.ReplaceAll(string(code), "_", " ")
}

func englishType(t job.Type) string {
	parts := []string{englishTask(t.Task)}
	c := t.Cost
	if c.Width > 0 && c.Height > 0 {
		parts = append(parts, fmt.Sprintf("%d × %d", c.Width, c.Height))
	}
	if c.Frames > 1 {
		parts = append(parts, plural(c.Frames, "frame"))
	}
	if c.Batch > 1 {
		parts = append(parts, "batch of "+strconv.Itoa(c.Batch))
	}
	if c.Steps > 0 {
		parts = append(parts, plural(c.Steps, "step"))
	}
	return strings.Join(parts, " · ")
}

func englishTask(task string) string {
	switch task {
	case job.TaskTextToImage:
		return "Text to image"
	case job.TaskImageToImage:
		return "Image to image"
	case job.TaskTextToVideo:
		return "Text to video"
	case job.TaskImageToVideo:
		return "Image to video"
	case job.TaskVideoToVideo:
		return "Video to video"
	case job.TaskAudio:
		return "Audio"
	}
	return "Other work"
}
