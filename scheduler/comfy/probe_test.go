package comfy

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"reckoner/scheduler/job"
)

func TestVersionsAreComparedByNumber(t *testing.T) {
	for version, want := range map[string]bool{
		"0.3.57": true, "0.3.56": false, "0.3.64": true, "0.4.0": true, "0.27.0": true, "1.0": true, "0.38.1+git": true,
		"v0.3.58": true, "0.3.100": true, "0.3.57rc1": true, "0.3": false, "0.4": true, "": false, "unknown": false,
		"0.2.99": false, "0.3.x": false, "nightly-0.27": false, "9999999999999999999999.0": false,
	} {
		if got := atLeast(version, 0, 3, 57); got != want {
			t.Errorf("%q: %v", version, got)
		}
	}
}

func TestTheRecordedServersSayWhatTheyCanDo(t *testing.T) {
	for version, want := range map[string]job.ServerInfo{
		"comfyui-2024-11": {Version: "unknown", OS: "posix"},
		"comfyui-0.3.64":  {Version: "0.3.64", OS: "posix", OwnIDs: true, TargetedInterrupt: true},
		"comfyui-0.27.0":  {Version: "0.27.0", OS: "linux", OwnIDs: true, TargetedInterrupt: true},
	} {
		p := newPlayer(t, version)
		c := newTest(t, Options{URL: p.URL})
		got, err := c.Probe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got.Version != want.Version || got.OS != want.OS || got.OwnIDs != want.OwnIDs ||
			got.TargetedInterrupt != want.TargetedInterrupt {
			t.Errorf("%s: %+v", version, got)
		}
		if len(got.Devices) != 1 || got.Devices[0].Type != "cpu" || got.Devices[0].Index.Known() ||
			got.RAMTotal.Or(0) != 25324732416 || got.Devices[0].VRAMTotal.Or(0) != 25324732416 {
			t.Errorf("%s: %+v", version, got)
		}
		if d := got.ClockOffset; d < -2*time.Second || d > 2*time.Second {
			t.Errorf("%s: its clock is %v off ours, which is the same", version, d)
		}
	}
}

// routes serves fixed JSON, and 404 or 405 for the rest as ComfyUI does.
func routes(t *testing.T, answers map[string]string) (*httptest.Server, *[]string) {
	t.Helper()
	var asked []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		call := r.Method + " " + r.URL.Path
		asked = append(asked, call+" "+string(body))
		text, ok := answers[call]
		switch {
		case ok:
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, text)
		case r.Method == http.MethodPost:
			http.Error(w, "405: Method Not Allowed", http.StatusMethodNotAllowed)
		default:
			http.Error(w, "404: Not Found", http.StatusNotFound)
		}
	}))
	t.Cleanup(s.Close)
	return s, &asked
}

