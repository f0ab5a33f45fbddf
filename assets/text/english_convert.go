package text

import (
	"fmt"

	"reckoner/scheduler/job"
)

// exportOrResult is the way out for a workflow that only ComfyUI's page can read:
// its own export, or a result, which carries what really ran.
const exportOrResult = "Open it in ComfyUI's page and choose Workflow > Export (API), " +
	"or add a picture or video that this workflow made."

// englishConvertFailure has workflows in the page's own format that could not be
// made into a job exactly.
func englishConvertFailure(e *job.Error) (what, next string) {
	a := e.Args
	node := fmt.Sprintf("%s in %s", capital(nodeName(a.Node, a.Class)), or(a.File, "the file"))
	switch e.Code {
	case job.ErrUnknownClass:
		classes := a.Allowed
		if len(classes) == 0 {
			classes = []string{or(a.Class, "one of its nodes")}
		}
		pack := ""
		if a.Value != "" {
			pack = fmt.Sprintf(" %s is of the pack %s.", or(a.Class, "It"), a.Value)
		}
		return fmt.Sprintf("%s needs nodes that the render server does not have: %s.%s %s",
				or(a.File, "The file"), list(classes), pack, notQueued),
			"Install them on the server, or choose a server that has them."
	case job.ErrPageOnly:
		return fmt.Sprintf("%s changes other nodes by a script of ComfyUI's page, "+
			"so it is not known what would be sent. %s", node, notQueued), exportOrResult
	case job.ErrShifted:
		return fmt.Sprintf("%s has values that do not fit its inputs on the render server%s. %s",
			node, misfit(a), notQueued), exportOrResult
	case job.ErrBadLinks:
		return fmt.Sprintf("%s has a link that leads nowhere or in a circle. %s", node, notQueued), exportOrResult
	case job.ErrBadSubgraph:
		return fmt.Sprintf("%s does not fit the definition of its subgraph or group. %s", node, notQueued), exportOrResult
	case job.ErrNoCounterpart:
		name := ""
		if a.Value != "" {
			name = fmt.Sprintf(" named %q", a.Value)
		}
		return fmt.Sprintf("%s reads what one Set node stores, but there is none or more than one%s. %s",
			node, name, notQueued), exportOrResult
	}
	return "", ""
}

// misfit says which value does not fit, where that shows.
func misfit(a job.Args) string {
	switch {
	case a.Input != "" && a.Value != "":
		return fmt.Sprintf(": %s cannot be %q", a.Input, a.Value)
	case a.Input != "":
		return ": " + a.Input + " has none"
	case a.Count > 0:
		return fmt.Sprintf(": %s for %s", plural(a.Count, "value"), plural(a.Of, "input"))
	}
	return ""
}

// englishConvertWarning has what is said about workflows that were read all the
// same, and sent otherwise than they were written.
func englishConvertWarning(s job.Say) string {
	a := s.Args
	switch s.Code {
	case job.WarnNotConverted:
		return "Not converted yet: it is in the format of ComfyUI's page, and a render server must tell what its nodes are"
	case job.WarnDamaged:
		return fmt.Sprintf("The file is damaged (%s); its workflow is whole", or(a.Value, "a checksum or its end"))
	case job.WarnPromptLost:
		return "What really ran could not be read from the file; the workflow of ComfyUI's page is used instead"
	case job.StoryRenamed:
		return fmt.Sprintf("%s calls %s %s, so that was sent",
			capital(server(a)), or(a.Value, "a model"), or(a.Detail, "otherwise"))
	case job.WarnOtherJob:
		return fmt.Sprintf("The file carries two jobs: what really ran is used; "+
			"the workflow of ComfyUI's page differs in %s, such as %s", plural(a.Count, "node"), nodeName(a.Node, a.Class))
	case job.WarnDisagree:
		return fmt.Sprintf("%s has two values for %s: %q is used, by its name; the list beside it says %q",
			capital(nodeName(a.Node, a.Class)), or(a.Input, "an input"), a.Value, a.Detail)
	case job.WarnPageTexts:
		return fmt.Sprintf("%s filled in anew for each job, as ComfyUI's page does: choices in braces, or a date, "+
			"such as in %s of %s", are(a.Count, "text"), or(a.Input, "one"), nodeName(a.Node, a.Class))
	case job.WarnDefaults:
		return fmt.Sprintf("%s not in the file and got the server's default, such as %s of %s",
			are(a.Count, "input"), or(a.Input, "one"), nodeName(a.Node, a.Class))
	}
	return ""
}
