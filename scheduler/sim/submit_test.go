package sim

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"reckoner/scheduler/job"
)

// FuzzSubmit feeds prompts to everything that looks into one before it runs:
// whatever is sent, the server must answer, and what it accepts must have a
// plan and a length.
func FuzzSubmit(f *testing.F) {
	files, err := filepath.Glob("testdata/workflows/*.json")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(`{"prompt": ` + string(b) + `, "client_id": null}`))
	}
	for _, s := range []string{
		`{"prompt": {"1": {"class_type": "SaveImage", "inputs": {"images": ["2", 1e300]}},
			"2": {"class_type": "EmptyImage"}}}`,
		`{"prompt": {"1": {"class_type": "EmptyImage", "inputs": {"width": 1e999, "height": [1],
			"batch_size": {"__value__": []}}}}}`,
		`{"prompt": {"1": {"class_type": "PreviewImage", "inputs": {"images": ["1", 0]}}}, "number": 1e999, "front": []}`,
		`{"prompt": {"1": {"class_type": 3, "inputs": 4}}, "partial_execution_targets": 5}`, `{"prompt": []}`, `{}`,
	} {
		f.Add([]byte(s))
	}
	w, err := Open(oneServer(func(s *ServerSpec) { s.Uploads = []string{"start.png"} }), Options{Clock: job.NewClock(1)})
	if err != nil {
		f.Fatal(err)
	}
	s := w.Server("s")
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := decode(b)
		body, ok := v.(*object)
		if err != nil || !ok {
			return
		}
		p := newProcess(s)
		status, reply := p.submit(body)
		if reply != nil && status == 200 && len(p.waiting) != 1 {
			t.Fatal("taken, but not in the queue")
		}
		for _, it := range p.waiting {
			r := p.newRun(it)
			if !r.begin() {
				return
			}
			plan := newPlan(r.g, it.outputs, func(string) bool { return false })
			for id := plan.next(); id != ""; id = plan.next() {
				if d := r.work.task(r.g, id, r.remember).d; d < 0 {
					t.Errorf("node %s takes %v", id, d)
				}
			}
			r.work.estimate(r.g, 1)
		}
	})
}

// A node without inputs, connected to nothing, kills the real server's worker.
func TestNodeWithoutInputsKillsTheWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, oneServer(nil), Options{})
		defer r.stop()
		id := r.submit("s", strings.Replace(slow(1, 1, 1), `{`, `{"9": {"class_type": "EmptyImage"}, `, 1), "")
		r.wait(600)
		r.do("s", "POST", "/interrupt", "")
		r.wait(600)
		if last, _ := r.ended("s", id); last != "" || !strings.Contains(r.get("s", "/queue").body, id) {
			t.Errorf("record %q, queue %s; want it running for ever", last, r.get("s", "/queue").body)
		}
	})
}

func TestOutOfMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, oneServer(func(s *ServerSpec) { s.Faults.OutOfMemory = []string{"SlowSampler"} }), Options{})
		defer r.stop()
		id := r.submit("s", slow(2, 2, 1), "")
		r.wait(3)
		last, record := r.ended("s", id)
		if last != "execution_error" || !strings.Contains(string(encode(record)), "CUDA out of memory") {
			t.Errorf("last message %q", last)
		}
	})
}
