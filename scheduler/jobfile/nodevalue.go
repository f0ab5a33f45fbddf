package jobfile

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"reckoner/scheduler/job"
)

// NodeValue is a value of a node as a person reads and changes it.
type NodeValue struct {
	Node, Class, Title string
	Input              string
	Text               string
	// Long says that it is a text of several words, such as a prompt.
	Long bool
}

// GraphOf takes a graph apart that was read before; one that is none is empty.
func GraphOf(raw json.RawMessage) job.Graph {
	g, _, err := parseGraph(raw)
	if err != nil {
		return job.Graph{}
	}
	return g
}

// ValuesOf gives what a person may change of a graph: texts, numbers, true and
// false that nodes have set. Long texts come first, then the nodes' order.
func ValuesOf(g job.Graph) []NodeValue {
	var values []NodeValue
	for _, n := range g.Nodes {
		for _, in := range n.Inputs {
			shown, ok := readable(in.Value)
			if in.Link != nil || !ok {
				continue
			}
			_, isText := text(in.Value)
			values = append(values, NodeValue{
				Node: n.ID, Class: n.Class, Title: n.Title, Input: in.Name, Text: shown,
				Long: isText && isLong(in.Name, shown),
			})
		}
	}
	slices.SortStableFunc(values, func(a, b NodeValue) int {
		switch {
		case a.Long == b.Long:
			return 0
		case a.Long:
			return -1
		}
		return 1
	})
	return values
}

// isLong tells texts that are written, such as prompts, from names and choices.
func isLong(name, shown string) bool {
	return !isModel(shown) && (name == "text" || strings.Contains(name, "prompt") && !strings.Contains(name, "prefix") ||
		strings.Count(shown, " ") >= 3)
}

// readable gives a plain value as text.
func readable(raw json.RawMessage) (string, bool) {
	if isLongText(raw) && len(raw) > maxReadable {
		return "", false
	}
	if s, ok := text(raw); ok {
		return s, true
	}
	switch kind(raw) {
	case '{', '[', 0, 'n':
		return "", false
	}
	return string(bytes.TrimSpace(raw)), true
}

// maxReadable bounds the texts that are shown to be changed: pictures lie inside
// some workflows as text.
const maxReadable = 64 << 10 // bytes

// ChangesOf gives the changes that a graph needs to have the values wanted. A
// number stays a number, digit for digit as it was written, and a text a text; the
// error names a value that is no such thing.
func ChangesOf(g job.Graph, wanted []NodeValue) ([]Change, *job.Error) {
	var changes []Change
	for _, v := range wanted {
		n, _ := g.Node(v.Node)
		in, ok := n.Input(v.Input)
		was, plain := readable(in.Value)
		if !ok || in.Link != nil || !plain || was == v.Text {
			continue
		}
		value, good := likeOld(in.Value, v.Text)
		if !good {
			return nil, job.Errorf(job.ErrNotValue, job.Args{
				Node: v.Node, Class: n.Class, Input: v.Input, Value: v.Text,
			}, nil)
		}
		changes = append(changes, Change{Node: v.Node, Input: v.Input, Old: in.Value, New: value})
	}
	return changes, nil
}

// likeOld makes a JSON value of what was typed, of the old one's kind.
func likeOld(old json.RawMessage, typed string) (json.RawMessage, bool) {
	if kind(old) == '"' {
		var value bytes.Buffer
		writeText(&value, typed)
		return value.Bytes(), true
	}
	typed = strings.TrimSpace(typed)
	value := json.RawMessage(typed)
	if !json.Valid(value) {
		return nil, false
	}
	switch kind(old) {
	case 't', 'f':
		return value, typed == "true" || typed == "false"
	}
	_, isNumber := number(value)
	return value, isNumber
}
