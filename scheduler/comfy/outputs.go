package comfy

import (
	"encoding/json"

	"reckoner/scheduler/job"
)

// Bounds of what a record may list.
const (
	maxOutputs = 10000
	maxDepth   = 8 // of a file inside a node's output
	maxName    = 4096
)

// outputs gathers what nodes made.
type outputs struct {
	refs  []job.OutputRef
	seen  map[[3]string]bool
	other int
}

// decodeOutputs takes every object with a file name under any key, in the
// server's order and each file once, and counts results that are no files.
// Custom nodes put anything there.
func decodeOutputs(raw json.RawMessage) ([]job.OutputRef, int) {
	nodes, _ := fields(raw)
	o := outputs{seen: map[[3]string]bool{}}
	for _, node := range nodes {
		kinds, _ := fields(node.value)
		for _, kind := range kinds {
			items, ok := asList(kind.value)
			if !ok {
				items = []json.RawMessage{kind.value}
			}
			for _, item := range items {
				o.take(node.name, kind.name, item)
			}
		}
	}
	return o.refs, o.other
}

// take adds an item: the files in it, or one result that is no file. Flags such
// as "animated": [true] are neither.
func (o *outputs) take(node, kind string, item json.RawMessage) {
	if len(item) == 0 || string(item) == "null" || string(item) == "true" || string(item) == "false" {
		return
	}
	if !o.files(node, kind, item, 0) {
		o.other++
	}
}

func (o *outputs) files(node, kind string, item json.RawMessage, depth int) bool {
	if depth == maxDepth {
		return false
	}
	found := false
	switch item[0] {
	case '[':
		list, _ := asList(item)
		for _, in := range list {
			found = o.files(node, kind, in, depth+1) || found
		}
	case '{':
		in, _ := asObject(item)
		if name := in.text("filename"); name != "" {
			o.add(job.OutputRef{
				Node: node, Kind: kind, Filename: name, Subfolder: in.text("subfolder"), Type: in.text("type"),
			})
			return true
		}
		list, _ := fields(item)
		for _, f := range list {
			found = o.files(node, kind, f.value, depth+1) || found
		}
	}
	return found
}

func (o *outputs) add(ref job.OutputRef) {
	if ref.Type == "" {
		ref.Type = "output" // what /view takes it for
	}
	key := [3]string{ref.Type, ref.Subfolder, ref.Filename}
	if o.seen[key] || len(o.refs) == maxOutputs || len(ref.Filename) > maxName || len(ref.Subfolder) > maxName {
		return
	}
	o.seen[key] = true
	o.refs = append(o.refs, ref)
}
