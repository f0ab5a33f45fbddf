package comfy

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"reckoner/scheduler/job"
)

// fate is all that the client learns of one prompt in a recording.
type fate struct {
	record job.RunOutcome // by the history; "absent" when it was asked and had none
	heard  job.RunOutcome // by the terminal message on a socket of its client id
	ends   int            // how often its end was said ("executing": null)
	file   string         // the one it made
	code   string         // of the error
	cached string         // the nodes that came from the cache, by the history
}

const absent job.RunOutcome = "absent"

// fates are written down from reading the recordings, by the first eight
// characters of the prompt id. A fate of nothing is a prompt that was taken off
// the queue and never asked about.
var fates = map[string]map[string]fate{
	"comfyui-2024-11/success": {
		"396084ca": {record: "succeeded", heard: "succeeded", ends: 1, file: "t_00001_.png"},
	},
	"comfyui-2024-11/cached": {
		"8f18b3ba": {record: "succeeded", heard: "succeeded", ends: 1, file: "t_00002_.png", cached: "1"},
		"9f90ca04": {record: "succeeded", heard: "succeeded", ends: 1, file: "t_00002_.png", cached: "1 2 3"},
	},
	"comfyui-2024-11/error": {
		"f3833a7c": {record: "failed", heard: "failed", ends: 1, code: job.ErrOutOfMemory, cached: "1"},
	},
	"comfyui-2024-11/interrupt_stubborn": {
		"509766e6": {record: "interrupted", heard: "interrupted", ends: 1, cached: "1"},
	},
	"comfyui-2024-11/interrupt_targeted": { // the recorded interrupts hit whatever ran
		"bc3c243d": {record: "interrupted", heard: "interrupted", ends: 1, cached: "1"},
		"dc47690a": {record: "interrupted", cached: "1"},
	},
	"comfyui-2024-11/own_id": { // sent twice under aee40f3f, which this server ignores
		"aee40f3f": {record: absent},
		"1e43d699": {record: "succeeded", heard: "succeeded", ends: 1, file: "t_00003_.png", cached: "1"},
		"12f61ce2": {record: "succeeded", heard: "succeeded", ends: 1, file: "t_00004_.png", cached: "1"},
	},
	"comfyui-2024-11/delete_pending": {
		"76bf7948": {record: "interrupted", heard: "interrupted", ends: 1, cached: "1"},
		"870ed2ab": {record: absent},
		"d85bdc7f": {},
	},
	"comfyui-2024-11/reconnect":   {"34c9983d": {heard: "succeeded", ends: 1}},
	"comfyui-2024-11/two_sockets": {"d46cc74a": {heard: "succeeded", ends: 1}},
	"comfyui-2024-11/misc": {
		"none":     {record: absent},
		"d46cc74a": {record: "succeeded", file: "t_00006_.png", cached: "1"},
	},
	"comfyui-2024-11/invalid": {},
	"comfyui-2024-11/upload":  {},

	"comfyui-0.3.64/success": {
		"1028855b": {record: "succeeded", heard: "succeeded", ends: 1, file: "t_00001_.png"},
	},
	"comfyui-0.3.64/cached": {
		"1f8c0b27": {record: "succeeded", heard: "succeeded", ends: 1, file: "t_00002_.png", cached: "1"},
		"28d913f6": {record: "succeeded", heard: "succeeded", ends: 1, file: "t_00002_.png", cached: "1 2 3"},
	},
	"comfyui-0.3.64/error": {
		"b0be7f88": {record: "failed", heard: "failed", ends: 1, code: job.ErrOutOfMemory, cached: "1"},
	},
	"comfyui-0.3.64/interrupt_stubborn": {
		"993f4fa1": {record: "interrupted", heard: "interrupted", ends: 1, cached: "1"},
	},
	"comfyui-0.3.64/interrupt_targeted": { // the foreign prompt ran to its end
		"c5060a3e": {record: "interrupted", heard: "interrupted", ends: 1, cached: "1"},
		"9341ccf6": {record: "succeeded", file: "t_00003_.png", cached: "1"},
	},
	"comfyui-0.3.64/own_id": { // one id, two runs; the history keeps the later
		"3c77044d": {record: "succeeded", heard: "succeeded", ends: 2, file: "t_00005_.png", cached: "1"},
		"b0be7f88": {record: "failed", code: job.ErrOutOfMemory, cached: "1"},
	},
	"comfyui-0.3.64/delete_pending": {
		"4a1a5670": {record: "interrupted", heard: "interrupted", ends: 1, cached: "1"},
		"5c4cf8c9": {record: absent},
		"faaa60ff": {},
	},
	"comfyui-0.3.64/reconnect":   {"ecd343ad": {heard: "succeeded", ends: 1}},
	"comfyui-0.3.64/two_sockets": {"010ebc4f": {heard: "succeeded", ends: 1}},
	"comfyui-0.3.64/misc": {
		"none":     {record: absent},
		"010ebc4f": {record: "succeeded", file: "t_00007_.png", cached: "1"},
		"1028855b": {record: "succeeded", file: "t_00001_.png"},
	},
	"comfyui-0.3.64/invalid": {},
	"comfyui-0.3.64/upload":  {},

	"comfyui-0.27.0/success": {
		"c6625d18": {record: "succeeded", heard: "succeeded", ends: 1, file: "t_00001_.png"},
	},
	"comfyui-0.27.0/cached": {
		"f2513631": {record: "succeeded", heard: "succeeded", ends: 1, file: "t_00002_.png", cached: "1"},
		"8fa1c7a7": {record: "succeeded", heard: "succeeded", ends: 1, file: "t_00002_.png", cached: "1 2 3"},
	},
	"comfyui-0.27.0/error": {
		"35dff299": {record: "failed", heard: "failed", ends: 1, code: job.ErrOutOfMemory, cached: "1"},
	},
	"comfyui-0.27.0/interrupt_stubborn": {
		"18015f02": {record: "interrupted", heard: "interrupted", ends: 1, cached: "1"},
	},
	"comfyui-0.27.0/interrupt_targeted": {
		"2197da9a": {record: "interrupted", heard: "interrupted", ends: 1, cached: "1"},
		"09bc9db4": {record: "succeeded", file: "t_00003_.png", cached: "1"},
	},
	"comfyui-0.27.0/own_id": {
		"26078d07": {record: "succeeded", heard: "succeeded", ends: 2, file: "t_00005_.png", cached: "1"},
		"35dff299": {record: "failed", code: job.ErrOutOfMemory, cached: "1"},
	},
	"comfyui-0.27.0/delete_pending": {
		"67ea5581": {record: "interrupted", heard: "interrupted", ends: 1, cached: "1"},
		"de0f01cb": {record: absent},
		"1ba0b4f0": {},
	},
	"comfyui-0.27.0/cancel_api": {
		"9ce1b06f": {record: "interrupted", heard: "interrupted", ends: 1},
		"6b9314db": {},
	},
	"comfyui-0.27.0/reconnect":   {"15fb67c1": {heard: "succeeded", ends: 1}},
	"comfyui-0.27.0/two_sockets": {"cf6fb359": {heard: "succeeded", ends: 1}},
	"comfyui-0.27.0/misc": {
		"none":     {record: absent},
		"cf6fb359": {record: "succeeded", file: "t_00007_.png", cached: "1"},
		"c6625d18": {record: "succeeded", file: "t_00001_.png"},
	},
	"comfyui-0.27.0/invalid": {},
	"comfyui-0.27.0/upload":  {},
}

