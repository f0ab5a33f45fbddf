package jobfile

import (
	"bytes"
	"encoding/json"

	"reckoner/scheduler/job"
)

// Seed gives the first seed of a graph as it is sent, digit for digit: of the
// first node that has one, through a link to a node that is only a value. ""
// means that there is none, or that raw is no graph.
func Seed(raw json.RawMessage) string {
	g, _, err := parseGraph(raw)
	if err != nil {
		return ""
	}
	for _, n := range g.Nodes {
		for _, in := range n.Inputs {
			if !isSeed(in.Name) {
				continue
			}
			if seed := plainSeed(g, in); seed != "" {
				return seed
			}
		}
	}
	return ""
}

func plainSeed(g job.Graph, in job.Input) string {
	value := in.Value
	if in.Link != nil {
		from, ok := g.Node(in.Link.Node)
		if !ok {
			return ""
		}
		if value, ok = constant(from); !ok {
			return ""
		}
	}
	if _, ok := number(value); !ok {
		return ""
	}
	return string(bytes.TrimSpace(value))
}
