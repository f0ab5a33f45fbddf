package cli

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"time"

	"reckoner/scheduler"
	"reckoner/scheduler/comfy"
	"reckoner/scheduler/gpu"
	"reckoner/scheduler/job"
	"reckoner/scheduler/remote"
	"reckoner/scheduler/transfer"
	"reckoner/store"
	"reckoner/store/secret"
)

// realParts wires the real ones.
func realParts() parts {
	return parts{
		openStore: func(dir string, clock *job.Clock, log *slog.Logger) (storage, error) {
			return store.Open(dir, store.Options{Log: log, Now: wall(clock), NewID: newID})
		},
		readStore: func(dir string, log *slog.Logger) (storage, error) { return store.OpenReadOnly(dir, log) },
		secrets: func(dir string, log *slog.Logger) *secret.Store {
			return secret.Open(dir, secret.Options{Log: log})
		},
		connect: connectComfy,
		meter: func(source string, clock *job.Clock, log *slog.Logger, via *http.Client) (meter, error) {
			return gpu.Open(source, gpu.Options{Log: log, Now: wall(clock), Client: via})
		},
		cost: func(ctx context.Context, sources []string) []gpu.Cost {
			return gpu.Measure(ctx, sources, gpu.Options{}, costOver)
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
	o := comfy.Options{URL: s.URL, Log: log, Pins: slices.Concat(s.Pins, c.pins), SSH: remote.Options{Log: log}}
	switch {
	case c.late != nil:
		o.Access = func(ctx context.Context) (comfy.Access, error) {
			kept, err := c.late(ctx)
			if err != nil {
				return comfy.Access{}, err
			}
			return accessOf(kept)
		}
	case !c.Empty():
		x, err := accessOf(c.Secret)
		if err != nil {
			return nil, err
		}
		o.Access = func(context.Context) (comfy.Access, error) { return x, nil }
	}
	return comfy.New(o)
}

var errQuery = errors.New("the query of the server's address cannot be read")

func accessOf(s secret.Secret) (comfy.Access, error) {
	query, err := url.ParseQuery(s.Query)
	if err != nil {
		return comfy.Access{}, errQuery // its own words repeat it
	}
	return comfy.Access{User: s.User, Password: s.Password, Token: s.Token, Query: query, Header: s.Header}, nil
}
