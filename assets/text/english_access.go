package text

import (
	"fmt"
	"strings"

	"reckoner/scheduler/job"
)

// englishAccessFailure has what keeps Reckoner out of a render server before the
// server itself has a say: ssh, certificates, the keyring.
func englishAccessFailure(e *job.Error) (what, next string) {
	a := e.Args
	s := server(a)
	switch e.Code {
	case job.ErrHostKey, job.ErrHostKeyChanged:
		return englishHostKey(e)
	case job.ErrTLS:
		if a.Fingerprint == "" {
			return "", ""
		}
		return fmt.Sprintf("The certificate of %s is not trusted. Its fingerprint is %s. Nothing was sent.",
				s, a.Fingerprint),
			"If the server's owner names the same one, accept it; on the command line with a line " +
				"“URL cert FINGERPRINT” in the --auth-file. Otherwise somebody may be in between."
	case job.ErrKeyring:
		return fmt.Sprintf("What opens %s could not be read%s. Nothing was sent.", s, said(reason(a.Detail))),
			"Unlock the keyring, or enter it again. " + asksAgain
	case job.ErrNotWorking:
		return fmt.Sprintf("%s takes prompts, but did not run a tiny one within %s.", upper(s), English.About(a.Seconds, 0)),
			"Its worker may have ended; then only a restart of ComfyUI helps."
	}
	if a.Server != "" && strings.HasPrefix(a.Value, "ssh:") {
		return englishThroughSSH(e)
	}
	return "", ""
}

// englishHostKey has the keys of computers, of gauges and render servers alike.
func englishHostKey(e *job.Error) (what, next string) {
	a := e.Args
	source := or(a.Server, or(a.Value, "the source"))
	key := ""
	if a.Fingerprint != "" {
		key = " Its key is " + a.Fingerprint + "."
	}
	if e.Code == job.ErrHostKeyChanged {
		return fmt.Sprintf("The computer of %s shows another key than ssh knows, so it was not asked.%s", source, key),
			"Find out why before anything else: it was installed anew, or another computer answers in its place."
	}
	return fmt.Sprintf("The computer of %s is not known to ssh yet, so it was not asked.%s", source, key),
		"Connect to it once with ssh and check its key, then try again."
}

// englishThroughSSH has servers that are reached through ssh.
func englishThroughSSH(e *job.Error) (what, next string) {
	a := e.Args
	s := server(a)
	_, at, behind := strings.Cut(a.Detail, "to ")
	at, _, seen := strings.Cut(at, " as seen from there: ")
	switch {
	case e.Code == job.ErrLogin:
		return fmt.Sprintf("The login through ssh was refused for %s. Nothing was sent.", s),
			"In a terminal, ssh to that computer must work without a question: check the user's name and key."
	case e.Code != job.ErrUnreachable:
		return "", ""
	case behind && seen:
		return fmt.Sprintf("ssh reaches the computer of %s, but nothing answers at %s there. Nothing was sent.", s, at),
			"Start ComfyUI there, or say its port behind a slash: ssh:HOST/PORT."
	case strings.Contains(a.Detail, "ssh is not installed"):
		return fmt.Sprintf("%s is reached through ssh, which is not installed on this computer.", upper(s)),
			"Install OpenSSH's client."
	}
	why := connectionReason(strings.ToLower(a.Detail))
	return fmt.Sprintf("No connection through ssh to %s%s. Nothing was sent.", s, why),
		"In a terminal, ssh to that computer must work without a question. " + asksAgain
}

// reason takes off which request it was that failed.
func reason(detail string) string {
	if _, why, ok := strings.Cut(detail, ": "); ok {
		return why
	}
	return detail
}
