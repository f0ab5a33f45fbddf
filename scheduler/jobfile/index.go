package jobfile

import "reckoner/scheduler/job"

// index finds a graph's nodes and links quickly. It holds positions in the
// graph's list of nodes.
type index struct {
	nodes []job.Node
	at    map[string]int
	// sources are the nodes that each node takes something from, consumers the
	// other way round; a pair of nodes may occur more than once. Links to nodes
	// that are not there are left out.
	sources, consumers [][]int
}

func newIndex(g job.Graph) index {
	x := index{
		nodes: g.Nodes, at: make(map[string]int, len(g.Nodes)),
		sources: make([][]int, len(g.Nodes)), consumers: make([][]int, len(g.Nodes)),
	}
	for i, n := range g.Nodes {
		x.at[n.ID] = i
	}
	for i, n := range g.Nodes {
		for _, in := range n.Inputs {
			if in.Link == nil {
				continue
			}
			if from, ok := x.at[in.Link.Node]; ok {
				x.sources[i] = append(x.sources[i], from)
				x.consumers[from] = append(x.consumers[from], i)
			}
		}
	}
	return x
}

// needed marks the nodes that some node of the roots needs, the roots included.
// Only these run.
func (x index) needed(roots []int) []bool {
	marked := make([]bool, len(x.nodes))
	todo := append([]int(nil), roots...)
	for len(todo) > 0 {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !marked[n] {
			marked[n] = true
			todo = append(todo, x.sources[n]...)
		}
	}
	return marked
}

// order gives the marked nodes, sources before consumers. When that cannot be,
// it gives a node of a cycle instead.
func (x index) order(marked []bool) (sorted []int, cycle int, ok bool) {
	missing := make([]int, len(x.nodes))
	total := 0
	for n := range x.nodes {
		if !marked[n] {
			continue
		}
		total++
		if missing[n] = len(x.sources[n]); missing[n] == 0 {
			sorted = append(sorted, n)
		}
	}
	for done := 0; done < len(sorted); done++ {
		for _, c := range x.consumers[sorted[done]] {
			if missing[c]--; marked[c] && missing[c] == 0 {
				sorted = append(sorted, c)
			}
		}
	}
	if len(sorted) == total {
		return sorted, 0, true
	}
	return nil, x.onCycle(marked, missing), false
}

// onCycle walks from a node that waits to one it waits for, until it comes by a
// second time.
func (x index) onCycle(marked []bool, missing []int) int {
	at := 0
	for !marked[at] || missing[at] <= 0 {
		at++
	}
	seen := map[int]bool{}
	for !seen[at] {
		seen[at] = true
		for _, s := range x.sources[at] {
			if missing[s] > 0 {
				at = s
				break
			}
		}
	}
	return at
}
