package comfy

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"reckoner/scheduler/job"
)

func entry(status string) []byte {
	return plainJSON([]byte(`{"prompt":[1,"p",{},{"reckoner":{"job":"j","run":"r","app":"a"}},[]],"outputs":{},"status":` +
		status + `}`))
}

func TestAnOutcomeIsTheLastTerminalMessage(t *testing.T) {
	message := func(kind string) string { return fmt.Sprintf(`["execution_%s",{"timestamp":2000}]`, kind) }
	start, success, interrupted := message("start"), message("success"), message("interrupted")
	failed := `["execution_error",{"exception_type":"ValueError","timestamp":2000}]`
	blocked := `["execution_error",{"exception_type":"ExecutionBlocked","exception_message":"Execution Blocked: x"}]`
	status := func(str, completed string, messages ...string) string {
		return fmt.Sprintf(`{"status_str":%s,"completed":%s,"messages":[%s]}`, str, completed, strings.Join(messages, ","))
	}
	for _, c := range []struct {
		name, status string
		want         job.RunOutcome
	}{
		{"success", status(`"success"`, "true", start, success), job.RunSucceeded},
		{"error", status(`"error"`, "false", start, failed), job.RunFailed},
		{"interrupted", status(`"error"`, "false", start, interrupted), job.RunInterrupted},
		{"interrupted but called success", status(`"success"`, "true", start, interrupted), job.RunInterrupted},
		{"failed but called success", status(`"success"`, "true", start, failed), job.RunFailed},
		{"success after a blocked node", status(`"success"`, "true", start, blocked, success), job.RunSucceeded},
		{"blocked only, and completed", status(`"success"`, "true", start, blocked), job.RunSucceeded},
		{"no terminal message, completed (before July 2024)", status(`"success"`, "true", start), job.RunSucceeded},
		{"no messages, an error", status(`"error"`, "false"), job.RunFailed},
		{"not completed and no word", status(`"success"`, "false", start), ""},
		{"no status (before 2024)", "null", ""},
		{"a status of another type", "5", ""},
		{"messages of another type", `{"status_str":"error","completed":false,"messages":{"a":1}}`, job.RunFailed},
		{
			"odd messages are passed over", status(`"success"`, "true", "5", "[]", `["x"]`, `[1,2]`, success),
			job.RunSucceeded,
		},
		{"NaN in an error's inputs", status(`"error"`, "false",
			`["execution_error",{"exception_type":"E","current_inputs":{"x":[NaN]}}]`), job.RunFailed},
	} {
		r, ok := decodeRecord("p", entry(c.status))
		if !ok || r.Outcome != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, r.Outcome, ok, c.want)
		}
		if (r.Err != nil) != (c.want == job.RunFailed) {
			t.Errorf("%s: error %v", c.name, r.Err)
		}
	}
}

func TestARecordHasTagTimesAndCachedNodes(t *testing.T) {
	r, ok := decodeRecord("p", entry(`{"messages":[["execution_start",{"timestamp":1796069588879}],
		["execution_cached",{"nodes":["4","57:8",7,null],"timestamp":1}],
		["execution_success",{"timestamp":1796069590900}]]}`))
	if !ok || r.PromptID != "p" || r.Tag != (job.Tag{Job: "j", Run: "r", App: "a"}) {
		t.Errorf("%+v, %v", r, ok)
	}
	if d := r.Ended.Sub(r.Started); d != 2021*time.Millisecond {
		t.Errorf("took %v", d)
	}
	if !slices.Equal(r.Cached, []string{"4", "57:8", "7"}) {
		t.Errorf("cached %q", r.Cached)
	}
	for _, bad := range []string{`null`, `[]`, `"x"`, `5`} {
		if _, ok := decodeRecord("p", []byte(bad)); ok {
			t.Errorf("%s is an entry", bad)
		}
	}
}

