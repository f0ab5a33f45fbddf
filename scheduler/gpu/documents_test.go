package gpu

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"reckoner/scheduler/job"
)

// once reads a sample as `reckoner gpu file:PATH` does.
func once(t *testing.T, name string) ([]job.Reading, []job.Process) {
	t.Helper()
	src, err := Open("file:"+filepath.Join("testdata", name), Options{})
	if err != nil {
		t.Fatal(err)
	}
	readings, processes, err := src.Once(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return readings, processes
}

func TestDocumentsMeanWhatIsWritten(t *testing.T) {
	figures := 0
	for _, name := range []string{
		"33-rocm-smi-7900xtx.json", "34-rocm-smi-mi250x.json", "36-amd-smi-array.json", "42-nvtop-s.json",
		"43-crystools-monitor.json",
	} {
		got, ok := document(testdata(t, name))
		want := wantOf(t, name).GPUs
		if !ok || len(got) != len(want) {
			t.Errorf("%s: %d cards, want %d", name, len(got), len(want))
			continue
		}
		for i := range got {
			figures += compare(t, got[i], want[i])
		}
		if readings, _ := once(t, name); len(readings) != len(want) {
			t.Errorf("%s: %d readings", name, len(readings))
		}
	}
	if figures != 51 {
		t.Errorf("%d figures were compared", figures)
	}
}

func TestTheDumpOfXPUMeansWhatIsWritten(t *testing.T) {
	const name = "40-xpu-smi-dump.csv"
	got, ok := xpuDump(string(testdata(t, name)))
	if !ok {
		t.Fatal("it is not known")
	}
	compareAll(t, got, wantOf(t, name).GPUs)
	if readings, _ := once(t, name); len(readings) != 2 || readings[1].Util.Known() || readings[1].MemUsed.Known() {
		t.Errorf("%+v", readings)
	}
}

func TestIntelsFirstSampleIsLeftOut(t *testing.T) {
	var want struct {
		Samples []struct {
			Util  float64 `json:"util_pct"`
			Power float64 `json:"power_w"`
			MHz   float64 `json:"mhz"`
		}
	}
	wantInto(t, "41-intel_gpu_top-J.want.json", &want)
	readings, _ := once(t, "41-intel_gpu_top-J.txt")
	if len(want.Samples) != 1 || len(readings) != 1 {
		t.Fatalf("%d samples, %d readings", len(want.Samples), len(readings))
	}
	r, w := readings[0], want.Samples[0]
	if r.Util.Or(-1) != w.Util || r.Power.Or(-1) != w.Power || r.SM.Or(-1) != w.MHz {
		t.Errorf("%+v, want %+v", r, w)
	}
}

func TestTheCountersOfWindowsMeanWhatIsWritten(t *testing.T) {
	const name = "46-windows-typeperf.csv"
	var want struct {
		PID     int
		Samples []struct {
			Dedicated, Shared *int64
			Adapter           *int64 `json:"adapter_shared"`
		}
	}
	wantInto(t, "46-windows-typeperf.want.json", &want)
	rows, ok := pdhRows(string(testdata(t, name)))
	if !ok || len(rows) != len(want.Samples) || len(rows) != 3 {
		t.Fatalf("%d rows, want %d", len(rows), len(want.Samples))
	}
	maybe := func(v *int64) job.Maybe[int64] {
		if v == nil {
			return job.Maybe[int64]{}
		}
		return job.Known(*v)
	}
	for i, w := range want.Samples {
		if (rows[i] != spillSample{want.PID, maybe(w.Dedicated), maybe(w.Shared), maybe(w.Adapter)}) {
			t.Errorf("row %d is %+v, want %+v", i, rows[i], w)
		}
	}
	// Shared memory grows by more than half a GiB: the driver moved something.
	if grown := rows[1].shared.Or(0) - rows[0].shared.Or(0); grown < 512*mib {
		t.Errorf("it grew by %d", grown)
	}
	if _, processes := once(t, name); len(processes) != 1 || processes[0].PID != 9120 || processes[0].Mem.Or(0) != 333795328 {
		t.Errorf("%+v", processes)
	}
}

// What is read over ssh with grep is what is read from the files.
func TestAMDCardsAreReadFromWhatGrepPrinted(t *testing.T) {
	const name = "38-amdgpu-sysfs.txt"
	compareAll(t, greppedCards(string(testdata(t, name))), wantOf(t, name).GPUs)
	readings, _ := once(t, name)
	if len(readings) != 1 || readings[0].GPU.Index != job.Known(1) || readings[0].Limit.Or(0) != 339 {
		t.Errorf("%+v", readings)
	}
}

func TestSystemStatsAreARecordingToo(t *testing.T) {
	readings, _ := once(t, "44-system_stats-old.json")
	want, err := systemStats(testdata(t, "44-system_stats-old.json"))
	if err != nil || len(readings) != 1 || readings[0].MemUsed != want[0].memUsed {
		t.Errorf("%+v, want %+v", readings, want)
	}
}

// Documents of nobody that is known are no readings, and never a crash.
func TestOtherDocumentsAreNone(t *testing.T) {
	for _, body := range []string{
		``, `{}`, `[]`, `[1]`, `{"card0":1}`, `{"cardX":{}}`, `{"devices":3}`, `{"gpu_data":{}}`, `[{"power":{}}]`,
		`{"type":"crystools.monitor"}`, `null`, `"x"`, `{"type":"other","data":{}}`,
	} {
		if got, ok := document([]byte(body)); ok && len(got) > 0 {
			t.Errorf("%s gives %+v", body, got)
		}
	}
}

func FuzzDocument(f *testing.F) {
	for _, name := range []string{
		"33-rocm-smi-7900xtx.json", "36-amd-smi-array.json", "41-intel_gpu_top-J.txt", "42-nvtop-s.json",
		"43-crystools-monitor.json", "44-system_stats-old.json",
	} {
		f.Add(testdata(f, name))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		first, _ := document(body)
		again, _ := document(body)
		if len(first) != len(again) || len(first) > 0 && !reflect.DeepEqual(first[0].index, again[0].index) {
			t.Errorf("twice the same gives %+v and %+v", first, again)
		}
		for _, s := range first {
			if r := s.reading(Options{}.filled().Now(), "x"); r.Util.Or(0) < 0 || r.Util.Or(0) > 100 || r.MemUsed.Or(0) < 0 {
				t.Errorf("%+v", r)
			}
		}
		if json.Valid(body) {
			xpuDump(string(body))
		}
	})
}

// No sample lies there that no test reads.
func TestEverySampleIsTested(t *testing.T) {
	wants, err := filepath.Glob(filepath.Join("testdata", "*.want.json"))
	if err != nil || len(wants) != 37 {
		t.Fatalf("%d samples, %v", len(wants), err)
	}
	tests, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, name := range tests {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(source)
	}
	for _, want := range wants {
		base := strings.TrimSuffix(filepath.Base(want), ".want.json")
		if !strings.Contains(all.String(), base+".") {
			t.Errorf("nothing reads %s", base)
		}
	}
}
