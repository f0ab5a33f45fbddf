package jobfile

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"reckoner/scheduler/job"
)

// PageText is a text of a node that ComfyUI's page completes when it sends a job
// (comfyui-protocol, 5.4, 8).
type PageText struct {
	Node, Input string
	// Choices says that the page draws from {a|b}; else it fills in %date:…% and
	// %node.value%.
	Choices bool
}

// FillTexts completes texts of a graph as the page does: it draws from choices, and
// fills in dates and other nodes' values. What it does not know stays as it is.
// draw gives a number below n; now is the user's local time.
func FillTexts(g job.Graph, texts []PageText, draw func(n int) int, now time.Time) []Change {
	var changes []Change
	for _, t := range texts {
		n, _ := g.Node(t.Node)
		in, ok := n.Input(t.Input)
		s, isText := text(in.Value)
		if !ok || !isText {
			continue
		}
		filled := fillPlaceholders(g, s, now)
		if t.Choices {
			filled = drawChoices(s, draw, maxNested)
		}
		if filled != s {
			var value bytes.Buffer
			writeText(&value, filled)
			changes = append(changes, Change{Node: t.Node, Input: t.Input, Old: in.Value, New: value.Bytes()})
		}
	}
	return changes
}

// maxNested bounds how deep choices lie in choices.
const maxNested = 64

// drawChoices draws one of the parts of each {a|b}, also inside of one that was
// drawn, and takes the backslash from \{, \} and \|.
func drawChoices(s string, draw func(n int) int, depth int) string {
	if depth == 0 {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			if next := s[i+1]; next != '{' && next != '}' && next != '|' {
				out.WriteByte('\\')
			}
			out.WriteByte(s[i+1])
			i += 2
		case s[i] == '{':
			options, end := optionsOf(s[i+1:])
			out.WriteString(drawChoices(options[draw(len(options))], draw, depth-1))
			i += 1 + end
		default:
			out.WriteByte(s[i])
			i++
		}
	}
	return out.String()
}

// optionsOf parts what follows an opening brace at the bars of its own level. end
// is behind the closing brace, or at the end of a text that has none.
func optionsOf(s string) (options []string, end int) {
	depth, from := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '{':
			depth++
		case '}':
			if depth == 0 {
				return append(options, s[from:i]), i + 1
			}
			depth--
		case '|':
			if depth == 0 {
				options = append(options, s[from:i])
				from = i + 1
			}
		}
	}
	return append(options, s[from:]), len(s)
}

// fillPlaceholders fills in %date:FORMAT% and %node.value%.
func fillPlaceholders(g job.Graph, s string, now time.Time) string {
	var out strings.Builder
	for {
		at := strings.IndexByte(s, '%')
		if at < 0 {
			break
		}
		name, _, closed := strings.Cut(s[at+1:], "%")
		if !closed {
			break
		}
		out.WriteString(s[:at])
		if value, ok := placeholder(g, name, now); ok && name != "" {
			out.WriteString(value)
		} else {
			out.WriteString(s[at : at+len(name)+2])
		}
		s = s[at+len(name)+2:]
	}
	out.WriteString(s)
	return out.String()
}

func placeholder(g job.Graph, name string, now time.Time) (string, bool) {
	parts := strings.Split(name, ".")
	if format, isDate := strings.CutPrefix(parts[0], "date:"); isDate && len(parts) == 1 {
		return formatDate(format, now), true
	}
	if len(parts) != 2 {
		return "", false
	}
	for _, called := range [...]func(job.Node) string{
		func(n job.Node) string { return n.Class }, func(n job.Node) string { return n.Title },
	} {
		for _, n := range g.Nodes {
			if called(n) != parts[0] {
				continue
			}
			in, ok := n.Input(parts[1])
			value, plain := readable(in.Value)
			return strings.Map(inFileName, value), ok && plain && in.Link == nil
		}
	}
	return "", false
}

// inFileName replaces what no file name has.
func inFileName(r rune) rune {
	if r < ' ' || r == 0x7f || strings.ContainsRune(`/?<>\:*|"`, r) {
		return '_'
	}
	return r
}

// formatDate fills in d, M, h, m, s, once or twice, and yy or yyyy.
func formatDate(format string, now time.Time) string {
	figures := map[byte]int{
		'd': now.Day(), 'M': int(now.Month()), 'h': now.Hour(), 'm': now.Minute(), 's': now.Second(),
	}
	var out strings.Builder
	for i := 0; i < len(format); {
		c := format[i]
		same := 1
		for i+same < len(format) && format[i+same] == c && (same < 2 || c == 'y' && same < 4) {
			same++
		}
		figure, known := figures[c]
		switch {
		case known:
			fmt.Fprintf(&out, "%0*d", same, figure)
		case c == 'y' && same == 4:
			fmt.Fprintf(&out, "%d", now.Year())
		case c == 'y' && same == 2:
			fmt.Fprintf(&out, "%02d", now.Year()%100)
		default:
			out.WriteString(format[i : i+same])
		}
		i += same
	}
	return out.String()
}
