package gpu

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"reckoner/scheduler/job"
)

// serving gives a server that answers every request with what answer does, and
// Options whose client leaves nothing behind.
func serving(t *testing.T, answer http.HandlerFunc) (string, Options) {
	t.Helper()
	srv := httptest.NewServer(answer)
	t.Cleanup(srv.Close)
	client := srv.Client()
	client.CheckRedirect = fewRedirects
	return srv.URL, Options{Client: client}
}

func TestAnExportersPageIsPolled(t *testing.T) {
	asked := 0
	body := string(testdata(t, "26-nvidia_gpu_exporter.prom"))
	url, opt := serving(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/metrics" {
			t.Errorf("asked for %s", r.URL.Path)
		}
		if asked++; asked > 2 {
			http.Error(w, "gone", http.StatusBadGateway)
			return
		}
		_, _ = w.Write([]byte(body))
	})
	at := time.Date(2026, 3, 14, 9, 12, 1, 0, time.UTC)
	opt.Now = func() time.Time { return at }
	src, err := Open("prom:"+url, opt)
	if err != nil {
		t.Fatal(err)
	}
	var ticks [][]job.Reading
	err = src.Stream(t.Context(), time.Millisecond, func(r []job.Reading) { ticks = append(ticks, r) })
	if job.CodeOf(err) != job.ErrServerFault || len(ticks) != 2 {
		t.Fatalf("%d ticks, then %v", len(ticks), err)
	}
	want := job.Reading{
		At: at, Source: "prom:" + url + "/metrics",
		GPU:  job.GPU{UUID: "1a2b0004-5a5a-4b4b-8c8c-0000c0ffee04", Index: job.Known(0), Name: "NVIDIA GeForce RTX 5060 Ti"},
		Util: job.Known(100.0), Power: job.Known(43.1), Limit: job.Known(180.0),
		MemUsed: job.Known(int64(15600 * mib)), MemTotal: job.Known(int64(16311 * mib)), Temp: job.Known(46.0),
	}
	if !sameReading(ticks[0][0], want) {
		t.Errorf("reading is %+v, want %+v", ticks[0][0], want)
	}
}

func TestAPageThatBreaksOffIsReadAsFarAsItGoes(t *testing.T) {
	body := testdata(t, "26-nvidia_gpu_exporter.prom")
	readings, _, err := promReadings(body[:len(body)-1], time.Time{}, "prom:x")
	if err != nil || len(readings) != 1 || readings[0].Power.Or(0) != 43.1 {
		t.Errorf("%+v, %v", readings, err)
	}
}

func TestFiguresThatAreNoneAreUnknown(t *testing.T) {
	for name, series := range map[string]string{
		"not a number":             `nvidia_smi_power_draw_watts{uuid="a"} NaN`,
		"infinite":                 `nvidia_smi_power_draw_watts{uuid="a"} +Inf`,
		"below zero":               `nvidia_smi_power_draw_watts{uuid="a"} -1`,
		"blank of an old DCGM":     `DCGM_FI_DEV_POWER_USAGE{gpu="0",UUID="GPU-a"} 140737488355328`,
		"of no GPU that has a key": "nvidia_smi_power_draw_watts{} 43\n" + `nvidia_smi_gpu_info{uuid="a"} 1`,
	} {
		readings, _, err := promReadings([]byte(series+"\n"), time.Time{}, "prom:x")
		if strings.HasPrefix(name, "not") || name == "infinite" {
			if job.CodeOf(err) != job.ErrNoGPU {
				t.Errorf("%s: %+v, %v", name, readings, err)
			}
			continue
		}
		if err != nil || len(readings) != 1 || readings[0].Power.Known() {
			t.Errorf("%s: %+v, %v", name, readings, err)
		}
	}
}

