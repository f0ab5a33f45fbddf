package jobfile

import (
	"slices"
	"strings"
	"testing"

	"reckoner/scheduler/job"
)

const valued = `{
	"4":{"class_type":"CheckpointLoaderSimple","inputs":{"ckpt_name":"a model of many words.safetensors"}},
	"3":{"class_type":"KSampler","inputs":{"seed":9007199254740993,"cfg":7.50,"model":["4",0],"odd":null}},
	"6":{"class_type":"CLIPTextEncode","_meta":{"title":"Positive"},"inputs":{"text":"a harbour","clip":["4",1],"on":true}}}`

func TestWhatAPersonMayChange(t *testing.T) {
	// given a graph, when its values are listed
	var got []string
	for _, v := range ValuesOf(GraphOf(raw(valued))) {
		got = append(got, v.Node+"."+v.Input+"="+v.Text)
	}
	// then prompts come first, links and nothing are left out, and every digit is there
	want := []string{
		"6.text=a harbour", "4.ckpt_name=a model of many words.safetensors", "3.seed=9007199254740993", "3.cfg=7.50", "6.on=true",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

func TestAValueStaysOfItsKind(t *testing.T) {
	g := GraphOf(raw(valued))
	for _, c := range []struct {
		node, input, typed string
		want               string // JSON; "" refuses, "-" changes nothing
	}{
		{"6", "text", `a "quay", 50 \ 50`, `"a \"quay\", 50 \\ 50"`},
		{"6", "text", "7", `"7"`},
		{"3", "seed", " 18446744073709551615 ", "18446744073709551615"},
		{"3", "seed", "seven", ""},
		{"3", "seed", "", ""},
		{"3", "seed", "true", ""},
		{"3", "cfg", "7.50", "-"},
		{"6", "on", "false", "false"},
		{"6", "on", "0", ""},
		{"3", "model", "4", "-"},
		{"9", "text", "x", "-"},
	} {
		changes, err := ChangesOf(g, []NodeValue{{Node: c.node, Input: c.input, Text: c.typed}})
		switch {
		case c.want == "":
			if err == nil || err.Code != job.ErrNotValue {
				t.Errorf("%s.%s=%q: %v, %v", c.node, c.input, c.typed, changes, err)
			}
		case err != nil, c.want == "-" && len(changes) > 0:
			t.Errorf("%s.%s=%q: %v, %v", c.node, c.input, c.typed, changes, err)
		case c.want != "-" && (len(changes) != 1 || string(changes[0].New) != c.want):
			t.Errorf("%s.%s=%q: %v, want %s", c.node, c.input, c.typed, changes, c.want)
		}
	}
}

func TestAPictureInAWorkflowIsNotOfferedAsText(t *testing.T) {
	picture := `{"1":{"class_type":"LoadImageBase64","inputs":{"data":"` + strings.Repeat("QUJD", 40000) + `"}}}`
	if got := ValuesOf(GraphOf(raw(picture))); len(got) != 0 {
		t.Errorf("%d values", len(got))
	}
}
