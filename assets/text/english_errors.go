package text

import (
	"fmt"
	"strings"

	"reckoner/scheduler/job"
)

// englishFailure has every error: what happened, to what, what was kept; then
// what to do next.
func englishFailure(e *job.Error) (what, next string) {
	for _, words := range [...]func(*job.Error) (string, string){
		englishSourceFailure, englishAccessFailure, englishHostFailure, englishServerFailure, englishRunFailure,
		englishFileFailure, englishConvertFailure, englishMediaFailure, englishInputFailure, englishLocalFailure,
	} {
		if what, next = words(e); what != "" {
			return what, next
		}
	}
	return "", ""
}

// englishServerFailure has what goes wrong in talking to a render server.
func englishServerFailure(e *job.Error) (what, next string) {
	a := e.Args
	s := server(a)
	switch e.Code {
	case job.ErrUnreachable:
		return fmt.Sprintf("No connection to %s%s. Nothing was sent.", s, connectionReason(a.Detail)),
			"Check that ComfyUI runs there and that address and port are right."
	case job.ErrBusy:
		if brokeOff(a.Detail) {
			return fmt.Sprintf("%s broke the connection off before it had answered.", upper(s)),
				"It, or a proxy before it, may be starting or ending. " + asksAgain
		}
		return fmt.Sprintf("%s was reached but did not answer in time.", upper(s)),
			"It may be loading a model. " + asksAgain
	case job.ErrOutcomeUnknown:
		return fmt.Sprintf("The answer of %s was lost, so it may or may not have taken the job.", s),
			"Reckoner looks for the job there before anything is sent again."
	case job.ErrNotComfy:
		if to := redirect(a); to != "" {
			return fmt.Sprintf("%s sends on to %s%s, where Reckoner does not follow. Nothing was sent.",
				upper(s), to, status(a)), "If that is the server, use its address."
		}
		return fmt.Sprintf("%s answers, but not as ComfyUI does. Nothing was sent.", upper(s)),
			"Check the address: a proxy, a login page or another program may answer there."
	case job.ErrOrigin:
		return fmt.Sprintf("%s refuses requests from here (its check of the origin).", upper(s)),
			"Use the address under which the server itself listens, or start ComfyUI with --enable-cors-header."
	case job.ErrLogin:
		return fmt.Sprintf("%s asks for a login%s. Nothing was sent.", upper(s), statusTo(a)),
			"Give a user name, a password or a token for this server."
	case job.ErrTLS:
		return fmt.Sprintf("The certificate of %s is not trusted. Nothing was sent.", s),
			"Install its authority on this computer, or use an address that the certificate names."
	case job.ErrTooLarge:
		return englishTooLarge(a, s)
	case job.ErrServerFault:
		return fmt.Sprintf("%s reports a fault of its own%s.", upper(s), status(a)),
			"Look at the server's log. " + asksAgain
	case job.ErrBadReply:
		return fmt.Sprintf("An answer of %s could not be understood.", s),
			"If this goes on, the server's version may be too new or too old; see Details."
	case job.ErrNoSuchFile:
		return fmt.Sprintf("%s no longer has the file%s.", upper(s), named(or(a.File, a.Value))),
			"It may have been moved or deleted there. The run's record is kept; run the job again to make it anew."
	case job.ErrShortFile:
		if a.Value == "empty" {
			return fmt.Sprintf("The file%s came empty from %s. That is no result; nothing was kept of it.",
				named(a.File), s), fetchesAgain
		}
		return fmt.Sprintf("The file%s of %s ended too early; the part was not kept.", named(a.File), s),
			fetchesAgain
	case job.ErrUnsupported:
		return fmt.Sprintf("%s cannot do this%s.", upper(s), inBrackets(a.Value)),
			"A newer ComfyUI may. Nothing was changed on the server."
	}
	return "", ""
}

