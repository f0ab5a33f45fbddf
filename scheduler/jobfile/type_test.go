package jobfile_test

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"reckoner/scheduler/job"
	"reckoner/scheduler/jobfile"
)

// typed are the files whose graphs the properties of a job type are tried on.
var typed = []string{
	"api/salad_multi_output.json", "api/cx_wan22_i2v_14B.json", "api/flux_pulid_with_attn_mask_api.json",
	"api/loras.json", "api/animatediff.json", "api/cx_wan_camera_i2v.json", "api/cx_sdxl_simple.json",
}

func TestTypeIsTheSameForTheSameWork(t *testing.T) {
	graphs := map[string]job.Graph{}
	for _, name := range typed {
		graphs[name] = read(t, name).Graph
	}
	rapid.Check(t, func(t *rapid.T) {
		// given a job
		name := rapid.SampledFrom(typed).Draw(t, "file")
		g := graphs[name]
		// when its nodes are renamed, shuffled and retitled, its prompts, seeds
		// and file names changed, and a node added that no output needs
		seed := rapid.Int64().Draw(t, "seed")
		other := disguise(g, rand.New(rand.NewSource(seed)), rapid.String().Draw(t, "prompt"))
		// then it is still of the same type
		a, b := jobfile.TypeOf(g), jobfile.TypeOf(other)
		a.Cost.FPS, b.Cost.FPS = 0, 0 // tells a video's length, costs nothing
		if a.Key != b.Key || a.Task != b.Task || a.Cost != b.Cost {
			t.Fatalf("%s: %+v became %+v", name, a, b)
		}
	})
}

// disguise changes everything about a graph that costs nothing.
func disguise(g job.Graph, r *rand.Rand, prompt string) job.Graph {
	names := map[string]string{}
	for i, n := range r.Perm(len(g.Nodes)) {
		names[g.Nodes[i].ID] = fmt.Sprintf("%d:%d", r.Intn(9), n)
	}
	out := job.Graph{Nodes: []job.Node{{ID: "left over", Class: "CLIPLoader"}}}
	for _, i := range r.Perm(len(g.Nodes)) {
		n := g.Nodes[i]
		n.ID, n.Title = names[n.ID], prompt
		inputs := make([]job.Input, 0, len(n.Inputs))
		for _, j := range r.Perm(len(n.Inputs)) {
			inputs = append(inputs, disguiseInput(n.Class, n.Inputs[j], names, r, prompt))
		}
		n.Inputs = inputs
		out.Nodes = append(out.Nodes, n)
	}
	return out
}

func disguiseInput(class string, in job.Input, names map[string]string, r *rand.Rand, prompt string) job.Input {
	quoted, _ := json.Marshal(prompt)
	switch {
	case in.Link != nil:
		in.Link = &job.Link{Node: names[in.Link.Node], Slot: in.Link.Slot}
	case in.Name == "seed" || in.Name == "noise_seed":
		in.Value = json.RawMessage(fmt.Sprint(r.Uint64()))
	case in.Name == "text" || in.Name == "filename_prefix":
		in.Value = quoted
	case class == "LoadImage" && in.Name == "image":
		in.Value = json.RawMessage(`"other.png"`)
	case in.Name == "fps" || in.Name == "frame_rate":
		in.Value = json.RawMessage("12")
	case string(in.Value) == "20":
		in.Value = json.RawMessage("20.0")
	}
	return in
}

func TestTypeChangesWithWhatCostsTime(t *testing.T) {
	const file = "api/cx_wan22_i2v_14B.json"
	before := jobfile.TypeOf(read(t, file).Graph).Key
	for _, c := range []struct{ name, from, to string }{
		{"width", `"width":768`, `"width":640`},
		{"frames", `"length":81`, `"length":161`},
		{"batch", `"batch_size":1`, `"batch_size":2`},
		{"steps", `"steps":20`, `"steps":30`},
		{"sampler", `"sampler_name":"euler"`, `"sampler_name":"heun"`},
		{"scheduler", `"scheduler":"simple"`, `"scheduler":"beta"`},
		{"precision", `"weight_dtype":"default"`, `"weight_dtype":"fp8_e4m3fn"`},
		{"model", `wan2.2_i2v_high_noise_14B_fp8_scaled`, `wan2.2_i2v_high_noise_14B_fp16`},
		{"guidance off", `"cfg":3.5`, `"cfg":1`},
		{"class of a node", `"class_type":"VAEDecode"`, `"class_type":"VAEDecodeTiled"`},
		{"split of the schedule", `"end_at_step":10,`, `"end_at_step":5,`},
	} {
		t.Run(c.name, func(t *testing.T) {
			raw := string(read(t, file).Graph.Raw)
			if !strings.Contains(raw, c.from) {
				t.Fatalf("%s is not in the file", c.from)
			}
			changed := parse(t, strings.Replace(raw, c.from, c.to, 1))
			if jobfile.TypeOf(changed).Key == before {
				t.Errorf("the type stayed although %s became %s", c.from, c.to)
			}
		})
	}
}

