package jobfile

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"reckoner/scheduler/job"
)

// Change gives an input of a node another value.
type Change struct {
	Node, Input string
	Old, New    json.RawMessage
}

// ChangeGraph gives a graph as it is sent with other values. Everything else
// stays as it is, digit for digit. A change of an input that is not there, or is
// a link, is left out.
func ChangeGraph(raw json.RawMessage, changes []Change) json.RawMessage {
	return revalue(raw, func(id string, node json.RawMessage) json.RawMessage {
		return revalue(node, func(part string, inputs json.RawMessage) json.RawMessage {
			if part != "inputs" {
				return inputs
			}
			return revalue(inputs, func(name string, value json.RawMessage) json.RawMessage {
				for _, c := range changes {
					if c.Node == id && c.Input == name && kind(value) != '[' {
						return c.New
					}
				}
				return value
			})
		})
	})
}

// ChangeWorkflow makes the same changes in the page's own format, where the
// node's values show the old one. What lies inside subgraphs stays as it is:
// their instances share it.
func ChangeWorkflow(w Workflow, changes []Change) Workflow {
	return Workflow(revalue(json.RawMessage(w), func(part string, value json.RawMessage) json.RawMessage {
		list, ok := elements(value)
		if part != "nodes" || !ok {
			return value
		}
		for i, node := range list {
			members, _, _ := object(node)
			id, _ := find(members, "id")
			list[i] = revalue(node, func(part string, values json.RawMessage) json.RawMessage {
				if part != "widgets_values" && part != "widgets_values_named" {
					return values
				}
				for _, c := range changes {
					if c.Node == strings.Trim(string(id), ` "`) {
						values = changeValue(values, c)
					}
				}
				return values
			})
		}
		return joined(list)
	}))
}

// changeValue changes the first of a node's values that equals the old one.
func changeValue(values json.RawMessage, c Change) json.RawMessage {
	list, ok := elements(values)
	if !ok {
		return revalue(values, func(name string, value json.RawMessage) json.RawMessage {
			if name == c.Input && sameValue(value, c.Old) {
				return c.New
			}
			return value
		})
	}
	for i := range list {
		if sameValue(list[i], c.Old) {
			list[i] = c.New
			break
		}
	}
	return joined(list)
}

// Reseed gives every seed of a graph another one, equal ones the same: what a
// repetition of a job changes. next gives random numbers.
func Reseed(g job.Graph, next func() uint64) []Change {
	// ComfyUI's page draws seeds up to this (comfyui-protocol, 5.4).
	const most = 1 << 50
	drawn := map[string]json.RawMessage{}
	var changes []Change
	seeds := seedSources(g)
	for _, n := range g.Nodes {
		_, isConstant := constant(n)
		for _, in := range n.Inputs {
			if _, plain := number(in.Value); in.Link != nil || !plain || !isSeed(in.Name) && (!isConstant || !seeds[n.ID]) {
				continue
			}
			old := string(bytes.TrimSpace(in.Value))
			if drawn[old] == nil {
				drawn[old] = strconv.AppendUint(nil, next()%most, 10)
			}
			changes = append(changes, Change{Node: n.ID, Input: in.Name, Old: in.Value, New: drawn[old]})
		}
	}
	return changes
}

func isSeed(name string) bool { return name == "seed" || name == "noise_seed" }

// seedSources are the nodes that some node's seed is linked to.
func seedSources(g job.Graph) map[string]bool {
	from := map[string]bool{}
	for _, n := range g.Nodes {
		for _, in := range n.Inputs {
			if in.Link != nil && isSeed(in.Name) {
				from[in.Link.Node] = true
			}
		}
	}
	return from
}

// revalue gives an object with other values, its names and their order as they
// were. What is no object stays.
func revalue(raw json.RawMessage, value func(name string, value json.RawMessage) json.RawMessage) json.RawMessage {
	members, _, ok := object(raw)
	if !ok {
		return raw
	}
	out := bytes.NewBuffer(make([]byte, 0, len(raw)))
	out.WriteByte('{')
	for i, m := range members {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(m.raw)
		out.WriteByte(':')
		out.Write(value(m.key, m.value))
	}
	out.WriteByte('}')
	return out.Bytes()
}

func joined(list []json.RawMessage) json.RawMessage {
	out := bytes.NewBuffer([]byte{'['})
	for i, v := range list {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(v)
	}
	out.WriteByte(']')
	return out.Bytes()
}
