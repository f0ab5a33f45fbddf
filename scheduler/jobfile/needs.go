package jobfile

import (
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	"reckoner/scheduler/job"
)

// needsVersion is part of every key of NeedsOf.
const needsVersion = "reckoner job needs 1"

// NeedsOf gives the key of what a graph needs of a server: the classes of all its
// nodes, since a server refuses a graph with one that it does not know wherever
// it stands, and the model files that they name.
func NeedsOf(g job.Graph) string {
	classes, models := map[string]bool{}, map[string]bool{}
	for _, n := range g.Nodes {
		classes[n.Class] = true
		for _, in := range n.Inputs {
			if name, isText := text(in.Value); isText && isModel(name) {
				models[n.Class+"/"+in.Name+"/"+fileOf(name)] = true
			}
		}
	}
	sum := hashOf(needsVersion, slices.Concat(
		slices.Sorted(maps.Keys(classes)), []string{""}, slices.Sorted(maps.Keys(models))))
	return hex.EncodeToString(sum[:16])
}

// ClassesOf gives the classes of a graph's nodes, sorted.
func ClassesOf(raw json.RawMessage) []string {
	g, _, err := parseGraph(raw)
	if err != nil {
		return nil
	}
	classes := map[string]bool{}
	for _, n := range g.Nodes {
		classes[n.Class] = true
	}
	return slices.Sorted(maps.Keys(classes))
}

// MissingModels gives the model files of a graph that are among the choices of no
// node that reads them, whatever folder they are asked for in. A class that is
// not known says nothing about its files, and a list without a single file
// nothing either: some packs fill theirs in the page.
func MissingModels(raw json.RawMessage, classes job.Classes) []string {
	g, _, err := parseGraph(raw)
	if err != nil {
		return nil
	}
	var missing []string
	for _, n := range g.Nodes {
		for _, in := range n.Inputs {
			name, isText := text(in.Value)
			spec, known := inputOf(classes[n.Class].Inputs, in.Name)
			if !isText || !known || spec.Type != "COMBO" || !isModel(name) || slices.Contains(missing, name) {
				continue
			}
			here := func(c string) bool { return fileOf(c) == fileOf(name) }
			if len(spec.Choices) > 0 && !slices.ContainsFunc(spec.Choices, here) {
				missing = append(missing, name)
			}
		}
	}
	return missing
}

// AreModels tells whether all of some names are those of model files.
func AreModels(names []string) bool {
	return len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool { return !isModel(name) })
}
