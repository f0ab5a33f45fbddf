package comfy

import (
	"bytes"
	"testing"
	"time"

	"reckoner/scheduler/job"
)

func TestAMessageBecomesNews(t *testing.T) {
	stamp := time.UnixMilli(1796069776920).UTC()
	for _, c := range []struct {
		name, frame string
		want        job.News
	}{
		{
			"status", `{"type":"status","data":{"status":{"exec_info":{"queue_remaining":3}},"sid":"x"}}`,
			job.News{Kind: job.NewsStatus, Count: 3},
		},
		{
			"start", `{"type":"execution_start","data":{"prompt_id":"p","timestamp":1796069776920}}`,
			job.News{Kind: job.NewsStarted, PromptID: "p", Stamp: stamp},
		},
		{
			"start before July 2024", `{"type":"execution_start","data":{"prompt_id":"p"}}`,
			job.News{Kind: job.NewsStarted, PromptID: "p"},
		},
		{
			"node of a group", `{"type":"executing","data":{"node":"6.0.0.1","display_node":"6","prompt_id":"p"}}`,
			job.News{Kind: job.NewsNode, PromptID: "p", Node: "6"},
		},
		{
			"node before August 2024", `{"type":"executing","data":{"node":"6","prompt_id":"p"}}`,
			job.News{Kind: job.NewsNode, PromptID: "p", Node: "6"},
		},
		{
			"greeting of a reconnected socket names no prompt", `{"type":"executing","data":{"node":"2"}}`,
			job.News{Kind: job.NewsNode, Node: "2"},
		},
		{
			"step with fractions", `{"type":"progress","data":{"value":1.5,"max":20.0,"prompt_id":"p","node":"3"}}`,
			job.News{Kind: job.NewsStep, PromptID: "p", Node: "3", Value: 1.5, Max: 20},
		},
		{
			"end", `{"type":"executing","data":{"node":null,"prompt_id":"p"}}`,
			job.News{Kind: job.NewsEnded, PromptID: "p"},
		},
		{
			"success", `{"type":"execution_success","data":{"prompt_id":"p","timestamp":1796069776920}}`,
			job.News{Kind: job.NewsEnding, PromptID: "p", Stamp: stamp, Outcome: job.RunSucceeded},
		},
		{
			"interrupted", `{"type":"execution_interrupted","data":{"prompt_id":"p","node_id":"3","executed":[]}}`,
			job.News{Kind: job.NewsEnding, PromptID: "p", Outcome: job.RunInterrupted},
		},
	} {
		got, ok := newListener().hear([]byte(c.frame))
		if !ok || !sameNews(got, c.want) {
			t.Errorf("%s: %+v, %v", c.name, got, ok)
		}
	}
}

func sameNews(a, b job.News) bool {
	return a.Kind == b.Kind && a.PromptID == b.PromptID && a.Node == b.Node && a.Value == b.Value && a.Max == b.Max &&
		a.Count == b.Count && a.Outcome == b.Outcome && a.Stamp.Equal(b.Stamp) && bytes.Equal(a.Image, b.Image)
}

func TestWhatSaysNothingIsNoNews(t *testing.T) {
	for _, frame := range []string{
		``, `x`, `[]`, `{}`, `{"type":"status"}`, `{"type":"status","data":[]}`, `{"type":5,"data":{}}`,
		`{"type":"status","data":{"status":{"exec_info":{"queue_remaining":-1}}}}`,
		`{"type":"crystools.monitor","data":{"gpus":[]}}`, `{"type":"executed","data":{"node":"9","prompt_id":"p"}}`,
		`{"type":"progress_state","data":{"prompt_id":"p","nodes":{}}}`, `{"type":"feature_flags","data":{}}`,
		`{"type":"execution_start","data":{}}`, `{"type":"executing","data":{"prompt_id":"p"}}`,
		`{"type":"progress","data":{"value":NaN,"max":20,"prompt_id":"p","node":"3"}}`,
		`{"type":"progress","data":{"value":1,"max":0,"prompt_id":"p","node":"3"}}`,
		// The prompt goes on after this one.
		`{"type":"execution_error","data":{"prompt_id":"p","node_id":"3","exception_type":"ExecutionBlocked"}}`,
	} {
		if n, ok := newListener().hear([]byte(frame)); ok {
			t.Errorf("%s: %+v", frame, n)
		}
	}
}

