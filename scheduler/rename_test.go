package scheduler_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// picky is a render server that takes a checkpoint under its own name only.
type picky struct{ knowing }

func (p picky) Submit(ctx context.Context, s job.Submission) (job.Receipt, error) {
	if !strings.Contains(string(s.Graph.Raw), `"sdxl/base.safetensors"`) {
		err := job.Errorf(job.ErrRefused, job.Args{}, nil)
		err.Faults = []job.NodeFault{{Node: "1", Class: "CheckpointLoaderSimple", Input: "ckpt_name", Type: "value_not_in_list"}}
		return job.Receipt{}, err
	}
	return p.knowing.Submit(ctx, s)
}

// hasBase is a server that has one checkpoint, in a folder.
func hasBase() knowing {
	return knowing{
		played: &played{takes: time.Minute}, fails: &atomic.Pointer[job.Error]{}, asked: &atomic.Int32{},
		classes: job.Classes{"CheckpointLoaderSimple": {Inputs: []job.ClassInput{
			{Name: "ckpt_name", Type: "COMBO", Choices: []string{"sdxl/base.safetensors"}},
		}}},
	}
}

// playBase runs a job that names that checkpoint otherwise to its end.
func playBase(t *testing.T, srv scheduler.RenderServer) *memory {
	t.Helper()
	engine, store := startWith(t, always(srv), handed{}, "m")
	events := engine.Follow()
	file := writeFile(t, "a.json", `{"1":{"class_type":"CheckpointLoaderSimple","inputs":{"ckpt_name":"sdxl\\base.safetensors"}},
		"2":{"class_type":"SaveImage","inputs":{"images":["1",0]}}}`)
	if _, err := engine.Add(t.Context(), scheduler.AddRequest{Files: []string{file}}); err != nil {
		t.Fatal(err)
	}
	follow(t, events, job.EventJobEnded)
	events.Close()
	if err := engine.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	return store
}

func TestAModelIsSentUnderTheServersName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := picky{hasBase()}
		store := playBase(t, srv)
		if len(srv.sent()) != 1 {
			t.Fatalf("taken %d times", len(srv.sent()))
		}
		// Then the run's record tells the rewrite.
		told := false
		for _, r := range store.runs {
			for _, h := range r.Story {
				told = told || h.Code == job.StoryRenamed && h.Args.Value == `sdxl\base.safetensors` &&
					h.Args.Detail == "sdxl/base.safetensors"
			}
		}
		if !told {
			t.Error("the rewrite is not in the run's record")
		}
	})
}

// vague is a render server that takes what it is sent and whose answer is lost,
// although it seems to name a model.
type vague struct{ knowing }

func (v vague) Submit(ctx context.Context, s job.Submission) (job.Receipt, error) {
	if _, err := v.knowing.Submit(ctx, s); err != nil {
		return job.Receipt{}, err
	}
	err := job.Errorf(job.ErrOutcomeUnknown, job.Args{}, nil)
	err.Faults = []job.NodeFault{{Node: "1", Class: "CheckpointLoaderSimple", Input: "ckpt_name", Type: "value_not_in_list"}}
	return job.Receipt{}, err
}

func TestNothingIsSentAgainUnderAnotherNameUnlessItWasRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := vague{hasBase()}
		playBase(t, srv)
		if len(srv.sent()) != 1 {
			t.Errorf("taken %d times", len(srv.sent()))
		}
	})
}