// TestEveryPromptOfTheRecordingsHasTheRightFate plays each recording to the
// client, HTTP and websocket, and compares what it made of every prompt.
func TestEveryPromptOfTheRecordingsHasTheRightFate(t *testing.T) {
	for name, want := range fates {
		t.Run(name, func(t *testing.T) {
			version, scenario, _ := strings.Cut(name, "/")
			r := newReplay(t, version)
			r.run(readTrace(t, version, scenario))
			for id, f := range want {
				if got := r.fates[id]; got == nil || *got != f {
					t.Errorf("%s: %+v, want %+v", id, got, f)
				}
			}
			for id := range r.fates {
				if _, ok := want[id]; !ok {
					t.Errorf("%s: %+v is nowhere in the recording", id, *r.fates[id])
				}
			}
			if want := interrupts[name]; !slices.Equal(r.interrupts, want) {
				t.Errorf("interrupts %q, want %q", r.interrupts, want)
			}
			if want := refusalsOf(name); !slices.Equal(r.refusals, want) {
				t.Errorf("refusals:\n%q, want\n%q", r.refusals, want)
			}
		})
	}
}

// interrupts are what the client does where the recording names a prompt in an
// interrupt. The oldest server would stop whatever runs, so there nothing may
// be sent unless that is the one.
var interrupts = map[string][]string{
	"comfyui-2024-11/interrupt_targeted": {"not sent", "not sent"},
	"comfyui-0.3.64/interrupt_targeted":  {"9341ccf6", "c5060a3e"},
	"comfyui-0.27.0/interrupt_targeted":  {"09bc9db4", "2197da9a"},
	"comfyui-2024-11/interrupt_stubborn": {"509766e6"},
	"comfyui-0.3.64/interrupt_stubborn":  {"993f4fa1"},
	"comfyui-0.27.0/interrupt_stubborn":  {"18015f02"},
}

