package sim

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// What the versions differ in, as somebody sees it who asks.
func TestProfiles(t *testing.T) {
	for _, c := range []struct {
		profile, path string
		headers       []string
		status        int
		has, hasNot   string
	}{
		{"legacy-2023-07", "/api/prompt", nil, 404, "", ""},
		{"legacy-2023-07", "/system_stats", nil, 200, "python_version", "comfyui_version"},
		{"legacy-2024-01", "/models", nil, 404, "", ""},
		{"legacy-2024-01", "/queue", []string{"Origin", "http://evil.example"}, 200, "queue_running", ""},
		{"0.3.27", "/api/features", nil, 404, "", ""},
		{"0.3.44", "/api/features", nil, 404, "", ""},
		{"0.3.56", "/api/features", nil, 200, "supports_preview_metadata", ""},
		{"0.3.64", "/api/jobs", nil, 404, "", ""},
		{"2026", "/api/jobs", nil, 200, "pagination", ""},
		{"2026", "/api/queue", []string{"Sec-Fetch-Site", "cross-site"}, 403, "", ""},
		{"0.3.64", "/api/queue", []string{"Sec-Fetch-Site", "cross-site"}, 200, "", ""},
		{"cloud", "/api/queue", nil, 401, "Unauthorized", ""},
		{"cloud", "/api/system_stats", []string{"X-API-Key", CloudKey}, 200, "cloud_version", ""},
		{"proxy", "/api/queue", nil, 401, "<h1>401", ""},
		{"proxy", "/api/queue", []string{"Authorization", "Basic cGFpbnRlcjpvcGVuLXNlc2FtZQ=="}, 200, "queue_running", ""},
	} {
		t.Run(c.profile+c.path, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := start(t, oneServer(nil), Options{Protocol: c.profile})
				defer r.stop()
				a := r.do("s", "GET", c.path, "", c.headers...)
				if a.status != c.status || !strings.Contains(a.body, c.has) || c.hasNot != "" && strings.Contains(a.body, c.hasNot) {
					t.Errorf("%d %s", a.status, a.body)
				}
			})
		})
	}
}

// The built-in scenario "trouble" does all that it says, at its times.
func TestAScenarioHappens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, builtIn(t, "trouble"), Options{})
		defer r.stop()
		server := r.world.Server("gpu-1")
		r.lns["s"] = r.lns["gpu-1"]
		r.wait(60)
		ear := r.listen("me")
		r.wait(50)
		if got := ear.kinds(); !slices.Contains(got, "crystools.monitor") || !slices.Contains(got, "progress_state") {
			t.Errorf("heard %v", got)
		}
		r.wait(12)
		before := len(ear.heard())
		r.wait(50)
		if got := len(ear.heard()); got != before {
			t.Errorf("the deaf socket heard %d messages", got-before)
		}
		long := r.submit("gpu-1", slow(100, 500, 1), "")
		waiting := r.submit("gpu-1", slow(1, 1, 2), "")
		r.wait(35)
		if got := r.get("gpu-1", "/queue").body; strings.Contains(got, waiting) || !strings.Contains(got, long) {
			t.Errorf("after somebody cleared it the queue is %s", got)
		}
		for _, c := range []struct {
			after float64
			up    bool
		}{{90, true}, {10, false}, {40, true}, {550, true}, {20, false}, {30, true}} {
			r.wait(c.after)
			if server.Accepting() != c.up {
				t.Errorf("%v s on it is up: %v", c.after, !c.up)
			}
		}
	})
}

func TestDeedsThatCannotBeDoneAreRefused(t *testing.T) {
	for _, h := range []Happening{
		{Server: "nobody", Do: DoRestart}, {Server: "s", Do: "explode"}, {Server: "s", Do: DoRestart, AtS: -1},
	} {
		s := oneServer(nil)
		s.Machines[0].Happenings = []Happening{h}
		if _, err := Open(s, Options{}); err == nil {
			t.Errorf("%+v was taken", h)
		}
	}
}

// Every fault is in the list that people read, and can be written in a scenario.
func TestFaultsAreDescribed(t *testing.T) {
	text, err := os.ReadFile("scenarios/README.md")
	if err != nil {
		t.Fatal(err)
	}
	f := reflect.TypeFor[Faults]()
	for field := range f.Fields() {
		part := field.Type
		for field := range part.Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if !strings.Contains(string(text), "`"+name+"`") {
				t.Errorf("%s is not in the README", name)
			}
		}
	}
}

func FuzzScenario(f *testing.F) {
	for _, name := range ScenarioNames() {
		b, err := scenarioFiles.ReadFile("scenarios/" + name + ".json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := ParseScenario(b)
		if err != nil {
			return
		}
		// What is accepted can be written down and is accepted again.
		again, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseScenario(again); err != nil {
			t.Errorf("%v: %s", err, again)
		}
	})
}
