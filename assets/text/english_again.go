package text

import (
	"fmt"

	"reckoner/scheduler/job"
)

// englishAgain has why a job goes back to the queue, and what is asked about
// jobs like one another.
func englishAgain(s job.Say) string {
	a := s.Args
	switch s.Code {
	case job.AgainCut:
		return "Its limit passed while the GPU was shared: it runs once more, last in the queue"
	case job.AgainLost:
		return fmt.Sprintf("It was lost when %s restarted: it runs once more, last in the queue", server(a))
	case job.AgainUnsent:
		return fmt.Sprintf("%s restarted before it had begun: it waits in its place again", upper(server(a)))
	case job.AgainMemory:
		return fmt.Sprintf("It ran out of memory on %s: it runs once more there, with the memory freed", server(a))
	case job.AgainElse:
		return fmt.Sprintf("It ran out of memory on %s again: it now waits for a machine with more", server(a))
	case job.AgainWaited:
		return fmt.Sprintf("It waited on %s for %s and was not started: it waits here again",
			server(a), English.Duration(a.Seconds))
	case job.AgainTaken:
		return fmt.Sprintf("Taken back from the queue of %s: it waits here again", server(a))
	case job.AgainAny:
		return fmt.Sprintf("Other work is on %s: it may now run on any machine", or(a.Machine, "its machine"))
	case job.AgainDisk:
		return fmt.Sprintf("The disk of %s was full: it runs once more when there is room", server(a))
	case job.AskCutTwice:
		return fmt.Sprintf("%s of this kind in a row passed their limit on %s. Run %s there all the same?",
			capital(plural(a.Count, "run")), or(a.Machine, "one machine"), jobName(a))
	case job.AskMissing:
		what := namesOf(or(a.Value, "what it needs"), a.Count)
		if a.Class != "" {
			what = "the node " + namesOf(a.Class, a.Count)
		}
		return fmt.Sprintf("No server that %s may go to has %s. Look again, once it is there?", jobName(a), what)
	case job.AskBatchFailing:
		return fmt.Sprintf("%s added together failed alike%s. Run the rest all the same?",
			capital(plural(a.Count, "job")), inBrackets(a.Class))
	}
	return ""
}
