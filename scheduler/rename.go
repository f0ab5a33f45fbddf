package scheduler

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"reckoner/scheduler/job"
	"reckoner/scheduler/jobfile"
)

// otherNames gives the model files that a server refused by their names and has
// under others. A refusal is a server's word that nothing was taken, so the run
// may be sent again.
func (e *Engine) otherNames(ctx context.Context, server job.ID, graph json.RawMessage, refusal error) []jobfile.Change {
	said, ok := errors.AsType[*job.Error](refusal)
	if !ok || said.Code != job.ErrRefused {
		return nil
	}
	var need []string
	for _, f := range said.Faults {
		if f.Type == "value_not_in_list" && !slices.Contains(need, f.Class) {
			need = append(need, f.Class)
		}
	}
	if len(need) == 0 {
		return nil
	}
	classes, err := e.hosts.classes(ctx, server, need)
	if err != nil {
		return nil // the refusal says what is wrong
	}
	return jobfile.MatchModels(graph, classes)
}

func renamed(changes []jobfile.Change) []job.Args {
	var all []job.Args
	for _, c := range changes {
		var was, is string
		if json.Unmarshal(c.Old, &was) == nil && json.Unmarshal(c.New, &is) == nil {
			all = append(all, job.Args{Node: c.Node, Input: c.Input, Value: was, Detail: is})
		}
	}
	return all
}
