package jobfile

import "reckoner/scheduler/job"

// SamplersOf gives the nodes of a graph that run and work in steps, in the graph's
// order. It is empty when the steps of one of them cannot be read.
func SamplersOf(g job.Graph) []job.Sampler {
	x := newIndex(g)
	known, doubtful := x.outputs()
	var samplers []job.Sampler
	for i, marked := range x.needed(append(known, doubtful...)) {
		if !marked {
			continue
		}
		steps, samples, complete := x.steps(g.Nodes[i])
		switch {
		case !complete:
			return nil
		case samples && steps > 0:
			samplers = append(samplers, job.Sampler{Node: g.Nodes[i].ID, Steps: steps})
		}
	}
	return samplers
}
