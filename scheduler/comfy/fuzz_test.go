package comfy

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"reckoner/scheduler/job"
)

// seeds gives a fuzz test what real servers said.
func seeds(f *testing.F, add func(traceLine)) {
	f.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "traces", "*", "*.jsonl"))
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			f.Fatal(err)
		}
		scan := bufio.NewScanner(file)
		scan.Buffer(nil, 1<<20)
		for scan.Scan() {
			var l traceLine
			if err := json.Unmarshal(scan.Bytes(), &l); err != nil {
				f.Fatal(err)
			}
			add(l)
		}
		_ = file.Close()
	}
}

func FuzzMessage(f *testing.F) {
	seeds(f, func(l traceLine) {
		if l.Kind == "ws" {
			f.Add([]byte(l.Msg))
		}
	})
	f.Add([]byte(`{"type":"progress","data":{"value":NaN,"max":-1e999}}`))
	f.Fuzz(func(t *testing.T, frame []byte) {
		l := newListener()
		for range 2 { // the second time with what the first left behind
			n, ok := l.hear(frame)
			if ok && (n.Kind == "" || len(n.PromptID) > maxID || n.Count < 0) {
				t.Errorf("%+v", n)
			}
		}
	})
}

func FuzzFrame(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x01\x00\x00\x00\x02png"))
	f.Add([]byte("\x00\x00\x00\x04\x00\x00\x00\x02{}png"))
	f.Add([]byte("\x00\x00\x00\x04\xff\xff\xff\xff{}png"))
	f.Fuzz(func(t *testing.T, frame []byte) {
		n, ok := newListener().see(frame)
		if ok && (n.Kind != job.NewsPreview || len(n.Image) == 0 || !bytes.HasSuffix(frame, n.Image)) {
			t.Errorf("%+v", n)
		}
	})
}

func FuzzQueue(f *testing.F) {
	seeds(f, func(l traceLine) {
		if l.Path == "/queue" && l.Method == http.MethodGet {
			f.Add([]byte(l.Reply))
		}
	})
	f.Fuzz(func(t *testing.T, raw []byte) {
		q, code := decodeQueue(plainJSON(raw))
		if code != "" {
			return
		}
		for i, p := range q.Pending {
			if p.ID == "" || i > 0 && q.Pending[i-1].Number > p.Number {
				t.Errorf("%+v", q.Pending)
			}
		}
	})
}

func FuzzRecord(f *testing.F) {
	seeds(f, func(l traceLine) {
		entries, _ := fields(l.Reply)
		for _, e := range entries {
			f.Add([]byte(e.value))
		}
	})
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, ok := decodeRecord("p", plainJSON(raw))
		if ok && (r.Outcome == job.RunFailed) != (r.Err != nil) {
			t.Errorf("%+v", r)
		}
		if r.Err != nil && (len(r.Err.Args.Detail) > 2100 || !utf8.ValidString(r.Err.Args.Detail)) {
			t.Errorf("detail of %d bytes", len(r.Err.Args.Detail))
		}
	})
}

func FuzzRefusal(f *testing.F) {
	seeds(f, func(l traceLine) {
		if l.Status == 400 {
			f.Add([]byte(l.Reply))
		}
	})
	f.Fuzz(func(t *testing.T, raw []byte) {
		e, ok := decodeRefusal(plainJSON(raw), job.Graph{})
		if !ok {
			return
		}
		if e.Code != job.ErrMissingNode && (e.Code != job.ErrRefused || len(e.Faults) == 0 || len(e.Faults) > maxFaults) {
			t.Errorf("%+v", e)
		}
		for _, fault := range e.Faults {
			if len(fault.Allowed) > maxAllowed || len(fault.Value) > 300 {
				t.Errorf("%+v", fault)
			}
		}
	})
}

func FuzzStats(f *testing.F) {
	seeds(f, func(l traceLine) {
		if l.Path == "/system_stats" {
			f.Add([]byte(l.Reply))
		}
	})
	f.Fuzz(func(t *testing.T, raw []byte) {
		info, code := decodeStats(plainJSON(raw))
		if code == "" && (len(info.Devices) > maxDevices || info.RAMTotal.Or(0) < 0) {
			t.Errorf("%+v", info)
		}
	})
}

func FuzzPlainJSON(f *testing.F) {
	f.Add([]byte(`{"a":[NaN,"NaN \" Infinity",-Infinity]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if json.Valid(raw) && !bytes.Equal(plainJSON(raw), raw) {
			t.Errorf("%q was JSON already, and became %q", raw, plainJSON(raw))
		}
	})
}

func FuzzReceipt(f *testing.F) {
	seeds(f, func(l traceLine) {
		if l.Path == "/prompt" && l.Method == http.MethodPost {
			f.Add([]byte(l.Reply))
		}
	})
	f.Add([]byte(`{"prompt_id":"a","number":-1e400,"node_errors":{"1":{"errors":[NaN]}}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, ok := decodeReceipt(plainJSON(raw), job.Graph{})
		if ok && (r.PromptID == "" || len(r.Faults) > maxFaults) {
			t.Errorf("%+v", r)
		}
	})
}

func FuzzOutputs(f *testing.F) {
	seeds(f, func(l traceLine) {
		entries, _ := fields(l.Reply)
		for _, e := range entries {
			if o, ok := asObject(e.value); ok && o["outputs"] != nil {
				f.Add([]byte(o["outputs"]))
			}
		}
	})
	f.Add([]byte(`{"5":{"gifs":[{"filename":"a.mp4","format":"video/h264-mp4"}],"text":[""],"x":[[{"filename":"a.mp4"}]]}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		refs, others := decodeOutputs(plainJSON(raw))
		seen := map[job.OutputRef]bool{}
		for _, r := range refs {
			r.Node, r.Kind = "", ""
			if r.Filename == "" || r.Type == "" || seen[r] {
				t.Errorf("%+v", refs)
			}
			seen[r] = true
		}
		if others < 0 || len(refs) > maxOutputs {
			t.Errorf("%d files, %d others", len(refs), others)
		}
	})
}
