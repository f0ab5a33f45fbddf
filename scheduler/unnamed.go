package scheduler

import (
	"net/url"
	"slices"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

// unnamedServers gives each open run whose server is not known the server of its
// own record, to be watched and not used: the servers of a command line are not
// kept, and what runs on them must be seen to its end all the same.
func unnamedServers(kept job.Kept, newID func() job.ID) []core.MachineAdded {
	var added []core.MachineAdded
	known := map[job.ID]bool{}
	for _, s := range kept.Servers {
		known[s.ID] = true
	}
	for _, r := range kept.Runs {
		if known[r.Server] || r.State == job.RunEnded && !awaitsResults(kept.Jobs, r) {
			continue
		}
		known[r.Server] = true
		name := r.URL
		if u, err := url.Parse(r.URL); err == nil && u.Host != "" {
			name = u.Host
		}
		m := job.Machine{ID: "unnamed " + r.Server, Name: name}
		added = append(added, core.MachineAdded{Machine: m, Servers: []job.Server{{
			ID: r.Server, Machine: m.ID, Name: name, URL: r.URL, WatchOnly: true, ClientID: string(newID()),
		}}})
	}
	return added
}

// awaitsResults tells whether the results of a run that ended are still to be
// fetched.
func awaitsResults(jobs []job.Job, r job.Run) bool {
	return slices.ContainsFunc(jobs, func(j job.Job) bool {
		return j.ID == r.Job && j.State == job.JobCollecting && j.Attempt == r.Attempt
	})
}
