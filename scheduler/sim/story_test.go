package sim

import (
	"context"
	"encoding/json"
	"math"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"reckoner/scheduler/job"
)

func i2v(t *testing.T, seed string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/workflows/i2v_640x640x161.json")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Replace(string(b), `"seed": 7`, `"seed": `+seed, 1)
}

func builtIn(t *testing.T, name string) Scenario {
	t.Helper()
	s, err := Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// took is a prompt's duration by the server's own stamps, in seconds.
func (r *rig) took(server, id string) float64 {
	r.t.Helper()
	_, record := r.ended(server, id)
	if record == nil {
		r.t.Fatalf("%s has no record of %s", server, id)
	}
	ms := record.object("status").vals["messages"].([]any)
	stamp := func(i int) float64 {
		f, _ := toFloat(ms[i].([]any)[1].(*object).vals["timestamp"])
		return f
	}
	return (stamp(len(ms)-1) - stamp(0)) / 1000
}

// gauges reads a machine's metrics page as a scraper does: by name, for its only
// card.
func (r *rig) gauges(machine string) map[string]float64 {
	r.t.Helper()
	a := r.get(machine+" metrics", "/metrics")
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(a.body))
	if err != nil {
		r.t.Fatal(err)
	}
	out := map[string]float64{}
	for name, f := range families {
		if f.GetType().String() != "GAUGE" || len(f.Metric) == 0 {
			continue
		}
		out[strings.TrimPrefix(name, "nvidia_smi_")] = f.Metric[0].GetGauge().GetValue()
	}
	return out
}

func between(t *testing.T, what string, got, low, high float64) {
	t.Helper()
	if got < low || got > high {
		t.Errorf("%s is %g, want %g to %g", what, got, low, high)
	}
}

const gib = float64(1 << 30)

// Image-to-video at 640 x 640 and 161 frames takes about 4.7 minutes, with a
// few per cent of spread; the first time its models are read from disk.
func TestUsualDuration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, oneServer(func(s *ServerSpec) { s.Uploads = []string{"start.png"} }), Options{Seed: 5})
		defer r.stop()
		var all []float64
		for _, seed := range []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"} {
			id := r.submit("s", i2v(t, seed), "")
			r.wait(400)
			all = append(all, r.took("s", id))
		}
		cold, warm := all[0], slices.Sorted(slices.Values(all[1:]))
		between(t, "the first run", cold, 285, 320)
		between(t, "the median of the others", warm[len(warm)/2], 272, 292)
		between(t, "their spread", warm[len(warm)-1]/warm[0], 1.01, 1.2)
		t.Logf("cold %.1f s, warm %.1f", cold, warm)
	})
}

// The demonstration's story, as the servers and the card tell it.
func TestDemoStory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, builtIn(t, "demo"), Options{Seed: 1})
		defer r.stop()
		g := r.gauges("gpu-1")
		between(t, "utilisation at rest", g["utilization_gpu_ratio"], 0, 0.05)
		between(t, "power at rest", g["power_draw_watts"], 5, 15)

		// The usual work on the other machine is not touched by any of it.
		attic := r.submit("attic", i2v(t, "1"), `, "client_id": "us"`)
		long := r.submit("gpu-1", i2v(t, "2"), `, "client_id": "us"`)
		r.wait(18)
		g = r.gauges("gpu-1")
		between(t, "utilisation alone", g["utilization_gpu_ratio"], 0.96, 1)
		between(t, "power alone", g["power_draw_watts"], 160, 181)
		between(t, "memory alone", g["memory_used_bytes"]/gib, 11, 14.5)

		r.wait(102)
		g = r.gauges("gpu-1")
		between(t, "utilisation of both", g["utilization_gpu_ratio"], 1, 1)
		between(t, "power of both", g["power_draw_watts"], 40, 46)
		between(t, "memory of both", g["memory_used_bytes"]/gib, 15.1, 15.4)
		between(t, "temperature of both", g["temperature_gpu"], 38, 62)
		if got := r.get("gpu-1 second", "/queue").body; !strings.Contains(got, `"client_id": "other-ui"`) {
			t.Errorf("second server's queue: %.200s", got)
		}

		r.wait(29.7*60 - 120)
		if last, _ := r.ended("gpu-1", long); last != "" {
			t.Fatalf("the long prompt ended: %s", last)
		}
		between(t, "the attic's run", r.took("attic", attic), 80, 120)
		r.do("gpu-1", "POST", "/interrupt", `{"prompt_id": "`+long+`"}`)
		r.wait(300)
		if last, _ := r.ended("gpu-1", long); last != "execution_interrupted" {
			t.Fatalf("the long prompt: %q, want interrupted", last)
		}
		g = r.gauges("gpu-1")
		between(t, "utilisation after the interrupt", g["utilization_gpu_ratio"], 0.96, 1)
		between(t, "memory after the interrupt", g["memory_used_bytes"]/gib, 13, 15)

		r.wait(5 * 60)
		if got := r.get("gpu-1 second", "/prompt").body; !strings.Contains(got, `"queue_remaining": 0`) {
			t.Errorf("second server: %s, want nothing left", got)
		}
		again := r.submit("gpu-1", i2v(t, "3"), `, "client_id": "us"`)
		r.wait(400)
		between(t, "the next run", r.took("gpu-1", again), 265, 300)
	})
}

