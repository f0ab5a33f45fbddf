package text

import (
	"fmt"

	"reckoner/scheduler/job"
)

// englishQueued has why a job goes to a server, and what becomes of one that waits
// in its queue.
func englishQueued(s job.Say) string {
	a := s.Args
	switch s.Code {
	case job.CaptionQueued:
		if a.Count > 0 {
			return fmt.Sprintf("On %s, which has not started it: %s before it", server(a), prompts(a.Count))
		}
		return fmt.Sprintf("On %s, which has not started it yet", server(a))
	case job.CaptionHanded:
		if a.Count > 0 {
			return fmt.Sprintf("Handed over to %s, behind %s of yours", server(a), plural(a.Count, "job"))
		}
		return fmt.Sprintf("Handed over to %s, which has not started it yet", server(a))
	case job.StoryEndsFirst:
		return fmt.Sprintf("Likely to end first on %s: in about %s, on %s in about %s",
			server(a), English.About(a.Seconds, 0), or(a.Machine, "another one"), English.About(a.UpTo, 0))
	case job.StoryFreeFirst:
		return fmt.Sprintf("%s was free, and nothing speaks for another one", upper(server(a)))
	case job.StoryTogether:
		return fmt.Sprintf("It went before %s: its models were loaded on %s", plural(a.Count, "other job"), server(a))
	case job.StoryOnlyOne:
		return fmt.Sprintf("No other server than %s takes it now", server(a))
	case job.StoryWaited:
		return fmt.Sprintf("It waited on %s for %s, longer than it may", server(a), English.Duration(a.Seconds))
	case job.StoryHanded:
		return fmt.Sprintf("Handed over: it waits in the queue of %s", server(a))
	case job.StoryTaking:
		return fmt.Sprintf("You take it back from the queue of %s", server(a))
	case job.StoryStartedYet:
		return fmt.Sprintf("%s has started it meanwhile, so it goes on", upper(server(a)))
	}
	return ""
}
