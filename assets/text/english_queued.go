package text

import (
	"fmt"

	"reckoner/scheduler/job"
)

// englishQueued has what becomes of a job that waits on its server's own queue.
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
