package jobfile

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	"reckoner/scheduler/job"
)

// parseGraph takes a graph apart and makes it safe to send. What it repairs, it
// tells; everything else stays as it was, digit for digit and in its order.
// Only white space between values is left out.
func parseGraph(raw json.RawMessage) (job.Graph, []job.Say, *job.Error) {
	members, repeated, _ := object(raw)
	var g job.Graph
	out := bytes.NewBuffer(make([]byte, 0, len(raw)))
	out.WriteByte('{')
	var noInputs, isChanged int
	for i, m := range members {
		n, err := parseNode(m)
		if err != nil {
			return job.Graph{}, nil, err
		}
		repeated += n.repeated
		if n.noInputs {
			noInputs++
		}
		if n.isChanged {
			isChanged++
		}
		g.Nodes = append(g.Nodes, n.node)
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(m.raw)
		out.WriteByte(':')
		if json.Compact(out, n.raw) != nil {
			out.Write(n.raw)
		}
	}
	out.WriteByte('}')
	g.Raw = out.Bytes()
	linkNodes(&g)

	var warnings []job.Say
	for _, w := range [...]struct {
		code  string
		count int
	}{{job.WarnNoInputs, noInputs}, {job.WarnIsChanged, isChanged}, {job.WarnRepeated, repeated}} {
		if w.count > 0 {
			warnings = append(warnings, job.Say{Code: w.code, Args: job.Args{Count: w.count}})
		}
	}
	return g, warnings, nil
}

// parsedNode is a node with what was done to it.
type parsedNode struct {
	node                job.Node
	raw                 []byte
	noInputs, isChanged bool
	repeated            int
}

func parseNode(m member) (parsedNode, *job.Error) {
	members, repeated, isObject := object(m.value)
	class, _ := find(members, "class_type")
	name, _ := text(class)
	if !isObject || name == "" {
		return parsedNode{}, job.Errorf(job.ErrNoClass, job.Args{Node: m.key}, nil)
	}
	p := parsedNode{node: job.Node{ID: m.key, Class: name}, repeated: repeated}
	inputs, hasInputs := find(members, "inputs")
	switch kind(inputs) {
	case '{':
		list, again := parseInputs(inputs)
		p.node.Inputs = list
		p.repeated += again
	case 0, 'n':
		// A node without inputs stops the worker of a server for good
		// (comfyui-protocol, 3.5), so it gets an empty set.
		p.noInputs = true
	default:
		return parsedNode{}, job.Errorf(job.ErrNotWorkflow,
			job.Args{Value: "bad_inputs", Node: m.key, Class: name}, nil)
	}
	if meta, has := find(members, "_meta"); has {
		fields, _, _ := object(meta)
		t, _ := find(fields, "title")
		p.node.Title, _ = text(t)
	}
	// Servers write is_changed into what they save, sometimes as NaN; it was
	// never part of what is sent.
	_, p.isChanged = find(members, "is_changed")
	p.raw = m.value
	if p.noInputs || p.isChanged || repeated > 0 {
		p.raw = rewrite(members, hasInputs)
	}
	return p, nil
}

// rewrite writes a node's members again without is_changed and with inputs.
func rewrite(members []member, hasInputs bool) []byte {
	var out bytes.Buffer
	write := func(key, value []byte) {
		if out.Len() == 0 {
			out.WriteByte('{')
		} else {
			out.WriteByte(',')
		}
		out.Write(key)
		out.WriteByte(':')
		out.Write(value)
	}
	for _, m := range members {
		switch {
		case m.key == "is_changed":
		case m.key == "inputs" && kind(m.value) != '{':
			write(m.raw, []byte("{}"))
		default:
			write(m.raw, m.value)
		}
	}
	if !hasInputs {
		write([]byte(`"inputs"`), []byte("{}"))
	}
	out.WriteByte('}')
	return out.Bytes()
}

func parseInputs(raw json.RawMessage) ([]job.Input, int) {
	members, repeated, _ := object(raw)
	inputs := make([]job.Input, 0, len(members))
	for _, m := range members {
		value := m.value
		if k := kind(value); k == '{' || k == '[' {
			value = compact(value)
		}
		inputs = append(inputs, job.Input{Name: m.key, Value: value})
	}
	return inputs, repeated
}

// linkNodes marks the inputs that link to other nodes: lists of a node's id and
// an output's number. A server takes every list of two for a link; one that
// does not begin with a string it will refuse by itself.
func linkNodes(g *job.Graph) {
	for n := range g.Nodes {
		for i := range g.Nodes[n].Inputs {
			in := &g.Nodes[n].Inputs[i]
			in.Link = linkOf(in.Value)
		}
	}
}

func linkOf(raw json.RawMessage) *job.Link {
	list, ok := elements(raw)
	if !ok || len(list) != 2 {
		return nil
	}
	node, isText := text(list[0])
	slot, isNumber := number(list[1])
	if !isText || !isNumber || slot != math.Trunc(slot) || slot < 0 || slot > math.MaxInt32 {
		return nil
	}
	return &job.Link{Node: node, Slot: int(slot)}
}

// number gives a JSON number. Large integers lose digits: it serves for sizes
// and steps, never for what is sent.
func number(raw json.RawMessage) (float64, bool) {
	if k := kind(raw); k != '-' && (k < '0' || k > '9') {
		return 0, false
	}
	v, err := strconv.ParseFloat(string(bytes.TrimSpace(raw)), 64)
	return v, err == nil
}

// compact leaves out white space between values; it changes nothing else.
func compact(raw json.RawMessage) json.RawMessage {
	out := bytes.NewBuffer(make([]byte, 0, len(raw)))
	if json.Compact(out, raw) != nil {
		return raw
	}
	return out.Bytes()
}
