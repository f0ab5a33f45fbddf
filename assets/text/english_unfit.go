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

// englishLacks has what a server lacks for a job that goes elsewhere.
func englishLacks(s job.Say) string {
	a := s.Args
	switch s.Code {
	case job.SayMissingNode:
		return fmt.Sprintf("%s lacks the node class %s", upper(server(a)), namesOf(or(a.Class, "that it needs"), a.Count))
	case job.SayMissingModel:
		return fmt.Sprintf("%s lacks the model file %s", upper(server(a)), namesOf(or(a.Value, "that it needs"), a.Count))
	}
	return ""
}