// refusalsOf are what the client says of prompts that were not taken: code,
// kind, node, class, input, value, allowed values.
func refusalsOf(name string) []string {
	missing := "missing_node  2 NoSuchNode   []"
	switch name {
	case "comfyui-2024-11/invalid", "comfyui-0.3.64/invalid", "comfyui-0.27.0/invalid":
		noPrompt := "refused no_prompt     []"
		if strings.Contains(name, "2024-11") {
			noPrompt = "refused      []" // the error is a mere string
		}
		return []string{
			"refused invalid_input_type 2 SlowSampler steps abc [INT >= 1 <= 100000]",
			missing,
			"refused prompt_no_outputs     []",
			"refused required_input_missing 2 SlowSampler image  []",
			noPrompt,
			"refused prompt_no_outputs     []",
			"refused custom_validation_failed 1 LoadImage image nope.png []",
			"server_fault      []",
		}
	case "comfyui-0.27.0/cancel_api":
		return []string{"refused invalid_prompt_id     []"}
	}
	return nil
}

// replay plays a recording and notes what the client makes of it.
type replay struct {
	t          *testing.T
	server     *player
	client     *Client
	audience   *audience
	fates      map[string]*fate
	interrupts []string
	refusals   []string
}

func newReplay(t *testing.T, version string) *replay {
	t.Helper()
	p := newPlayer(t, version)
	c := newTest(t, Options{URL: p.URL})
	ctx, cancel := context.WithCancel(t.Context())
	a := &audience{
		t: t, client: c, server: p, ctx: ctx, heard: map[string][]job.News{}, caughtUp: make(chan string, 8),
	}
	t.Cleanup(a.wait.Wait)
	t.Cleanup(cancel)
	if _, err := c.Probe(ctx); err != nil {
		t.Fatal(err)
	}
	return &replay{t: t, server: p, client: c, audience: a, fates: map[string]*fate{}}
}

func (r *replay) fate(id string) *fate {
	id, _, _ = strings.Cut(id, "-")
	if r.fates[id] == nil {
		r.fates[id] = &fate{}
	}
	return r.fates[id]
}

func (r *replay) run(lines []traceLine) {
	for i, l := range lines {
		if l.Kind == "ws" {
			r.audience.listen(l.Client)
			r.server.say(l.Client, l.Msg)
			continue
		}
		bodies := r.server.play(l, queueAt(lines, i), func() { r.exchange(l) })
		r.sent(l, bodies)
	}
	r.audience.catchUp()
	for name, news := range r.audience.heard {
		for _, n := range news {
			r.hear(name, n)
		}
	}
}

// queueAt is what a look at the queue shows: as it was last recorded, or before
// the first recording as it was then.
func queueAt(lines []traceLine, i int) json.RawMessage {
	var queue json.RawMessage
	for j, l := range lines {
		if l.Kind == "http" && l.Method == http.MethodGet && l.Path == "/queue" && l.Status == 200 && (j <= i || queue == nil) {
			queue = l.Reply
		}
	}
	return queue
}

func (r *replay) hear(socket string, n job.News) {
	if n.Kind == job.NewsEnding {
		r.fate(n.PromptID).heard = n.Outcome
	}
	if n.Kind == job.NewsEnded {
		r.fate(n.PromptID).ends++
	}
	if socket == "other" && n.Kind != job.NewsStatus && n.Kind != job.NewsUp {
		r.t.Errorf("the socket that only listens heard %+v", n)
	}
}

// exchange makes the call of the client that leads to a recorded exchange. What
// the client has no call for is passed over.
func (r *replay) exchange(l traceLine) {
	ctx := r.t.Context()
	path, query, _ := strings.Cut(l.Path, "?")
	switch {
	case l.Method == http.MethodPost && path == "/prompt":
		r.submit(l)
	case l.Method == http.MethodGet && path == "/queue":
		q, err := r.client.Queue(ctx)
		if l.Status == 403 && job.CodeOf(err) != job.ErrOrigin || l.Status == 200 && err != nil {
			r.t.Errorf("queue: %+v, %v", q, err)
		}
	case l.Method == http.MethodGet && strings.HasPrefix(path, "/history/"):
		r.ask(strings.TrimPrefix(path, "/history/"))
	case l.Method == http.MethodGet && path == "/history":
		r.askAll(l)
	case l.Method == http.MethodGet && path == "/view":
		q, err := url.ParseQuery(query)
		if err != nil {
			r.t.Fatal(err)
		}
		_, _, err = r.client.View(ctx, job.OutputRef{Filename: q.Get("filename")}, 0)
		if job.CodeOf(err) != job.ErrNoSuchFile {
			r.t.Errorf("view: %v", err)
		}
	case l.Method == http.MethodPost && path == "/queue":
		if o, _ := asObject(l.Request); len(o.list("delete")) == 1 {
			if err := r.client.Remove(ctx, asText(o.list("delete")[0])); err != nil {
				r.t.Error(err)
			}
		}
	case l.Method == http.MethodPost && path == "/interrupt":
		r.interrupt(l)
	}
}

