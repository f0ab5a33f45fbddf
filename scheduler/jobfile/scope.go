package jobfile

import (
	"encoding/json"
	"strings"

	"reckoner/scheduler/job"
)

// scope is a graph at its place: the top of a workflow, or the inside of one
// instance of a subgraph or group node.
type scope struct {
	graph    *uiGraph
	path     string // goes before the ids of what runs in it
	parent   *scope
	at       int // of the instance in parent
	depth    int
	group    bool
	children map[int]*scope
	// promoted are the values that the instance gives to its unlinked inputs, by
	// name, and set those that it gives to nodes inside, by id and name.
	promoted map[string]json.RawMessage
	set      map[string]map[string]json.RawMessage
}

// maxScopes bounds how deep subgraphs lie in each other.
const maxScopes = 24

// unfold makes the scopes of a workflow. Muted and bypassed subgraphs stay shut:
// nothing in them runs.
func (c *converter) unfold(s *scope) *job.Error {
	if c.nodes += len(s.graph.nodes); c.nodes > maxUINodes || s.depth > maxScopes {
		return badUI("too_deep")
	}
	s.children = map[int]*scope{}
	for i := range s.graph.nodes {
		n := &s.graph.nodes[i]
		if n.mode == modeMuted || n.mode == modeBypassed {
			continue
		}
		child, err := c.inside(s, n)
		if err != nil {
			return err
		}
		if child == nil {
			continue
		}
		child.parent, child.at, child.depth, child.path = s, i, s.depth+1, s.path+n.id+":"
		s.children[i] = child
		if err := c.unfold(child); err != nil {
			return err
		}
	}
	return nil
}

// inside gives the inside of a node that is a subgraph or a group node.
func (c *converter) inside(s *scope, n *uiNode) (*scope, *job.Error) {
	if g, ok := c.file.subgraphs[n.class]; ok {
		child := &scope{graph: g}
		return child, c.promote(s, n, child)
	}
	if definition, ok := c.groupOf(n.class); ok {
		return c.insideGroup(n, definition)
	}
	return nil, nil
}

// groupOf finds the definition of a group node by its class: workflow>Name,
// workflow/Name, or the bare name where the server has no such class.
func (c *converter) groupOf(class string) (json.RawMessage, bool) {
	for _, prefix := range [...]string{"workflow>", "workflow/"} {
		if name, ok := strings.CutPrefix(class, prefix); ok {
			definition, ok := c.file.groups[name]
			return definition, ok
		}
	}
	if _, known := c.classes[class]; known {
		return nil, false
	}
	definition, ok := c.file.groups[class]
	return definition, ok
}

// promote works out which values an instance of a subgraph gives to its inside
// (comfyui-protocol, 5.4, 6).
func (c *converter) promote(s *scope, n *uiNode, child *scope) *job.Error {
	child.promoted = map[string]json.RawMessage{}
	child.set = map[string]map[string]json.RawMessage{}
	outer := s.set[n.id] // what a subgraph around it gives
	give := func(p uiProxy, value json.RawMessage) {
		switch {
		case len(value) == 0 || kind(value) == 'n':
		case p.node == proxySelf:
			child.promoted[p.name] = value
		default:
			if child.set[p.node] == nil {
				child.set[p.node] = map[string]json.RawMessage{}
			}
			child.set[p.node][p.name] = value
		}
	}
	shown := n.proxies
	if len(shown) == 0 {
		for _, name := range child.graph.valueInputs() {
			shown = append(shown, uiProxy{node: proxySelf, name: name})
		}
	}
	if len(n.values) > len(shown) {
		return job.Errorf(job.ErrBadSubgraph, job.Args{
			Node: s.path + n.id, Class: n.title, Count: len(n.values), Of: len(shown),
		}, nil)
	}
	for i, p := range shown {
		if i < len(n.values) {
			give(p, n.values[i])
		}
		if value, ok := find(n.named, p.name); ok {
			give(p, value)
		}
		if value, ok := outer[p.name]; ok {
			give(p, value)
		}
	}
	return nil
}

// valueInputs gives the inputs of a subgraph that are values of nodes inside.
func (g *uiGraph) valueInputs() []string {
	var names []string
	for _, p := range g.inputs {
		for _, id := range p.links {
			link, ok := g.links[id]
			if !ok {
				continue
			}
			at, ok := g.at[link.target]
			if !ok || link.targetSlot >= len(g.nodes[at].inputs) {
				continue
			}
			if g.nodes[at].inputs[link.targetSlot].widget != "" {
				names = append(names, p.name)
				break
			}
		}
	}
	return names
}
