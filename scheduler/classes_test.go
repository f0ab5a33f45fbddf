package scheduler_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// knowing is a render server that tells its classes.
type knowing struct {
	*played
	classes job.Classes
	fails   *atomic.Pointer[job.Error]
	asked   *atomic.Int32
	lacks   []string // classes that it says it does not have
}

func (k knowing) ClassesNamed(_ context.Context, names []string) (job.Classes, []string, error) {
	found, absent := job.Classes{}, []string(nil)
	for _, name := range names {
		if class, ok := k.classes[name]; ok {
			found[name] = class
		} else if slices.Contains(k.lacks, name) {
			absent = append(absent, name)
		}
	}
	return found, absent, nil
}

func (k knowing) Classes(context.Context, []string) (job.Classes, error) {
	k.asked.Add(1)
	if err := k.fails.Load(); err != nil {
		return nil, err
	}
	return k.classes, nil
}

const uiWorkflow = `{"nodes":[{"id":1,"type":"EmptyImage","outputs":[{"type":"IMAGE"}],"widgets_values":[64]},
	{"id":2,"type":"SaveImage","inputs":[{"name":"images","type":"IMAGE","link":1}],"widgets_values":["x"]}],
	"links":[[1,1,0,2,0,"IMAGE"]]}`

func uiClasses(t *testing.T) job.Classes {
	t.Helper()
	var c job.Classes
	err := json.Unmarshal([]byte(`{"EmptyImage":{"input":{"required":{"width":["INT",{}]}},"output":["IMAGE"]},
		"SaveImage":{"input":{"required":{"images":["IMAGE"],"filename_prefix":["STRING",{}]}},"output":[],"output_node":true}}`), &c)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func startKnowing(t *testing.T, srv knowing) *scheduler.Engine {
	t.Helper()
	engine, _ := startWith(t, always(srv), handed{}, "gpu-1")
	t.Cleanup(func() {
		if err := engine.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return engine
}

func writeFile(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAWorkflowOfThePageBecomesAJobWithAServersClasses(t *testing.T) {
	// given a server that tells its classes
	srv := knowing{played: &played{takes: time.Hour}, classes: uiClasses(t), asked: new(atomic.Int32), fails: new(atomic.Pointer[job.Error])}
	engine := startKnowing(t, srv)
	path := writeFile(t, "walk.json", uiWorkflow)
	// when a workflow in the page's format is added twice
	for range 2 {
		added, err := engine.Add(t.Context(), scheduler.AddRequest{Files: []string{path}})
		// then it is a job
		if err != nil || len(added.Jobs) != 1 || added.Jobs[0].Nodes != 2 || added.Jobs[0].Type.Key == "" {
			t.Fatalf("%+v, %v", added, err)
		}
	}
	// and the server was asked once
	if n := srv.asked.Load(); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

func TestAWorkflowOfThePageIsRefusedForItsReason(t *testing.T) {
	for name, c := range map[string]struct {
		content string
		err     *job.Error
		want    string
	}{
		"a class that is missing":   {strings.Replace(uiWorkflow, "EmptyImage", "Magic", 1), nil, job.ErrUnknownClass},
		"a server that cannot tell": {uiWorkflow, job.Errorf(job.ErrUnsupported, job.Args{}, nil), job.ErrUIFormat},
	} {
		srv := knowing{played: &played{takes: time.Hour}, classes: uiClasses(t), asked: new(atomic.Int32), fails: new(atomic.Pointer[job.Error])}
		srv.fails.Store(c.err)
		engine := startKnowing(t, srv)
		added, err := engine.Add(t.Context(), scheduler.AddRequest{Files: []string{writeFile(t, "walk.json", c.content)}})
		if err != nil || len(added.Refused) != 1 || added.Refused[0].Err.Code != c.want ||
			added.Refused[0].Err.Args.File != "walk.json" {
			t.Errorf("%s: %+v, %v", name, added.Refused, err)
		}
	}
}

func TestAVideoIsKeptAsItsWorkflowAndResumedByIt(t *testing.T) {
	// given a large file of which only the head is a picture with a workflow
	srv := knowing{played: &played{takes: time.Hour}, asked: new(atomic.Int32), fails: new(atomic.Pointer[job.Error])}
	engine := startKnowing(t, srv)
	video, err := os.ReadFile("jobfile/testdata/media/c_native_savevideo.mp4")
	if err != nil {
		t.Fatal(err)
	}
	path := writeFile(t, "walk.mp4", string(video))
	if err := os.Truncate(path, int64(len(video))+1<<30); err != nil { // zeros behind: a sparse file
		t.Fatal(err)
	}
	req := scheduler.AddRequest{Files: []string{path}, Resume: true}
	first, err := engine.Add(t.Context(), req)
	if err != nil || len(first.Jobs) != 1 {
		t.Fatalf("%+v, %v", first.Refused, err)
	}
	// when the same file is added again
	again, err := engine.Add(t.Context(), req)
	// then it stands for the same job
	if err != nil || len(again.Resumed) != 1 || again.Resumed[0].ID != first.Jobs[0].ID {
		t.Errorf("%+v, %v", again, err)
	}
	// and a file of another length does not
	if err := os.Truncate(path, int64(len(video))+1<<20); err != nil {
		t.Fatal(err)
	}
	if other, err := engine.Add(t.Context(), req); err != nil || len(other.Jobs) != 1 {
		t.Errorf("%+v, %v", other, err)
	}
}

func TestAWorkflowOfThePageWaitsForAServerThatTellsItsClasses(t *testing.T) {
	for name, c := range map[string]struct {
		content string
		want    job.JobOutcome
	}{
		"and then runs": {uiWorkflow, job.JobDone},
		"and is refused when they do not do": {
			strings.Replace(uiWorkflow, "EmptyImage", "Magic", 1), job.JobNeedsYou,
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			// given a server that does not tell its classes yet
			srv := knowing{
				played: &played{takes: time.Second}, classes: uiClasses(t),
				asked: new(atomic.Int32), fails: new(atomic.Pointer[job.Error]),
			}
			srv.fails.Store(job.Errorf(job.ErrBusy, job.Args{}, nil))
			engine := startKnowing(t, srv)
			// when a workflow in the page's format is added
			added, err := engine.Add(t.Context(), scheduler.AddRequest{Files: []string{writeFile(t, "walk.json", c.content)}})
			if err != nil || len(added.Jobs) != 1 || !added.Jobs[0].Unconverted {
				t.Fatalf("%s: %+v, %v", name, added, err)
			}
			// then it waits, and says for what
			time.Sleep(2 * time.Minute)
			snap := engine.Snapshot()
			if len(snap.Waiting) != 1 || len(snap.Waiting[0].Holds) != 1 || snap.Waiting[0].Holds[0].Code != job.HoldNotConverted {
				t.Fatalf("%s: waiting %+v", name, snap.Waiting)
			}
			// and once the server tells them
			srv.fails.Store(nil)
			time.Sleep(2 * time.Minute)
			snap = engine.Snapshot()
			ended := slices.Concat(snap.Done, snap.NeedsYou)
			if len(snap.Waiting) != 0 || len(ended) != 1 || ended[0].Job.Outcome != c.want || ended[0].Job.Unconverted == (c.want == job.JobDone) {
				t.Errorf("%s: waiting %+v, ended %+v", name, snap.Waiting, ended)
			}
			if n := srv.asked.Load(); n > 20 {
				t.Errorf("%s: asked %d times", name, n)
			}
		})
	}
}

func TestANodeOfAPaidServiceIsSaidWhenTheFileIsAdded(t *testing.T) {
	// given a server that was asked for its classes, one of which needs an account
	classes := uiClasses(t)
	paid := classes["EmptyImage"]
	paid.Account = true
	classes["EmptyImage"] = paid
	srv := knowing{played: &played{takes: time.Hour}, classes: classes, asked: new(atomic.Int32), fails: new(atomic.Pointer[job.Error])}
	engine := startKnowing(t, srv)
	// when a file with such a node is added
	added, err := engine.Add(t.Context(), scheduler.AddRequest{Files: []string{writeFile(t, "walk.json", uiWorkflow)}})
	// then that is said, and it is a job all the same
	if err != nil || len(added.Jobs) != 1 || len(added.Warned) != 1 || added.Warned[0].Say.Code != job.WarnAccount ||
		added.Warned[0].Say.Args.Class != "EmptyImage" || !added.Warned[0].Loud() {
		t.Errorf("%+v, %v", added, err)
	}
}
