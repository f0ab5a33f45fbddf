package jobfile

import (
	"encoding/json"
	"strings"

	"reckoner/scheduler/job"
)

// target is where an input's link leads.
type target struct {
	link  *job.Link       // another node's output
	value json.RawMessage // a value: of a primitive, or of a subgraph's own
	gone  bool            // a node that does not run: the input goes with it
}

// maxLinkHops bounds how many nodes a link goes through that do not run.
const maxLinkHops = 512

// badLink is the fault of a link that leads nowhere or in a circle.
func (c *converter) badLink(s *scope, n *uiNode, input string) *job.Error {
	return job.Errorf(job.ErrBadLinks, job.Args{Node: s.path + n.id, Class: n.class, Input: input}, nil)
}

// input follows the link of a node's socket, through everything that exists on
// the page only, as the page's own resolveInput does (comfyui-protocol, 5.4).
func (c *converter) input(s *scope, at, slot int, typ string, hops int) (target, *job.Error) {
	n := &s.graph.nodes[at]
	if slot >= len(n.inputs) || n.inputs[slot].link == "" {
		return target{}, nil
	}
	if hops == 0 {
		return target{}, c.badLink(s, n, n.inputs[slot].name)
	}
	link, ok := s.graph.links[n.inputs[slot].link]
	if !ok {
		return target{}, nil // the page drops what is left over of a link
	}
	if typ == "" {
		typ = n.inputs[slot].typ
	}
	if link.origin == portsIn && s.parent != nil {
		return c.portIn(s, link.slot, typ, hops-1)
	}
	from, ok := s.graph.at[link.origin]
	if !ok {
		return target{}, nil
	}
	return c.output(s, from, link.slot, typ, hops-1)
}

// portIn goes from the inside of a subgraph to what feeds its instance. The
// instance may have a part of the inputs only: they are matched by name.
func (c *converter) portIn(s *scope, slot int, typ string, hops int) (target, *job.Error) {
	instance := &s.parent.graph.nodes[s.at]
	if slot >= len(s.graph.inputs) {
		return target{}, c.badLink(s.parent, instance, "")
	}
	name := s.graph.inputs[slot].name
	at := -1
	for i, in := range instance.inputs {
		if in.name == name {
			at = i
			break
		}
	}
	if s.group {
		at = slot
	}
	if at >= 0 && at < len(instance.inputs) && instance.inputs[at].link != "" {
		return c.input(s.parent, s.at, at, typ, hops)
	}
	return target{value: s.promoted[name]}, nil
}

// output follows an output back to the node that really makes it.
func (c *converter) output(s *scope, at, slot int, typ string, hops int) (target, *job.Error) {
	n := &s.graph.nodes[at]
	if hops == 0 {
		return target{}, c.badLink(s, n, "")
	}
	switch {
	case n.class == primitiveClass:
		return target{value: s.primitive(n)}, nil
	case isGetNode(n.class):
		return c.counterpart(s, n, typ, hops-1)
	case isVirtual(n.class):
		return c.input(s, at, min(slot, max(len(n.inputs)-1, 0)), typ, hops-1)
	case n.mode == modeMuted:
		return target{gone: true}, nil
	case n.mode == modeBypassed:
		through := bypass(n, slot, typ)
		if through < 0 {
			return target{}, nil
		}
		return c.input(s, at, through, typ, hops-1)
	}
	child := s.children[at]
	if child == nil {
		return target{link: &job.Link{Node: s.path + n.id, Slot: slot}}, nil
	}
	return c.portOut(child, n, slot, typ, hops-1)
}

// portOut goes from an output of a subgraph's instance to what feeds it inside.
func (c *converter) portOut(child *scope, instance *uiNode, slot int, typ string, hops int) (target, *job.Error) {
	if slot >= len(child.graph.outputs) {
		return target{}, c.badLink(child.parent, instance, "")
	}
	for _, id := range child.graph.outputs[slot].links {
		link, ok := child.graph.links[id]
		if !ok || link.target != portsOut {
			continue
		}
		if link.origin == portsIn {
			return c.portIn(child, link.slot, typ, hops)
		}
		if from, ok := child.graph.at[link.origin]; ok {
			return c.output(child, from, link.slot, typ, hops)
		}
	}
	return target{}, nil
}

// primitive gives the value of the page's own primitive node.
func (s *scope) primitive(n *uiNode) json.RawMessage {
	if v, ok := s.set[n.id]["value"]; ok {
		return v
	}
	if v, ok := find(n.named, "value"); ok {
		return v
	}
	if len(n.values) == 0 {
		return nil
	}
	return n.values[0]
}

// counterpart finds the Set node that a Get node reads, in its own graph or in
// one around it.
func (c *converter) counterpart(s *scope, get *uiNode, typ string, hops int) (target, *job.Error) {
	name := firstText(get.values)
	for around := s; around != nil; around = around.parent {
		if at, ok := around.graph.sets[name]; ok && at >= 0 {
			return c.input(around, at, 0, typ, hops)
		} else if ok {
			break
		}
	}
	return target{}, job.Errorf(job.ErrNoCounterpart, job.Args{Node: s.path + get.id, Class: get.class, Value: name}, nil)
}

func firstText(values []json.RawMessage) string {
	if len(values) == 0 {
		return ""
	}
	s, _ := text(values[0])
	return s
}

// bypass gives the input that a bypassed node hands on for an output, or -1.
func bypass(n *uiNode, slot int, typ string) int {
	if len(n.inputs) == 0 {
		return -1
	}
	if typ == "" || typ == "*" {
		if slot < len(n.inputs) {
			return slot
		}
		return 0
	}
	if slot < len(n.inputs) && fitsType(n.inputs[slot].typ, typ) &&
		(slot >= len(n.outputs) || fitsType(n.inputs[slot].typ, n.outputs[slot])) {
		return slot
	}
	for i, in := range n.inputs {
		if in.typ == typ {
			return i
		}
	}
	for i, in := range n.inputs {
		if fitsType(in.typ, typ) {
			return i
		}
	}
	return -1
}

// fitsType tells whether the page would link two types: equal but for case, any
// with anything, and of lists one in both.
func fitsType(a, b string) bool {
	if a == "" || a == "*" || b == "" || b == "*" || strings.EqualFold(a, b) {
		return true
	}
	if !strings.Contains(a, ",") && !strings.Contains(b, ",") {
		return false
	}
	for one := range strings.SplitSeq(strings.ToLower(a), ",") {
		for other := range strings.SplitSeq(strings.ToLower(b), ",") {
			if one == other {
				return true
			}
		}
	}
	return false
}
