package note

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"reckoner/scheduler/job"
)

// scenario reads a recording.
func scenario(t *testing.T, name string) []Sample {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var samples []Sample
	for _, row := range rows[1:] {
		cells := map[string]string{}
		for i, column := range rows[0] {
			cells[column] = row[i]
		}
		samples = append(samples, sampleOf(t, cells))
	}
	return samples
}

func sampleOf(t *testing.T, cells map[string]string) Sample {
	t.Helper()
	figure := func(column string) job.Maybe[float64] {
		if cells[column] == "" {
			return job.Maybe[float64]{}
		}
		v, err := strconv.ParseFloat(cells[column], 64)
		if err != nil {
			t.Fatalf("%s: %v", column, err)
		}
		return job.Known(v)
	}
	mib := func(column string) job.Maybe[int64] {
		v, ok := figure(column).Get()
		if !ok {
			return job.Maybe[int64]{}
		}
		return job.Known(int64(v * (1 << 20)))
	}
	s := Sample{
		Util: figure("util"), Power: figure("power"), Limit: figure("limit"), Used: mib("used"), Total: mib("total"),
		SM: figure("sm"), SMMax: figure("smmax"), Parked: cells["pstate"] == "P8",
		ForeignMem: mib("foreign_mib"), ForeignSM: figure("foreign_sm"), ForeignPrompt: cells["foreign_prompt"] == "1",
		Speed: figure("rate_ratio"), SinceProgress: figure("since_progress"), Moved: mib("shared_growth"),
	}
	if mask, ok := figure("mask").Get(); ok {
		s.Throttled = job.Known(int(mask)&0xE8 != 0)
	}
	if ours, ok := figure("our_running").Get(); ok {
		s.Ours = job.Known(ours != 0)
	}
	rx, okR := figure("rx").Get()
	link, okL := figure("link").Get()
	if okR && okL && link > 0 {
		s.BusIn = job.Known(rx / link)
	}
	switch cells["node"] {
	case "loader", "vae", "save", "cpu":
		s.HostNode = true
	}
	return s
}

// course follows a scenario and gives the diagnosis at each second, from 1.
func course(t *testing.T, name string) []Diagnosis {
	t.Helper()
	var tr Tracker
	all := []Diagnosis{{}}
	for _, s := range scenario(t, name) {
		all = append(all, tr.See(s))
	}
	return all
}

func TestScenariosShowWhatTheIndexSays(t *testing.T) {
	for _, c := range []struct {
		name     string
		at       int // second
		want     job.Mechanism
		strength job.Strength
	}{
		{"a-idle", 13, job.Unclear, job.Unsure},
		{"a-idle", 14, job.Idle, job.Probably},
		{"a-idle", 60, job.Idle, job.Probably},
		{"b-healthy", 14, job.Healthy, job.Probably},
		{"b-healthy", 60, job.Healthy, job.Probably},
		{"c-time-sliced", 19, job.Healthy, job.Probably},
		{"c-time-sliced", 30, job.SharedGPU, job.Certain}, // a process computes: a fact
		{"c-time-sliced", 60, job.SharedGPU, job.Certain},
		{"d-spill-foreign-memory", 30, job.Spill, job.Probably}, // never "is": nobody saw the driver move it
		{"d-spill-foreign-memory", 60, job.Spill, job.Probably},
		{"e-thermal", 25, job.Throttled, job.Certain},
		{"e-thermal", 60, job.Throttled, job.Certain},
		{"f-load-sample-vae", 15, job.HostBound, job.Probably},
		{"f-load-sample-vae", 35, job.Healthy, job.Probably},
		{"g-hang", 35, job.Stalled, job.MayBe},     // "not getting anywhere"
		{"g-hang", 60, job.Stalled, job.MayBe},     // 45 s without progress
		{"g-hang", 100, job.Stalled, job.Probably}, // "probably stuck" after more than a minute
		{"h-brief-gauges-only", 60, job.Unclear, job.Unsure},
		{"h2-brief-with-app-list-and-speed", 14, job.Spill, job.Probably},
		{"h2-brief-with-app-list-and-speed", 60, job.Spill, job.Probably},
		{"i-busy-with-none-of-ours", 14, job.SharedGPU, job.Certain},
		{"i-busy-with-none-of-ours", 60, job.SharedGPU, job.Certain},
	} {
		d := course(t, c.name)[c.at]
		if d.Mechanism != c.want || d.Strength != c.strength {
			t.Errorf("%s at %d s: %s %q (share %.2f), want %s %q",
				c.name, c.at, d.Mechanism, d.Strength, d.Share, c.want, c.strength)
		}
	}
}

