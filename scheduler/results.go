package scheduler

import (
	"cmp"
	"context"
	"path"
	"strings"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
	"reckoner/scheduler/jobfile"
)

// resultsOf gives where the results of a request go, and what they are called
// there. In a folder of its own there are no further ones.
func (e *Engine) resultsOf(req AddRequest) (dir, names string) {
	names = e.Snapshot().Settings.Names
	if req.OutDir == "" {
		return e.cfg.Results, cmp.Or(names, job.DefaultNames)
	}
	if names == "" || strings.HasSuffix(names, "/") {
		return req.OutDir, ""
	}
	return req.OutDir, path.Base(names)
}

// fetch brings a run's results here.
func (e *Engine) fetch(ctx context.Context, a core.Fetch) core.Event {
	if strings.Contains(a.To.Names, job.NameOfSeed) {
		raw, err := e.cfg.Store.Blob(ctx, a.Graph)
		if err != nil { // then its names are without
			e.log.Warn("the seed of a run is not known", "run", a.Run, "err", err)
		}
		a.To.Seed = jobfile.Seed(raw)
	}
	outputs, err := e.cfg.Fetcher.Fetch(ctx, a.Server, a.Refs, a.To)
	return core.Fetched{Run: a.Run, Outputs: outputs, Err: asError(err, job.ErrDisk)}
}
