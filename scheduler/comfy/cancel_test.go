package comfy

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"reckoner/scheduler/job"
)

func TestAnOldServerIsInterruptedOnlyWhenOurPromptRuns(t *testing.T) {
	for _, c := range []struct {
		name, running string
		want          string // code
	}{
		{"ours", `[1,"ours",{},{},[]]`, ""},
		{"somebody else's", `[1,"theirs",{},{},[]]`, job.ErrUnsupported},
		{"nothing", ``, job.ErrUnsupported},
		{"two, and ours is the second", `[1,"theirs",{},{},[]],[2,"ours",{},{},[]]`, job.ErrUnsupported},
	} {
		s, asked := routes(t, map[string]string{
			"GET /api/prompt":       `{"exec_info":{"queue_remaining":0}}`,
			"GET /api/system_stats": `{"system":{"os":"posix"}}`,
			"GET /api/queue":        `{"queue_running":[` + c.running + `],"queue_pending":[[3,"ours",{},{},[]]]}`,
			"POST /api/interrupt":   ``,
		})
		err := newTest(t, Options{URL: s.URL}).Interrupt(t.Context(), "ours")
		if job.CodeOf(err) != c.want {
			t.Errorf("%s: %v", c.name, err)
		}
		last := (*asked)[len(*asked)-2:]
		sent := slices.Equal(last, []string{"GET /api/queue ", `POST /api/interrupt {"prompt_id":"ours"}`})
		if sent != (c.want == "") {
			t.Errorf("%s: asked %q", c.name, *asked)
		}
	}
}

// Given a server of each kind, then a prompt is stopped by the best way that it
// has, and by naming the prompt in any case.
func TestANewServerIsAskedByTheRouteThatCancels(t *testing.T) {
	const id = "0e0fa4ae-3f0b-4ecb-9d0c-6a0f2c5f5f1d"
	const route = "POST /api/jobs/" + id + "/cancel"
	cancel, interrupt := route+" {}", `POST /api/interrupt {"prompt_id":"`+id+`"}`
	for _, c := range []struct {
		name, version, id string
		more              map[string]string
		want              []string
	}{
		{"has the route", "0.27.0", id, map[string]string{route: `{"cancelled":true}`}, []string{cancel}},
		{"has nothing to cancel", "0.27.0", id, map[string]string{route: `{"cancelled":false}`}, []string{cancel}},
		{
			"it waits", "0.27.0", id,
			map[string]string{"GET /api/queue": `{"queue_running":[],"queue_pending":[[1,"` + id + `",{},{},[]]]}`},
			nil,
		},
		{"a proxy lacks the route", "0.27.0", id, nil, []string{cancel, interrupt}},
		{"too old", "0.3.64", id, nil, []string{interrupt}},
		{"an id of another kind", "0.27.0", "own-7", nil, []string{`POST /api/interrupt {"prompt_id":"own-7"}`}},
	} {
		answers := map[string]string{
			"GET /api/prompt":       `{"exec_info":{"queue_remaining":0}}`,
			"GET /api/system_stats": `{"system":{"comfyui_version":"` + c.version + `"}}`,
			"POST /api/interrupt":   ``, "GET /api/queue": `{"queue_running":[],"queue_pending":[]}`,
		}
		maps.Copy(answers, c.more)
		s, asked := routes(t, answers)
		if err := newTest(t, Options{URL: s.URL}).Interrupt(t.Context(), c.id); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		posts := slices.DeleteFunc(slices.Clone(*asked), func(s string) bool { return strings.HasPrefix(s, "GET ") })
		if !slices.Equal(posts, c.want) {
			t.Errorf("%s: posted %q", c.name, posts)
		}
	}
}

func TestWithoutANameNothingIsSent(t *testing.T) {
	s, asked := routes(t, nil)
	c := newTest(t, Options{URL: s.URL})
	if err := c.Interrupt(t.Context(), ""); job.CodeOf(err) != job.ErrUnsupported {
		t.Error(err)
	}
	if err := c.Remove(t.Context(), ""); job.CodeOf(err) != job.ErrUnsupported {
		t.Error(err)
	}
	if len(*asked) != 0 {
		t.Errorf("asked %q", *asked)
	}
}

func TestARecordIsLookedForByItsTag(t *testing.T) {
	tagged := func(id, run string) string {
		return `"` + id + `":{"prompt":[1,"` + id + `",{},{"reckoner":{"job":"j","run":"` + run + `","app":"a"}},[]],
			"outputs":{},"status":{"status_str":"success","completed":true,"messages":[]}}`
	}
	all := "{" + strings.Join([]string{
		tagged("a", "r1"), tagged("b", "r2"), `"odd":5`, tagged("c", "r2"), tagged("d", ""),
	}, ",") + "}"
	s, _ := routes(t, map[string]string{
		"GET /api/prompt": `{"exec_info":{"queue_remaining":0}}`, "GET /api/history": all,
		"GET /api/history/a/../b": `{"x":{}}`, "GET /api/history/gone": `{}`,
	})
	c := newTest(t, Options{URL: s.URL})
	// The newest of two that carry the tag, as after a submission that was sent twice.
	r, ok, err := c.FindRecord(t.Context(), "r2")
	if err != nil || !ok || r.PromptID != "c" || r.Outcome != job.RunSucceeded {
		t.Errorf("%+v, %v, %v", r, ok, err)
	}
	// One entry could not be read, so "not there" is more than is known.
	if _, ok, err := c.FindRecord(t.Context(), "r3"); ok || job.CodeOf(err) != job.ErrBadReply {
		t.Errorf("%v, %v", ok, err)
	}
	if _, ok, err := c.Record(t.Context(), "gone"); ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
	if _, ok, err := c.Record(t.Context(), "a/../b"); ok || job.CodeOf(err) != job.ErrBadReply {
		t.Errorf("an answer about something else: %v, %v", ok, err)
	}
}
