package queue

import (
	"strconv"
	"strings"

	"reckoner/assets/text"
	"reckoner/scheduler/job"
)

// said gives what happened, in a sentence.
func said(w text.Language, e *job.Error) string {
	what, _ := w.Error(e)
	return what
}

// trouble gives what is in the way, for as long as it is.
func trouble(w text.Language, e *job.Error) string {
	what, _ := w.Trouble(e)
	return what
}

// lowerFirst lets a sentence go on inside of another.
func lowerFirst(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// plural gives "1 job", "3 jobs".
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// ordinal names a machine's second, third ... render server.
func ordinal(n int) string {
	switch n {
	case 2:
		return "second"
	case 3:
		return "third"
	case 4:
		return "fourth"
	}
	return "number " + strconv.Itoa(n)
}
