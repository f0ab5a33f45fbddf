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

const seeded = `{"3":{"class_type":"KSampler","inputs":{"seed":7,"steps":20,"model":["4",0]}},
	"4":{"class_type":"CheckpointLoaderSimple","inputs":{"ckpt_name":"sdxl/base.safetensors"}},
	"9":{"class_type":"SaveImage","inputs":{"images":["3",0],"filename_prefix":"x"}}}`

// waitingJob starts an engine whose queue is paused, with one waiting job.
func waitingJob(t *testing.T, act func(*testing.T, *scheduler.Engine, *played, *job.Job)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		srv := knowing{played: &played{takes: time.Second}, fails: &atomic.Pointer[job.Error]{}, asked: &atomic.Int32{}}
		engine, _ := startWith(t, always(srv), handed{}, "m")
		engine.Do(scheduler.Pause{On: true})
		added, err := engine.Add(t.Context(), scheduler.AddRequest{Files: []string{writeFile(t, "a.json", seeded)}})
		if err != nil || len(added.Jobs) != 1 {
			t.Fatalf("%+v, %v", added, err)
		}
		act(t, engine, srv.played, added.Jobs[0])
		if err := engine.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

func TestAWaitingJobIsChanged(t *testing.T) {
	waitingJob(t, func(t *testing.T, engine *scheduler.Engine, srv *played, j *job.Job) {
		// given a waiting job whose values were read
		values, err := engine.Values(t.Context(), j.ID)
		if err != nil || len(values) != 4 {
			t.Fatalf("%+v, %v", values, err)
		}
		// when one of them is changed, and the queue goes on
		if err := engine.Revise(t.Context(), j.ID, []scheduler.NodeValue{{Node: "3", Input: "steps", Text: "30"}}); err != nil {
			t.Fatal(err)
		}
		events := engine.Follow()
		engine.Do(scheduler.Pause{})
		follow(t, events, job.EventJobEnded)
		events.Close()
		time.Sleep(time.Second) // of the bubble: let the snapshot be drawn
		// then it is sent so, and is of another kind
		if len(srv.sent()) != 1 || !strings.Contains(srv.sent()[0], `"steps":30`) {
			t.Errorf("sent %q", srv.sent())
		}
		if is := engine.Snapshot().Done; len(is) != 1 || is[0].Job.Type.Key == j.Type.Key || is[0].Job.Type.Cost.Steps != 30 {
			t.Errorf("it is %+v", is)
		}
		// and cannot be changed any more
		err = engine.Revise(t.Context(), j.ID, []scheduler.NodeValue{{Node: "3", Input: "steps", Text: "40"}})
		if job.CodeOf(err) != job.ErrIllegal {
			t.Errorf("after its end: %v", err)
		}
	})
}

func TestAValueThatIsNoneChangesNothing(t *testing.T) {
	waitingJob(t, func(t *testing.T, engine *scheduler.Engine, _ *played, j *job.Job) {
		err := engine.Revise(t.Context(), j.ID, []scheduler.NodeValue{{Node: "3", Input: "steps", Text: "many"}})
		time.Sleep(time.Second) // of the bubble: let the snapshot be drawn
		if job.CodeOf(err) != job.ErrNotValue || engine.Snapshot().Waiting[0].Job.Graph != j.Graph {
			t.Errorf("%v", err)
		}
	})
}

func TestAJobIsRepeatedWithOtherSeeds(t *testing.T) {
	waitingJob(t, func(t *testing.T, engine *scheduler.Engine, srv *played, j *job.Job) {
		// given a job, when it is repeated three times
		jobs, err := engine.Repeat(t.Context(), j.ID, 3)
		if err != nil || len(jobs) != 3 {
			t.Fatalf("%v, %v", jobs, err)
		}
		engine.Do(scheduler.Pause{})
		time.Sleep(time.Minute) // of the bubble
		// then four run, of one kind, each with its own seed
		seen := map[string]bool{}
		for _, g := range srv.sent() {
			seen[g] = true
		}
		if len(srv.sent()) != 4 || len(seen) != 4 {
			t.Errorf("sent %q", srv.sent())
		}
		for _, again := range jobs {
			if again.Type.Key != j.Type.Key || again.Batch != jobs[0].Batch || again.Batch == j.Batch || again.ID == j.ID {
				t.Errorf("a repetition is %+v", again)
			}
		}
	})
}