func (r *replay) interrupt(l traceLine) {
	o, _ := asObject(l.Request)
	id := o.text("prompt_id")
	if id == "" {
		return // nothing that the client would send
	}
	// The recordings stop by interrupts also where there is a route that cancels.
	can, err := r.client.capabilities(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	can.cancel = false
	r.client.mu.Lock()
	r.client.can = &can
	r.client.mu.Unlock()
	err = r.client.Interrupt(r.t.Context(), id)
	switch {
	case err == nil:
		r.interrupts = append(r.interrupts, id[:8])
	case job.CodeOf(err) == job.ErrUnsupported:
		r.interrupts = append(r.interrupts, "not sent")
	default:
		r.t.Error(err)
	}
}

func (r *replay) submit(l traceLine) {
	o, _ := asObject(l.Request)
	raw := o["prompt"]
	if raw == nil { // no prompt, or no JSON: of use only for its answer
		raw = []byte("{}")
	}
	s := job.Submission{Graph: graphOf(r.t, raw), PromptID: job.ID(o.text("prompt_id")), ClientID: o.text("client_id")}
	if s.PromptID == "" {
		s.PromptID = "0e0fa4ae-3f0b-4ecb-9d0c-6a0f2c5f5f1d"
	}
	receipt, err := r.client.Submit(r.t.Context(), s)
	if err == nil {
		r.fate(receipt.PromptID)
		return
	}
	var f job.NodeFault
	e := err.(*job.Error) //nolint:errorlint // what Submit promises
	if len(e.Faults) > 0 {
		f = e.Faults[0]
	} else {
		f.Node, f.Class = e.Args.Node, e.Args.Class
	}
	r.refusals = append(r.refusals, strings.Join([]string{
		e.Code, f.Type, f.Node, f.Class, f.Input, f.Value, "[" + strings.Join(f.Allowed, " ") + "]",
	}, " "))
}

func (r *replay) ask(id string) {
	record, ok, err := r.client.Record(r.t.Context(), id)
	if err != nil {
		r.t.Error(err)
		return
	}
	f := r.fate(id)
	if !ok {
		f.record = absent
		return
	}
	f.record, f.code, f.cached = record.Outcome, "", strings.Join(record.Cached, " ")
	if record.Err != nil {
		f.code = record.Err.Code
		if record.Err.Args.Node != "2" || record.Err.Args.Class != "Boom" {
			r.t.Errorf("%s failed in %+v", id, record.Err.Args)
		}
	}
	if len(record.Outputs) > 0 {
		f.file = record.Outputs[0].Filename
	}
	if d := record.Ended.Sub(record.Started); record.Started.IsZero() || d < 0 || d.Seconds() > 7 {
		r.t.Errorf("%s took %v", id, d)
	}
}

// askAll looks for a tag that nobody has, and then reads each listed entry by
// its id.
func (r *replay) askAll(l traceLine) {
	if _, ok, err := r.client.FindRecord(r.t.Context(), "no-such-run"); ok || err != nil {
		r.t.Errorf("found %v, %v", ok, err)
	}
	entries, ok := fields(l.Reply)
	if !ok || len(entries) == 0 {
		r.t.Fatal("no entries")
	}
	for _, e := range entries {
		one, err := json.Marshal(map[string]json.RawMessage{e.name: e.value})
		if err != nil {
			r.t.Fatal(err)
		}
		l := traceLine{Method: http.MethodGet, Path: "/history/" + e.name, Status: 200, Reply: one}
		r.server.play(l, nil, func() { r.ask(e.name) })
	}
}

// sent checks what was posted against the recording.
func (r *replay) sent(l traceLine, bodies []string) {
	if l.Method != http.MethodPost {
		return
	}
	recorded, _ := asObject(l.Request)
	for _, body := range bodies {
		got, ok := asObject([]byte(body))
		if !ok {
			r.t.Errorf("posted %q", body)
		}
		switch l.Path {
		case "/prompt":
			if recorded["prompt"] != nil && !sameJSON(r.t, got["prompt"], recorded["prompt"]) {
				r.t.Errorf("posted %s, want %s", got["prompt"], recorded["prompt"])
			}
		case "/interrupt":
			if got.text("prompt_id") == "" {
				r.t.Errorf("an interrupt without an id: %q", body)
			}
		case "/queue":
			if got["clear"] != nil || len(got.list("delete")) != 1 {
				r.t.Errorf("posted %q", body)
			}
		}
	}
}