// By itself the long prompt would take over an hour beside the other client.
func TestSpillMakesItTakeOverAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, builtIn(t, "demo"), Options{Seed: 1})
		defer r.stop()
		id := r.submit("gpu-1", i2v(t, "2"), "")
		r.wait(3600)
		if last, _ := r.ended("gpu-1", id); last != "" {
			t.Fatalf("ended within the hour: %s", last)
		}
		r.wait(3600)
		if last, _ := r.ended("gpu-1", id); last != "execution_success" {
			t.Errorf("after two hours: %q", last)
		}
	})
}

// The client of the default scenario sends about every 35 s while it is there.
func TestClientsCadence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, builtIn(t, "default"), Options{})
		defer r.stop()
		r.wait(590)
		history := r.get("gpu-1 second", "/history").object(t)
		var starts []float64
		for _, id := range history.keys {
			ms := history.object(id).object("status").vals["messages"].([]any)
			at, _ := toFloat(ms[0].([]any)[1].(*object).vals["timestamp"])
			starts = append(starts, at/1000)
		}
		if len(starts) < 5 || len(starts) > 7 {
			t.Fatalf("%d prompts in three minutes, want 5 to 7", len(starts))
		}
		mean := (starts[len(starts)-1] - starts[0]) / float64(len(starts)-1)
		between(t, "the mean pause", mean, 32, 40)
		between(t, "the first start", starts[0]-float64(time.Now().Unix()-590), 58, 62)
		r.wait(600)
		if more := r.get("gpu-1 second", "/history").object(t); len(more.keys) < 2*len(starts)-2 {
			t.Errorf("%d prompts after the second visit, %d after the first", len(more.keys), len(starts))
		}
	})
}

// Two who compute and fit share the card evenly.
func TestSharedCardWithoutSpill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := oneServer(func(s *ServerSpec) { s.MemoryMiB = 5000 })
		s.Machines[0].Servers = append(s.Machines[0].Servers, ServerSpec{Name: "other", MemoryMiB: 5000})
		r := start(t, s, Options{})
		defer r.stop()
		prompt := strings.Replace(i2v(t, "1"), `{"class_type": "LoadImage", "inputs": {"image": "start.png"}}`,
			`{"class_type": "EmptyImage", "inputs": {"width": 640, "height": 640, "batch_size": 1, "color": 0}}`, 1)
		a, b := r.submit("s", prompt, ""), r.submit("other", prompt, "")
		r.wait(60)
		between(t, "power", r.gauges("m")["power_draw_watts"], 160, 180)
		r.wait(700)
		between(t, "one run", r.took("s", a), 520, 630)
		between(t, "the other", r.took("other", b), 520, 630)
	})
}

// Speed and the clock change nothing but time: a clock of its own speed gives
// story stamps, a speed gives real ones.
func TestSpeed(t *testing.T) {
	for _, c := range []struct {
		name        string
		clock       float64
		speed       float64
		real, stamp float64
	}{
		{"real time", 1, 1, 12, 12}, {"simulate --speed 4", 1, 4, 3, 3}, {"a demonstration's clock", 4, 1, 3, 12},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := start(t, oneServer(nil), Options{Clock: job.NewClock(c.clock), Speed: c.speed})
				defer r.stop()
				l := r.listen("me")
				begin := time.Now()
				id := r.submit("s", slow(4, 12, 1), `, "client_id": "me"`)
				for !slices.Contains(l.kinds(), "execution_success") {
					r.wait(0.05)
				}
				between(t, "real time", time.Since(begin).Seconds(), c.real, c.real+0.2)
				r.wait(1)
				between(t, "by the server's stamps", r.took("s", id), c.stamp, c.stamp+0.7)
			})
		})
	}
}

