package jobfile

import "reckoner/scheduler/job"

// AskAnAccount says that nodes of a graph ask a paid service in the name of a
// user; false when none is known to.
func AskAnAccount(g job.Graph, classes job.Classes) (job.Say, bool) {
	var args job.Args
	for _, n := range g.Nodes {
		if !classes[n.Class].Account {
			continue
		}
		if args.Count++; args.Count == 1 {
			args.Node, args.Class = n.ID, n.Class
		}
	}
	return job.Say{Code: job.WarnAccount, Args: args}, args.Count > 0
}
