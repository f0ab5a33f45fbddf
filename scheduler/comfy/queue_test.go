package comfy

import (
	"testing"

	"reckoner/scheduler/job"
)

func TestPendingPromptsComeInTheOrderInWhichTheyRun(t *testing.T) {
	// Given the heap as it lies in a server's memory (comfyui-protocol, appendix C).
	raw := `{"queue_running":[[25,"run",{},{},[]]],"queue_pending":[
		[-33,"f2"],[-32,"f1"],[26,"n0"],[0.5,"ex-b"],[0.5,"ex-a"],[31,"n5"],[28,"n2"],[29,"n3"],[27,"n1"],[30,"n4"]]}`
	q, code := decodeQueue([]byte(raw))
	if code != "" {
		t.Fatal(code)
	}
	got := ""
	for _, p := range q.Pending {
		got += p.ID + " "
	}
	if got != "f2 f1 ex-a ex-b n0 n1 n2 n3 n4 n5 " {
		t.Error(got)
	}
	if len(q.Running) != 1 || q.Running[0].ID != "run" || q.Running[0].Number != 25 {
		t.Errorf("running %+v", q.Running)
	}
}

func TestAPromptOfTheQueueIsReadWhateverItsLength(t *testing.T) {
	full := job.Prompt{ID: "p", Number: 7, Client: "c", Tag: job.Tag{Job: "j", Run: "r", App: "a"}}
	for _, c := range []struct {
		item string
		want job.Prompt
	}{
		{`[7,"p",{},{"client_id":"c","reckoner":{"job":"j","run":"r","app":"a"}},["9"]]`, full},
		{`[7,"p",{"1":{"x":NaN}},{"client_id":"c","reckoner":{"job":"j","run":"r","app":"a"}},["9"],{"s":1},8]`, full},
		{`[7.0,"p",{},{"client_id":"c","reckoner":{"job":"j","run":"r","app":"a"}}]`, full},
		{`[7,"p"]`, job.Prompt{ID: "p", Number: 7}},
		{`[7,"p",{},null,[]]`, job.Prompt{ID: "p", Number: 7}},
		{`[7,"p",{},{"client_id":null,"reckoner":"mine"},[]]`, job.Prompt{ID: "p", Number: 7}},
		{`[7,"None",{},{},[]]`, job.Prompt{ID: "None", Number: 7}},
		{`["x","p",{},{},[]]`, job.Prompt{ID: "p"}},
	} {
		q, code := decodeQueue(plainJSON([]byte(`{"queue_running":[],"queue_pending":[` + c.item + `]}`)))
		if code != "" || len(q.Pending) != 1 || q.Pending[0] != c.want {
			t.Errorf("%s: %+v, %s", c.item, q.Pending, code)
		}
	}
}

func TestAQueueIsReadAsAWholeOrNotAtAll(t *testing.T) {
	for _, c := range []struct{ raw, code string }{
		{`{}`, job.ErrBadReply},
		{`[]`, job.ErrBadReply},
		{`{"queue_running":[]}`, job.ErrBadReply},
		{`{"queue_running":null,"queue_pending":[]}`, job.ErrBadReply},
		{`{"queue_running":[],"queue_pending":[[1,"ours",{},{},[]],{"id":"x"}]}`, job.ErrBadReply},
		{`{"queue_running":[],"queue_pending":[[1]]}`, job.ErrBadReply},
		{`{"queue_running":[],"queue_pending":[[1,null]]}`, job.ErrBadReply},
		{`{"queue_running":[],"queue_pending":[[1,"p",{},["9"],{"client_id":"c"}]]}`, job.ErrUnsupported}, // Comfy Cloud
	} {
		if q, code := decodeQueue([]byte(c.raw)); code != c.code {
			t.Errorf("%s: %+v, %s", c.raw, q, code)
		}
	}
}