func parse(t *testing.T, graph string) job.Graph {
	t.Helper()
	f, err := jobfile.Read(strings.NewReader(graph), "x.json")
	if err != nil {
		t.Fatal(err)
	}
	return f.Graph
}

func TestTypeIgnoresGuidanceThatIsNotOne(t *testing.T) {
	raw := string(read(t, "api/cx_wan22_i2v_14B.json").Graph.Raw)
	other := parse(t, strings.ReplaceAll(raw, `"cfg":3.5`, `"cfg":4.5`))
	if jobfile.TypeOf(parse(t, raw)).Key != jobfile.TypeOf(other).Key {
		t.Error("cfg 3.5 and 4.5 cost the same and are two types")
	}
}

func TestTypeLooksThroughPrimitives(t *testing.T) {
	const (
		direct = `{"1":{"class_type":"EmptyImage","inputs":{"width":640,"height":480}},
			"9":{"class_type":"SaveImage","inputs":{"images":["1",0]}}}`
		linked = `{"1":{"class_type":"EmptyImage","inputs":{"width":["2",0],"height":480}},
			"2":{"class_type":"PrimitiveInt","inputs":{"value":640}},
			"9":{"class_type":"SaveImage","inputs":{"images":["1",0]}}}`
	)
	a, b := jobfile.TypeOf(parse(t, direct)), jobfile.TypeOf(parse(t, linked))
	if a.Key != b.Key || b.Cost.Width != 640 || b.Partial {
		t.Errorf("a width in a primitive gives %+v, want %+v", b, a)
	}
	c := jobfile.TypeOf(parse(t, strings.Replace(linked, "640", "512", 1)))
	if c.Key == b.Key {
		t.Error("another width in the primitive gives the same type")
	}
}

func TestTypeTellsOneSharedNodeFromTwo(t *testing.T) {
	// Two samplers that differ only in their seeds are twice the work of one.
	const shared = `{"1":{"class_type":"KSampler","inputs":{"seed":1,"steps":4}},
		"8":{"class_type":"SaveImage","inputs":{"images":["1",0]}},
		"9":{"class_type":"SaveImage","inputs":{"images":["1",0]}}}`
	const two = `{"1":{"class_type":"KSampler","inputs":{"seed":1,"steps":4}},
		"2":{"class_type":"KSampler","inputs":{"seed":2,"steps":4}},
		"8":{"class_type":"SaveImage","inputs":{"images":["1",0]}},
		"9":{"class_type":"SaveImage","inputs":{"images":["2",0]}}}`
	if jobfile.TypeOf(parse(t, shared)).Key == jobfile.TypeOf(parse(t, two)).Key {
		t.Error("one sampler for two results and two samplers are the same type")
	}
}

func TestTypeOfAStepCountThatCannotBeReadIsPartial(t *testing.T) {
	const graph = `{"1":{"class_type":"KSampler","inputs":{"steps":["2",0],"latent_image":["3",0]}},
		"2":{"class_type":"SomeMath","inputs":{"a":1}},
		"3":{"class_type":"EmptyLatentImage","inputs":{"width":512,"height":512,"batch_size":1}},
		"9":{"class_type":"SaveImage","inputs":{"images":["1",0]}}}`
	got := jobfile.TypeOf(parse(t, graph))
	if !got.Partial || got.Cost.Steps != 0 || got.Cost.Width != 512 {
		t.Errorf("type %+v, want partial with unknown steps", got)
	}
}

func TestTypeOfSplitSigmas(t *testing.T) {
	const graph = `{"1":{"class_type":"SamplerCustom","inputs":{"sigmas":["2",%d]}},
		"2":{"class_type":"SplitSigmas","inputs":{"step":6,"sigmas":["3",0]}},
		"3":{"class_type":"BasicScheduler","inputs":{"steps":20}},
		"9":{"class_type":"SaveImage","inputs":{"images":["1",0]}}}`
	for slot, want := range []int{6, 14} {
		if got := jobfile.TypeOf(parse(t, fmt.Sprintf(graph, slot))).Cost.Steps; got != want {
			t.Errorf("half %d of 20 steps split at 6 has %d, want %d", slot, got, want)
		}
	}
}

func TestTypeOfNothingHasNoKey(t *testing.T) {
	circle := job.Graph{Nodes: []job.Node{{
		ID: "1", Class: "SaveImage", Inputs: []job.Input{{Name: "images", Link: &job.Link{Node: "1"}}},
	}}}
	for name, g := range map[string]job.Graph{"no nodes": {}, "a circle": circle} {
		if got := jobfile.TypeOf(g).Key; got != "" {
			t.Errorf("%s: key %q, want none", name, got)
		}
	}
}
