package text

import (
	"fmt"
	"strings"

	"reckoner/scheduler/job"
)

// englishLocalFailure has what goes wrong on this computer.
func englishLocalFailure(e *job.Error) (what, next string) {
	a := e.Args
	switch e.Code {
	case job.ErrDisk:
		return fmt.Sprintf("Writing%s on this computer went wrong%s. What was there before is kept.",
			named(a.File), said(reasonOnly(a.Detail))), diskAdvice(a.Detail)
	case job.ErrNotFound:
		return fmt.Sprintf("%s was not found%s.", or(or(a.File, a.Value), "It"), said(reasonOnly(a.Detail))),
			"Check the name; it may have been removed."
	case job.ErrNotValue:
		return fmt.Sprintf("%q is no value for %s%s. Nothing was changed.", a.Value, or(a.Input, "that input"), atNode(a)),
			"It has to be a number, or true or false, as before."
	case job.ErrIllegal:
		return fmt.Sprintf("%s cannot do that in its present state%s. Nothing was changed.",
				upper(or(a.Job, "the job")), inBrackets(a.Value)),
			"Wait until it has ended, or cancel it first."
	case job.ErrNewerData:
		return fmt.Sprintf("The records%s were written by a newer Reckoner. They were left as they are.", inFile(a.File)),
			"Update Reckoner, or choose another folder with --data."
	case job.ErrDamaged:
		return fmt.Sprintf("Records%s are damaged%s. The file is kept as it is.",
				inFile(a.File), said(a.Detail)),
			"When Reckoner starts there it sets the file aside, for a repair, and begins with new records."
	case job.ErrNoPicture:
		return englishNoPicture(a)
	}
	return "", ""
}

// englishNoPicture says why a result or an input is not shown small.
func englishNoPicture(a job.Args) (what, next string) {
	switch a.Value {
	case job.PictureNoTool:
		return "The first frame of a video is shown once ffmpeg is installed.", "Install ffmpeg, and start Reckoner again."
	case job.PictureSlow:
		return "Reading the first frame of the video took too long; it was given up.", "Open the file to see it."
	case job.PictureTooLarge:
		return fmt.Sprintf("The picture is too large to be shown small%s.", inBrackets(a.Detail)), "Open the file to see it."
	case job.PictureDamaged:
		return fmt.Sprintf("The file cannot be shown small: it is damaged or of an unknown kind%s.", inBrackets(a.Detail)),
			"Open the file to see what is left of it."
	case job.PictureGone:
		return "The file is no longer where it was put.", "The run's record is kept; run the job again to make it anew."
	case job.PictureUnreadable:
		return fmt.Sprintf("The file cannot be read%s.", said(reasonOnly(a.Detail))), "Check who may read it."
	}
	return "The file is of a kind that cannot be shown small.", "Open the file to see it."
}

func inFile(name string) string {
	if name == "" {
		return ""
	}
	return " in " + name
}

// diskAdvice says what helps against the reason that the system gave.
func diskAdvice(detail string) string {
	for _, r := range [...]struct{ said, advice string }{
		{"no space left", "Make room on that disk; Reckoner tries again by itself."},
		{"quota exceeded", "Make room within your quota; Reckoner tries again by itself."},
		{"permission denied", "Make it writable for the user that runs Reckoner, or choose another folder."},
		{"operation not permitted", "Make it writable for the user that runs Reckoner, or choose another folder."},
		{"read-only file system", "Choose a folder that can be written."},
		{"not a directory", "Something in the path is a file, not a folder: choose another folder."},
		{"is a directory", "A folder has the file's name: move it, or choose another folder."},
		{"file exists", "A file has the folder's name: move it, or choose another folder."},
		{"file name too long", "Choose a folder with a shorter path."},
	} {
		if strings.Contains(detail, r.said) {
			return r.advice
		}
	}
	return "Make room on the disk and check that Reckoner may write there; it tries again by itself."
}
