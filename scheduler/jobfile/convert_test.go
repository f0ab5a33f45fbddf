package jobfile_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"reckoner/scheduler/job"
	"reckoner/scheduler/jobfile"
)

func classes(t testing.TB) job.Classes {
	t.Helper()
	c, err := jobfile.ReadClasses(bytes.NewReader(open(t, "object_info.json")), "object_info.json")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestConvertNamesNodesInsideSubgraphs(t *testing.T) {
	// given a subgraph in a subgraph
	const inner = `{"id":"sg-2","inputs":[{"name":"IN","type":"IMAGE","linkIds":[1]}],
		"outputs":[{"name":"OUT","type":"IMAGE","linkIds":[2]}],
		"nodes":[{"id":6,"type":"ImageScaleBy","inputs":[{"name":"image","type":"IMAGE","link":1}],
			"outputs":[{"type":"IMAGE"}],"widgets_values":["nearest-exact",2]}],
		"links":[{"id":1,"origin_id":-10,"origin_slot":0,"target_id":6,"target_slot":0,"type":"IMAGE"},
			{"id":2,"origin_id":6,"origin_slot":0,"target_id":-20,"target_slot":0,"type":"IMAGE"}]}`
	const outer = `{"id":"sg-1","inputs":[{"name":"IN","type":"IMAGE","linkIds":[1]}],
		"outputs":[{"name":"OUT","type":"IMAGE","linkIds":[3]}],
		"nodes":[{"id":3,"type":"ImageInvert","inputs":[{"name":"image","type":"IMAGE","link":1}],"outputs":[{"type":"IMAGE"}]},
			{"id":5,"type":"sg-2","inputs":[{"name":"IN","type":"IMAGE","link":2}],"outputs":[{"type":"IMAGE"}]}],
		"links":[{"id":1,"origin_id":-10,"origin_slot":0,"target_id":3,"target_slot":0,"type":"IMAGE"},
			{"id":2,"origin_id":3,"origin_slot":0,"target_id":5,"target_slot":0,"type":"IMAGE"},
			{"id":3,"origin_id":5,"origin_slot":0,"target_id":-20,"target_slot":0,"type":"IMAGE"}]}`
	ui := `{"nodes":[{"id":1,"type":"EmptyImage","outputs":[{"type":"IMAGE"}],"widgets_values":[64,64,1,0]},
		{"id":10,"type":"sg-1","inputs":[{"name":"IN","type":"IMAGE","link":1}],"outputs":[{"type":"IMAGE"}],"mode":%d},
		{"id":11,"type":"SaveImage","inputs":[{"name":"images","type":"IMAGE","link":2}],"widgets_values":["x"]}],
		"links":[[1,1,0,10,0,"IMAGE"],[2,10,0,11,0,"IMAGE"]],"definitions":{"subgraphs":[` + outer + `,` + inner + `]}}`
	// when it is converted, as it is, bypassed and muted
	for mode, want := range map[int]string{
		0: "1 10:3(1) 10:5:6(10:3) 11(10:5:6)",
		4: "1 11(1)",
		2: "1 11",
	} {
		g, _, err := jobfile.Convert(jobfile.Workflow(fmt.Sprintf(ui, mode)), sceneClasses)
		// then the nodes inside have their path for a name
		if got := drawn(g); err != nil || got != want {
			t.Errorf("mode %d: %q, %v; want %q", mode, got, err, want)
		}
	}
}

// sceneClasses are the classes of small scenes.
var sceneClasses = job.Classes{
	"EmptyImage": {Outputs: []string{"IMAGE"}, Inputs: []job.ClassInput{
		{Name: "width", Type: "INT", Min: "1", Max: "16384"},
		{Name: "height", Type: "INT", Min: "1", Max: "16384"},
		{Name: "batch_size", Type: "INT", Min: "1", Max: "4096"},
		{Name: "color", Type: "INT"},
	}},
	"ImageInvert": {Outputs: []string{"IMAGE"}, Inputs: []job.ClassInput{{Name: "image", Type: "IMAGE"}}},
	"ImageScaleBy": {Outputs: []string{"IMAGE"}, Inputs: []job.ClassInput{
		{Name: "image", Type: "IMAGE"},
		{Name: "upscale_method", Type: "COMBO", Choices: []string{"nearest-exact", "area"}},
		{Name: "scale_by", Type: "FLOAT", Min: "0.01", Max: "8.0"},
	}},
	"Sampler": {Outputs: []string{"IMAGE"}, Inputs: []job.ClassInput{
		{Name: "seed", Type: "INT", Min: "0", Max: "18446744073709551615"},
		{Name: "steps", Type: "INT", Min: "1", Max: "10000"},
		{Name: "sampler", Type: "COMBO", Choices: []string{"euler", "heun"}},
		{Name: "model", Type: "COMBO"},
		{Name: "sizes", Type: "SIZES", Optional: true},
	}},
	"SaveImage": {IsOutput: true, Inputs: []job.ClassInput{{Name: "images", Type: "IMAGE"}, {Name: "filename_prefix", Type: "STRING"}}},
}

// drawn writes a graph's nodes with what they are linked to.
func drawn(g job.Graph) string {
	var all []string
	for _, n := range g.Nodes {
		text := n.ID
		for _, in := range n.Inputs {
			if in.Link != nil {
				text += "(" + in.Link.Node + ")"
			}
		}
		all = append(all, text)
	}
	return strings.Join(all, " ")
}

// scene is a sampler with these values whose picture is saved.
func scene(sampler string) jobfile.Workflow {
	return jobfile.Workflow(`{"nodes":[{"id":1,"type":"Sampler","outputs":[{"type":"IMAGE"}],` + sampler + `},
		{"id":2,"type":"SaveImage","inputs":[{"name":"images","type":"IMAGE","link":1}],"widgets_values":["x"]}],
		"links":[[1,1,0,2,0,"IMAGE"]]}`)
}

func TestConvertFindsTheValuesInTheirList(t *testing.T) {
	const want = `{"seed":18446744073709551615,"steps":20,"sampler":"euler","model":"a.safetensors"}`
	for name, sampler := range map[string]string{
		"with what becomes of the seed":   `"widgets_values":[18446744073709551615,"randomize",20,"euler","a.safetensors"]`,
		"without":                         `"widgets_values":[18446744073709551615,20,"euler","a.safetensors"]`,
		"as the oldest pages wrote it":    `"widgets_values":[18446744073709551615,true,20,"euler","a.safetensors"]`,
		"with what a preview left behind": `"widgets_values":[18446744073709551615,"fixed",20,"euler","a.safetensors",null,""]`,
		"as an object": `"widgets_values":{"seed":18446744073709551615,"steps":20,"sampler":"euler",
			"model":"a.safetensors","videopreview":{"hidden":false}}`,
		"by name beside the list": `"widgets_values":[18446744073709551615,"fixed",20,"euler","a.safetensors"],
			"widgets_values_named":{"seed":18446744073709551615,"steps":20,"sampler":"euler","model":"a.safetensors"}`,
		"in an order that the sockets name, before an input was added": `"inputs":[
			{"name":"seed","type":"INT","widget":{"name":"seed"},"link":null},
			{"name":"steps","type":"INT","widget":{"name":"steps"},"link":null},
			{"name":"sampler","type":"COMBO","widget":{"name":"sampler"},"link":null},
			{"name":"model","type":"COMBO","widget":{"name":"model"},"link":null}],
			"widgets_values":[18446744073709551615,"fixed",20,"euler","a.safetensors"]`,
	} {
		t.Run(name, func(t *testing.T) {
			g, said, err := jobfile.Convert(scene(sampler), sceneClasses)
			if err != nil || len(said) > 0 {
				t.Fatalf("%v, %+v", err, said)
			}
			if raw := string(g.Raw); !strings.Contains(raw, `"inputs":`+want) {
				t.Errorf("would send %s, want inputs %s", raw, want)
			}
		})
	}
}

func TestConvertRefusesWhatItCannotReadExactly(t *testing.T) {
	node := func(class, rest string) jobfile.Workflow {
		return jobfile.Workflow(`{"nodes":[{"id":7,"type":"` + class + `"` + rest + `},
			{"id":2,"type":"SaveImage","inputs":[{"name":"images","type":"IMAGE","link":1}],"widgets_values":["x"]}],
			"links":[[1,7,0,2,0,"IMAGE"]]}`)
	}
	for name, c := range map[string]struct {
		ui   jobfile.Workflow
		want job.Say
	}{
		"values one place on": {
			scene(`"widgets_values":["fixed",5,20,"euler","a"]`),
			job.Say{Code: job.ErrShifted, Args: job.Args{
				Node: "1", Class: "Sampler", Input: "seed", Value: "fixed", Count: 5, Of: 4,
			}},
		},
		"a seed where the steps are": {
			scene(`"widgets_values":[5,156680208700286,"euler","a"]`),
			job.Say{Code: job.ErrShifted, Args: job.Args{
				Node: "1", Class: "Sampler", Input: "steps", Value: "156680208700286", Count: 4, Of: 4,
			}},
		},
		"a choice that the server does not have": {
			scene(`"widgets_values":[5,20,"simple","a"]`),
			job.Say{Code: job.ErrShifted, Args: job.Args{
				Node: "1", Class: "Sampler", Input: "sampler", Value: "simple", Count: 4, Of: 4,
			}},
		},
		"more values than inputs": {
			scene(`"widgets_values":[5,20,"euler","a","b"]`),
			job.Say{Code: job.ErrShifted, Args: job.Args{Node: "1", Class: "Sampler", Count: 5, Of: 4}},
		},
		"a class that the server does not have": {
			node("Magic", `,"properties":{"aux_id":"someone/magic"}`),
			job.Say{Code: job.ErrUnknownClass, Args: job.Args{
				Node: "7", Class: "Magic", Value: "someone/magic", Allowed: []string{"Magic"}, Count: 1,
			}},
		},
		"a node whose script changes others": {
			node("Anything Everywhere3", ""),
			job.Say{Code: job.ErrPageOnly, Args: job.Args{Node: "7", Class: "Anything Everywhere3"}},
		},
		"a Get node without its Set node": {
			node("GetNode", `,"widgets_values":["vae"]`),
			job.Say{Code: job.ErrNoCounterpart, Args: job.Args{Node: "7", Class: "GetNode", Value: "vae"}},
		},
		"a reroute that feeds itself": {
			jobfile.Workflow(`{"nodes":[{"id":7,"type":"Reroute","inputs":[{"name":"","type":"*","link":2}]},
				{"id":2,"type":"SaveImage","inputs":[{"name":"images","type":"IMAGE","link":1}],"widgets_values":["x"]}],
				"links":[[1,7,0,2,0,"IMAGE"],[2,7,0,7,0,"*"]]}`),
			job.Say{Code: job.ErrBadLinks, Args: job.Args{Node: "7", Class: "Reroute"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := jobfile.Convert(c.ui, sceneClasses)
			e, ok := errors.AsType[*job.Error](err)
			if !ok || !reflect.DeepEqual(e.Say, c.want) {
				t.Errorf("got %+v, want %+v", err, c.want)
			}
		})
	}
}

func TestConvertFollowsLinksThroughThePagesOwnNodes(t *testing.T) {
	const ends = `{"id":1,"type":"EmptyImage","outputs":[{"type":"IMAGE"}],"widgets_values":[64,64,1,0]},
		{"id":9,"type":"SaveImage","inputs":[{"name":"images","type":"IMAGE","link":9}],"widgets_values":["x"]}`
	for name, c := range map[string]struct{ nodes, links, want string }{
		"reroutes": {
			`{"id":2,"type":"Reroute","inputs":[{"name":"","type":"*","link":1}]},
			{"id":3,"type":"Reroute","inputs":[{"name":"","type":"*","link":2}]}`,
			`[1,1,0,2,0,"*"],[2,2,0,3,0,"*"],[9,3,0,9,0,"*"]`, "1 9(1)",
		},
		"a Set node and its Get node": {
			`{"id":2,"type":"SetNode","inputs":[{"name":"IMAGE","type":"IMAGE","link":1}],"widgets_values":["pic"]},
			{"id":3,"type":"GetNode","outputs":[{"type":"IMAGE"}],"widgets_values":["pic"]}`,
			`[1,1,0,2,0,"IMAGE"],[9,3,0,9,0,"IMAGE"]`, "1 9(1)",
		},
		"a bypassed node": {
			`{"id":2,"type":"ImageInvert","mode":4,"inputs":[{"name":"image","type":"IMAGE","link":1}],"outputs":[{"type":"IMAGE"}]}`,
			`[1,1,0,2,0,"IMAGE"],[9,2,0,9,0,"IMAGE"]`, "1 9(1)",
		},
		"a bypassed node whose inputs fit in another place": {
			`{"id":2,"type":"X","mode":4,"inputs":[{"name":"m","type":"MODEL","link":null},
				{"name":"image","type":"IMAGE","link":1}],"outputs":[{"type":"IMAGE"}]}`,
			`[1,1,0,2,1,"IMAGE"],[9,2,0,9,0,"IMAGE"]`, "1 9(1)",
		},
		"a bypassed node that has nothing to hand on": {
			`{"id":2,"type":"X","mode":4,"inputs":[{"name":"m","type":"MODEL","link":null}],"outputs":[{"type":"IMAGE"}]}`,
			`[9,2,0,9,0,"IMAGE"]`, "1 9",
		},
		"a muted node": {
			`{"id":2,"type":"ImageInvert","mode":2,"inputs":[{"name":"image","type":"IMAGE","link":1}],"outputs":[{"type":"IMAGE"}]}`,
			`[1,1,0,2,0,"IMAGE"],[9,2,0,9,0,"IMAGE"]`, "1 9",
		},
		"links as objects, ids as texts": {
			`{"id":"2","type":"ImageInvert","inputs":[{"name":"image","type":"IMAGE","link":1}],"outputs":[{"type":"IMAGE"}]}`,
			`{"id":1,"origin_id":1,"origin_slot":0,"target_id":"2","target_slot":0,"type":"IMAGE"},
			{"id":9,"origin_id":"2","origin_slot":0,"target_id":9,"target_slot":0,"type":"IMAGE"}`, "1 9(2) 2(1)",
		},
		"a link of which only the id is left": {
			`{"id":2,"type":"Note","widgets_values":["hello"]}`, `[1,2,0,1,0,"*"]`, "1 9",
		},
	} {
		t.Run(name, func(t *testing.T) {
			ui := `{"nodes":[` + ends + `,` + c.nodes + `],"links":[` + c.links + `]}`
			g, _, err := jobfile.Convert(jobfile.Workflow(ui), sceneClasses)
			if got := drawn(g); err != nil || got != c.want {
				t.Errorf("%q, %v; want %q", got, err, c.want)
			}
		})
	}
}

func TestConvertLetsOuterValuesOfASubgraphWin(t *testing.T) {
	const definition = `{"id":"sg","inputs":[{"name":"steps","type":"INT","linkIds":[1]}],
		"outputs":[{"name":"OUT","type":"IMAGE","linkIds":[2]}],
		"nodes":[{"id":6,"type":"Sampler","inputs":[{"name":"steps","type":"INT","widget":{"name":"steps"},"link":1}],
			"outputs":[{"type":"IMAGE"}],"widgets_values":[5,"fixed",20,"euler","a"]}],
		"links":[{"id":1,"origin_id":-10,"origin_slot":0,"target_id":6,"target_slot":0,"type":"INT"},
			{"id":2,"origin_id":6,"origin_slot":0,"target_id":-20,"target_slot":0,"type":"IMAGE"}]}`
	for name, c := range map[string]struct{ instance, want string }{
		"shown by the list of what it shows": {
			`"properties":{"proxyWidgets":[["-1","steps"],["6","sampler"]]},"widgets_values":[33,"heun"]`,
			`"seed":5,"steps":33,"sampler":"heun"`,
		},
		"the same list as a text": {
			`"properties":{"proxyWidgets":"[[\"6\",\"steps\"]]"},"widgets_values":[33]`, `"seed":5,"steps":33,"sampler":"euler"`,
		},
		"shown as its input": {`"widgets_values":[33]`, `"seed":5,"steps":33,"sampler":"euler"`},
		"not given":          {`"widgets_values":[]`, `"seed":5,"steps":20,"sampler":"euler"`},
	} {
		ui := `{"nodes":[{"id":4,"type":"sg","inputs":[{"name":"steps","type":"INT","widget":{"name":"steps"},"link":null}],
			"outputs":[{"type":"IMAGE"}],` + c.instance + `},
			{"id":2,"type":"SaveImage","inputs":[{"name":"images","type":"IMAGE","link":1}],"widgets_values":["x"]}],
			"links":[[1,4,0,2,0,"IMAGE"]],"definitions":{"subgraphs":[` + definition + `]}}`
		g, _, err := jobfile.Convert(jobfile.Workflow(ui), sceneClasses)
		if err != nil || !strings.Contains(string(g.Raw), c.want) {
			t.Errorf("%s: %s, %v; want %s", name, g.Raw, err, c.want)
		}
	}
}

func TestConvertTakesAPrimitivesValueAndWrapsLists(t *testing.T) {
	ui := `{"nodes":[{"id":1,"type":"Sampler","outputs":[{"type":"IMAGE"}],
		"inputs":[{"name":"steps","type":"INT","widget":{"name":"steps"},"link":3},{"name":"sizes","type":"SIZES","link":4}],
		"widgets_values":[5,"fixed",20,"euler","a"]},
		{"id":3,"type":"PrimitiveNode","outputs":[{"type":"INT"}],"widgets_values":[%s,"fixed"]},
		{"id":4,"type":"PrimitiveNode","outputs":[{"type":"SIZES"}],"widgets_values":[[640,480]]},
		{"id":2,"type":"SaveImage","inputs":[{"name":"images","type":"IMAGE","link":1}],"widgets_values":["x"]}],
		"links":[[1,1,0,2,0,"IMAGE"],[3,3,0,1,0,"INT"],[4,4,0,1,1,"SIZES"]]}`
	g, _, err := jobfile.Convert(jobfile.Workflow(fmt.Sprintf(ui, "31")), sceneClasses)
	if err != nil || !strings.Contains(string(g.Raw), `"steps":31,`) ||
		!strings.Contains(string(g.Raw), `"sizes":{"__value__":[640,480]}`) {
		t.Errorf("would send %s, %v", g.Raw, err)
	}
	if _, _, err := jobfile.Convert(jobfile.Workflow(fmt.Sprintf(ui, `"many"`)), sceneClasses); job.CodeOf(err) != job.ErrShifted {
		t.Errorf("a primitive of another type gives %v, want %s", err, job.ErrShifted)
	}
}

func TestConvertTellsOfTwoValuesForOneInput(t *testing.T) {
	// given a file whose names and list disagree about a picture
	f, err := read(t, "ui/c_widgets_values_named_conflict.json").Convert(classes(t))
	if err != nil {
		t.Fatal(err)
	}
	// then the name counts, and both are told
	var told []job.Say
	for _, w := range f.Warnings {
		if w.Code == job.WarnDisagree {
			told = append(told, w)
		}
	}
	if len(told) != 1 || told[0].Args.Node != "4" || told[0].Args.Input != "image" || told[0].Args.Detail != "space_battle.png" {
		t.Errorf("warnings %+v", f.Warnings)
	}
	if n, _ := f.Graph.Node("3"); len(n.Inputs) != 7 { // a choice brings inputs of its own
		t.Errorf("inputs %+v", n.Inputs)
	}
}

func TestConvertUnfoldsASubgraphOfAFile(t *testing.T) {
	f, err := read(t, "ui/c2g_zimage_subgraph.json").Convert(classes(t))
	if err != nil {
		t.Fatalf("%v %+v", err, err)
	}
	want := job.Cost{Width: 1280, Height: 720, Steps: 6, Batch: 1}
	if f.Facts.Cost != want || f.Facts.Nodes != 11 {
		t.Errorf("%d nodes, cost %+v, want 11 and %+v", f.Facts.Nodes, f.Facts.Cost, want)
	}
	if n, ok := f.Graph.Node("57:3"); !ok || n.Class != "KSampler" {
		t.Errorf("node 57:3 is %+v", n)
	}
}

func TestConvertKeepsDepthWithinBounds(t *testing.T) {
	// given subgraphs that hold each other twice, or themselves
	var definitions []string
	for i := range 40 {
		definitions = append(definitions, fmt.Sprintf(
			`{"id":"s%d","nodes":[{"id":1,"type":"s%d"},{"id":2,"type":"s%d"}],"links":[]}`, i, (i+1)%40, (i+1)%40))
	}
	ui := `{"nodes":[{"id":1,"type":"s0"}],"links":[],"definitions":{"subgraphs":[` + strings.Join(definitions, ",") + `]}}`
	// then it is refused, soon
	if _, _, err := jobfile.Convert(jobfile.Workflow(ui), sceneClasses); job.CodeOf(err) != job.ErrNotWorkflow {
		t.Errorf("got %v, want %s", err, job.ErrNotWorkflow)
	}
}

func TestReadClassesIsLenient(t *testing.T) {
	const info = `{"A":{"input":{"required":{"x":["FLOAT",{"default":NaN,"max":Infinity}],"b":[["p",2,true]]}},"output":["IMAGE",["a"]]},
		"Broken":{"input":{"required":{"x":7}}},"Odd":5}`
	c, err := jobfile.ReadClasses(strings.NewReader(info), "info.json")
	if err != nil {
		t.Fatal(err)
	}
	want := job.Classes{"A": {
		Inputs: []job.ClassInput{
			{Name: "x", Type: "FLOAT"}, {Name: "b", Type: "COMBO", Choices: []string{"p", "2", "true"}},
		},
		Outputs: []string{"IMAGE", "COMBO"},
	}}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got %+v, want %+v", c, want)
	}
	for _, bad := range []string{"", "[]", "null", "{}", "<html>"} {
		if _, err := jobfile.ReadClasses(strings.NewReader(bad), "info.json"); job.CodeOf(err) == "" {
			t.Errorf("%q gives %v, want an error with a code", bad, err)
		}
	}
}

func TestMergeClassesDoesNotAskForAnOrder(t *testing.T) {
	old := job.Classes{"A": {Inputs: []job.ClassInput{{Name: "x", Type: "COMBO", Choices: []string{"p", "q"}}}}}
	newer := job.Classes{"A": {Inputs: []job.ClassInput{
		{Name: "x", Type: "COMBO", Choices: []string{"r"}}, {Name: "y", Type: "INT"},
	}}, "B": {}}
	for _, order := range [][]job.Classes{{old, newer}, {newer, old}} {
		got := jobfile.MergeClasses(order...)
		if len(got) != 2 || len(got["A"].Inputs) != 2 || len(got["A"].Inputs[0].Choices) != 3 {
			t.Errorf("got %+v", got)
		}
	}
	if len(newer["A"].Inputs[0].Choices) != 1 {
		t.Error("a table was changed")
	}
}

// FuzzConvert changes workflows in any way. What is made of one must be a graph
// whose links and values are what a server takes.
func FuzzConvert(f *testing.F) {
	for _, dir := range []string{"pairs/*.ui.json", "ui/*.json"} {
		files, err := filepath.Glob(filepath.Join("testdata", dir))
		if err != nil {
			f.Fatal(err)
		}
		for _, name := range files {
			f.Add(open(f, strings.TrimPrefix(filepath.ToSlash(name), "testdata/")))
		}
	}
	f.Add([]byte(scene(`"widgets_values":[1,null,true,"fixed",[],{}]`)))
	server := classes(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		if !json.Valid(data) {
			return
		}
		g, _, err := jobfile.Convert(jobfile.Workflow(data), server)
		if err != nil {
			if job.CodeOf(err) == "" {
				t.Fatalf("error %v without code", err)
			}
			return
		}
		for _, n := range g.Nodes {
			if _, known := server[n.Class]; !known {
				t.Fatalf("made a node of an unknown class: %+v", n)
			}
			for _, in := range n.Inputs {
				if in.Link == nil {
					continue
				}
				if _, ok := g.Node(in.Link.Node); !ok {
					t.Fatalf("a link to nowhere: %+v", n)
				}
			}
		}
	})
}

