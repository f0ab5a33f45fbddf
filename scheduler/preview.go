package scheduler

import (
	"context"
	"fmt"

	"reckoner/scheduler/core"
	"reckoner/scheduler/estimate"
	"reckoner/scheduler/job"
)

// Preview is what a request would queue, if it were made now.
type Preview struct {
	Jobs    []PreviewJob // in the order in which they would wait
	Refused []Refusal
	Warned  []Warning
}

// PreviewJob is a job that would be queued.
type PreviewJob struct {
	File string // absolute path
	Name string
	// Type has no key while no server has told its classes for a workflow in the
	// page's own format.
	Type job.Type
	// Given counts the dropped files that it would read.
	Given int
	core.Foreseen
}

// Preview reads the files of a request and says what would become of them; it
// queues and keeps nothing.
func (e *Engine) Preview(ctx context.Context, req AddRequest) (Preview, error) {
	drop := e.readAll(ctx, req)
	p := Preview{Refused: drop.refused}
	past := map[string][]estimate.Run{}
	var jobs []job.Job
	for _, in := range drop.jobs {
		for _, w := range in.file.Warnings {
			p.Warned = append(p.Warned, Warning{File: in.path, Say: w})
		}
		if err := e.addPast(ctx, in.file.Type.Key, past); err != nil {
			return p, fmt.Errorf("look at %s: %w", in.path, err)
		}
		for _, given := range in.sets {
			for range max(1, req.Repeat) {
				name := in.file.Title
				if given.inName != "" {
					name += " - " + given.inName
				}
				p.Jobs = append(p.Jobs, PreviewJob{File: in.path, Name: name, Type: in.file.Type, Given: len(given.files)})
				jobs = append(jobs, job.Job{Type: in.file.Type, Servers: req.Servers, SendAnyway: req.SendAnyway})
			}
		}
	}
	// The inbox keeps the order: the question is answered after they were learnt.
	e.inbox.push(item{event: core.JobsAdded{Past: past}})
	var seen []core.Foreseen
	if err := e.ask(ctx, func(s *core.State) { seen = s.Foresee(jobs, e.cfg.Clock.Now()) }); err != nil {
		return p, fmt.Errorf("look at %d files: %w", len(req.Files), err)
	}
	for i := range seen {
		p.Jobs[i].Foreseen = seen[i]
	}
	return p, nil
}