func TestAServerWithoutThePrefixIsAskedOnBarePaths(t *testing.T) {
	s, asked := routes(t, map[string]string{
		"GET /p/prompt": `{"exec_info":{"queue_remaining":0}}`,
		"GET /p/queue":  `{"queue_running":[],"queue_pending":[]}`,
	})
	c := newTest(t, Options{URL: s.URL + "/p/"})
	for range 2 {
		if _, err := c.Queue(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"GET /p/api/prompt ", "GET /p/prompt ", "GET /p/queue ", "GET /p/queue "}
	if !slices.Equal(*asked, want) {
		t.Errorf("asked %q", *asked)
	}
}

func TestAnotherServerInItsPlaceIsFoundOutAnew(t *testing.T) {
	answers := map[string]string{
		"GET /api/prompt": `{"exec_info":{"queue_remaining":0}}`,
		"GET /api/queue":  `{"queue_running":[],"queue_pending":[]}`,
	}
	s, _ := routes(t, answers)
	c := newTest(t, Options{URL: s.URL})
	if _, err := c.Queue(t.Context()); err != nil {
		t.Fatal(err)
	}
	// When an older server takes its place, one answer is bad and the next good.
	clear(answers)
	answers["GET /prompt"] = `{"exec_info":{"queue_remaining":0}}`
	answers["GET /queue"] = `{"queue_running":[],"queue_pending":[]}`
	if _, err := c.Queue(t.Context()); job.CodeOf(err) != job.ErrNotComfy {
		t.Error(err)
	}
	if _, err := c.Queue(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAForkWithoutAVersionIsAskedForItsCancelRoute(t *testing.T) {
	answers := map[string]string{
		"GET /api/prompt":       `{"exec_info":{"queue_remaining":0}}`,
		"GET /api/system_stats": `{"system":{"comfyui_version":"nightly"},"devices":[{"vram_total":-1,"index":1},5]}`,
		"GET /api/features":     `{}`,
	}
	s, asked := routes(t, answers)
	c := newTest(t, Options{URL: s.URL})
	info, err := c.Probe(t.Context())
	if err != nil || !info.OwnIDs || info.TargetedInterrupt {
		t.Errorf("%+v, %v", info, err)
	}
	if len(info.Devices) != 1 || info.Devices[0].VRAMTotal.Known() || info.Devices[0].Index.Or(0) != 1 {
		t.Errorf("%+v", info.Devices)
	}
	if last := (*asked)[len(*asked)-1]; !strings.HasPrefix(last, "POST /api/jobs/") {
		t.Errorf("asked %q", last)
	}
	// The id is a new one each time, so the route is served for any.
	s2 := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/jobs/") && strings.HasSuffix(r.URL.Path, "/cancel") {
			_, _ = io.WriteString(w, `{"cancelled":false}`)
			return
		}
		_, _ = io.WriteString(w, answers[r.Method+" "+r.URL.Path])
	}))
	defer s2.Close()
	info, err = newTest(t, Options{URL: s2.URL}).Probe(t.Context())
	if err != nil || !info.TargetedInterrupt {
		t.Errorf("%+v, %v", info, err)
	}
}

func TestOtherServersAreNotTakenForComfyUI(t *testing.T) {
	for _, c := range []struct{ prompt, stats, code string }{
		{`{"status":"ok"}`, ``, job.ErrNotComfy},
		{`[]`, ``, job.ErrNotComfy},
		{`{"exec_info":{}}`, `{"hello":1}`, job.ErrNotComfy},
		{`{"exec_info":{}}`, `{"system":{"cloud_version":"1"}}`, job.ErrUnsupported},
	} {
		s, _ := routes(t, map[string]string{"GET /api/prompt": c.prompt, "GET /api/system_stats": c.stats})
		if info, err := newTest(t, Options{URL: s.URL}).Probe(t.Context()); job.CodeOf(err) != c.code {
			t.Errorf("%s %s: %+v, %v", c.prompt, c.stats, info, err)
		}
	}
}

func TestStatsAskOnceAfterAProbe(t *testing.T) {
	stats := map[string]any{"system": map[string]any{"comfyui_version": "0.3.64", "ram_free": 5}}
	text, err := json.Marshal(stats)
	if err != nil {
		t.Fatal(err)
	}
	s, asked := routes(t, map[string]string{
		"GET /api/prompt": `{"exec_info":{"queue_remaining":0}}`, "GET /api/system_stats": string(text),
	})
	c := newTest(t, Options{URL: s.URL})
	if _, err := c.Probe(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := len(*asked)
	info, err := c.Stats(t.Context())
	if err != nil || !info.TargetedInterrupt || info.RAMFree.Or(0) != 5 || info.RAMTotal.Known() {
		t.Errorf("%+v, %v", info, err)
	}
	if len(*asked) != before+1 {
		t.Errorf("asked %q", (*asked)[before:])
	}
}

func TestAServerThatFillsTheCardOnPurposeIsKnown(t *testing.T) {
	for _, c := range []struct {
		version, device, argv string
		want                  bool
	}{
		{"0.27.0", "cuda", `["main.py"]`, true},
		{"0.27.0", "cuda", `["main.py","--disable-dynamic-vram"]`, false},
		{"0.27.0", "xpu", `["main.py"]`, false},
		{"0.3.64", "cuda", `["main.py"]`, false},
		{"", "cuda", `null`, false},
	} {
		info, code := decodeStats(fmt.Appendf(nil, `{"system":{"comfyui_version":%q,"argv":%s},"devices":[{"type":%q}]}`,
			c.version, c.argv, c.device))
		if code != "" || info.FillsCard != c.want {
			t.Errorf("%+v: %v, %s", c, info.FillsCard, code)
		}
	}
}
