package gpu

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"reckoner/scheduler/job"
)

func testdata(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// wanted are the parsed values that stand beside a sample. A key with null is
// "not available".
type wanted struct {
	Query   string                       `json:"query"`
	GPUs    []map[string]json.RawMessage `json:"gpus"`
	Apps    []wantedApp                  `json:"apps"`
	Ignored int                          `json:"ignored_lines"`
	BadRows int                          `json:"bad_rows"`
	Final   string                       `json:"final_error"`
	Devices []map[string]json.RawMessage `json:"devices"`
}

type wantedApp struct {
	UUID string
	PID  int
	Name *string
	Mem  *float64 `json:"mem_mib"`
}

func wantOf(t *testing.T, sample string) wanted {
	t.Helper()
	var w wanted
	base := strings.TrimSuffix(sample, filepath.Ext(sample))
	if err := json.Unmarshal(testdata(t, base+".want.json"), &w); err != nil {
		t.Fatal(err)
	}
	return w
}

// figures spells a sample as the want files do: nil for unknown.
func (s sample) figures() map[string]any {
	num := func(m job.Maybe[float64]) any {
		if v, ok := m.Get(); ok {
			return v
		}
		return nil
	}
	size := func(m job.Maybe[int64]) any {
		if v, ok := m.Get(); ok {
			return float64(v) / mib
		}
		return nil
	}
	limit := num(s.limit())
	var reasons any
	if s.reasons != nil {
		reasons = slices.Clone(s.reasons)
	}
	index := any(nil)
	if i, ok := s.index.Get(); ok {
		index = float64(i)
	}
	return map[string]any{
		"index": index, "uuid": s.uuid, "name": s.name, "pstate": s.pstate, "reasons": reasons,
		"util_pct": num(s.util), "memctl_pct": num(s.memBusy), "power_w": num(s.power),
		"power_instant_w": num(s.powerInstant), "power_limit_w": limit, "power_default_limit_w": num(s.limitDefault),
		"mem_total_mib": size(s.memTotal), "mem_used_mib": size(s.memUsed), "mem_free_mib": size(s.memFree),
		"mem_reserved_mib": size(s.memReserved), "temp_c": num(s.temp), "sm_mhz": num(s.smClock),
		"mem_mhz": num(s.memClock), "pcie_gen": num(s.pcieGen),
		"mem_total_mb": size(s.memTotal), "mem_used_mb": size(s.memUsed),
	}
}

// compare holds a sample to what is wanted, and counts the figures compared.
func compare(t *testing.T, got sample, want map[string]json.RawMessage) int {
	t.Helper()
	n := 0
	have := got.figures()
	for key, raw := range want {
		g, known := have[key]
		if !known {
			continue // a figure that Reckoner does not read
		}
		n++
		if key == "uuid" {
			raw = []byte(strings.ToLower(strings.Replace(string(raw), "GPU-", "", 1)))
		}
		var w any
		if err := json.Unmarshal(raw, &w); err != nil {
			t.Fatal(err)
		}
		if key == "reasons" && w != nil {
			list := []string{}
			for _, r := range w.([]any) {
				list = append(list, r.(string))
			}
			w = list
		}
		a, okA := g.(float64)
		b, okB := w.(float64)
		if okA && okB && math.Abs(a-b) < 0.06 {
			continue
		}
		if !reflect.DeepEqual(g, w) {
			t.Errorf("%s is %v, want %v", key, g, w)
		}
	}
	return n
}

func compareAll(t *testing.T, got []sample, want []map[string]json.RawMessage) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	n := 0
	for i := range got {
		n += compare(t, got[i], want[i])
	}
	if len(want) > 0 && n < 5*len(want) {
		t.Errorf("only %d figures were compared", n)
	}
}

