package comfy

import (
	"slices"
	"strings"
	"testing"

	"reckoner/scheduler/job"
)

var sample = `{"3":{"class_type":"KSampler","inputs":{"seed":18446744073709551615,"steps":0,"model":["4",0]}},
	"4":{"class_type":"CheckpointLoaderSimple","inputs":{"ckpt_name":"gone.safetensors"}}}`

func nodeFault(config string) string {
	return `{"error":{"type":"prompt_outputs_failed_validation","message":"Prompt outputs failed validation",
		"details":"d","extra_info":{}},"node_errors":{"4":{"errors":[` + config + `],
		"dependent_outputs":["9"],"class_type":"Loader"}}}`
}

func TestAFaultNamesNodeInputValueAndWhatIsAllowed(t *testing.T) {
	for _, c := range []struct {
		name, fault string
		want        job.NodeFault
	}{
		{
			"a file that is not in the list",
			`{"type":"value_not_in_list","message":"Value not in list",
			"details":"ckpt_name: 'gone.safetensors' not in ['a','b']",
			"extra_info":{"input_name":"ckpt_name","input_config":[["a","b",3,true],{}],"received_value":"gone.safetensors"}}`,
			job.NodeFault{
				Node: "4", Class: "Loader", Input: "ckpt_name", Type: "value_not_in_list", Message: "Value not in list",
				Details: "ckpt_name: 'gone.safetensors' not in ['a','b']", Value: "gone.safetensors",
				Allowed: []string{"a", "b", "3", "true"},
			},
		},
		{
			"a combo of the new style",
			`{"type":"value_not_in_list","extra_info":{"input_name":"m","received_value":1,
			"input_config":["COMBO",{"options":["x"]}]}}`,
			job.NodeFault{Node: "4", Class: "Loader", Input: "m", Type: "value_not_in_list", Value: "1", Allowed: []string{"x"}},
		},
		{
			"a list too long to be sent",
			`{"type":"value_not_in_list","extra_info":{"input_name":"m","input_config":null,"received_value":"v"}}`,
			job.NodeFault{Node: "4", Class: "Loader", Input: "m", Type: "value_not_in_list", Value: "v"},
		},
		{
			"a number out of bounds, with all its digits",
			`{"type":"value_bigger_than_max","extra_info":{"input_name":"s","received_value":18446744073709551616,
			"input_config":["INT",{"min":0,"max":18446744073709551615}]}}`,
			job.NodeFault{
				Node: "4", Class: "Loader", Input: "s", Type: "value_bigger_than_max", Value: "18446744073709551616",
				Allowed: []string{">= 0", "<= 18446744073709551615"},
			},
		},
		{
			"bounds that are no numbers",
			`{"type":"invalid_input_type","extra_info":{"input_name":"f","received_value":[1],
			"input_config":["FLOAT",{"max":Infinity}]}}`,
			job.NodeFault{
				Node: "4", Class: "Loader", Input: "f", Type: "invalid_input_type", Value: "[1]", Allowed: []string{"FLOAT"},
			},
		},
		{
			"a value that only the workflow tells",
			`{"type":"custom_validation_failed","details":"x","extra_info":{"input_name":"ckpt_name"}}`,
			job.NodeFault{
				Node: "4", Class: "Loader", Input: "ckpt_name", Type: "custom_validation_failed", Details: "x",
				Value: "gone.safetensors",
			},
		},
		{"nothing but a type", `{"type":"new_kind"}`, job.NodeFault{Node: "4", Class: "Loader", Type: "new_kind"}},
	} {
		e, ok := decodeRefusal(plainJSON([]byte(nodeFault(c.fault))), graphOf(t, []byte(sample)))
		if !ok || e.Code != job.ErrRefused || len(e.Faults) != 1 {
			t.Errorf("%s: %+v, %v", c.name, e, ok)
			continue
		}
		got := e.Faults[0]
		if !slices.Equal(got.Allowed, c.want.Allowed) || e.Args.Value != c.want.Value || e.Args.Node != "4" {
			t.Errorf("%s: allowed %q, args %+v", c.name, got.Allowed, e.Args)
		}
		got.Allowed, c.want.Allowed = nil, nil
		if !equalFaults(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func equalFaults(a, b job.NodeFault) bool {
	return a.Node == b.Node && a.Class == b.Class && a.Input == b.Input && a.Type == b.Type && a.Message == b.Message &&
		a.Details == b.Details && a.Value == b.Value
}

func TestALongListOfChoicesIsCut(t *testing.T) {
	choices := strings.TrimSuffix(strings.Repeat(`"c",`, 500), ",")
	if got := allowed("value_not_in_list", []byte("[["+choices+"]]")); len(got) != maxAllowed {
		t.Errorf("%d", len(got))
	}
}

func TestARefusalOfTheWholeWorkflow(t *testing.T) {
	for _, c := range []struct{ name, raw, code, node, class, faultType string }{
		{
			"class unknown, 2025",
			`{"error":{"type":"invalid_prompt","message":"Cannot execute because node My Node does not exist.",
			"details":"Node ID '#57:8'","extra_info":{}},"node_errors":{}}`,
			job.ErrMissingNode, "57:8", "My Node", "",
		},
		{
			"class unknown, 2026",
			`{"error":{"type":"missing_node_type","message":"Node 'Title' not found.","details":"Node ID '#3'",
			"extra_info":{"node_id":"3","class_type":"NoSuch","node_title":"Title"}},"node_errors":{}}`,
			job.ErrMissingNode, "3", "NoSuch", "",
		},
		{
			"no class at all, 2025",
			`{"error":{"type":"invalid_prompt","message":"Cannot execute because a node is missing the class_type property.",
			"details":"Node ID '#3'","extra_info":{}},"node_errors":[]}`,
			job.ErrRefused, "3", "KSampler", "invalid_prompt",
		},
		{
			"no class at all, 2026",
			`{"error":{"type":"missing_node_type","message":"m","details":"Node ID '#3'",
			"extra_info":{"node_id":"3","class_type":null}},"node_errors":{}}`,
			job.ErrRefused, "3", "KSampler", "missing_node_type",
		},
		{
			"a static cycle has no details and no node errors",
			`{"error":{"type":"prompt_outputs_failed_validation","message":"m","details":""},"node_errors":{}}`,
			job.ErrRefused, "", "", "prompt_outputs_failed_validation",
		},
		{"before 0.3.28", `{"error":"no prompt","node_errors":[]}`, job.ErrRefused, "", "", ""},
	} {
		e, ok := decodeRefusal([]byte(c.raw), graphOf(t, []byte(sample)))
		if !ok || e.Code != c.code || e.Args.Node != c.node || e.Args.Class != c.class {
			t.Errorf("%s: %+v, %v", c.name, e, ok)
			continue
		}
		if c.code == job.ErrRefused && (len(e.Faults) != 1 || e.Faults[0].Type != c.faultType) {
			t.Errorf("%s: faults %+v", c.name, e.Faults)
		}
	}
	for _, raw := range []string{`{}`, `[]`, `{"error":null}x`, `"error"`, ``} {
		if e, ok := decodeRefusal([]byte(raw), job.Graph{}); ok {
			t.Errorf("%s: %+v", raw, e)
		}
	}
}
