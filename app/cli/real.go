package cli

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"reckoner/scheduler"
	"reckoner/scheduler/comfy"
	"reckoner/scheduler/gpu"
	"reckoner/scheduler/job"
	"reckoner/scheduler/transfer"
	"reckoner/store"
)

// realParts wires the real ones.
func realParts() parts {
	return parts{
		openStore: func(dir string, clock *job.Clock, log *slog.Logger) (storage, error) {
			return store.Open(dir, store.Options{Log: log, Now: wall(clock), NewID: newID})
		},
		readStore: func(dir string, log *slog.Logger) (storage, error) { return store.OpenReadOnly(dir, log) },
		connect:   connectComfy,
		meter: func(source string, clock *job.Clock, log *slog.Logger) (meter, error) {
			return gpu.Open(source, gpu.Options{Log: log, Now: wall(clock)})
		},
		host: func(clock *job.Clock, log *slog.Logger) scheduler.HostMeter {
			return &gpu.Host{Now: wall(clock), Log: log}
		},
		fetcher: func(viewer func(job.ID) (transfer.Viewer, bool), log *slog.Logger) scheduler.Fetcher {
			return transfer.NewFetcher(viewer, transfer.Options{Log: log})
		},
		results: transfer.DefaultResults,
		start: func(ctx context.Context, c scheduler.Config) (engine, error) {
			e, err := scheduler.New(c)
			if err != nil {
				return nil, err
			}
			return realEngine{e}, e.Start(ctx)
		},
	}
}

// wall gives the wall clock of the story.
func wall(clock *job.Clock) func() time.Time {
	return func() time.Time { return clock.Now().Wall }
}

// connectComfy makes a client of a render server, with its credentials where
// they are kept in memory only.
func connectComfy(s job.Server, c credentials, log *slog.Logger) (scheduler.RenderServer, error) {
	client, err := newComfy(s, c, log)
	if err != nil {
		return nil, err
	}
	return client, nil
}

func newComfy(s job.Server, c credentials, log *slog.Logger) (*comfy.Client, error) {
	u, err := url.Parse(s.URL)
	if err != nil {
		return nil, err
	}
	o := comfy.Options{Header: http.Header{}, Log: log}
	if c.user != "" {
		u.User = url.UserPassword(c.user, c.password)
	}
	if c.token != "" {
		o.Header.Set("Authorization", "Bearer "+c.token)
	}
	u.RawQuery = c.query
	o.URL = u.String()
	return comfy.New(o)
}
