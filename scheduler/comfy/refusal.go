package comfy

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"reckoner/scheduler/job"
)

// Bounds of what is kept of a refusal.
const (
	maxFaults  = 100
	maxAllowed = 20
	faultBytes = 500
)

var (
	missingClass = regexp.MustCompile(`node (.+) does not exist`)
	nodeID       = regexp.MustCompile(`#([^'"]+)`)
)

// refusal makes the error of a 400: job.ErrMissingNode when the server lacks a
// node class, else job.ErrRefused with the faults. The workflow itself is at
// fault, so sending it again is of no use.
func (c *Client) refusal(q call, a answer, g job.Graph) error {
	e, ok := decodeRefusal(plainJSON(a.body), g)
	if !ok {
		return c.answered(job.ErrBadReply, q, a)
	}
	e.Args.Server, e.Args.Status = c.at.shown, a.status
	e.Args.Detail = c.scrub(e.Args.Detail)
	return e
}

func decodeRefusal(raw []byte, g job.Graph) (*job.Error, bool) {
	o, ok := asObject(raw)
	if !ok || o["error"] == nil {
		return nil, false
	}
	top, isObject := asObject(o["error"])
	if !isObject { // before 0.3.28: {"error": "no prompt"}
		top = object{"message": o["error"]}
	}
	kind, message, details := top.text("type"), top.text("message"), top.text("details")
	if node, class, ok := lacksClass(top); ok {
		return job.Errorf(job.ErrMissingNode, job.Args{
			Node: node, Class: class, Detail: clip(message, faultBytes),
		}, nil), true
	}
	e := job.Errorf(job.ErrRefused, job.Args{Detail: clip(strings.TrimSpace(message+"\n"+details), faultBytes)}, nil)
	e.Faults = decodeFaults(o["node_errors"], g)
	if len(e.Faults) == 0 {
		f := job.NodeFault{Type: clip(kind, 100), Message: clip(message, faultBytes), Details: clip(details, faultBytes)}
		if m := nodeID.FindStringSubmatch(details); m != nil {
			f.Node = clip(m[1], 100)
			f.Class = classOf(g, f.Node)
		}
		e.Faults = []job.NodeFault{f}
	}
	first := e.Faults[0]
	e.Args.Node, e.Args.Class, e.Args.Input = first.Node, first.Class, first.Input
	e.Args.Value, e.Args.Allowed = first.Value, first.Allowed
	return e, true
}

// lacksClass tells whether the server lacks a node's class. A node without any
// class has the same type and is not meant.
func lacksClass(top object) (node, class string, ok bool) {
	extra := top.object("extra_info")
	if m := nodeID.FindStringSubmatch(top.text("details")); m != nil {
		node = m[1]
	}
	if id := extra.text("node_id"); id != "" {
		node = id
	}
	switch top.text("type") {
	case "missing_node_type":
		class = extra.text("class_type")
	case "invalid_prompt":
		if m := missingClass.FindStringSubmatch(top.text("message")); m != nil {
			class = m[1]
		}
	default:
		return "", "", false
	}
	node = clip(node, 100)
	return node, clip(class, 200), class != ""
}

func classOf(g job.Graph, node string) string {
	n, _ := g.Node(node)
	return n.Class
}

// decodeFaults reads node_errors in the server's order. Before 0.3.28 it may be
// an empty array.
func decodeFaults(raw json.RawMessage, g job.Graph) []job.NodeFault {
	nodes, ok := fields(raw)
	if !ok {
		return nil
	}
	var out []job.NodeFault
	for _, node := range nodes {
		about, ok := asObject(node.value)
		if !ok {
			continue
		}
		for _, item := range about.list("errors") {
			fault, ok := asObject(item)
			if !ok || len(out) == maxFaults {
				continue
			}
			out = append(out, decodeFault(node.name, about.text("class_type"), fault, g))
		}
	}
	return out
}

func decodeFault(node, class string, fault object, g job.Graph) job.NodeFault {
	extra := fault.object("extra_info")
	f := job.NodeFault{
		Node: clip(node, 100), Class: clip(class, 200), Input: clip(extra.text("input_name"), 200),
		Type: clip(fault.text("type"), 100), Message: clip(fault.text("message"), faultBytes),
		Details: clip(fault.text("details"), faultBytes), Value: shown(extra["received_value"]),
		Allowed: allowed(fault.text("type"), extra["input_config"]),
	}
	if f.Value == "" { // not every kind of fault repeats what it was given
		if n, ok := g.Node(node); ok {
			if in, ok := n.Input(f.Input); ok && in.Link == nil {
				f.Value = shown(in.Value)
			}
		}
	}
	return f
}

// allowed says what an input takes, from its [type, options]: the choices of a
// list, or a type with its bounds. Numbers keep the server's digits.
func allowed(kind string, config json.RawMessage) []string {
	pair, ok := asList(config)
	if !ok || len(pair) == 0 {
		return nil
	}
	var options object
	if len(pair) > 1 {
		options, _ = asObject(pair[1])
	}
	choices, isList := asList(pair[0])
	if !isList {
		choices = options.list("options")
	}
	var out []string
	for _, choice := range choices[:min(len(choices), maxAllowed)] {
		out = append(out, shown(choice))
	}
	if len(out) > 0 || isList {
		return out
	}
	bounds := []string{"value_smaller_than_min", "value_bigger_than_max", "invalid_input_type"}
	if !slices.Contains(bounds, kind) {
		return nil
	}
	if kind == "invalid_input_type" {
		out = append(out, shown(pair[0]))
	}
	if s := shown(options["min"]); s != "" && s != "null" {
		out = append(out, ">= "+s)
	}
	if s := shown(options["max"]); s != "" && s != "null" {
		out = append(out, "<= "+s)
	}
	return out
}
