package jobfile

import (
	"encoding/json"

	"reckoner/scheduler/job"
)

// maxWraps bounds how many wrappers lie around a graph. A history entry with its
// prompt as a string in a request body would be three.
const maxWraps = 5

// found is what a document holds: a graph, one in the page's own format, or both
// side by side.
type found struct {
	graph    json.RawMessage
	workflow json.RawMessage // the page's own format
	nans     int             // replaced inside strings
}

// findGraph looks for the graph in a document, through the wrappers in which
// people keep them (comfyui-protocol, 5.3): request bodies, answers of /queue
// and /history, and what the page's graphToPrompt gives.
func findGraph(doc json.RawMessage) (found, *job.Error) { return unwrap(doc, maxWraps) }

func unwrap(doc json.RawMessage, wraps int) (found, *job.Error) {
	if wraps == 0 {
		return found{}, notWorkflow("too_deep")
	}
	switch kind(doc) {
	case '{':
		members, _, _ := object(doc)
		return unwrapObject(doc, members, wraps)
	case '[':
		return unwrapArray(doc, wraps)
	case '"':
		// Media metadata and some request bodies hold JSON inside a string.
		inner, nans, ok := textDocument(doc)
		if !ok {
			return found{}, notWorkflow("string")
		}
		f, err := unwrap(inner, wraps-1)
		f.nans += nans
		return f, err
	case 't', 'f':
		return found{}, notWorkflow("boolean")
	case 'n':
		return found{}, notWorkflow("null")
	}
	return found{}, notWorkflow("number")
}

func unwrapObject(doc json.RawMessage, members []member, wraps int) (found, *job.Error) {
	switch {
	case len(members) == 0:
		return found{}, notWorkflow("empty_object")
	case isUI(members):
		return found{workflow: doc}, nil
	case looksLikeGraph(members):
		return found{graph: doc}, nil
	}
	for _, key := range [...]string{"prompt", "output", "workflow_api", "input", "queue_running", "queue_pending"} {
		inner, has := find(members, key)
		if k := kind(inner); !has || k != '{' && k != '[' && k != '"' {
			continue
		}
		f, err := unwrap(inner, wraps-1)
		if err != nil && err.Code == job.ErrNotWorkflow {
			continue // "prompt" may be a text; the graph may be under another key
		}
		if err == nil && f.workflow == nil {
			f.workflow = workflowBeside(members)
		}
		return f, err
	}
	if inner, has := find(members, "workflow"); has {
		if f, err := unwrap(inner, wraps-1); err == nil || err.Code != job.ErrNotWorkflow {
			return f, err
		}
	}
	return unwrapHistory(members, wraps)
}

// textDocument gives the JSON object or list that a string holds, NaN made null.
func textDocument(raw json.RawMessage) (doc json.RawMessage, nans int, ok bool) {
	s, _ := text(raw)
	inner := []byte(s)
	if k := kind(inner); k != '{' && k != '[' {
		return nil, 0, false
	}
	inner, nans, deep := withoutNaN(inner)
	return inner, nans, !deep && json.Valid(inner)
}

// unwrapHistory takes a saved answer of /history: prompt ids, each with a
// record. Only one record is one job.
func unwrapHistory(members []member, wraps int) (found, *job.Error) {
	records := 0
	for _, m := range members {
		if inner, _, ok := object(m.value); ok {
			if _, has := find(inner, "prompt"); has {
				records++
			}
		}
	}
	switch {
	case records == 1 && len(members) == 1:
		return unwrap(members[0].value, wraps-1)
	case records > 1:
		return found{}, notWorkflow("several")
	}
	return found{}, notWorkflow("object")
}

// unwrapArray takes a tuple of the server's queue: number, id, graph, extra
// data, outputs; or a list that holds just one of them.
func unwrapArray(doc json.RawMessage, wraps int) (found, *job.Error) {
	list, _ := elements(doc)
	switch {
	case len(list) == 0:
		return found{}, notWorkflow("empty_list")
	case len(list) == 1:
		return unwrap(list[0], wraps-1)
	case len(list) < 3 || kind(list[2]) != '{':
		return found{}, notWorkflow("list")
	case kind(list[0]) == '[' || kind(list[0]) == '{':
		return found{}, notWorkflow("several")
	}
	f, err := unwrap(list[2], wraps-1)
	if err == nil && f.workflow == nil && len(list) > 3 {
		extra, _, _ := object(list[3])
		f.workflow = workflowOf(extra)
	}
	return f, err
}

// workflowBeside looks for a graph in the page's format among a wrapper's
// members.
func workflowBeside(members []member) json.RawMessage {
	if w, has := find(members, "workflow"); has {
		return uiText(w)
	}
	if extra, has := find(members, "extra_data"); has {
		inner, _, _ := object(extra)
		return workflowOf(inner)
	}
	return nil
}

func workflowOf(extraData []member) json.RawMessage {
	info, _ := find(extraData, "extra_pnginfo")
	inner, _, _ := object(info)
	w, _ := find(inner, "workflow")
	return uiText(w)
}

// uiText gives a value when it is a graph in the page's format, also as JSON in
// a string.
func uiText(raw json.RawMessage) json.RawMessage {
	if doc, _, ok := textDocument(raw); ok {
		raw = doc
	}
	if members, _, ok := object(raw); ok && isUI(members) {
		return compact(raw)
	}
	return nil
}

// isUI tells the page's own format: a list of nodes at the top.
func isUI(members []member) bool {
	nodes, has := find(members, "nodes")
	return has && kind(nodes) == '['
}

// looksLikeGraph tells whether an object is meant as a graph: some value has a
// class, or all of them have inputs. Whether each has is parseGraph's question.
func looksLikeGraph(members []member) bool {
	withInputs := 0
	for _, m := range members {
		node, _, _ := object(m.value)
		if class, has := find(node, "class_type"); has && kind(class) == '"' {
			return true
		}
		if in, has := find(node, "inputs"); has && kind(in) == '{' {
			withInputs++
		}
	}
	return withInputs == len(members)
}

func find(members []member, key string) (json.RawMessage, bool) {
	for _, m := range members {
		if m.key == key {
			return m.value, true
		}
	}
	return nil, false
}

func notWorkflow(what string) *job.Error {
	return job.Errorf(job.ErrNotWorkflow, job.Args{Value: what}, nil)
}
