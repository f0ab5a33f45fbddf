package jobfile

import "reckoner/scheduler/job"

// check refuses a graph that a render server could not run: nothing that
// produces a result, a link to nowhere, a node that waits for itself. Only what
// results need is judged; the server leaves the rest alone as well.
func check(g job.Graph) ([]job.Say, *job.Error) {
	x := newIndex(g)
	known, doubtful := x.outputs()
	var warnings []job.Say
	if len(known) == 0 {
		if len(doubtful) == 0 {
			return nil, x.noOutput()
		}
		n := g.Nodes[doubtful[0]]
		warnings = append(warnings, job.Say{Code: job.WarnMaybeNone, Args: job.Args{Node: n.ID, Class: n.Class}})
	}
	marked := x.needed(append(known, doubtful...))
	if err := x.faults(marked); err != nil {
		return nil, err
	}
	unneeded := 0
	for _, m := range marked {
		if !m {
			unneeded++
		}
	}
	if unneeded > 0 {
		warnings = append(warnings, job.Say{Code: job.WarnUnneeded, Args: job.Args{Count: unneeded}})
	}
	facts := FactsOf(g)
	if said, absurd := absurdCost(facts.Cost); absurd {
		warnings = append(warnings, said)
	}
	if facts.SizeFromInput {
		warnings = append(warnings, job.Say{Code: job.WarnInputBound})
	}
	return warnings, nil
}

// noOutput says why nothing would come out: a cycle hides the end of a graph,
// so it is looked for first.
func (x index) noOutput() *job.Error {
	all := make([]bool, len(x.nodes))
	for i := range all {
		all[i] = true
	}
	if err := x.faults(all); err != nil {
		return err
	}
	return job.Errorf(job.ErrNoOutputNode, job.Args{Count: len(x.nodes)}, nil)
}

func (x index) faults(marked []bool) *job.Error {
	for i, n := range x.nodes {
		if !marked[i] {
			continue
		}
		for _, in := range n.Inputs {
			if in.Link == nil {
				continue
			}
			if _, ok := x.at[in.Link.Node]; !ok {
				return job.Errorf(job.ErrDangling,
					job.Args{Node: n.ID, Class: n.Class, Input: in.Name, Value: in.Link.Node}, nil)
			}
		}
	}
	if _, at, ok := x.order(marked); !ok {
		n := x.nodes[at]
		return job.Errorf(job.ErrCycle, job.Args{Node: n.ID, Class: n.Class}, nil)
	}
	return nil
}
