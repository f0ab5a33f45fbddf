package jobfile_test

import (
	"encoding/json"
	"testing"

	"reckoner/scheduler/jobfile"
)

func TestSeedIsTheFirstOneDigitForDigit(t *testing.T) {
	for graph, want := range map[string]string{
		`{"1":{"class_type":"Save","inputs":{}},"2":{"class_type":"KSampler","inputs":{"seed":18446744073709551615}}}`: "18446744073709551615",
		`{"2":{"class_type":"S","inputs":{"noise_seed":7}},"3":{"class_type":"S","inputs":{"seed":8}}}`:                "7",
		`{"2":{"class_type":"S","inputs":{"seed":["3",0]}},"3":{"class_type":"PrimitiveInt","inputs":{"value":42}}}`:   "42",
		`{"2":{"class_type":"S","inputs":{"seed":["3",0]}},"3":{"class_type":"Dice","inputs":{"a":1,"b":2}}}`:          "",
		`{"2":{"class_type":"S","inputs":{"seed":["9",0]}}}`:                                                           "",
		`{"2":{"class_type":"S","inputs":{"steps":20}}}`:                                                               "",
		`[]`: "",
		``:   "",
	} {
		if got := jobfile.Seed(json.RawMessage(graph)); got != want {
			t.Errorf("%s: %q, want %q", graph, got, want)
		}
	}
}
