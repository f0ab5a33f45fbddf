package jobfile

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"reckoner/scheduler/job"
)

// MatchModels finds the model files of a graph that a server knows under another
// name: one that differs in its separators or its folder only. Where several
// could be meant none is taken.
func MatchModels(raw json.RawMessage, classes job.Classes) []Change {
	g, _, err := parseGraph(raw)
	if err != nil {
		return nil
	}
	var changes []Change
	for _, n := range g.Nodes {
		for _, in := range n.Inputs {
			name, isText := text(in.Value)
			spec, known := inputOf(classes[n.Class].Inputs, in.Name)
			if !isText || !known || !isModel(name) || slices.Contains(spec.Choices, name) {
				continue
			}
			if there, ok := sameModel(name, spec.Choices); ok {
				var value bytes.Buffer
				writeText(&value, there)
				changes = append(changes, Change{Node: n.ID, Input: in.Name, Old: in.Value, New: value.Bytes()})
			}
		}
	}
	return changes
}

// sameModel gives the one choice that is a name spelled otherwise: with the same
// folders, else in another folder.
func sameModel(name string, choices []string) (string, bool) {
	for _, part := range []func(string) string{slashed, fileOf} {
		found, count := "", 0
		for _, c := range choices {
			if part(c) == part(name) {
				found = c
				count++
			}
		}
		if count > 0 {
			return found, count == 1
		}
	}
	return "", false
}

func slashed(name string) string { return strings.ReplaceAll(name, `\`, "/") }

func fileOf(name string) string {
	name = slashed(name)
	return name[strings.LastIndexByte(name, '/')+1:]
}
