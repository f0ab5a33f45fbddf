package gpu

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reckoner/scheduler/job"
)

// seed adds all samples to a fuzz test.
func seed(f *testing.F) {
	f.Helper()
	names, err := filepath.Glob("testdata/[0-9]*")
	if err != nil || len(names) == 0 {
		f.Fatalf("no samples: %v", err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b))
	}
}

// sound fails on a figure that no GPU can have.
func sound(t *testing.T, r job.Reading) {
	t.Helper()
	if u := r.Util.Or(0); u < 0 || u > 100 {
		t.Errorf("util is %v", u)
	}
	if p := r.Power.Or(0); p < 0 || p > 5000 {
		t.Errorf("power is %v", p)
	}
	if l, ok := r.Limit.Get(); ok && (l <= 0 || l > 5000) {
		t.Errorf("limit is %v", l)
	}
	if m := r.MemUsed.Or(0); m < 0 {
		t.Errorf("memory used is %v", m)
	}
	if m, ok := r.MemTotal.Get(); ok && m <= 0 {
		t.Errorf("memory is %v", m)
	}
	if i := r.GPU.Index.Or(0); i < 0 {
		t.Errorf("index is %v", i)
	}
}

func FuzzRecording(f *testing.F) {
	seed(f)
	f.Add(header + "\n" + row("0", "100", "43.10") + "\n")
	f.Add("index, [\n0, ]\n")
	f.Fuzz(func(t *testing.T, text string) {
		r := recording{name: "file:x", opt: Options{}.filled()}
		p, _ := r.csv(text)
		for _, tick := range p.ticks {
			for _, reading := range tick {
				sound(t, reading)
			}
		}
		for _, proc := range p.processes {
			if proc.PID <= 0 || proc.Mem.Or(0) < 0 {
				t.Errorf("process %+v", proc)
			}
		}
		_ = faultOf(text, text, 1).code()
	})
}

func FuzzPage(f *testing.F) {
	seed(f)
	f.Add(dcgmPage)
	f.Fuzz(func(t *testing.T, text string) {
		readings, _, err := promReadings([]byte(text), time.Time{}, "prom:x")
		if err == nil && len(readings) == 0 {
			t.Error("no reading and no error")
		}
		for _, r := range readings {
			sound(t, r)
		}
	})
}

func FuzzSystemStats(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text string) {
		samples, _ := systemStats([]byte(text))
		for _, s := range samples {
			sound(t, s.reading(time.Time{}, "comfy:x"))
		}
	})
}

// BenchmarkReading is the cost of one GPU and tick: a line in, a reading out.
func BenchmarkReading(b *testing.B) {
	t := ticks{table: newTable(queryFields()), source: "nvidia-smi", now: time.Now}
	t.young = func() bool { return false }
	n := 0
	t.out = func(r []job.Reading) { n += len(r) }
	t.take(header)
	line := row("0", "100", "43.10")
	b.ReportAllocs()
	for b.Loop() {
		if !t.take(line) {
			b.Fatal("not a row")
		}
	}
	t.flush()
	if n == 0 {
		b.Fatal("no reading")
	}
}

// BenchmarkPage is the cost of an exporter's page with one GPU.
func BenchmarkPage(b *testing.B) {
	body := testdata(b, "26-nvidia_gpu_exporter.prom")
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := promReadings(body, time.Time{}, "prom:x"); err != nil {
			b.Fatal(err)
		}
	}
}

// TestRowsOfAnotherShapeAreRefused: a shifted or cut row must not become
// figures.
func TestRowsOfAnotherShapeAreRefused(t *testing.T) {
	table := newTable(queryFields())
	good := row("0", "100", "43.10")
	if _, err := table.row(good); err != nil {
		t.Fatal(err)
	}
	for name, line := range map[string]string{
		"cut":              good[:60],
		"one cell more":    good + ", 7",
		"another unit":     strings.Replace(good, "43.10 W", "43.10 %", 1),
		"no unit":          strings.Replace(good, "16311 MiB", "16311", 1),
		"an index of text": "x" + good[1:],
		"a foreign uuid":   strings.Replace(good, "GPU-", "CPU-", 1),
		"nothing":          "",
	} {
		if s, err := table.row(line); err == nil {
			t.Errorf("%s is a row: %+v", name, s)
		}
	}
}
