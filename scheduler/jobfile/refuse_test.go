package jobfile_test

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"reckoner/scheduler/job"
	"reckoner/scheduler/jobfile"
)

func TestReadRefusesWhatIsNoJobAndNamesIt(t *testing.T) {
	for name, want := range map[string]job.Args{
		"broken/empty.json":                  {},
		"broken/whitespace.json":             {},
		"broken/bare_object.json":            {Value: "empty_object"},
		"broken/bare_array.json":             {Value: "empty_list"},
		"broken/bare_null.json":              {Value: "null"},
		"broken/bare_number.json":            {Value: "number"},
		"broken/bare_string.json":            {Value: "string"},
		"broken/truncated_api.json":          {Count: 103},
		"broken/truncated_ui_midstring.json": {Count: 43},
		"broken/latin1_bytes.json":           {Count: 29, Value: "not_utf8"},
		"broken/trailing_comma.json":         {Count: 182},
		"broken/missing_class_type.json":     {Node: "3"},
		"broken/cycle.json":                  {Node: "3", Class: "KSampler"},
		"broken/no_output_node.json":         {Count: 9},
		"broken/a1111_parameters_only.png":   {Value: "png"},
		"broken/png_truncated_in_text.png":   {Value: "png", Count: 1},
		"broken/png_giant_chunk_length.png":  {Value: "png", Count: 1},
		"api/pydn_unsafe_kwargs.json":        {Count: 3},
		"api/pydn_windows_path.json":         {Count: 1},
		"media/cx_input_no_metadata.png":     {Value: "png"},
		"media/c_no_metadata.mp4":            {Value: "mp4"},
	} {
		t.Run(name, func(t *testing.T) {
			e := refusal(t, open(t, name), name)
			if got, wantCode := e.Code, refusalCode(name); got != wantCode {
				t.Errorf("code %q, want %q", got, wantCode)
			}
			got := e.Args
			if got.File != name {
				t.Errorf("file %q, want %q", got.File, name)
			}
			got.File, got.Detail = "", ""
			if !reflect.DeepEqual(got, want) {
				t.Errorf("arguments %+v, want %+v", got, want)
			}
		})
	}
}

// refusalCode is the code that each file of TestReadRefuses… must give.
func refusalCode(name string) string {
	switch base := name[strings.Index(name, "/")+1:]; {
	case strings.HasPrefix(name, "media/"):
		return job.ErrPicture
	case strings.HasPrefix(base, "bare"):
		return job.ErrNotWorkflow
	case strings.HasPrefix(base, "pydn") || base == "no_output_node.json":
		return job.ErrNoOutputNode
	case base == "empty.json" || base == "whitespace.json":
		return job.ErrEmptyFile
	case strings.HasPrefix(base, "truncated") || strings.HasPrefix(base, "png_"):
		return job.ErrTruncated
	case base == "latin1_bytes.json" || base == "trailing_comma.json":
		return job.ErrNotJSON
	case base == "missing_class_type.json":
		return job.ErrNoClass
	case base == "cycle.json":
		return job.ErrCycle
	case base == "a1111_parameters_only.png":
		return job.ErrA1111
	}
	return "a case is missing here"
}

func refusal(t *testing.T, data []byte, name string) *job.Error {
	t.Helper()
	_, err := jobfile.Read(bytes.NewReader(data), name)
	e, ok := errors.AsType[*job.Error](err)
	if !ok {
		t.Fatalf("error %v, want a *job.Error", err)
	}
	return e
}

func TestReadRefusesTextsByWhatTheyAre(t *testing.T) {
	save := `"9":{"class_type":"SaveImage","inputs":{"images":["1",0]}}`
	for _, c := range []struct{ name, text, code, value string }{
		{"parameters of another program", "a cat\nSteps: 20, Sampler: Euler a, CFG scale: 7", job.ErrA1111, "text"},
		{"a web page", "<!DOCTYPE html><html></html>", job.ErrNotWorkflow, "html"},
		{"a drawing", `<?xml version="1.0"?><svg></svg>`, job.ErrPicture, "svg"},
		{"a workflow without nodes", `{"nodes":[],"links":[]}`, job.ErrNotWorkflow, "no_nodes"},
		{"a workflow with something else for nodes", `{"nodes":[{"id":1}],"links":[]}`, job.ErrNotWorkflow, "bad_nodes"},
		{"an archive", "PK\x03\x04...", job.ErrNotWorkflow, "zip"},
		{"weights", "\x10\x00\x00\x00\x00\x00\x00\x00{\"a\":1}       ", job.ErrNotWorkflow, "safetensors"},
		{"prose", "hello there", job.ErrNotJSON, ""},
		{"two values", "{} {}", job.ErrNotJSON, ""},
		{"other JSON", `{"name":"x","version":"1"}`, job.ErrNotWorkflow, "object"},
		{"nested too deep", strings.Repeat("[", 300) + strings.Repeat("]", 300), job.ErrNotWorkflow, "too_deep"},
		{"wrapped too deep", strings.Repeat("[", 9) + strings.Repeat("]", 9), job.ErrNotWorkflow, "too_deep"},
		{"two history entries", `{"a":{"prompt":[]},"b":{"prompt":[]}}`, job.ErrNotWorkflow, "several"},
		{"inputs as a list", `{"1":{"class_type":"X","inputs":[1]}}`, job.ErrNotWorkflow, "bad_inputs"},
		{"a link to nowhere", "{" + save + "}", job.ErrDangling, "1"},
		{"a stray value among the nodes", "{" + save + `,"v":1}`, job.ErrNoClass, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := refusal(t, []byte(c.text), "x.json")
			if e.Code != c.code || e.Args.Value != c.value {
				t.Errorf("got %s of %q, want %s of %q", e.Code, e.Args.Value, c.code, c.value)
			}
		})
	}
}
