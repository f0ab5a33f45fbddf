package jobfile

import (
	"slices"
	"testing"

	"reckoner/scheduler/job"
)

func needsOf(t *testing.T, graph string) string {
	t.Helper()
	g, _, err := parseGraph(raw(graph))
	if err != nil {
		t.Fatal(err)
	}
	return NeedsOf(g)
}

func TestNeedsAreTheClassesAndModelFiles(t *testing.T) {
	base := `{"1":{"class_type":"UNETLoader","inputs":{"unet_name":"wan/a.safetensors","seed":1}}}`
	for name, c := range map[string]struct {
		graph string
		same  bool
	}{
		"another seed and id":  {`{"7":{"class_type":"UNETLoader","inputs":{"unet_name":"wan/a.safetensors","seed":2}}}`, true},
		"another separator":    {`{"1":{"class_type":"UNETLoader","inputs":{"unet_name":"wan\\a.safetensors"}}}`, true},
		"the node twice":       {base[:len(base)-1] + `,"2":{"class_type":"UNETLoader","inputs":{"unet_name":"wan/a.safetensors"}}}`, true},
		"another model":        {`{"1":{"class_type":"UNETLoader","inputs":{"unet_name":"wan/b.safetensors"}}}`, false},
		"another class":        {`{"1":{"class_type":"UnetLoaderGGUF","inputs":{"unet_name":"wan/a.safetensors"}}}`, false},
		"a node of no use too": {base[:len(base)-1] + `,"2":{"class_type":"Odd","inputs":{}}}`, false},
	} {
		if same := needsOf(t, c.graph) == needsOf(t, base); same != c.same {
			t.Errorf("%s: the same needs: %t", name, same)
		}
	}
}

func TestAModelIsMissingWhenNoFolderHasIt(t *testing.T) {
	graph := `{"1":{"class_type":"UNETLoader","inputs":{"unet_name":"wan\\a.safetensors","weight_dtype":"fp8"}}}`
	for name, c := range map[string]struct {
		choices []string
		missing bool
	}{
		"another file":           {[]string{"b.safetensors"}, true},
		"there":                  {[]string{"b.safetensors", `wan\a.safetensors`}, false},
		"in another folder":      {[]string{"old/a.safetensors"}, false},
		"in two folders":         {[]string{"x/a.safetensors", "y/a.safetensors"}, false},
		"nothing is listed":      {nil, false},
		"the class is not known": {nil, false},
	} {
		classes := job.Classes{"UNETLoader": {Inputs: []job.ClassInput{
			{Name: "unet_name", Type: "COMBO", Choices: c.choices}, {Name: "weight_dtype", Type: "COMBO", Choices: []string{"default"}},
		}}}
		if name == "the class is not known" {
			classes = nil
		}
		got := MissingModels(raw(graph), classes)
		if slices.Contains(got, `wan\a.safetensors`) != c.missing || len(got) > 1 {
			t.Errorf("%s: %q", name, got)
		}
	}
}
