package jobfile

import (
	"encoding/json"
	"testing"

	"reckoner/scheduler/job"
)

func raw(s string) []byte { return []byte(s) }

func TestAChangeLeavesEverythingElseAsItWas(t *testing.T) {
	graph := raw(`{"3":{"inputs":{"seed":18446744073709551615,"cfg":7.50,"image":["1",0]},"class_type":"K"},` +
		`"1":{"class_type":"LoadImage","inputs":{"image":"a.png"}}}`)
	got := ChangeGraph(graph, []Change{
		{Node: "1", Input: "image", New: raw(`"b.png"`)}, {Node: "3", Input: "image", New: raw(`"never"`)},
	})
	want := `{"3":{"inputs":{"seed":18446744073709551615,"cfg":7.50,"image":["1",0]},"class_type":"K"},` +
		`"1":{"class_type":"LoadImage","inputs":{"image":"b.png"}}}`
	if string(got) != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestThePagesWorkflowShowsTheSameChange(t *testing.T) {
	page := Workflow(`{"id":"x","nodes":[{"id":1,"type":"LoadImage","widgets_values":["a.png","image"]},` +
		`{"id":2,"type":"LoadImage","widgets_values":["a.png","image"]}],"links":[]}`)
	got := ChangeWorkflow(page, []Change{{Node: "1", Input: "image", Old: raw(`"a.png"`), New: raw(`"b.png"`)}})
	want := `{"id":"x","nodes":[{"id":1,"type":"LoadImage","widgets_values":["b.png","image"]},` +
		`{"id":2,"type":"LoadImage","widgets_values":["a.png","image"]}],"links":[]}`
	if string(got) != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestSeedsAreDrawnAnewAndEqualOnesStayEqual(t *testing.T) {
	graph, _, err := parseGraph(raw(`{"1":{"class_type":"KSampler","inputs":{"seed":7,"steps":7}},
		"2":{"class_type":"KSamplerAdvanced","inputs":{"noise_seed":7}},
		"3":{"class_type":"RandomNoise","inputs":{"noise_seed":["4",0]}},
		"4":{"class_type":"PrimitiveInt","inputs":{"value":9}}, "5":{"class_type":"PrimitiveInt","inputs":{"value":9}}}`))
	if err != nil {
		t.Fatal(err)
	}
	n := uint64(100)
	changes := Reseed(graph, func() uint64 { n++; return n })
	got := map[string]string{}
	for _, c := range changes {
		got[c.Node+"."+c.Input] = string(c.New)
	}
	want := map[string]string{"1.seed": "101", "2.noise_seed": "101", "4.value": "102"}
	if len(got) != len(want) {
		t.Errorf("%v, want %v", got, want)
	}
	for k, v := range want {
		if got[k] != v {
			t.Errorf("%s: %s, want %s", k, got[k], v)
		}
	}
}

func TestTheFilesThatAWorkflowReads(t *testing.T) {
	page := File{Workflow: Workflow(`{"nodes":[{"id":1,"type":"LoadImage","title":"Start","widgets_values":["a.png","image"]},
		{"id":2,"type":"LoadImage","mode":4,"widgets_values":["b.png","image"]},
		{"id":3,"type":"VHS_LoadVideo","widgets_values":{"video":"c.mp4","frame_load_cap":0}}],"links":[]}`)}
	reads := page.Reads()
	if len(reads) != 2 || reads[0].File != "a.png" || reads[0].Title != "Start" || reads[0].Takes != MediaImage ||
		reads[1].File != "c.mp4" || reads[1].Takes != MediaVideo {
		t.Errorf("%+v", reads)
	}
	graph, _, _ := parseGraph(raw(`{"1":{"class_type":"MyLoader","inputs":{"clip":"d.mov"}},
		"2":{"class_type":"SaveImage","inputs":{"images":["1",0]}}}`))
	f := File{Graph: graph, Facts: FactsOf(graph)}
	addUploads(graph, job.Classes{"MyLoader": {Inputs: []job.ClassInput{{Name: "clip", Upload: "video"}}}}, &f.Facts)
	if reads := f.Reads(); len(reads) != 1 || reads[0].File != "d.mov" || reads[0].Takes != MediaVideo {
		t.Errorf("%+v", reads)
	}
}

// FuzzChange changes values and seeds in graphs and workflows of any kind. JSON
// stays JSON, and what was not changed stays.
func FuzzChange(f *testing.F) {
	f.Add([]byte(`{"1":{"class_type":"K","inputs":{"seed":7,"image":"a.png"}}}`), "1", "image", "b.png")
	f.Add([]byte(`{"nodes":[{"id":1,"widgets_values":["a.png",{"x":[1]}]}],"links":[]}`), "1", "image", "a\"b")
	f.Add([]byte(`{"2":{"class_type":"S","inputs":{"noise_seed":["3",0]}},"3":{"class_type":"Int","inputs":{"value":-1e999}}}`),
		"3", "value", "")
	f.Add([]byte("0"), "", "", "")
	f.Fuzz(func(t *testing.T, data []byte, node, input, value string) {
		quoted, err := json.Marshal(value)
		if err != nil || !json.Valid(data) {
			return
		}
		changes := []Change{{Node: node, Input: input, Old: raw(`"a.png"`), New: quoted}}
		if out := ChangeGraph(data, changes); !json.Valid(out) {
			t.Fatalf("a graph became %q", out)
		}
		if out := ChangeWorkflow(data, changes); !json.Valid(out) {
			t.Fatalf("a workflow became %q", out)
		}
		if seed := Seed(data); seed != "" && !json.Valid(raw(seed)) {
			t.Fatalf("the seed %q is no number", seed)
		}
		g, _, jerr := parseGraph(data)
		if jerr != nil {
			return
		}
		n := uint64(0)
		if out := ChangeGraph(g.Raw, Reseed(g, func() uint64 { n++; return n })); !json.Valid(out) {
			t.Fatalf("with other seeds it is %q", out)
		}
	})
}