func TestAnErrorIsNewsWithItsNode(t *testing.T) {
	n, ok := newListener().hear([]byte(`{"type":"execution_error","data":{"prompt_id":"p","node_id":"3",
		"node_type":"KSampler","exception_type":"torch.OutOfMemoryError","exception_message":"m",
		"current_inputs":{"x":[NaN]},"traceback":["secret"]}}`))
	if !ok || n.Outcome != job.RunFailed || n.Err == nil || n.Err.Code != job.ErrOutOfMemory || n.Err.Args.Node != "3" {
		t.Errorf("%+v, %v", n, ok)
	}
}

// hearAll gives the last news of several frames.
func hearAll(l *listener, frames ...string) (last job.News) {
	for _, f := range frames {
		last, _ = l.hear([]byte(f))
	}
	return last
}

func TestStepsWithoutIdsBelongToWhatExecutes(t *testing.T) {
	const step = `{"type":"progress","data":{"value":1,"max":10}}`
	l := newListener()
	// Given a server before 2024, when nothing executes, then a step is nobody's.
	if n := hearAll(l, step); n.PromptID != "" || n.Node != "" {
		t.Errorf("%+v", n)
	}
	// When our prompt executes a node, the step is that one's.
	ours := `{"type":"executing","data":{"node":"3","prompt_id":"p"}}`
	if n := hearAll(l, ours, step); n.PromptID != "p" || n.Node != "3" {
		t.Errorf("%+v", n)
	}
	// When it has ended, steps of others are not.
	if n := hearAll(l, `{"type":"executing","data":{"node":null,"prompt_id":"p"}}`, step); n.PromptID != "" {
		t.Errorf("%+v", n)
	}
	// Neither after the greeting, which names no prompt.
	if n := hearAll(l, `{"type":"executing","data":{"node":"3"}}`, step); n.PromptID != "" {
		t.Errorf("%+v", n)
	}
}

func TestTheEndRepeatsTheOutcomeThatWasHeard(t *testing.T) {
	end := `{"type":"executing","data":{"node":null,"prompt_id":"p"}}`
	l := newListener()
	if n := hearAll(l, `{"type":"execution_interrupted","data":{"prompt_id":"p"}}`, end); n.Outcome != job.RunInterrupted {
		t.Errorf("%+v", n)
	}
	if n := hearAll(l, end); n.Kind != job.NewsEnded || n.Outcome != "" {
		t.Errorf("a second run of the same id: %+v", n)
	}
}

func TestPreviewsAreSeen(t *testing.T) {
	l := newListener()
	hearAll(l, `{"type":"executing","data":{"node":"3","prompt_id":"p"}}`)
	head := `{"node_id":"3.1","display_node_id":"7","prompt_id":"q","image_type":"image/jpeg"}`
	for _, c := range []struct {
		name  string
		frame []byte
		want  job.News
	}{
		{
			"without ids", []byte("\x00\x00\x00\x01\x00\x00\x00\x01jpeg"),
			job.News{Kind: job.NewsPreview, PromptID: "p", Node: "3", Image: []byte("jpeg")},
		},
		{
			"with ids", append([]byte{0, 0, 0, 4, 0, 0, 0, byte(len(head))}, head+"jpeg"...),
			job.News{Kind: job.NewsPreview, PromptID: "q", Node: "7", Image: []byte("jpeg")},
		},
	} {
		if n, ok := l.see(c.frame); !ok || !sameNews(n, c.want) {
			t.Errorf("%s: %+v, %v", c.name, n, ok)
		}
	}
	for name, frame := range map[string]string{
		"empty": "", "short": "\x00\x00\x00\x01", "no picture": "\x00\x00\x00\x01\x00\x00\x00\x01",
		"unknown format":  "\x00\x00\x00\x01\x00\x00\x00\x09x",
		"text":            "\x00\x00\x00\x03\x00\x00\x00\x011text",
		"head over end":   "\x00\x00\x00\x04\x00\x00\x00\x09{}",
		"huge head":       "\x00\x00\x00\x04\xff\xff\xff\xff{}",
		"head not JSON":   "\x00\x00\x00\x04\x00\x00\x00\x02xxpicture",
		"head but no end": "\x00\x00\x00\x04\x00\x00\x00\x02{}",
	} {
		if n, ok := l.see([]byte(frame)); ok {
			t.Errorf("%s: %+v", name, n)
		}
	}
}
