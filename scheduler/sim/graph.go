package sim

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// graph is a validated prompt as the executor sees it.
type graph struct {
	prompt  *object
	classes *catalog
}

func (g graph) class(id string) *class {
	return g.classes.classes[g.prompt.object(id).text("class_type")]
}
func (g graph) inputs(id string) *object { return g.prompt.object(id).object("inputs") }

// sources lists the nodes that a node's inputs are linked to, in the order of
// its inputs.
func (g graph) sources(id string) []string {
	var from []string
	inputs := g.inputs(id)
	if inputs == nil {
		return nil
	}
	for _, name := range inputs.keys {
		if link, ok := inputs.vals[name].([]any); ok && len(link) == 2 {
			if src := pyText(link[0]); g.prompt.object(src) != nil {
				from = append(from, src)
			}
		}
	}
	return from
}

// signature identifies what a node computes: its class, its constant inputs and
// the same of everything before it. Node ids do not matter.
func (g graph) signature(id string, memo map[string]string) string {
	if s, ok := memo[id]; ok {
		return s
	}
	memo[id] = "" // a cycle cannot pass validation; this only bounds the walk
	node := obj("class", g.prompt.object(id).text("class_type"))
	inputs := g.inputs(id)
	if inputs == nil {
		inputs = obj()
	}
	for _, name := range slices.Sorted(slices.Values(inputs.keys)) {
		v := inputs.vals[name]
		if link, ok := v.([]any); ok && len(link) == 2 {
			if src := pyText(link[0]); g.prompt.object(src) != nil {
				v = list("link", g.signature(src, memo), link[1])
			}
		}
		node.set("."+name, v)
	}
	sum := sha256.Sum256(encode(node))
	memo[id] = hex.EncodeToString(sum[:])
	return memo[id]
}

// plan is the order in which the executor takes nodes: those that are ready,
// output nodes first, then nodes that an output waits for.
type plan struct {
	g       graph
	pending []string // in the order in which they were found
	blocked map[string]int
	blocks  map[string][]string
}

// newPlan finds the nodes that the outputs need. Cached nodes count as done,
// except outputs, which are visited to report their results again.
func newPlan(g graph, outputs []string, cached func(id string) bool) *plan {
	p := &plan{g: g, blocked: map[string]int{}, blocks: map[string][]string{}}
	for _, out := range outputs {
		stack := []string{out}
		for len(stack) > 0 {
			id := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if _, known := p.blocked[id]; known {
				continue
			}
			p.blocked[id] = 0
			p.pending = append(p.pending, id)
			if cached(id) {
				continue
			}
			for _, src := range g.sources(id) {
				if cached(src) {
					continue
				}
				p.blocked[id]++
				p.blocks[src] = append(p.blocks[src], id)
				stack = append(stack, src)
			}
		}
	}
	return p
}

// next takes the node to run now, "" when none is left.
func (p *plan) next() string {
	var ready []string
	for _, id := range p.pending {
		if p.blocked[id] == 0 {
			ready = append(ready, id)
		}
	}
	if len(ready) == 0 {
		return ""
	}
	pick := ready[0]
	isOutput := func(id string) bool { return p.g.class(id).saves != "" }
	feeds := func(id string) bool { return slices.ContainsFunc(p.blocks[id], isOutput) }
	feedsNext := func(id string) bool { return slices.ContainsFunc(p.blocks[id], feeds) }
	for _, want := range []func(string) bool{isOutput, feeds, feedsNext} {
		if i := slices.IndexFunc(ready, want); i >= 0 {
			pick = ready[i]
			break
		}
	}
	i := slices.Index(p.pending, pick)
	p.pending = append(p.pending[:i:i], p.pending[i+1:]...)
	for _, id := range p.blocks[pick] {
		p.blocked[id]--
	}
	return pick
}
