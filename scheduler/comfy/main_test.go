package comfy

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"testing"

	"go.uber.org/goleak"

	"reckoner/scheduler/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newTest makes a client whose idle connections end with the test.
func newTest(t *testing.T, o Options) *Client {
	t.Helper()
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// graphOf takes an API workflow apart, as jobfile does for the real thing.
func graphOf(t *testing.T, raw []byte) job.Graph {
	t.Helper()
	g := job.Graph{Raw: raw}
	nodes, ok := fields(raw)
	if !ok {
		t.Fatalf("not a workflow: %s", raw)
	}
	for _, f := range nodes {
		o, _ := asObject(f.value)
		n := job.Node{ID: f.name, Class: o.text("class_type")}
		inputs, _ := fields(o["inputs"])
		for _, in := range inputs {
			input := job.Input{Name: in.name, Value: in.value}
			if link, ok := asList(in.value); ok && len(link) == 2 {
				input.Link = &job.Link{Node: asText(link[0])}
			}
			n.Inputs = append(n.Inputs, input)
		}
		g.Nodes = append(g.Nodes, n)
	}
	return g
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var ca, cb bytes.Buffer
	if err := json.Compact(&ca, a); err != nil {
		t.Fatal(err)
	}
	if err := json.Compact(&cb, b); err != nil {
		t.Fatal(err)
	}
	return ca.String() == cb.String()
}