func TestConvertDoesToTextsWhatThePageDoes(t *testing.T) {
	prompts := job.Classes{
		"SaveImage": sceneClasses["SaveImage"],
		"Text":      {Outputs: []string{"IMAGE"}, Inputs: []job.ClassInput{{Name: "text", Type: "STRING", DynamicPrompts: true}}},
		"Plain":     {Outputs: []string{"IMAGE"}, Inputs: []job.ClassInput{{Name: "text", Type: "STRING"}}},
	}
	for _, c := range []struct{ class, text, want, warning string }{
		{"Text", "a cat // not a dog\nin rain /* or\nsnow */ today", "a cat \nin rain  today", ""},
		{"Text", "a /* without an end", "a /* without an end", ""},
		{"Text", "1/2 a / b /", "1/2 a / b /", ""},
		{"Text", `a \{cat\}`, `a \{cat\}`, job.WarnPageTexts},
		{"Text", "a {red|blue} <b>", "a {red|blue} <b>", job.WarnPageTexts},
		{"Plain", "https://x/{y}", "https://x/{y}", ""},
	} {
		quoted, _ := json.Marshal(c.text)
		ui := `{"nodes":[{"id":1,"type":"` + c.class + `","outputs":[{"type":"IMAGE"}],"widgets_values":[` + string(quoted) + `]},
			{"id":2,"type":"SaveImage","inputs":[{"name":"images","type":"IMAGE","link":1}],"widgets_values":["x"]}],
			"links":[[1,1,0,2,0,"IMAGE"]]}`
		g, said, err := jobfile.Convert(jobfile.Workflow(ui), prompts)
		if err != nil {
			t.Fatal(err)
		}
		n, _ := g.Node("1")
		var got string
		if err := json.Unmarshal(n.Inputs[0].Value, &got); err != nil || got != c.want {
			t.Errorf("%q became %q, want %q", c.text, got, c.want)
		}
		if (len(said) == 1) != (c.warning != "") || c.warning != "" && said[0].Code != c.warning {
			t.Errorf("%q: %+v, want %q", c.text, said, c.warning)
		}
	}
}
