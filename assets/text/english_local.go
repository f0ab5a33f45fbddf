package text

import (
	"fmt"

	"reckoner/scheduler/job"
)

// englishLocalFailure has what goes wrong on this computer.
func englishLocalFailure(e *job.Error) (what, next string) {
	a := e.Args
	switch e.Code {
	case job.ErrDisk:
		return fmt.Sprintf("Writing%s on this computer went wrong%s. What was there before is kept.",
				named(a.File), said(a.Detail)),
			"Make room on the disk and check that Reckoner may write there; it tries again by itself."
	case job.ErrNotFound:
		return fmt.Sprintf("%s was not found%s.", or(or(a.File, a.Value), "It"), said(a.Detail)),
			"Check the name; it may have been removed."
	case job.ErrIllegal:
		return fmt.Sprintf("%s cannot do that in its present state%s. Nothing was changed.",
				upper(or(a.Job, "the job")), inBrackets(a.Value)),
			"Wait until it has ended, or cancel it first."
	case job.ErrNewerData:
		return fmt.Sprintf("The records%s were written by a newer Reckoner. They were left as they are.", inFile(a.File)),
			"Update Reckoner, or choose another folder with --data."
	case job.ErrDamaged:
		return fmt.Sprintf("Records%s are damaged%s. The damaged file is kept and not overwritten.",
				inFile(a.File), said(a.Detail)),
			"Reckoner goes on with what could be read. Keep the damaged file for a repair."
	}
	return "", ""
}

func inFile(name string) string {
	if name == "" {
		return ""
	}
	return " in " + name
}