func TestANodesErrorSaysWhichNodeAndHow(t *testing.T) {
	long := strings.Repeat("x", 5000)
	for _, c := range []struct{ kind, message, code, detail string }{
		{"ValueError", "bad size\n", job.ErrNodeFailed, "ValueError: bad size"},
		{"torch.OutOfMemoryError", "whatever", job.ErrOutOfMemory, "torch.OutOfMemoryError: whatever"},
		{"torch.cuda.OutOfMemoryError", "", job.ErrOutOfMemory, "torch.cuda.OutOfMemoryError"},
		{"RuntimeError", "CUDA out of memory. Tried", job.ErrOutOfMemory, "RuntimeError: CUDA out of memory. Tried"},
		{
			"RuntimeError", "CUDA error: an illegal memory access was encountered", job.ErrGPUFault,
			"RuntimeError: CUDA error: an illegal memory access was encountered",
		},
		{
			"torch.AcceleratorError", "CUDA error: device-side assert triggered", job.ErrGPUFault,
			"torch.AcceleratorError: CUDA error: device-side assert triggered",
		},
		{"RuntimeError", "CUDA error: out of memory", job.ErrOutOfMemory, "RuntimeError: CUDA error: out of memory"},
		{
			"OSError", "[Errno 28] No space left on device: '/out/a.png'", job.ErrServerDisk,
			"OSError: [Errno 28] No space left on device: '/out/a.png'",
		},
		{"RuntimeError", "Allocation on device 0", job.ErrOutOfMemory, "RuntimeError: Allocation on device 0"},
		{"", "Unauthorized: Please login first", job.ErrAccount, "Unauthorized: Please login first"},
		{"E", long, job.ErrNodeFailed, "E: " + long[:1997] + "…"},
	} {
		raw := fmt.Sprintf(
			`{"node_id":"6","node_type":"KSampler","exception_type":%q,"exception_message":%q}`, c.kind, c.message,
		)
		o, _ := asObject([]byte(raw))
		e := nodeError(o)
		if e.Code != c.code || e.Args.Node != "6" || e.Args.Class != "KSampler" || e.Args.Detail != c.detail {
			t.Errorf("%s %.20s: %v %+v", c.kind, c.message, e.Code, e.Args)
		}
	}
}

func TestOutputsAreAllObjectsWithAFileName(t *testing.T) {
	raw := `{"12":{"images":[{"filename":"b.png","subfolder":"x\\y","type":"output"},
		{"filename":"b.png","subfolder":"x\\y","type":"output"}],"animated":[true]},
		"9":{"gifs":[{"filename":"v.mp4","subfolder":"","type":"temp","format":"video/h264-mp4","workflow":"w.png"}],
		"deep":[[{"a":{"filename":"d.bin"}}]],"single":{"filename":"s.wav","type":"input"}},
		"5":{"text":["",null,"two"],"result":["m.glb",null,{"camera":1}],"none":null,"list":[]},"6":null,"7":[1]}`
	refs, other := decodeOutputs([]byte(raw))
	want := []job.OutputRef{
		{Node: "12", Kind: "images", Filename: "b.png", Subfolder: `x\y`, Type: "output"},
		{Node: "9", Kind: "gifs", Filename: "v.mp4", Type: "temp"},
		{Node: "9", Kind: "deep", Filename: "d.bin", Type: "output"},
		{Node: "9", Kind: "single", Filename: "s.wav", Type: "input"},
	}
	if !slices.Equal(refs, want) {
		t.Errorf("%+v", refs)
	}
	if other != 4 { // two texts, the model's name and its camera
		t.Errorf("%d results that are no files", other)
	}
	if refs, other := decodeOutputs([]byte(`{"5":{"text":[""]}}`)); len(refs) != 0 || other != 1 {
		t.Errorf("an empty text: %v, %d", refs, other)
	}
	nested := strings.Repeat("[", 50) + `{"filename":"x"}` + strings.Repeat("]", 50)
	if refs, _ := decodeOutputs([]byte(`{"5":{"deep":[` + nested + `]}}`)); len(refs) != 0 {
		t.Errorf("too deep, and found: %v", refs)
	}
}
