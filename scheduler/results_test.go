package scheduler_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// placing is a fetcher that notes where results were to go.
type placing struct {
	handed
	mu sync.Mutex
	to []job.Destination
}

func (p *placing) Fetch(ctx context.Context, server job.ID, refs []job.OutputRef, to job.Destination) ([]job.Output, error) {
	p.mu.Lock()
	p.to = append(p.to, to)
	p.mu.Unlock()
	return p.handed.Fetch(ctx, server, refs, to)
}

func TestResultsGoWhereTheSettingsSayAndAreCalledWhatTheySay(t *testing.T) {
	const graph = `{"1":{"class_type":"Gen","inputs":{"seed":18446744073709551615}},` +
		`"2":{"class_type":"SaveImage","inputs":{"images":["1",0]}}}`
	for name, c := range map[string]struct {
		set    job.Settings
		outDir string
		want   job.Destination
	}{
		"nothing set": {want: job.Destination{Dir: "results", Names: job.DefaultNames}},
		"a template": {
			set:  job.Settings{Names: "{machine}/{seed}", Temp: true},
			want: job.Destination{Dir: "results", Names: "{machine}/{seed}", Temp: true, Seed: "18446744073709551615"},
		},
		"a folder":     {outDir: "there", want: job.Destination{Dir: "there"}},
		"both":         {set: job.Settings{Names: "{date}/{name}"}, outDir: "there", want: job.Destination{Dir: "there", Names: "{name}"}},
		"folders only": {set: job.Settings{Names: "{date}/"}, outDir: "there", want: job.Destination{Dir: "there"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				// Given settings
				fetcher := &placing{}
				engine, _ := startWith(t, always(&played{takes: time.Minute}), fetcher, "gpu-1")
				engine.Do(scheduler.Configure{Settings: c.set})
				time.Sleep(time.Second) // let the snapshot be drawn
				// when a job is added and runs
				file := writeFile(t, "walk.json", graph)
				added, err := engine.Add(t.Context(), scheduler.AddRequest{Files: []string{file}, OutDir: c.outDir})
				if err != nil || len(added.Jobs) != 1 {
					t.Fatalf("%+v, %v", added, err)
				}
				time.Sleep(5 * time.Minute)
				if err := engine.Stop(t.Context()); err != nil && !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
				// then its results are asked for there
				if len(fetcher.to) != 1 {
					t.Fatalf("fetched %d times", len(fetcher.to))
				}
				got := fetcher.to[0]
				if got.Date.IsZero() || got.Batch != "walk" || got.Job != "walk" || got.Machine != "gpu-1" {
					t.Errorf("placeholders stand for %+v", got)
				}
				got.Date, got.Batch, got.Job, got.Machine = time.Time{}, "", "", ""
				if filepath.Base(got.Dir) != c.want.Dir {
					t.Errorf("folder %q, want %q", got.Dir, c.want.Dir)
				}
				if got.Dir = c.want.Dir; got != c.want {
					t.Errorf("got %+v, want %+v", got, c.want)
				}
			})
		})
	}
}
