package scheduler

import (
	"cmp"
	"context"
	"encoding/json"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
	"reckoner/scheduler/jobfile"
)

// act carries out an action on its own goroutine and answers with its event.
func (e *Engine) act(a core.Action) {
	ctx := e.hosts.ctx
	e.acts.Go(func() {
		ev := e.carryOut(ctx, a)
		if ev != nil && ctx.Err() == nil {
			e.inbox.push(item{event: ev})
		}
	})
}

// carryOut does what an action says.
func (e *Engine) carryOut(ctx context.Context, a core.Action) core.Event {
	switch a := a.(type) {
	case core.Probe:
		srv, err := e.hosts.server(a.Server)
		if err != nil {
			return core.Probed{Server: a.Server, Err: err}
		}
		info, perr := srv.Probe(ctx)
		return core.Probed{Server: a.Server, Info: info, Err: asError(perr, job.ErrUnreachable)}
	case core.LookAtQueue:
		srv, err := e.hosts.server(a.Server)
		if err != nil {
			return core.QueueSeen{Server: a.Server, Err: err}
		}
		q, qerr := srv.Queue(ctx)
		return core.QueueSeen{Server: a.Server, Queue: q, Err: asError(qerr, job.ErrUnreachable)}
	case core.LookAtRecord:
		return e.lookAtRecord(ctx, a)
	case core.Submit:
		return e.submit(ctx, a)
	case core.StopRun:
		return e.stopRun(ctx, a)
	case core.Free:
		if srv, err := e.hosts.server(a.Server); err == nil {
			if err := srv.Free(ctx); err != nil {
				e.log.Warn("a server could not be asked to free its memory", "server", a.Server, "err", err)
			}
		}
		return nil
	case core.Convert:
		return e.convertWaiting(ctx, a)
	case core.Check:
		return e.check(ctx, a)
	case core.Fetch:
		return e.fetch(ctx, a)
	}
	panic("scheduler: an action that the engine does not know")
}

func (e *Engine) lookAtRecord(ctx context.Context, a core.LookAtRecord) core.Event {
	srv, err := e.hosts.server(a.Server)
	if err != nil {
		return core.RecordSeen{Server: a.Server, Run: a.Run, Err: err}
	}
	var rec job.Record
	var found bool
	var rerr error
	if a.PromptID != "" {
		rec, found, rerr = srv.Record(ctx, a.PromptID)
	} else {
		// The id that we asked for is the server's own, or the server chose one
		// itself and returns our tag.
		rec, found, rerr = srv.Record(ctx, string(a.Run))
		if rerr == nil && !found {
			rec, found, rerr = srv.FindRecord(ctx, a.Run)
		}
	}
	if found {
		rec.Outputs = append(rec.Outputs, e.hosts.live.of(cmp.Or(a.PromptID, rec.PromptID))...)
	}
	return core.RecordSeen{
		Server: a.Server, Run: a.Run, Record: rec, Found: found, Err: asError(rerr, job.ErrUnreachable),
	}
}

func (e *Engine) submit(ctx context.Context, a core.Submit) core.Event {
	done := core.Submitted{Run: a.Run.ID, Serial: a.Serial}
	fail := func(err *job.Error) core.Event {
		done.Err = err
		return done
	}
	srv, err := e.hosts.server(a.Server)
	if err != nil {
		return fail(err)
	}
	raw, berr := e.cfg.Store.Blob(ctx, a.Graph)
	if berr != nil {
		return fail(job.Errorf(job.ErrNotFound, job.Args{Detail: berr.Error()}, berr))
	}
	workflow, berr := e.workflowOf(ctx, a.Workflow)
	if berr != nil {
		return fail(job.Errorf(job.ErrNotFound, job.Args{Detail: berr.Error()}, berr))
	}
	changes, err := e.bring(ctx, srv, a)
	if err != nil {
		return fail(err)
	}
	if len(changes) > 0 {
		raw, workflow = jobfile.ChangeGraph(raw, changes), jobfile.ChangeWorkflow(workflow, changes)
	}
	e.hosts.live.expect(a.Run.ID, raw)
	sub := job.Submission{
		Graph: job.Graph{Raw: raw}, Workflow: json.RawMessage(workflow), PromptID: a.Run.ID, ClientID: a.Run.ClientID,
		Tag: job.Tag{Job: a.Run.Job, Run: a.Run.ID, App: e.hosts.app},
	}
	receipt, serr := srv.Submit(ctx, sub)
	if changes := e.otherNames(ctx, a.Server, raw, serr); len(changes) > 0 {
		sub.Graph.Raw = jobfile.ChangeGraph(raw, changes)
		sub.Workflow = json.RawMessage(jobfile.ChangeWorkflow(workflow, changes))
		done.Renamed = renamed(changes)
		receipt, serr = srv.Submit(ctx, sub)
	}
	e.hosts.live.called(a.Run.ID, receipt.PromptID)
	done.Receipt, done.Err = receipt, asError(asMissing(serr), job.ErrOutcomeUnknown)
	return done
}

// stopRun asks a server to stop a prompt. One that was only waiting when it was
// seen last may be running by now, so then both are asked.
func (e *Engine) stopRun(ctx context.Context, a core.StopRun) core.Event {
	srv, err := e.hosts.server(a.Server)
	if err != nil {
		return core.StopSent{Run: a.Run, Err: err}
	}
	if !a.Running {
		if err := srv.Remove(ctx, a.PromptID); err != nil {
			return core.StopSent{Run: a.Run, Err: asError(err, job.ErrUnreachable)}
		}
	}
	if a.OnlyWaiting {
		return core.StopSent{Run: a.Run}
	}
	return core.StopSent{Run: a.Run, Err: asError(srv.Interrupt(ctx, a.PromptID), job.ErrUnreachable)}
}
