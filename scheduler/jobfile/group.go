package jobfile

import (
	"encoding/json"
	"strconv"

	"reckoner/scheduler/job"
)

// insideGroup makes the inside of a group node, the page's older way of folding
// nodes: its nodes are numbered, its outer sockets and values are those of the
// nodes inside that nothing inside feeds, in their order.
func (c *converter) insideGroup(n *uiNode, definition json.RawMessage) (*scope, *job.Error) {
	bad := job.Errorf(job.ErrBadSubgraph, job.Args{Node: n.id, Class: n.class}, nil)
	var doc struct {
		Nodes    []json.RawMessage
		Links    [][]json.RawMessage
		External [][]json.RawMessage
		Config   map[string]groupConfig
	}
	if json.Unmarshal(definition, &doc) != nil {
		return nil, bad
	}
	b := groupBuilder{
		uiGraph: &uiGraph{at: map[string]int{}, links: map[string]uiLink{}},
		config:  doc.Config, shown: map[port]bool{}, fed: map[port]bool{}, feeds: map[port]bool{},
	}
	for i, raw := range doc.Nodes {
		node, err := parseUINode(withID(raw, i))
		if err != nil {
			return nil, bad
		}
		b.at[node.id] = i
		b.nodes = append(b.nodes, node)
	}
	b.join(doc.Links, doc.External)
	if !b.open(n) {
		return nil, bad
	}
	child := &scope{graph: b.uiGraph, group: true, set: map[string]map[string]json.RawMessage{}}
	if c.classes == nil {
		return child, nil
	}
	return child, c.fillGroup(n, child)
}

// groupConfig is what the user hid of a node in a group.
type groupConfig struct {
	Input, Output map[string]groupPort
}

// groupPort is what the user chose for one socket or value.
type groupPort struct{ Visible *bool }

func isHidden(p groupPort) bool { return p.Visible != nil && !*p.Visible }

type port struct {
	node string
	slot int
}

type groupBuilder struct {
	*uiGraph
	config map[string]groupConfig
	shown  map[port]bool // outputs that go outside too
	fed    map[port]bool // inputs that are linked inside
	feeds  map[port]bool // outputs that are linked inside
	count  int           // of links made
}

// withID gives a node of a group its number as its id.
func withID(raw json.RawMessage, id int) json.RawMessage {
	members, _, _ := object(raw)
	out := []byte(`{"id":` + strconv.Itoa(id))
	for _, m := range members {
		if m.key == "id" {
			continue
		}
		out = append(append(append(append(out, ','), m.raw...), ':'), m.value...)
	}
	return append(out, '}')
}

// join makes the links inside. One without a source came from outside when the
// group was made.
func (b *groupBuilder) join(links, external [][]json.RawMessage) {
	for _, l := range links {
		if len(l) < 4 {
			continue
		}
		from, to := idText(l[0]), idText(l[2])
		slot, ok1 := index0(l[1])
		target, ok2 := index0(l[3])
		at, ok3 := b.at[to]
		if _, known := b.at[from]; !known || !ok1 || !ok2 || !ok3 || target >= len(b.nodes[at].inputs) {
			continue
		}
		b.link(uiLink{origin: from, slot: slot, target: to, targetSlot: target})
		b.fed[port{to, target}], b.feeds[port{from, slot}] = true, true
	}
	for _, e := range external {
		if len(e) < 2 {
			continue
		}
		node := idText(e[0])
		if members, _, ok := object(e[0]); ok {
			number, _ := find(members, "index")
			node = idText(number)
		}
		if slot, ok := index0(e[1]); ok {
			b.shown[port{node, slot}] = true
		}
	}
}

func (b *groupBuilder) link(l uiLink) {
	b.count++
	id := strconv.Itoa(b.count)
	b.links[id] = l
	if at, ok := b.at[l.target]; ok {
		b.nodes[at].inputs[l.targetSlot].link = id
	}
}

// open joins the sockets of the group node with those inside: sockets first,
// then the values that were made sockets. It fails when they do not fit.
func (b *groupBuilder) open(outer *uiNode) bool {
	for _, widgets := range [...]bool{false, true} {
		for i := range b.nodes {
			if !b.openInputs(outer, &b.nodes[i], widgets) {
				return false
			}
		}
	}
	for _, in := range outer.inputs[len(b.inputs):] {
		if in.link != "" {
			return false // a value of the group that was made a socket
		}
	}
	for i := range b.nodes {
		b.openOutputs(&b.nodes[i])
	}
	return true
}

// openInputs joins the next sockets of the group node with a node inside.
func (b *groupBuilder) openInputs(outer, n *uiNode, widgets bool) bool {
	for slot := range n.inputs {
		in := &n.inputs[slot]
		if (in.widget != "") != widgets || b.fed[port{n.id, slot}] {
			continue
		}
		in.link = ""
		next := len(b.inputs)
		switch {
		case isHidden(b.config[n.id].Input[in.name]), widgets && next >= len(outer.inputs):
			continue
		case next >= len(outer.inputs) || !fitsType(in.typ, outer.inputs[next].typ):
			return false
		}
		b.inputs = append(b.inputs, uiPort{name: outer.inputs[next].name, typ: in.typ})
		b.link(uiLink{origin: portsIn, slot: next, target: n.id, targetSlot: slot})
	}
	return true
}

// openOutputs gives the outputs of a node inside to the group node, unless they
// only serve inside.
func (b *groupBuilder) openOutputs(n *uiNode) {
	for slot, typ := range n.outputs {
		p := port{n.id, slot}
		if b.feeds[p] && !b.shown[p] || isHidden(b.config[n.id].Output[strconv.Itoa(slot)]) {
			continue
		}
		b.count++
		id := strconv.Itoa(b.count)
		b.links[id] = uiLink{origin: n.id, slot: slot, target: portsOut, targetSlot: len(b.outputs)}
		b.outputs = append(b.outputs, uiPort{typ: typ, links: []string{id}})
	}
}

// fillGroup hands the values of a group node to the nodes inside.
func (c *converter) fillGroup(outer *uiNode, child *scope) *job.Error {
	var fields []field
	for i := range child.graph.nodes {
		n := &child.graph.nodes[i]
		if n.class == primitiveClass {
			fields = append(fields, field{node: n.id, name: "value", control: true})
			continue
		}
		class, known := c.classes[n.class]
		if !known {
			if isVirtual(n.class) {
				continue
			}
			return nil // told of when its turn comes
		}
		for _, f := range fieldsOf(class, n, false) {
			if !n.hasWidgetInput(f.name) {
				f.node = n.id
				fields = append(fields, f)
			}
		}
	}
	found, ok := align(fields, outer.values, nil)
	if !ok {
		return job.Errorf(job.ErrShifted, job.Args{Node: outer.id, Class: outer.class}, nil)
	}
	for _, v := range found {
		if v.missing {
			continue
		}
		if child.set[v.node] == nil {
			child.set[v.node] = map[string]json.RawMessage{}
		}
		child.set[v.node][v.name] = v.value
	}
	return nil
}

func (n *uiNode) hasWidgetInput(name string) bool {
	for _, in := range n.inputs {
		if in.widget == name {
			return true
		}
	}
	return false
}
