package jobfile_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"reckoner/scheduler/job"
	"reckoner/scheduler/jobfile"
)

// filled completes a text of a graph; of n choices the last, the one before it, and
// so on are drawn.
func filled(t *testing.T, s string, choices bool) string {
	t.Helper()
	quoted, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	raw := `{"1":{"class_type":"Save","inputs":{"x":` + string(quoted) + `}},
		"2":{"class_type":"KSampler","inputs":{"seed":42,"name":"a/b:c","model":["1",0]},"_meta":{"title":"My sampler"}}}`
	back := 0
	draw := func(n int) int { back++; return max(0, n-back) }
	now := time.Date(2026, 3, 7, 9, 5, 4, 0, time.UTC)
	texts := []jobfile.PageText{{Node: "1", Input: "x", Choices: choices}, {Node: "7", Input: "x"}, {Node: "2", Input: "seed"}}
	changes := jobfile.FillTexts(jobfile.GraphOf([]byte(raw)), texts, draw, now)
	out := jobfile.ChangeGraph([]byte(raw), changes)
	n, _ := jobfile.GraphOf(out).Node("1")
	in, _ := n.Input("x")
	var got string
	if err := json.Unmarshal(in.Value, &got); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestTextsAreFilledInAsThePageDoes(t *testing.T) {
	for _, c := range []struct {
		choices  bool
		in, want string
	}{
		{true, "a {red|green|blue} cat", "a blue cat"},
		{true, "{a|b} and {c|d|e}", "b and d"},
		{true, "{a|{b|c}} d", "b d"}, // the outer second, then of the inner two the first
		{true, "{one}", "one"},
		{true, "{a|}", ""},
		{true, "{|}x{}", "x"},
		{true, "an open {a|b", "an open b"},
		{true, "shut} here", "shut} here"},
		{true, `\{a\|b\} \n {c\|d|e\}f}`, `{a|b} \n e}f`},
		{true, `ends with \`, `ends with \`},
		{true, "100 %date:yyyy%", "100 %date:yyyy%"},
		{false, "out/%date:yyyy-MM-dd%/x", "out/2026-03-07/x"},
		{false, "%date:yy.M.d h:m:s%", "%date:yy.M.d h:m:s%"}, // a dot parts a node from its value
		{false, "%date:yyMd-hh:mm:ss-yyy%", "2637-09:05:04-yyy"},
		{false, "%KSampler.seed%", "42"},
		{false, "%My sampler.name%", "a_b_c"},
		{false, "%KSampler.model% %KSampler.steps% %Nobody.x%", "%KSampler.model% %KSampler.steps% %Nobody.x%"},
		{false, "%width%x%height% 50%", "%width%x%height% 50%"},
		{false, "%% %", "%% %"},
		{false, "{a|b}", "{a|b}"},
	} {
		if got := filled(t, c.in, c.choices); got != c.want {
			t.Errorf("%q became %q, want %q", c.in, got, c.want)
		}
	}
}

func TestChoicesWithoutEndAreBounded(t *testing.T) {
	s := strings.Repeat("{a|", 5000) + "b" + strings.Repeat("}", 5000)
	if got := filled(t, s, true); len(got) > len(s) {
		t.Errorf("%d characters of %d", len(got), len(s))
	}
}

func TestAFileOfThePageTellsWhatIsFilledIn(t *testing.T) {
	classes := job.Classes{
		"Text": {Outputs: []string{"IMAGE"}, Inputs: []job.ClassInput{{Name: "text", Type: "STRING", DynamicPrompts: true}}},
		"SaveImage": {IsOutput: true, Inputs: []job.ClassInput{
			{Name: "images", Type: "IMAGE"}, {Name: "filename_prefix", Type: "STRING"},
		}},
	}
	f, err := jobfile.Read(strings.NewReader(`{"nodes":[
		{"id":1,"type":"Text","outputs":[{"type":"IMAGE"}],"widgets_values":["a {red|blue} cat"]},
		{"id":2,"type":"SaveImage","inputs":[{"name":"images","type":"IMAGE","link":1}],"widgets_values":["%date:yyyy%/x"]}],
		"links":[[1,1,0,2,0,"IMAGE"]]}`), "a.json")
	if err != nil {
		t.Fatal(err)
	}
	f, err = f.Convert(classes)
	if err != nil || len(f.PageTexts) != 2 || !f.PageTexts[0].Choices || f.PageTexts[1].Input != "filename_prefix" {
		t.Errorf("%+v, %v", f.PageTexts, err)
	}
}
