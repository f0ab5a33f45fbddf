package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/gpu"
	"reckoner/scheduler/job"
)

// shown is what Reckoner makes of a sample: the card of its GPU, and the holds of a
// job that waits for it.
type shown struct {
	gpus  []core.GPUView
	holds []job.Hold
}

// showSample plays a sample to the core for half a minute, as if the machine went
// on saying the same.
func showSample(t *testing.T, file string) shown {
	t.Helper()
	src, err := gpu.Open("file:"+file, gpu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	readings, processes, err := src.Once(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(readings) == 0 {
		for _, p := range processes {
			readings = append(readings, job.Reading{Source: "x", GPU: job.GPU{UUID: p.GPU, Name: "GPU"}})
		}
	}
	now := job.Instant{Wall: time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC)}
	s := core.New(job.Kept{
		App: "app", Machines: []job.Machine{{ID: "m", Name: "m"}},
		Servers: []job.Server{{ID: "s", Machine: "m", Name: "s", URL: "http://m:8188"}},
	}, nil, core.Options{App: "app"}, now)
	j := job.Job{ID: "j", Name: "j", State: job.JobWaiting, Type: job.Type{Key: "k"}}
	s.Step(core.Probed{Server: "s"}, now)
	s.Step(core.QueueSeen{Server: "s", Err: job.Errorf(job.ErrUnreachable, job.Args{}, nil)}, now)
	s.Step(core.JobsAdded{Jobs: []job.Job{j}}, now)
	for i := range 30 {
		now = now.Add(time.Second)
		for k := range readings {
			readings[k].At = now.Wall
		}
		s.Step(core.ReadingsSeen{Machine: "m", Source: "x", Readings: slices.Clone(readings)}, now)
		if i%5 == 0 {
			s.Step(core.ProgramsSeen{Machine: "m", Programs: job.Programs{At: now.Wall, Source: "x", List: processes}}, now)
		}
	}
	out := shown{gpus: s.Snapshot(now).Machines[0].GPUs}
	for _, v := range s.Snapshot(now).Waiting {
		out.holds = append(out.holds, v.Holds...)
	}
	if len(out.gpus) == 0 {
		t.Fatalf("%s: nothing is shown", file)
	}
	return out
}

// accuses tells whether anything shown says that somebody else is at work.
func (s shown) accuses() bool {
	held := slices.ContainsFunc(s.holds, func(h job.Hold) bool {
		return h.Code == job.HoldForeignProc || h.Code == job.HoldForeign
	})
	return held || slices.ContainsFunc(s.gpus, func(g core.GPUView) bool {
		shared := g.Verdict != nil && (g.Verdict.Code == job.NoteBusyAlone || g.Verdict.Args.Value == string(job.SharedGPU))
		return shared || len(g.Programs) > 0
	})
}

// The wrong conclusions that the samples would lead a naive reader to.
func TestWhatTheSamplesMustNotLeadTo(t *testing.T) {
	drawn := map[string]func(shown) bool{
		"throttled": func(s shown) bool {
			v := s.gpus[0].Verdict
			return len(s.gpus[0].Last.Reasons) > 0 || v != nil && v.Args.Value == string(job.Throttled)
		},
		"busy at full power":        func(s shown) bool { return s.gpus[0].Diagnosis.Mechanism == job.Healthy || !s.gpus[0].LowPower },
		"another program (certain)": shown.accuses,
		"another program":           shown.accuses,
		"busy":                      func(s shown) bool { return s.gpus[0].Last.Util.Or(0) > 0 || s.gpus[0].Last.Power.Known() },
		"foreign compute job because of dwm/msedge": shown.accuses,
	}
	folder := filepath.Join("..", "..", "scheduler", "gpu", "testdata")
	wants, err := filepath.Glob(filepath.Join(folder, "*.want.json"))
	if err != nil {
		t.Fatal(err)
	}
	files, conclusions := 0, 0
	for _, want := range wants {
		content, err := os.ReadFile(want)
		if err != nil {
			t.Fatal(err)
		}
		var w struct {
			MustNot []string `json:"must_not_report"`
		}
		if json.Unmarshal(content, &w) != nil || len(w.MustNot) == 0 {
			continue
		}
		samples, err := filepath.Glob(strings.TrimSuffix(want, ".want.json") + ".[^w]*")
		if err != nil || len(samples) != 1 {
			t.Fatalf("%s has the samples %v", want, samples)
		}
		files++
		s := showSample(t, samples[0])
		for _, conclusion := range w.MustNot {
			check := drawn[conclusion]
			if check == nil {
				t.Errorf("%s: nothing is known of %q", samples[0], conclusion)
				continue
			}
			conclusions++
			if check(s) {
				t.Errorf("%s leads to %q: %+v, holds %+v", samples[0], conclusion, s.gpus[0], s.holds)
			}
		}
	}
	if files != 4 || conclusions != 6 {
		t.Errorf("%d samples with %d conclusions, want 4 with 6", files, conclusions)
	}
}
