package scheduler_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// heldReasons adds a file while the queue is paused, so that its servers can tell
// what they lack, and gives what holds its job then.
func heldReasons(t *testing.T, srv scheduler.RenderServer, content string) []job.Hold {
	t.Helper()
	var holds []job.Hold
	synctest.Test(t, func(t *testing.T) {
		engine, _ := startWith(t, always(srv), handed{}, "m")
		if _, err := engine.Add(t.Context(), scheduler.AddRequest{Files: []string{writeFile(t, "a.json", content)}}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second) // of the bubble
		for _, row := range engine.Snapshot().Waiting {
			holds = append(holds, row.Holds...)
		}
		if err := engine.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	})
	return holds
}

const basePicture = `{"1":{"class_type":"CheckpointLoaderSimple","inputs":{"ckpt_name":"sdxl/other.safetensors"}},
	"2":{"class_type":"SaveImage","inputs":{"images":["1",0]}}}`

// refusing is a render server that refuses every job for one value.
type refusing struct {
	knowing
	refusal *job.Error
}

func (r refusing) Submit(_ context.Context, _ job.Submission) (job.Receipt, error) {
	return job.Receipt{}, r.refusal
}

func TestWhatAServerLacksHoldsAJobAndIsNamed(t *testing.T) {
	// given a server without the checkpoint of a job, and without a class of it
	base := hasBase()
	base.lacks = []string{"SaveImage"}
	// when the job is added
	holds := heldReasons(t, refusing{base, job.Errorf(job.ErrMissingNode, job.Args{Class: "SaveImage"}, nil)}, basePicture)
	// then both are named
	var said []string
	for _, h := range holds {
		said = append(said, string(h.Code)+" "+h.Say.Args.Class+h.Say.Args.Value)
	}
	want := []string{"missing_node SaveImage", "missing_model sdxl/other.safetensors"}
	if !slices.Equal(said, want) {
		t.Errorf("held by %q, want %q", said, want)
	}
}

func TestARefusalOfAModelFileHoldsTheJob(t *testing.T) {
	refusal := func(kind, value string) *job.Error {
		err := job.Errorf(job.ErrRefused, job.Args{}, nil)
		err.Faults = []job.NodeFault{{Node: "1", Class: "CheckpointLoaderSimple", Input: "ckpt_name", Type: kind, Value: value}}
		return err
	}
	for name, c := range map[string]struct {
		refusal *job.Error
		holds   int
	}{
		"a model file":  {refusal("value_not_in_list", "sdxl/other.safetensors"), 1},
		"another value": {refusal("value_not_in_list", "euler"), 0},
		"another fault": {refusal("value_bigger_than_max", "sdxl/other.safetensors"), 0},
	} {
		// given a server that does not tell its classes, when it refuses a job for a value
		srv := refusing{knowing{played: &played{}, fails: &atomic.Pointer[job.Error]{}, asked: &atomic.Int32{}}, c.refusal}
		holds := heldReasons(t, srv, basePicture)
		// then only a model file is something to wait for
		if len(holds) != c.holds || c.holds > 0 && holds[0].Code != job.HoldMissingModel {
			t.Errorf("%s: held by %+v", name, holds)
		}
	}
}
