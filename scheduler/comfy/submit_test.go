package comfy

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"reckoner/scheduler/job"
)

// TestTheGraphsBytesGoOutUnchanged sends a graph with spaces, a 64-bit seed, a
// float with a zero and keys out of order.
func TestTheGraphsBytesGoOutUnchanged(t *testing.T) {
	graph := `{"9": {"class_type":"A",
		"inputs":{"seed": 18446744073709551615, "z":8.0, "a":1e3}},"10":{}}`
	var body string
	var header http.Header
	s := scripted(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		body, header = string(b), r.Header
		_, _ = io.WriteString(w, `{"prompt_id":"theirs","number":-5.0,"node_errors":{}}`)
	})
	client := newTest(t, Options{URL: s.URL, Header: http.Header{"Origin": {"http://x"}}})
	r, err := client.Submit(t.Context(), submissionOf(graph))
	if err != nil || r.PromptID != "theirs" || r.Number != -5 || r.Faults != nil {
		t.Errorf("%+v, %v", r, err)
	}
	want := `{"prompt":` + graph + `,"prompt_id":"0e0fa4ae-3f0b-4ecb-9d0c-6a0f2c5f5f1d","client_id":"me",` +
		`"extra_data":{"reckoner":{"job":"j","run":"r","app":"a"}}}`
	if body != want {
		t.Errorf("posted\n%s, want\n%s", body, want)
	}
	for name := range header {
		if name == "Origin" || strings.HasPrefix(name, "Sec-") {
			t.Errorf("header %s", name)
		}
	}
}

func TestOutputsThatWereDroppedAreFaultsOfTheReceipt(t *testing.T) {
	for _, c := range []struct {
		errors string
		want   int
	}{
		{`{"9":{"errors":[{"type":"x","extra_info":{"input_name":"images"}}],"class_type":"SaveImage"}}`, 1},
		{`{}`, 0},
		{`[]`, 0}, // before 0.3.28
		{`null`, 0},
	} {
		r, ok := decodeReceipt([]byte(`{"prompt_id":"p","number":1,"node_errors":`+c.errors+`}`), job.Graph{})
		if !ok || len(r.Faults) != c.want {
			t.Errorf("%s: %+v, %v", c.errors, r, ok)
		}
		if c.want == 1 && (r.Faults[0].Node != "9" || r.Faults[0].Input != "images" || r.Faults[0].Class != "SaveImage") {
			t.Errorf("%+v", r.Faults)
		}
	}
}

func TestWhatIsNoWorkflowIsNotSent(t *testing.T) {
	s := scripted(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s was asked", r.URL.Path) })
	client := newTest(t, Options{URL: s.URL})
	for _, graph := range []string{"", "null", "[1]", `{"a":NaN}`, `{"1":{}`, `{}, "number": 0`} {
		if _, err := client.Submit(t.Context(), submissionOf(graph)); job.CodeOf(err) != job.ErrNotWorkflow {
			t.Errorf("%s: %v", graph, err)
		}
	}
}
