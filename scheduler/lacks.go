package scheduler

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
	"reckoner/scheduler/jobfile"
)

// check finds out what a server lacks of what a graph needs.
func (e *Engine) check(ctx context.Context, a core.Check) core.Event {
	done := core.Checked{Server: a.Server, Needs: a.Needs}
	raw, err := e.cfg.Store.Blob(ctx, a.Graph)
	if err != nil {
		done.Err = asError(err, job.ErrNotFound)
		return done
	}
	need := jobfile.ClassesOf(raw)
	classes, absent, jerr := e.hosts.named(ctx, a.Server, need)
	if jerr != nil {
		done.Err = jerr
		return done
	}
	done.Lacks = job.Lacks{Nodes: absent, Models: jobfile.MissingModels(raw, classes)}
	return done
}

// named gives some of a server's node classes: those that were read lately, when
// all are among them, else by their names.
func (h *hosts) named(ctx context.Context, id job.ID, need []string) (job.Classes, []string, *job.Error) {
	srv, jerr := h.server(id)
	if jerr != nil {
		return nil, nil, jerr
	}
	source, ok := srv.(classSource)
	if !ok {
		return nil, nil, job.Errorf(job.ErrUnsupported, job.Args{Server: string(id)}, nil)
	}
	known := h.known.server(id)
	known.mu.Lock()
	defer known.mu.Unlock()
	if known.classes != nil && time.Since(known.at) < classesAgain && hasAll(known.classes, need) {
		return known.classes, nil, nil
	}
	found, absent, err := source.ClassesNamed(ctx, need)
	return found, absent, asError(err, job.ErrUnreachable)
}

// asMissing tells a refusal that is only about model files that the server does
// not have from one of the workflow.
func asMissing(refusal error) error {
	said, ok := errors.AsType[*job.Error](refusal)
	if !ok || said.Code != job.ErrRefused {
		return refusal
	}
	var names []string
	for _, f := range said.Faults {
		name := f.Value
		if f.Type != "value_not_in_list" {
			return refusal
		}
		if quoted := ""; json.Unmarshal([]byte(name), &quoted) == nil {
			name = quoted
		}
		names = append(names, name)
	}
	if !jobfile.AreModels(names) {
		return refusal
	}
	missing := *said
	missing.Code = job.ErrMissingModel
	missing.Args.Value, missing.Args.Allowed = names[0], names
	return &missing
}
