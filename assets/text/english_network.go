package text

import (
	"fmt"
	"strings"

	"reckoner/scheduler/job"
)

// What Reckoner does by itself about a server that fails, as far as it still
// works for the job; see Language.FinalError.
const (
	asksAgain    = "Reckoner asks again by itself."
	fetchesAgain = "Reckoner fetches it again; the server still has it."
)

// brokeOff tells an answer that broke off from one that did not come, by what
// the network said.
func brokeOff(detail string) bool {
	for _, said := range [...]string{"EOF", "connection reset", "broken pipe", "closed network connection"} {
		if strings.Contains(detail, said) {
			return true
		}
	}
	return false
}

// englishTooLarge tells the request, which the server refused, from the answer,
// which was over a bound of ours.
func englishTooLarge(a job.Args, s string) (what, next string) {
	if a.Status == 0 && a.File == "" {
		bound := ""
		if a.Bytes > 0 {
			bound = fmt.Sprintf(" (more than %s)", English.Bytes(a.Bytes))
		}
		return fmt.Sprintf("An answer of %s is larger than Reckoner reads%s, so it was left.", s, bound),
			"Check the address, and what its queue and history hold: no answer of ComfyUI should be that large."
	}
	if a.File != "" {
		return fmt.Sprintf("The file%s of %s is larger than Reckoner takes (%s).", named(a.File), s,
			English.Bytes(a.Bytes)), "It is still on the server; copy it from there."
	}
	return fmt.Sprintf("The job is too large for %s%s. It was not taken.", s, status(a)),
		"Raise --max-upload-size on the server, or the limit of the proxy before it."
}

// redirect gives where a redirect leads to, "" for another answer.
func redirect(a job.Args) string {
	if a.Status < 300 || a.Status > 399 {
		return ""
	}
	_, to, found := strings.Cut(a.Detail, "redirect to ")
	if !found {
		return "another address"
	}
	return to
}

// statusTo says a status, and of a redirect where it leads to.
func statusTo(a job.Args) string {
	if to := redirect(a); to != "" {
		return fmt.Sprintf(" at %s (status %d)", to, a.Status)
	}
	return status(a)
}

// reasonOnly takes what was done to which file off what the system said: the
// sentence names the file already.
func reasonOnly(detail string) string {
	return detail[strings.LastIndex(detail, ": ")+1:]
}
