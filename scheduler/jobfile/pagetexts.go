package jobfile

import (
	"bytes"
	"encoding/json"
	"strings"

	"reckoner/scheduler/job"
)

// pageTexts does to a node's texts what the page does when it sends a job: it
// takes comments out of prompts. What the page draws by chance or fills in with
// the day is noted and told: see FillTexts (comfyui-protocol, 5.4, 8).
func (c *converter) pageTexts(class job.Class, made *madeNode) {
	for i := range made.inputs {
		m := &made.inputs[i]
		s, isText := text(m.value)
		in, known := inputOf(class.Inputs, m.name)
		if !isText || m.link != nil || !known {
			continue
		}
		if in.DynamicPrompts && (strings.Contains(s, "//") || strings.Contains(s, "/*")) {
			s = withoutComments(s)
			var out bytes.Buffer
			writeText(&out, s)
			m.value = json.RawMessage(out.Bytes())
		}
		choices := in.DynamicPrompts && hasChoices(s)
		if choices || m.name == "filename_prefix" && hasPlaceholder(s) {
			c.toFill = append(c.toFill, PageText{Node: made.id, Input: m.name, Choices: choices})
			if c.texts.Count++; c.texts.Count == 1 {
				c.texts.Node, c.texts.Class, c.texts.Input = made.id, made.class, m.name
			}
		}
	}
}

// withoutComments takes out /* … */ and // … to the end of the line.
func withoutComments(s string) string {
	var out strings.Builder
	for {
		at := strings.IndexByte(s, '/')
		if at < 0 || at+1 == len(s) {
			break
		}
		switch s[at+1] {
		case '/':
			out.WriteString(s[:at])
			s = s[at:]
			if end := strings.IndexAny(s, "\r\n\u2028\u2029"); end >= 0 {
				s = s[end:]
			} else {
				s = ""
			}
			continue
		case '*':
			if end := strings.Index(s[at+2:], "*/"); end >= 0 {
				out.WriteString(s[:at])
				s = s[at+2+end+2:]
				continue
			}
		}
		out.WriteString(s[:at+1])
		s = s[at+1:]
	}
	out.WriteString(s)
	return out.String()
}

// hasChoices tells texts from which the page draws: {a|b}, or {a} without its
// braces, or takes the backslash before one.
func hasChoices(s string) bool {
	return strings.Contains(s, "{") || strings.Contains(s, `\}`) || strings.Contains(s, `\|`)
}

// hasPlaceholder tells %date:…% and %node.value%, which the page fills in.
func hasPlaceholder(s string) bool {
	_, rest, ok := strings.Cut(s, "%")
	for ok {
		var name string
		name, rest, ok = strings.Cut(rest, "%")
		if ok && (strings.HasPrefix(name, "date") || strings.Contains(name, ".")) {
			return true
		}
	}
	return false
}