func TestCSVSamplesMeanWhatIsWritten(t *testing.T) {
	for _, name := range []string{
		"01-idle-4080s.csv", "02-idle-false-powercap-2080s.csv", "03-busy-h200.csv", "04-brief-5060ti-100pct-43w.csv",
		"05-coldstart-100pct-no-process-l40s.csv", "06-windows-wddm-2080s.csv", "12-multi-a10-nounits.csv",
		"14-all-na-3080.csv", "16-not-supported-old.csv", "17-laptop-no-limit.csv", "18-unified-memory-stream-gb10.csv",
		"19-hang-titanx-100pct-p8.csv", "21-throttled-four-ways.csv", "22-stream-motd-cut-row-then-lost.txt",
	} {
		t.Run(name, func(t *testing.T) {
			want := wantOf(t, name)
			var table *table
			if want.Query != "" {
				table = newTable(strings.Split(want.Query, ","))
				table.open, table.bare = true, true
			}
			var got []sample
			var before, bad []string
			for line := range strings.Lines(string(testdata(t, name))) {
				line = strings.TrimRight(line, "\r\n")
				if table == nil {
					if fields, ok := headerFields(line); ok {
						table = newTable(fields)
					} else {
						before = append(before, line)
					}
					continue
				}
				s, err := table.row(line)
				if err != nil {
					bad = append(bad, line)
					continue
				}
				got = append(got, s)
			}
			compareAll(t, got, want.GPUs)
			final := faultNone
			if want.Final != "" {
				final = match(strings.Join(bad, "\n"), saidByTool())
				bad = bad[:len(bad)-1]
			}
			if len(before) != want.Ignored || len(bad) != want.BadRows || string(final) != want.Final {
				t.Errorf("before %q, bad %q, at the end %q", before, bad, final)
			}
		})
	}
}

// TestReadingsLeaveOutWhatIsFalse: the samples whose figures, taken as they are,
// have misled other programs.
func TestReadingsLeaveOutWhatIsFalse(t *testing.T) {
	read := func(name string) []job.Reading {
		src, err := Open("file:"+filepath.Join("testdata", name), Options{})
		if err != nil {
			t.Fatal(err)
		}
		readings, _, err := src.Once(t.Context())
		if err != nil || len(readings) == 0 {
			t.Fatalf("%s: %d readings, %v", name, len(readings), err)
		}
		return readings
	}
	for _, name := range []string{
		"01-idle-4080s.csv", "02-idle-false-powercap-2080s.csv", "06-windows-wddm-2080s.csv",
		"19-hang-titanx-100pct-p8.csv",
	} {
		if r := read(name)[0]; len(r.Reasons) != 0 {
			t.Errorf("%s: an idle card is held back by %v", name, r.Reasons)
		}
	}
	woken := read("05-coldstart-100pct-no-process-l40s.csv")[0]
	if woken.Util.Known() || woken.Power.Known() || !woken.MemUsed.Known() || !woken.Limit.Known() {
		t.Errorf("a driver that was just woken is believed: %+v", woken)
	}
	var held [][]string
	for _, r := range read("21-throttled-four-ways.csv") {
		held = append(held, r.Reasons)
	}
	want := [][]string{
		{"sw_power_cap"},
		{"hw_slowdown", "sw_thermal_slowdown"},
		{"hw_slowdown", "hw_thermal_slowdown"},
		{"hw_slowdown", "hw_power_brake_slowdown"},
	}
	if !reflect.DeepEqual(held, want) {
		t.Errorf("held back by %v, want %v", held, want)
	}
	if r := read("17-laptop-no-limit.csv")[0]; r.Limit.Known() || r.Power.Or(0) != 3.04 {
		t.Errorf("a laptop without a limit: %+v", r)
	}
}