const dcgmPage = `# TYPE DCGM_FI_DEV_GPU_UTIL gauge
DCGM_FI_DEV_GPU_UTIL{gpu="1",UUID="GPU-1A2B",modelName="NVIDIA H100",Hostname="h"} 97
DCGM_FI_DEV_POWER_USAGE{gpu="1",UUID="GPU-1A2B",modelName="NVIDIA H100",Hostname="h"} 632.5
DCGM_FI_DEV_FB_USED{gpu="1",UUID="GPU-1A2B",modelName="NVIDIA H100",Hostname="h"} 20000
DCGM_FI_DEV_FB_FREE{gpu="1",UUID="GPU-1A2B",modelName="NVIDIA H100",Hostname="h"} 61000
DCGM_FI_DEV_FB_RESERVED{gpu="1",UUID="GPU-1A2B",modelName="NVIDIA H100",Hostname="h"} 559
DCGM_FI_DEV_GPU_TEMP{gpu="1",UUID="GPU-1A2B",modelName="NVIDIA H100",Hostname="h"} 61
DCGM_FI_DEV_GPU_TEMP{gpu="1",UUID="GPU-1A2B",modelName="NVIDIA H100",GPU_I_ID="3"} 99
`

func TestDCGMIsRead(t *testing.T) {
	readings, _, err := promReadings([]byte(dcgmPage), time.Time{}, "prom:x")
	want := job.Reading{
		Source: "prom:x", GPU: job.GPU{UUID: "1a2b", Index: job.Known(1), Name: "NVIDIA H100"},
		Util: job.Known(97.0), Power: job.Known(632.5), Temp: job.Known(61.0),
		MemUsed: job.Known(int64(20000 * mib)), MemTotal: job.Known(int64(81559 * mib)),
	}
	if err != nil || len(readings) != 1 || !sameReading(readings[0], want) {
		t.Errorf("%+v, %v", readings, err)
	}
	noReserve := strings.ReplaceAll(dcgmPage, "_FB_RESERVED", "_XID_ERRORS")
	readings, _, err = promReadings([]byte(noReserve), time.Time{}, "prom:x")
	if err != nil || len(readings) != 1 || readings[0].MemTotal.Known() {
		t.Errorf("a total was made of less than its parts: %+v, %v", readings, err)
	}
}

func TestAnswersThatAreNoPage(t *testing.T) {
	stats := string(testdata(t, "44-system_stats-old.json"))
	for _, c := range []struct {
		name        string
		status      int
		body        string
		prom, comfy string // codes
	}{
		{"a proxy's page", 200, "<html>502</html>", job.ErrNotExporter, job.ErrNotComfy},
		{"nothing", 200, "", job.ErrNotExporter, job.ErrNotComfy},
		{"another program", 404, "not here", job.ErrNotExporter, job.ErrNotComfy},
		{"a login", 401, "", job.ErrLogin, job.ErrLogin},
		{"a redirect elsewhere", 302, "", job.ErrLogin, job.ErrLogin},
		{"a fault", 503, "", job.ErrServerFault, job.ErrServerFault},
		{"too much", 200, strings.Repeat("# x\n", maxPage/4+1), job.ErrTooLarge, job.ErrTooLarge},
		{"JSON of another program", 200, `{"ok": true}`, job.ErrNotExporter, job.ErrNotComfy},
		{"a server without a GPU", 200, `{"devices": [{"type": "cpu", "name": "cpu"}]}`, job.ErrNotExporter, job.ErrNoGPU},
		{"a page without a GPU", 200, "# TYPE up gauge\nup 1\n", job.ErrNoGPU, job.ErrNotComfy},
		{"a render server", 200, stats, job.ErrNotExporter, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			url, opt := serving(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "http://login.example/")
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.body))
			})
			for source, want := range map[string]string{"prom:" + url: c.prom, "comfy:" + url: c.comfy} {
				src, err := Open(source, opt)
				if err != nil {
					t.Fatal(err)
				}
				if _, _, err := src.Once(t.Context()); job.CodeOf(err) != want {
					t.Errorf("%s: %v, want %q", source, err, want)
				}
			}
		})
	}
}

