package jobfile

import (
	"bytes"
	"encoding/json"
	"strings"

	"reckoner/scheduler/job"
)

// unfolded follows a workflow in the page's format into its subgraphs, without a
// server's classes; false where it cannot be followed.
func unfolded(ui json.RawMessage) (c *converter, top *scope, ok bool) {
	file, err := parseUI(ui)
	if err != nil {
		return nil, nil, false
	}
	c, top = &converter{file: file}, &scope{graph: &file.uiGraph}
	return c, top, c.unfold(top) == nil
}

// compare tells whether a graph and the page's workflow beside it are the same
// job, as far as that shows without a server's classes: the same nodes, links
// and values. A workflow that cannot be followed gives no verdict.
func compare(g job.Graph, ui json.RawMessage) []job.Say {
	c, top, ok := unfolded(ui)
	if !ok {
		return nil
	}
	d := differ{c: c, nodes: make(map[string]job.Node, len(g.Nodes)), gone: map[string]bool{}}
	for _, n := range g.Nodes {
		d.nodes[n.ID] = n
	}
	if d.walk(top) != nil {
		return nil
	}
	for _, n := range g.Nodes {
		if !d.gone[n.ID] {
			d.differs(n.ID, n.Class)
		}
	}
	if d.first.Count == 0 {
		return nil
	}
	return []job.Say{{Code: job.WarnOtherJob, Args: d.first}}
}

type differ struct {
	c     *converter
	nodes map[string]job.Node
	gone  map[string]bool // seen in the workflow
	first job.Args
}

func (d *differ) differs(id, class string) {
	if d.first.Count++; d.first.Count == 1 {
		d.first.Node, d.first.Class = id, class
	}
}

func (d *differ) walk(s *scope) *job.Error {
	for i := range s.graph.nodes {
		n := &s.graph.nodes[i]
		if isVirtual(n.class) || n.mode == modeMuted || n.mode == modeBypassed {
			continue
		}
		if child := s.children[i]; child != nil {
			if err := d.walk(child); err != nil {
				return err
			}
			continue
		}
		same, err := d.sameNode(s, i)
		if err != nil {
			return err
		}
		if !same {
			d.differs(s.path+n.id, n.class)
		}
		d.gone[s.path+n.id] = true
	}
	return nil
}

func (d *differ) sameNode(s *scope, at int) (bool, *job.Error) {
	n := &s.graph.nodes[at]
	node, ok := d.nodes[s.path+n.id]
	if !ok || node.Class != n.class {
		return false, nil
	}
	linked := map[string]bool{}
	own := n.allValues()
	for _, v := range s.set[n.id] {
		own = append(own, v)
	}
	for p := s; p != nil && p.group; p = p.parent {
		own = append(own, p.parent.graph.nodes[p.at].allValues()...)
	}
	for slot, in := range n.inputs {
		t, err := d.c.input(s, at, slot, "", maxLinkHops)
		if err != nil {
			return false, err
		}
		if len(t.value) > 0 {
			own = append(own, t.value)
		}
		if t.link == nil {
			continue
		}
		linked[in.name] = true
		api, has := node.Input(in.name)
		running := d.runs(t.link.Node)
		if running && (!has || api.Link == nil || *api.Link != *t.link) || !running && has && api.Link != nil {
			return false, nil
		}
	}
	for _, in := range node.Inputs {
		if in.Link != nil && !linked[in.Name] {
			return false, nil
		}
		if in.Link == nil && !linked[in.Name] && !isPageName(in.Name) && !among(in.Value, own) {
			return false, nil
		}
	}
	return true, nil
}

// runs tells whether a node is part of the graph: links to others go.
func (d *differ) runs(id string) bool {
	_, ok := d.nodes[id]
	return ok
}

// allValues gives every value that a node has.
func (n *uiNode) allValues() []json.RawMessage {
	all := append([]json.RawMessage(nil), n.values...)
	for _, m := range n.named {
		all = append(all, m.value)
	}
	return all
}

// among tells whether a value is one of a node's. Texts that the page rewrites
// when it sends a job are not held against each other.
func among(v json.RawMessage, own []json.RawMessage) bool {
	if members, _, ok := object(v); ok {
		if inner, has := find(members, "__value__"); has {
			v = inner
		}
	}
	for _, o := range own {
		if sameValue(v, o) {
			return true
		}
		if kind(v) == '"' && kind(o) == '"' && bytes.ContainsAny(o, "{%") || bytes.Contains(o, []byte("//")) {
			return true
		}
		if members, _, ok := object(o); ok { // records of scripts hold several
			for _, m := range members {
				if sameValue(v, m.value) {
					return true
				}
			}
		}
	}
	return false
}

// sameValue compares two values: texts and numbers by what they mean, large
// integers by their digits.
func sameValue(a, b json.RawMessage) bool {
	if x, ok := text(a); ok {
		y, ok := text(b)
		return ok && x == y
	}
	if x, ok := number(a); ok {
		y, ok := number(b)
		if !ok || x != y {
			return false
		}
		return x < 1<<53 || strings.ContainsAny(string(a)+string(b), ".eE") ||
			bytes.Equal(bytes.TrimSpace(a), bytes.TrimSpace(b))
	}
	return bytes.Equal(canonical(a), canonical(b))
}
