package jobfile_test

import (
	"slices"
	"testing"

	"reckoner/scheduler/job"
	"reckoner/scheduler/jobfile"
)

func TestSamplersOfAGraph(t *testing.T) {
	for _, c := range []struct {
		name, graph string
		want        []job.Sampler
	}{
		{"two, and one that nothing needs", `{
			"1":{"class_type":"KSampler","inputs":{"steps":20}},
			"2":{"class_type":"KSamplerAdvanced","inputs":{"steps":20,"start_at_step":10,"end_at_step":100,"latent_image":["1",0]}},
			"3":{"class_type":"SaveImage","inputs":{"images":["2",0]}},
			"4":{"class_type":"KSampler","inputs":{"steps":50}}}`, []job.Sampler{{Node: "1", Steps: 20}, {Node: "2", Steps: 10}}},
		{"one whose steps cannot be read", `{
			"1":{"class_type":"KSampler","inputs":{"steps":20}},
			"2":{"class_type":"KSampler","inputs":{"steps":["9",0],"latent_image":["1",0]}},
			"3":{"class_type":"SaveImage","inputs":{"images":["2",0]}},
			"9":{"class_type":"SomebodysMath","inputs":{"expression":"a+b"}}}`, nil},
	} {
		if got := jobfile.SamplersOf(jobfile.GraphOf([]byte(c.graph))); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
