package scheduler

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"

	"reckoner/scheduler/core"
	"reckoner/scheduler/estimate"
	"reckoner/scheduler/job"
	"reckoner/scheduler/jobfile"
)

// repeatAtMost bounds how often a job is repeated at once.
const repeatAtMost = 1000

// Repeat queues a job so many times more, each time with other seeds. The copies
// are one batch. The error is a *job.Error when the job is not there, or is not
// converted yet.
func (e *Engine) Repeat(ctx context.Context, id job.ID, times int) ([]*job.Job, error) {
	old, raw, err := e.graphOf(ctx, id)
	if err != nil {
		return nil, err
	}
	batch := e.cfg.NewID()
	var jobs []job.Job
	past := map[string][]estimate.Run{}
	for range min(times, repeatAtMost) {
		changes := jobfile.Reseed(jobfile.GraphOf(raw), e.cfg.Random)
		j, err := e.revised(ctx, old, raw, changes)
		if err != nil {
			return nil, err
		}
		j.ID, j.Batch = e.cfg.NewID(), batch
		j.Attempt, j.Tries, j.Outcome, j.Why, j.Hidden, j.FinishedLate = 0, job.Tries{}, "", nil, false, false
		j.State = job.JobWaiting
		jobs = append(jobs, j)
		if err := e.addPast(ctx, j.Type.Key, past); err != nil {
			return nil, err
		}
	}
	if err := e.wait(ctx, core.JobsAdded{Jobs: jobs, Past: past}); err != nil {
		return nil, fmt.Errorf("repeat %s: %w", old.Name, err)
	}
	added := make([]*job.Job, 0, len(jobs))
	err = e.ask(ctx, func(s *core.State) {
		for i := range jobs {
			if j := s.Job(jobs[i].ID); j != nil {
				added = append(added, j)
			}
		}
	})
	return added, err
}

// NodeValue is a value of a node that may be changed before the job is sent: a
// text, a number, or true and false.
type NodeValue = jobfile.NodeValue

// Values gives what may be changed of a job that waits: the texts first, as those
// are what is changed most.
func (e *Engine) Values(ctx context.Context, id job.ID) ([]NodeValue, error) {
	j, raw, err := e.graphOf(ctx, id)
	if err != nil {
		return nil, err
	}
	values := jobfile.ValuesOf(jobfile.GraphOf(raw))
	// What names an input file is chosen by giving another file.
	return slices.DeleteFunc(values, func(v NodeValue) bool {
		return slices.ContainsFunc(j.Inputs, func(in job.InputFile) bool { return in.Node == v.Node && in.Input == v.Input })
	}), nil
}

// Revise gives a waiting job other values. Its kind, and with that what past runs
// say of it, may be another one then. The error is a *job.Error when a value is
// not what it must be, or when the job no longer waits: nothing is changed then.
func (e *Engine) Revise(ctx context.Context, id job.ID, values []NodeValue) error {
	old, raw, err := e.graphOf(ctx, id)
	if err != nil {
		return err
	}
	changes, jerr := jobfile.ChangesOf(jobfile.GraphOf(raw), values)
	if jerr != nil {
		return jerr
	}
	if len(changes) == 0 {
		return nil
	}
	j, err := e.revised(ctx, old, raw, changes)
	if err != nil {
		return err
	}
	past := map[string][]estimate.Run{}
	if err := e.addPast(ctx, j.Type.Key, past); err != nil {
		return err
	}
	if err := e.wait(ctx, core.JobRevised{Job: j, Of: old.Graph, Past: past}); err != nil {
		return fmt.Errorf("change %s: %w", old.Name, err)
	}
	var is *job.Job
	if err := e.ask(ctx, func(s *core.State) { is = s.Job(id) }); err != nil {
		return fmt.Errorf("change %s: %w", old.Name, err)
	}
	if is == nil || is.Graph != j.Graph {
		return job.Errorf(job.ErrIllegal, job.Args{Job: old.Name}, nil)
	}
	return nil
}

// randomNumber draws one. It never fails: the program would crash first.
func randomNumber() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:])
	return binary.NativeEndian.Uint64(b[:])
}

// graphOf gives a job and its graph as it is sent.
func (e *Engine) graphOf(ctx context.Context, id job.ID) (*job.Job, json.RawMessage, error) {
	var j *job.Job
	if err := e.ask(ctx, func(s *core.State) { j = s.Job(id) }); err != nil {
		return nil, nil, err
	}
	switch {
	case j == nil:
		return nil, nil, job.Errorf(job.ErrNotFound, job.Args{Job: string(id)}, nil)
	case j.Graph == "":
		return nil, nil, job.Errorf(job.ErrUIFormat, job.Args{Job: j.Name, File: j.Name}, nil)
	}
	raw, err := e.cfg.Store.Blob(ctx, j.Graph)
	if err != nil {
		return nil, nil, fmt.Errorf("read the workflow of %s: %w", j.Name, err)
	}
	return j, raw, nil
}

// revised is a job with other values of its nodes. Its source is then the graph
// itself: the file has other ones.
func (e *Engine) revised(
	ctx context.Context, old *job.Job, raw json.RawMessage, changes []jobfile.Change,
) (job.Job, error) {
	j := *old
	raw = jobfile.ChangeGraph(raw, changes)
	file, err := jobfile.Read(bytes.NewReader(raw), old.Name)
	if err != nil {
		return j, fmt.Errorf("change %s: %w", old.Name, err)
	}
	if j.Graph, err = e.cfg.Store.PutBlob(ctx, raw); err != nil {
		return j, fmt.Errorf("keep the workflow of %s: %w", old.Name, err)
	}
	workflow, err := e.workflowOf(ctx, old.Workflow)
	if err != nil {
		return j, fmt.Errorf("read the page's workflow of %s: %w", old.Name, err)
	}
	if len(workflow) > 0 {
		if j.Workflow, err = e.cfg.Store.PutBlob(ctx, jobfile.ChangeWorkflow(workflow, changes)); err != nil {
			return j, fmt.Errorf("keep the page's workflow of %s: %w", old.Name, err)
		}
	}
	j.Source = j.Graph
	j.Type, j.Needs, j.Samplers = file.Type, jobfile.NeedsOf(file.Graph), jobfile.SamplersOf(file.Graph)
	return j, nil
}
