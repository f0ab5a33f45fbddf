package scheduler

import (
	"bytes"
	"context"
	"encoding/json"
	"io"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
	"reckoner/scheduler/jobfile"
)

// inputKeeper is a RenderServer that takes the files that jobs read. One that
// does not is expected to have them.
type inputKeeper interface {
	// Upload keeps a file and gives the name under which a workflow finds it.
	Upload(ctx context.Context, name string, content []byte) (string, error)
	// Has tells whether the server has a file.
	Has(ctx context.Context, ref job.OutputRef) (bool, error)
	// View opens a file.
	View(ctx context.Context, ref job.OutputRef, offset int64) (io.ReadCloser, int64, error)
}

// bring sees to it that a server has the files that a run reads, and gives what
// its graph has to say instead where the server calls them otherwise. A file
// that is nowhere to be found is job.ErrMissingInput; then nothing may be sent.
func (e *Engine) bring(ctx context.Context, srv RenderServer, a core.Submit) ([]jobfile.Change, *job.Error) {
	keeper, ok := srv.(inputKeeper)
	if !ok {
		return nil, nil
	}
	var changes []jobfile.Change
	for _, f := range a.Inputs {
		name, err := e.bringOne(ctx, keeper, a, f)
		switch {
		case err != nil && err.Code == job.ErrMissingInput, err != nil && err.Code == job.ErrTooLarge:
			return nil, err
		case err != nil: // nothing was sent, so nothing can have been taken
			return nil, job.Errorf(job.ErrUnreachable, job.Args{Server: string(a.Server), Detail: err.Error()}, err)
		case name != f.File:
			changes = append(changes, jobfile.Change{Node: f.Node, Input: f.Input, Old: quoted(f.File), New: quoted(name)})
		}
	}
	return changes, nil
}

func quoted(s string) json.RawMessage {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) //nolint:errchkjson // a string always has a JSON text, and a buffer takes it
	return bytes.TrimSpace(out.Bytes())
}

// bringOne gives the name under which a server has a file.
func (e *Engine) bringOne(ctx context.Context, to inputKeeper, a core.Submit, f job.InputFile) (string, *job.Error) {
	if f.Blob == "" {
		has, err := to.Has(ctx, onServer(f.File))
		if err != nil {
			return "", asError(err, job.ErrUnreachable)
		}
		if has {
			return f.File, nil
		}
		// It may have been laid next to the job file by now, and another server
		// may have it.
		if err := e.keepInput(ctx, &f, a.File); err != nil {
			return "", asError(err, job.ErrDisk)
		}
		if f.Blob == "" && !e.fromElsewhere(ctx, a.Server, &f) {
			return "", lacks(f)
		}
	}
	name := uploadName(f)
	if kept := e.hosts.uploaded.name(a.Server, f.Blob); kept != "" {
		name = kept
	}
	if has, err := to.Has(ctx, onServer(name)); err == nil && has {
		return name, nil
	}
	content, err := e.cfg.Store.Blob(ctx, f.Blob)
	if err != nil {
		return "", asError(err, job.ErrNotFound)
	}
	if name, err = to.Upload(ctx, uploadName(f), content); err != nil {
		return "", asError(err, job.ErrUnreachable)
	}
	e.hosts.uploaded.keep(a.Server, f.Blob, name)
	return name, nil
}

// fromElsewhere fetches a file that only another server has.
func (e *Engine) fromElsewhere(ctx context.Context, not job.ID, f *job.InputFile) bool {
	for _, id := range e.usable() {
		srv, jerr := e.hosts.server(id)
		keeper, ok := srv.(inputKeeper)
		if id == not || jerr != nil || !ok {
			continue
		}
		body, total, err := keeper.View(ctx, onServer(f.File), 0)
		if err != nil {
			continue
		}
		content, err := io.ReadAll(io.LimitReader(body, maxInput+1))
		_ = body.Close()
		if err == nil && len(content) <= maxInput && (total < 0 || total == int64(len(content))) &&
			e.putInput(ctx, f, content) == nil {
			return true
		}
	}
	return false
}

// usable gives the servers that take jobs.
func (e *Engine) usable() []job.ID {
	var ids []job.ID
	for _, m := range e.Snapshot().Machines {
		for _, srv := range m.Servers {
			if !srv.Server.WatchOnly {
				ids = append(ids, srv.Server.ID)
			}
		}
	}
	return ids
}

// workflowOf reads the page's format of a job, nil where it has none.
func (e *Engine) workflowOf(ctx context.Context, blob string) (jobfile.Workflow, error) {
	if blob == "" {
		return nil, nil
	}
	raw, err := e.cfg.Store.Blob(ctx, blob)
	return jobfile.Workflow(raw), err
}
