package scheduler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

// ErrInUse says that a machine cannot be removed: a run of ours is open there, or
// its results are being fetched.
var ErrInUse = errors.New("a job of yours is still there")

// RemoveMachine takes a machine and its servers away. It returns when that is on
// disk, and ErrInUse, with nothing changed, while a run of ours is open there.
func (e *Engine) RemoveMachine(ctx context.Context, id job.ID) error {
	var inUse bool
	if err := e.ask(ctx, func(s *core.State) { inUse = s.InUse(id) }); err != nil {
		return fmt.Errorf("remove a machine: %w", err)
	}
	if inUse {
		return ErrInUse
	}
	if err := e.wait(ctx, core.MachineRemoved{Machine: id}); err != nil {
		return fmt.Errorf("remove a machine: %w", err)
	}
	return nil
}

// Probe asks a render server that is not among the machines yet what it is. The
// URL is bare, pins are the certificates that the user accepted for it. The error
// is a *job.Error that says what is in the way.
func (e *Engine) Probe(ctx context.Context, url string, pins ...string) (job.ServerInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	srv, err := e.cfg.Connect(job.Server{ID: "probe " + job.ID(url), Name: url, URL: url, Pins: pins})
	if err != nil {
		return job.ServerInfo{}, asError(err, job.ErrUnreachable)
	}
	if c, ok := srv.(interface{ Close() }); ok {
		defer c.Close() // it may hold a tunnel
	}
	info, err := srv.Probe(ctx)
	if err != nil {
		return job.ServerInfo{}, asError(err, job.ErrUnreachable)
	}
	return info, nil
}

// checker is a RenderServer that can be checked.
type checker interface {
	Check(ctx context.Context, tag job.Tag) job.Checkup
}

// Check finds out whether a render server that is among the machines can be
// used, beyond that it answers: an idle one runs a tiny prompt. What is in its
// way is in the checkup. The error is a *job.Error and says that it could not be
// checked: it is watched only, so that nothing may be sent there, or is none that
// can be checked.
func (e *Engine) Check(ctx context.Context, server job.ID) (job.Checkup, error) {
	var rec job.Server
	for _, m := range e.Snapshot().Machines {
		for _, v := range m.Servers {
			if v.Server.ID == server {
				rec = v.Server
			}
		}
	}
	if rec.WatchOnly {
		return job.Checkup{}, job.Errorf(job.ErrUnsupported, job.Args{
			Server: rec.Name, Value: "it is only watched, so nothing is sent to it",
		}, nil)
	}
	srv, err := e.hosts.server(server)
	if err != nil {
		return job.Checkup{}, err
	}
	c, ok := srv.(checker)
	if !ok {
		return job.Checkup{}, job.Errorf(job.ErrUnsupported, job.Args{Server: rec.Name, Value: "a check"}, nil)
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	return c.Check(ctx, job.Tag{Run: e.cfg.NewID(), App: e.hosts.app}), nil
}

const (
	probeTime  = 15 * time.Second
	checkTime  = time.Minute
	localTime  = 2 * time.Second
	sourceTime = 20 * time.Second
)

// LookForLocal gives the URLs of render servers that answer on this computer, at
// the ports that ComfyUI and its desktop program use, and that are not among the
// machines yet.
func (e *Engine) LookForLocal(ctx context.Context) []string {
	ctx, cancel := context.WithTimeout(ctx, localTime)
	defer cancel()
	var found []string
	for _, url := range [...]string{"http://127.0.0.1:8188", "http://127.0.0.1:8000"} {
		if e.hasServer(url) {
			continue
		}
		if _, err := e.Probe(ctx, url); err == nil {
			found = append(found, url)
		}
	}
	return found
}

func (e *Engine) hasServer(url string) bool {
	return slices.ContainsFunc(e.Snapshot().Machines, func(m MachineView) bool {
		return slices.ContainsFunc(m.Servers, func(v ServerView) bool { return v.Server.URL == url })
	})
}

// TestSource reads a source of GPU readings once, and gives the readings of all
// its GPUs. The error is a *job.Error that says what is in the way.
func (e *Engine) TestSource(ctx context.Context, source string) ([]job.Reading, error) {
	if e.cfg.Meter == nil {
		return nil, job.Errorf(job.ErrBadSource, job.Args{Value: source}, nil)
	}
	meter, err := e.cfg.Meter(source)
	if err != nil {
		return nil, asError(err, job.ErrBadSource)
	}
	ctx, cancel := context.WithTimeout(ctx, sourceTime)
	defer cancel()
	var got []job.Reading
	err = meter.Stream(ctx, meterPeriod, func(readings []job.Reading) {
		if got == nil && len(readings) > 0 {
			got = slices.Clone(readings)
			cancel()
		}
	})
	switch {
	case len(got) > 0:
		return got, nil
	case err != nil:
		return nil, asError(err, job.ErrToolFailed)
	}
	return nil, job.Errorf(job.ErrToolHung, job.Args{Value: source}, nil)
}