func TestProcessSamplesMeanWhatIsWritten(t *testing.T) {
	for _, name := range []string{
		"07-apps-linux.csv", "08-apps-windows-wddm.csv", "09-apps-none.csv", "10-apps-odd-names.csv",
	} {
		t.Run(name, func(t *testing.T) {
			src, err := Open("file:"+filepath.Join("testdata", name), Options{})
			if err != nil {
				t.Fatal(err)
			}
			_, got, err := src.Once(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			compareApps(t, got, wantOf(t, name).Apps)
		})
	}
}

func compareApps(t *testing.T, got []job.Process, apps []wantedApp) {
	t.Helper()
	if len(got) != len(apps) {
		t.Fatalf("%d processes, want %d", len(got), len(apps))
	}
	for i, w := range apps {
		want := job.Process{GPU: plainUUID(w.UUID), PID: w.PID}
		if w.Name != nil {
			want.Name = *w.Name
		}
		if w.Mem != nil {
			want.Mem = job.Known(int64(*w.Mem * mib))
		}
		if got[i] != want {
			t.Errorf("process %d is %+v, want %+v", i, got[i], want)
		}
	}
}

func TestErrorSamplesHaveTheirKind(t *testing.T) {
	var cases []struct {
		ID             string
		Stdout, Stderr string
		Exit           int
		Want           struct{ Kind string }
	}
	if err := json.Unmarshal(testdata(t, "25-errors.json"), &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) != 23 {
		t.Fatalf("%d cases", len(cases))
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) {
			f := faultOf(c.Stdout, c.Stderr, c.Exit)
			kind := string(f)
			if field, ok := badField(c.Stdout); ok {
				kind += ":" + field
			}
			if kind != c.Want.Kind {
				t.Errorf("it is %q, want %q", kind, c.Want.Kind)
			}
			if f.code() == "" {
				t.Error("it has no code")
			}
		})
	}
}

func TestPagesMeanWhatIsWritten(t *testing.T) {
	for _, name := range []string{
		"26-nvidia_gpu_exporter.prom", "29-amd-device-metrics-exporter.prom", "30-node_exporter-drm-hwmon.prom",
	} {
		t.Run(name, func(t *testing.T) {
			found, err := scrape(testdata(t, name))
			if err != nil {
				t.Fatal(err)
			}
			want := wantOf(t, name)
			compareAll(t, found.gpus, want.GPUs)
			compareApps(t, found.processes, want.Apps)
		})
	}
}

func TestAPageOfAFailingToolIsAnError(t *testing.T) {
	_, _, err := promReadings(testdata(t, "27-nvidia_gpu_exporter-failing.prom"), time.Time{}, "prom:x")
	if job.CodeOf(err) != job.ErrNoDriver {
		t.Errorf("the error is %v", err)
	}
}

func TestAPageThatIsNoneIsAnError(t *testing.T) {
	_, _, err := promReadings(testdata(t, "31-not-an-exporter.html"), time.Time{}, "prom:http://gpu-1:9835/metrics")
	if job.CodeOf(err) != job.ErrNotExporter {
		t.Errorf("the error is %v", err)
	}
}

func TestLineEndsOfWindowsAreRead(t *testing.T) {
	found, err := scrape(testdata(t, "32-crlf.prom"))
	if err != nil || len(found.gpus) != 1 || found.gpus[0].util.Or(-1) != 3 {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestDecimalCommasAreReadWhereTheyAreClear(t *testing.T) {
	lines := map[string]string{}
	for line := range strings.Lines(string(testdata(t, "39-decimal-commas.txt"))) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		lines[key] = value
	}
	for key, want := range map[string]job.Maybe[float64]{
		"get-counter-de": job.Known(7487.17451911425), "get-counter-en": job.Known(7487.17451911425), "ambiguous": {},
	} {
		if got := number(lines[key]); got != want {
			t.Errorf("%s is %v, want %v", key, got, want)
		}
	}
	s, err := newTable([]string{"index", "name", "utilization.gpu", "power.draw"}).
		row(lines["nvidia-smi-cell-never-split-on-bare-comma"])
	if err != nil || s.power.Or(0) != 36.5 || s.util.Or(0) != 17 {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestSystemStatsGiveTheMemoryOfTheCard(t *testing.T) {
	got, err := systemStats(testdata(t, "44-system_stats-old.json"))
	if err != nil || len(got) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	var want struct {
		Total int64 `json:"vram_total"`
		Used  int64 `json:"device_used"`
	}
	device, err := json.Marshal(wantOf(t, "44-system_stats-old.json").Devices[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(device, &want); err != nil {
		t.Fatal(err)
	}
	s := got[0]
	if s.memTotal.Or(0) != want.Total || s.memUsed.Or(0) != want.Used || s.name != "NVIDIA GeForce RTX 5060 Ti" {
		t.Errorf("%+v, want %+v", s, want)
	}
}