// The case that Reckoner was made for, by its gauges alone, gives no verdict: the
// two strongest observations stand for themselves.
func TestUnclearShowsTheTwoStrongestObservations(t *testing.T) {
	for at, d := range course(t, "h-brief-gauges-only")[1:] {
		if d.Mechanism != job.Unclear || d.Strength != job.Unsure {
			t.Fatalf("at %d s: %s %q, want no verdict", at+1, d.Mechanism, d.Strength)
		}
		if at+1 < windowLen {
			continue
		}
		if len(d.Seen) != 2 || d.Seen[0].Code != job.NoteSawLowPower || d.Seen[1].Code != job.NoteSawFull {
			t.Fatalf("at %d s: seen %+v, want power against utilisation, then memory", at+1, d.Seen)
		}
		if w := d.Seen[0].Args.Watts; w < 40 || w > 46 {
			t.Fatalf("at %d s: %v W, want about 43", at+1, w)
		}
	}
}

// Nothing is said of others in scenarios where nobody else was: those states may
// not even pass by.
func TestNobodyIsAccusedWhereNobodyWas(t *testing.T) {
	for _, name := range []string{"a-idle", "b-healthy", "e-thermal", "f-load-sample-vae", "g-hang"} {
		for at, d := range course(t, name) {
			if d.Mechanism == job.SharedGPU || d.Mechanism == job.Spill {
				t.Errorf("%s at %d s says %s", name, at, d.Mechanism)
			}
		}
	}
}

// A mechanism comes after five samples and goes after ten: one odd second moves
// nothing.
func TestOneOddSecondMovesNothing(t *testing.T) {
	healthy, hang := scenario(t, "b-healthy"), scenario(t, "g-hang")
	var tr Tracker
	for _, s := range healthy {
		tr.See(s)
	}
	if d := tr.See(hang[60]); d.Mechanism != job.Healthy {
		t.Errorf("one frozen second makes it %s", d.Mechanism)
	}
	for i := range 30 {
		tr.See(hang[70+i])
	}
	if d := tr.Last(); d.Mechanism != job.Stalled {
		t.Errorf("half a minute of frozen seconds leaves it %s", d.Mechanism)
	}
}

// Gauges alone never give more than a possibility for what involves others.
func TestGaugesAloneNameNothingSurely(t *testing.T) {
	var tr Tracker
	for _, s := range scenario(t, "h2-brief-with-app-list-and-speed") {
		bare := Sample{Util: s.Util, Power: s.Power, Limit: s.Limit, Used: s.Used, Total: s.Total}
		if d := tr.See(bare); d.Strength == job.Certain || d.Strength == job.Probably {
			t.Fatalf("gauges alone: %s %q", d.Mechanism, d.Strength)
		}
	}
}

func TestIdlePowerIsLearnedEmptyAndLoaded(t *testing.T) {
	var tr Tracker
	rest := func(watts float64, used int64) Sample {
		return Sample{
			Util: job.Known(0.0), Power: job.Known(watts), Limit: job.Known(150.0),
			Used: job.Known(used << 30), Total: job.Known(int64(23 << 30)),
		}
	}
	for i := range 29 {
		tr.See(rest(15+float64(i%2), 0))
	}
	if tr.IdlePower(false).Known() {
		t.Error("29 samples are not enough")
	}
	tr.See(rest(15, 0))
	for range 40 {
		tr.See(rest(58, 19))
	}
	if got := tr.IdlePower(false).Or(0); got != 15 {
		t.Errorf("empty: %v W, want 15", got)
	}
	if got := tr.IdlePower(true).Or(0); got != 58 {
		t.Errorf("loaded: %v W, want 58", got)
	}
	// An A10 that holds a model and rests at 58 of 150 W is at rest.
	if d := tr.Last(); d.Mechanism != job.Idle {
		t.Errorf("a card that holds a model and rests is %s", d.Mechanism)
	}
}

// What is not known adds nothing, and never divides by it.
func TestUnknownReadingsGiveNoVerdict(t *testing.T) {
	var tr Tracker
	for range 60 {
		if d := tr.See(Sample{}); d.Mechanism != job.Unclear || d.Strength != job.Unsure || len(d.Seen) != 0 {
			t.Fatalf("of nothing: %+v", d)
		}
	}
}