// The same seed gives the same sensors and durations.
func TestSeedDecides(t *testing.T) {
	tell := func(seed uint64) (out string) {
		synctest.Test(t, func(t *testing.T) {
			r := start(t, oneServer(func(s *ServerSpec) { s.Uploads = []string{"start.png"} }), Options{Seed: seed})
			defer r.stop()
			id := r.submit("s", i2v(t, "1"), "")
			r.wait(100)
			page := r.get("m metrics", "/metrics").body
			r.wait(300)
			b, err := json.Marshal(math.Round(r.took("s", id) * 100))
			if err != nil {
				t.Fatal(err)
			}
			out = page + string(b)
		})
		return out
	}
	first, second := tell(1), tell(1)
	if first != second {
		t.Error("two worlds of one seed differ")
	}
	if first == tell(2) {
		t.Error("two seeds give the same")
	}
}

func TestMetricsPageHasTheExportersNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := start(t, oneServer(nil), Options{})
		defer r.stop()
		got := r.gauges("m")
		for _, name := range []string{
			"gpu_info", "utilization_gpu_ratio", "power_draw_watts", "enforced_power_limit_watts", "memory_total_bytes",
			"memory_used_bytes", "temperature_gpu", "clocks_current_sm_clock_hz", "clocks_event_reasons_sw_power_cap",
			"pstate", "last_collect_success", "command_exit_code",
		} {
			if _, ok := got[name]; !ok {
				t.Errorf("%s is missing", name)
			}
		}
		if got["memory_total_bytes"] != 17103323136 || got["enforced_power_limit_watts"] != 180 {
			t.Errorf("total %v, limit %v", got["memory_total_bytes"], got["enforced_power_limit_watts"])
		}
	})
}

// On a real socket, with a start that fails half way and stops that come early
// or twice.
func TestStartAndStop(t *testing.T) {
	s := builtIn(t, "default")
	w, err := Open(s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Stop(context.Background()); err != nil {
		t.Errorf("stop before start: %v", err)
	}
	loopback := func(string) (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") }
	ends, err := w.Start(context.Background(), loopback)
	if err != nil {
		t.Fatal(err)
	}
	kinds := []Kind{ends[0].Kind, ends[1].Kind, ends[2].Kind}
	if !slices.Equal(kinds, []Kind{KindServer, KindWatch, KindMetrics}) ||
		!strings.HasPrefix(ends[0].URL, "http://127.0.0.1:") {
		t.Errorf("endpoints %+v", ends)
	}
	if _, err := w.Start(context.Background(), nil); err == nil {
		t.Error("a second start was taken")
	}
	for range 2 {
		if err := w.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	}

	w, err = Open(s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	_, err = w.Start(context.Background(), func(string) (net.Listener, error) {
		if calls++; calls > 1 {
			return nil, net.ErrClosed
		}
		return net.Listen("tcp", "127.0.0.1:0")
	})
	if err == nil {
		t.Error("a failing listener was no error")
	}
}

func TestOpenRefuses(t *testing.T) {
	if _, err := Open(oneServer(nil), Options{Protocol: "9.9"}); err == nil || !strings.Contains(err.Error(), "0.3.64") {
		t.Errorf("error %v, want one that names the known protocols", err)
	}
	if _, err := Load("no-such-scenario"); err == nil || !strings.Contains(err.Error(), "demo") {
		t.Errorf("error %v, want one that names the built-in scenarios", err)
	}
	for _, text := range []string{
		`{}`, `{"machines": [{"name": "m", "gpus": [], "servers": [{"name": "s"}]}]}`, `{"nonsense": 1}`,
		`{"machines": [{"name": "m"}, {"name": "m"}]}`,
	} {
		if _, err := ParseScenario([]byte(text)); err == nil {
			t.Errorf("%s was taken", text)
		}
	}
}
