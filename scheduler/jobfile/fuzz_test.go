package jobfile_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"reckoner/scheduler/job"
	"reckoner/scheduler/jobfile"
)

// FuzzRead feeds anything to Read. What it takes must be sound: valid JSON to
// send, nodes with classes and inputs, the same when read again. What it refuses
// must have a code.
func FuzzRead(f *testing.F) {
	seedWithTestdata(f)
	f.Add([]byte(`[1,"id",{"9":{"class_type":"SaveImage","inputs":{}}},{"extra_pnginfo":{"workflow":{}}},[]]`))
	f.Add([]byte("\xff\xfe{\x00}\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := jobfile.Read(bytes.NewReader(data), "fuzz")
		if err != nil {
			if e, ok := errors.AsType[*job.Error](err); !ok || e.Code == "" || e.Args.File != "fuzz" {
				t.Fatalf("error %#v without code or file", err)
			}
			return
		}
		if file.NeedsClasses() {
			if !json.Valid(file.Workflow) || len(file.Graph.Raw) > 0 {
				t.Fatalf("neither a job nor a workflow: %+v", file)
			}
			return
		}
		if !json.Valid(file.Graph.Raw) {
			t.Fatalf("would send what is no JSON: %q", file.Graph.Raw)
		}
		if len(file.Graph.Nodes) == 0 || file.Type.Key == "" {
			t.Fatalf("a job without nodes or type: %+v", file)
		}
		again, err := jobfile.Read(bytes.NewReader(file.Graph.Raw), "again")
		if err != nil {
			t.Fatalf("what would be sent is refused: %v", err)
		}
		if !bytes.Equal(again.Graph.Raw, file.Graph.Raw) || again.Type.Key != file.Type.Key {
			t.Fatalf("read again it is another job:\n%s\n%s", file.Graph.Raw, again.Graph.Raw)
		}
	})
}

// FuzzTypeOf builds graphs of any shape, circles and links to nowhere among
// them, and asks for their type twice.
func FuzzTypeOf(f *testing.F) {
	f.Add([]byte{3, 0, 1, 1, 2, 2, 0})
	f.Add([]byte{2, 0, 1, 1, 0})
	f.Add([]byte{})
	classes := []string{"SaveImage", "KSampler", "PrimitiveInt", "SplitSigmas", "LoadImage", "SamplerCustom"}
	names := []string{"images", "steps", "sigmas", "width", "seed", "value"}
	f.Fuzz(func(t *testing.T, data []byte) {
		var g job.Graph
		for i, b := range data {
			if i%2 == 0 {
				g.Nodes = append(g.Nodes, job.Node{ID: string(rune('a' + i/2)), Class: classes[int(b)%len(classes)]})
				continue
			}
			n := &g.Nodes[len(g.Nodes)-1]
			for bit := range 3 {
				name := names[(int(b)+bit)%len(names)]
				to := string(rune('a' + (int(b)>>bit)%12))
				n.Inputs = append(n.Inputs, job.Input{Name: name, Link: &job.Link{Node: to, Slot: bit}})
			}
		}
		if a, b := jobfile.TypeOf(g), jobfile.TypeOf(g); a.Key != b.Key || a.Cost != b.Cost {
			t.Fatalf("two types of one graph: %+v, %+v", a, b)
		}
	})
}

func seedWithTestdata(f *testing.F) {
	err := filepath.WalkDir("testdata", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Base(filepath.Dir(path)) == "testdata" {
			return err
		}
		data, err := os.ReadFile(path)
		f.Add(data)
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
}

// FuzzReadClasses feeds anything to the reader of node classes. What it takes
// has names, types, and defaults that are JSON.
func FuzzReadClasses(f *testing.F) {
	f.Add(open(f, "object_info.json"))
	f.Add([]byte(`{"A":{"input":{"required":{"x":["FLOAT",{"default":NaN,"max":-Infinity}]},"optional":null}}}`))
	f.Add([]byte(`{"A":{"input":{"required":{"x":["COMFY_DYNAMICCOMBO_V3",{"options":[{"key":"k","inputs":{}}]}]}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		classes, err := jobfile.ReadClasses(bytes.NewReader(data), "fuzz")
		if err != nil {
			if job.CodeOf(err) == "" {
				t.Fatalf("error %v without code", err)
			}
			return
		}
		for name, class := range classes {
			for _, in := range class.Inputs {
				if in.Default != nil && !json.Valid(in.Default) {
					t.Fatalf("%s.%s has the default %q", name, in.Name, in.Default)
				}
			}
		}
	})
}
