package text

import (
	"fmt"
	"strconv"
	"strings"

	"reckoner/scheduler/job"
)

// englishWord has single words: what they are about, a colon, the value.
func englishWord(key string) string {
	switch key {
	case "job:" + string(job.JobDone):
		return "done"
	case "job:" + string(job.JobFailed):
		return "failed"
	case "job:" + string(job.JobTimedOut):
		return "your limit passed"
	case "job:" + string(job.JobCancelled):
		return "cancelled"
	case "job:" + string(job.JobLost):
		return "lost"
	case "job:" + string(job.JobNoOutput):
		return "ended without output"
	case "job:" + string(job.JobNeedsYou):
		return "needs you"
	case "run:" + string(job.RunSucceeded):
		return "succeeded"
	case "run:" + string(job.RunFailed):
		return "failed"
	case "run:" + string(job.RunInterrupted):
		return "interrupted"
	case "run:" + string(job.RunLost):
		return "lost"
	case "state:" + string(job.JobWaiting):
		return "waiting"
	case "state:" + string(job.JobRunning):
		return "running"
	case "state:" + string(job.JobCollecting):
		return "fetching results"
	case "state:" + string(job.JobEnded):
		return "ended"
	case "label:" + string(job.Clean):
		return "GPU to itself"
	case "label:" + string(job.Shared):
		return "GPU was shared"
	case "label:" + string(job.LabelUnknown):
		return "not known whether the GPU was shared"
	case "start:" + string(job.Warm):
		return "models were loaded"
	case "start:" + string(job.Cold):
		return "models had to be loaded"
	case "start:" + string(job.Cached):
		return "everything came from the server's cache"
	}
	return englishLongWord(key)
}

func englishLongWord(key string) string {
	switch key {
	case "witness:" + string(job.SawLeaveSlot):
		return "it left the server's running slot"
	case "witness:" + string(job.SawTerminal):
		return "the server's own last message"
	case "witness:" + string(job.SawHistory):
		return "the server's history has it"
	case "witness:" + string(job.SawAbsent):
		return "absent from the server's queue, then from its history"
	case "witness:" + string(job.SawRestart):
		return "the server has restarted since"
	case "witness:" + string(job.SawGPUIdle):
		return "the GPU fell idle"
	case "priority:" + string(job.PriorityHigh):
		return "High: before all others"
	case "priority:" + string(job.PriorityNormal):
		return "Normal"
	case "priority:" + string(job.PriorityLow):
		return "Low: when nothing else waits"
	case "answer:" + string(job.KeepWaiting):
		return "Keep waiting"
	case "answer:" + string(job.OutOfUse):
		return "Put this server out of use"
	case "answer:" + string(job.TryAgain):
		return "Run them all the same"
	case "answer:" + string(job.GiveUp):
		return "Leave them for me"
	case "answer:" + string(job.Release):
		return "It has ended, go on"
	}
	return ""
}

func server(a job.Args) string  { return or(a.Server, or(a.Machine, "the render server")) }
func jobName(a job.Args) string { return or(a.Job, "an earlier job") }

// upper begins a sentence with a name as it is, and with words of ours in upper
// case: gpu-1 stays gpu-1.
func upper(name string) string {
	if strings.HasPrefix(name, "the ") {
		return capital(name)
	}
	return name
}

func or(s, other string) string {
	if s != "" {
		return s
	}
	return other
}

func inBrackets(s string) string {
	if s == "" {
		return ""
	}
	return " (" + s + ")"
}

func nonEmpty(list ...string) []string {
	kept := list[:0]
	for _, s := range list {
		if s != "" {
			kept = append(kept, s)
		}
	}
	return kept
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

func were(n int, noun string) string { return plural(n, noun) + verb(n, " was", " were") }
func are(n int, noun string) string  { return plural(n, noun) + verb(n, " is", " are") }

func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func pastRuns(n int) string { return plural(n, "past run") }
func prompts(n int) string  { return plural(n, "prompt") }

// list writes at most four names and counts the rest.
func list(names []string) string {
	const shown = 4
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:shown], ", "), len(names)-shown)
}