// englishRunFailure has how a server refuses a job, and how runs end there.
func englishRunFailure(e *job.Error) (what, next string) {
	a := e.Args
	s := server(a)
	switch e.Code {
	case job.ErrRefused:
		return englishRefusal(e)
	case job.ErrMissingNode:
		at := atNode(job.Args{Node: a.Node})
		return fmt.Sprintf("%s the node class %s%s. The job was not run.", lacks(a),
				or(namesOf(a.Class, len(a.Allowed)), "that the job needs"), at),
			"Install the pack that brings this node, or use a server that has it. Then run the job again."
	case job.ErrMissingModel:
		return fmt.Sprintf("%s the model file %s. The job was not run.", lacks(a),
				or(namesOf(a.Value, len(a.Allowed)), "that the job needs")),
			"Put it into the server's folder of models, or use a server that has it. Then run the job again."
	case job.ErrPartial:
		return fmt.Sprintf("%s took the job but left some of its outputs out%s.", upper(s), atNode(a)),
			"What it made is kept. See Details for what it refused."
	case job.ErrNodeFailed:
		return fmt.Sprintf("The job failed on %s%s%s.", s, atNode(a), said(a.Detail)),
			"Correct the workflow or the server, then run it again. The job is kept."
	case job.ErrOutOfMemory:
		return fmt.Sprintf("%s ran out of GPU memory%s. The job failed and is kept.", upper(s), atNode(a)),
			"Make it smaller (size, frames, batch), close what else holds the GPU, or use a machine with more memory."
	case job.ErrGPUFault:
		return fmt.Sprintf("The GPU of %s reported a fault%s%s. The job is kept.", s, atNode(a), said(a.Detail)),
			"Restart that ComfyUI: after such a fault it often fails at everything. Then run the job again."
	case job.ErrAccount:
		return fmt.Sprintf("The job failed on %s%s: it asks a paid service, and ComfyUI has no account to ask it with.",
				s, atNode(a)),
			"Run it in ComfyUI's page, logged in there. The job is kept."
	case job.ErrServerDisk:
		return fmt.Sprintf("The disk of %s is full%s. The job is kept.", s, atNode(a)),
			"Make room there, then run the job again."
	case job.ErrInterrupted:
		return fmt.Sprintf("The run was stopped on %s, and not by Reckoner. The job is kept.", s),
			"Run it again when whoever stopped it is done."
	case job.ErrGivenUp:
		return "The job was not run: others like it failed, and nobody said to go on.",
			"Look at why the others failed, then run it again."
	case job.ErrNoOutcome:
		return fmt.Sprintf("The record of the run on %s does not say how it ended, so it does not count as done. "+
			"The job is kept.", s), "Look on the server whether it made the result, else run it again."
	case job.ErrNotWorking:
		return fmt.Sprintf("%s takes jobs but did not run a tiny one within %s.", upper(s), English.Duration(a.Seconds)),
			"Look at its console: it may hang, or be busy with work that it does not list."
	case job.ErrWaitedLong:
		return fmt.Sprintf("%s did not start it: it waited there %s, at last for %s. The job is kept.",
				upper(s), plural(a.Count, "time"), English.Duration(a.Seconds)),
			"Look at what else is on that server's queue, move the job to another machine, or run it again."
	case job.ErrVanished:
		return fmt.Sprintf("The run is gone from %s: not in its queue, then not in its history. The job is kept.", s),
			"The server may have restarted, or its queue was cleared. Run the job again."
	}
	return "", ""
}

// lacks says who lacks something: one server, or all that a job may go to.
func lacks(a job.Args) string {
	if a.Server == "" {
		return "No server that the job may go to has"
	}
	return upper(server(a)) + " lacks"
}

// englishRefusal names the node, the input and what would be allowed.
func englishRefusal(e *job.Error) (what, next string) {
	s := server(e.Args)
	if len(e.Faults) == 0 {
		return fmt.Sprintf("%s refused the workflow%s. Nothing was run.", upper(s), said(e.Args.Detail)),
			"Correct the workflow and add it again."
	}
	f := e.Faults[0]
	where := ""
	if f.Node != "" {
		where = fmt.Sprintf(" at node %s%s", f.Node, inBrackets(f.Class))
	}
	if f.Input != "" {
		where += ", input " + f.Input
	}
	why := or(f.Message, f.Type)
	if f.Value != "" {
		why += fmt.Sprintf(" (given: %s)", f.Value)
	}
	more := ""
	if n := len(e.Faults) - 1; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	what = fmt.Sprintf("%s refused the workflow%s: %s%s. Nothing was run.", upper(s), where, why, more)
	if len(f.Allowed) > 0 {
		return what, fmt.Sprintf("Allowed there: %s. Change it, or use a server that has what the job names.",
			list(f.Allowed))
	}
	return what, "Correct the workflow and add it again."
}

// connectionReason finds the usual reasons in what the network said.
func connectionReason(detail string) string {
	for _, r := range [...]struct{ said, means string }{
		{"connection refused", ": nothing listens there (connection refused)"},
		{"no such host", ": no computer of that name is known"},
		{"could not resolve hostname", ": no computer of that name is known"},
		{"no route to host", ": there is no way to it in the network"},
		{"network is unreachable", ": there is no way to it in the network"},
		{"timeout", ": it does not react"},
		{"timed out", ": it does not react"},
		{"deadline exceeded", ": it does not react"},
	} {
		if strings.Contains(detail, r.said) {
			return r.means
		}
	}
	return ""
}

func status(a job.Args) string {
	if a.Status == 0 {
		return ""
	}
	return fmt.Sprintf(" (status %d)", a.Status)
}

func named(name string) string {
	if name == "" {
		return ""
	}
	return " " + name
}

func atNode(a job.Args) string {
	switch {
	case a.Node == "":
		return ""
	case a.Class == "":
		return " at node " + a.Node
	}
	return fmt.Sprintf(" at node %s (%s)", a.Node, a.Class)
}

// said gives the first line of what a server said.
func said(detail string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(detail), "\n")
	const most = 200
	if runes := []rune(first); len(runes) > most {
		first = string(runes[:most]) + "…"
	}
	if first = strings.TrimRight(first, ". "); first == "" {
		return ""
	}
	return ": " + first
}
