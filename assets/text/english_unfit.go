package text

import (
	"fmt"

	"reckoner/scheduler/job"
)

// englishUnfit has why a server cannot run a job, to go after "waiting".
func englishUnfit(s job.Say) string {
	a, l := s.Args, English
	switch s.Code {
	case job.SayPoisoned:
		return fmt.Sprintf("for %s to be restarted: %s in a row ended with a fault of its GPU; one tries it at %s",
			server(a), plural(a.Count, "run"), l.Clock(a.At))
	case job.SayServerDisk:
		return fmt.Sprintf("for free space on the disk of %s; one tries it at %s", server(a), l.Clock(a.At))
	case job.SayMissingNode:
		return fmt.Sprintf("for %s, which %s lacks", namesOf(or(a.Class, "a node"), a.Count), server(a))
	case job.SayMissingModel:
		return fmt.Sprintf("for %s, which %s lacks", namesOf(or(a.Value, "a model file"), a.Count), server(a))
	}
	return ""
}