func TestAServerThatIsNotThereIsUnreachable(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	srv.Close()
	for _, source := range []string{"prom:" + srv.URL, "comfy:" + srv.URL} {
		src, err := Open(source, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := src.Stream(t.Context(), time.Second, nil); job.CodeOf(err) != job.ErrUnreachable {
			t.Errorf("%s: %v", source, err)
		}
	}
}

func TestAServerThatDoesNotAnswerIsBusy(t *testing.T) {
	url, opt := serving(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	_, err := page(t.Context(), opt.filled(), "comfy:x", url, job.ErrNotComfy, 20*time.Millisecond)
	if job.CodeOf(err) != job.ErrBusy {
		t.Errorf("the error is %v", err)
	}
	// When it is we who lose patience, nothing failed.
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	src, err := Open("prom:"+url, opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := src.Stream(ctx, time.Second, nil); err != nil {
		t.Errorf("the stream ended with %v", err)
	}
}

func TestMemoryIsUnknownWhereTheServerCannotTell(t *testing.T) {
	for name, c := range map[string]struct {
		device string
		total  bool
	}{
		"Intel leaves others out": {`{"type":"xpu","index":null,"vram_total":100,"vram_free":50,"torch_vram_free":10}`, true},
		"torch says nothing":      {`{"type":"cuda","name":"cuda:0 A","vram_total":100,"vram_free":50}`, true},
		"more free than there is": {`{"type":"cuda","vram_total":100,"vram_free":500,"torch_vram_free":1}`, true},
		"no figures":              {`{"type":"cuda","name":"cuda:0 A"}`, false},
	} {
		got, err := systemStats([]byte(`{"devices":[` + c.device + `]}`))
		if err != nil || len(got) != 1 || got[0].memUsed.Known() || got[0].memTotal.Known() != c.total {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestNamesWithAPrefixOfTheirOwnAreRead(t *testing.T) {
	page := strings.ReplaceAll(string(testdata(t, "29-amd-device-metrics-exporter.prom")), "gpu_gfx", "amd_gpu_gfx")
	readings, _, err := promReadings([]byte(page), time.Time{}, "prom:x")
	if err != nil || len(readings) != 1 || readings[0].Util.Or(0) != 98 || readings[0].Limit.Known() {
		t.Errorf("%+v, %v", readings, err)
	}
}

func TestACardIsNotGivenAnotherChipsFigures(t *testing.T) {
	page := string(testdata(t, "30-node_exporter-drm-hwmon.prom"))
	page += `node_hwmon_chip_names{chip="0000:00:01_1_0000:04:00_0",chip_name="amdgpu"} 1` + "\n"
	readings, _, err := promReadings([]byte(page), time.Time{}, "prom:x")
	if err != nil || len(readings) != 1 {
		t.Fatalf("%+v, %v", readings, err)
	}
	if r := readings[0]; r.Util.Or(0) != 7 || r.Power.Known() || r.Temp.Known() {
		t.Errorf("%+v", r)
	}
}

func TestSingleReasonsAreReadInBothSpellings(t *testing.T) {
	const page = `nvidia_smi_utilization_gpu_ratio{uuid="a"} 0.99
nvidia_smi_clocks_event_reasons_sw_power_cap{uuid="a"} 1
nvidia_smi_clocks_event_reasons_active{uuid="a"} 4
nvidia_smi_clocks_throttle_reasons_hw_slowdown{uuid="a"} 1
nvidia_smi_clocks_throttle_reasons_sync_boost{uuid="a"} 0
`
	readings, _, err := promReadings([]byte(page), time.Time{}, "prom:x")
	if err != nil || len(readings) != 1 || strings.Join(readings[0].Reasons, " ") != "sw_power_cap hw_slowdown" {
		t.Errorf("%+v, %v", readings, err)
	}
}
