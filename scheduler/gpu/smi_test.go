package gpu

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"reckoner/scheduler/job"
)

// header and row speak as nvidia-smi does when asked for queryFields.
const header = "index, uuid, name, driver_version, pstate, persistence_mode, utilization.gpu [%], utilization.memory [%], " +
	"power.draw [W], " +
	"enforced.power.limit [W], power.limit [W], power.default_limit [W], memory.total [MiB], memory.used [MiB], " +
	"temperature.gpu, clocks_event_reasons.active, clocks.current.sm [MHz], clocks.max.sm [MHz], pcie.link.gen.current, " +
	"pcie.link.width.current"

func row(index, util, watts string) string {
	return index + ", GPU-1A2B0004-5a5a-4b4b-8c8c-0000c0ffee0" + index +
		", NVIDIA GeForce RTX 5060 Ti, 580.95.05, P0, Disabled, " + util +
		" %, 12 %, " + watts + " W, 180.00 W, [N/A], [Unknown Error], 16311 MiB, 15600 MiB, 46, 0x0000000000000004, 2400 MHz, 3090 MHz, 4, 8"
}

func script(lines ...string) string { return strings.Join(lines, "\n") }

// streamed runs a stream to its end and gives its ticks.
func streamed(t *testing.T, source string, opt Options) ([][]job.Reading, error) {
	t.Helper()
	src, err := Open(source, opt)
	if err != nil {
		t.Fatal(err)
	}
	var ticks [][]job.Reading
	err = src.Stream(t.Context(), time.Second, func(r []job.Reading) { ticks = append(ticks, r) })
	return ticks, err
}

func TestAStreamGivesTicks(t *testing.T) {
	at := time.Date(2026, 3, 14, 9, 12, 1, 0, time.UTC)
	var calls []string
	opt := scripted(&calls, script("Welcome to render-01", header, row("1", "3", "12.00"), row("0", "100", "43.10"),
		"!pause", row("1", "4", "12.50"), row("0", "99", "44.00"), "0, GPU-1a2b0004, NVIDIA GeFor",
		"Unable to determine the device handle for GPU0000:01:00.0: GPU is lost.  Reboot the system", "!exit 15"))
	opt.Now = func() time.Time { return at }
	ticks, err := streamed(t, "nvidia-smi", opt)

	if job.CodeOf(err) != job.ErrGPULost || !strings.Contains(err.Error(), "GPU is lost") {
		t.Errorf("it ended with %v", err)
	}
	if len(ticks) != 2 || len(ticks[0]) != 2 || len(ticks[1]) != 2 {
		t.Fatalf("ticks are %+v", ticks)
	}
	got := ticks[0][0]
	got.Reasons = nil
	want := job.Reading{
		At: at, Source: "nvidia-smi",
		GPU:  job.GPU{UUID: "1a2b0004-5a5a-4b4b-8c8c-0000c0ffee00", Index: job.Known(0), Name: "NVIDIA GeForce RTX 5060 Ti"},
		Util: job.Known(100.0), Power: job.Known(43.1), Limit: job.Known(180.0), Driver: "580.95.05",
		MemUsed: job.Known(int64(15600 * mib)), MemTotal: job.Known(int64(16311 * mib)), Temp: job.Known(46.0),
	}
	if len(ticks[0][0].Reasons) != 1 || !sameReading(got, want) {
		t.Errorf("reading is %+v, want %+v", ticks[0][0], want)
	}
	if ticks[1][1].Util.Or(0) != 4 {
		t.Errorf("the second tick is %+v", ticks[1])
	}
	if len(calls) != 1 || calls[0] != "nvidia-smi --query-gpu="+strings.Join(queryFields(), ",")+" --format=csv -l 1" {
		t.Errorf("asked with %q", calls)
	}
}

// sameReading compares all but the reasons.
func sameReading(a, b job.Reading) bool {
	return a.At.Equal(b.At) && a.Source == b.Source && a.GPU == b.GPU && a.Util == b.Util && a.Power == b.Power &&
		a.Limit == b.Limit && a.MemUsed == b.MemUsed && a.MemTotal == b.MemTotal && a.Temp == b.Temp
}

func TestAStreamEndsWithItsContext(t *testing.T) {
	var calls []string
	src, err := Open("nvidia-smi", scripted(&calls, script(header, row("0", "100", "43.10"), "!hang")))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ticks := 0
	err = src.Stream(ctx, time.Second, func([]job.Reading) { ticks++; cancel() })
	if err != nil || ticks != 1 {
		t.Errorf("%d ticks, then %v", ticks, err)
	}
}

func TestAToolThatFallsSilentIsGivenUp(t *testing.T) {
	var calls []string
	src := newLocal(scripted(&calls, script(header, row("0", "100", "43.10"), "!hang")).filled())
	p, err := src.plan()
	if err != nil {
		t.Fatal(err)
	}
	ticks := 0
	began := time.Now()
	err = src.follow(t.Context(), p, p.query(), 400*time.Millisecond, func([]job.Reading) { ticks++ })
	if job.CodeOf(err) != job.ErrToolHung || ticks != 1 {
		t.Errorf("%d ticks, then %v", ticks, err)
	}
	if waited := time.Since(began); waited < 400*time.Millisecond || waited > 15*time.Second {
		t.Errorf("it was given up after %v", waited)
	}
	if src.stuck != nil {
		t.Error("the tool was ended, yet it counts as stuck")
	}
}

// TestAnUnendableToolIsNotStartedAgain: a process in uninterruptible sleep
// cannot be killed, and every further one would hang as well.
func TestAnUnendableToolIsNotStartedAgain(t *testing.T) {
	var calls []string
	src := newLocal(scripted(&calls, script(header, row("0", "1", "9.00"))).filled())
	stuck := make(chan struct{})
	src.stuck = stuck
	if _, _, err := src.Once(t.Context()); job.CodeOf(err) != job.ErrToolHung || len(calls) != 0 {
		t.Errorf("%v after %q", err, calls)
	}
	close(stuck)
	if r, _, err := src.Once(t.Context()); err != nil || len(r) != 1 {
		t.Errorf("after its end: %+v, %v", r, err)
	}
}

func TestAFieldThatTheToolDoesNotKnowIsDropped(t *testing.T) {
	var calls []string
	short := strings.Replace(header, "power.default_limit [W], ", "", 1)
	shortRow := strings.Replace(row("0", "100", "43.10"), "[Unknown Error], ", "", 1)
	opt := scripted(&calls,
		script(`Field "power.default_limit" is not a valid field to query.`, "", "!exit 2"),
		script(short, shortRow, "!exit 9"))
	ticks, err := streamed(t, "nvidia-smi", opt)
	if len(ticks) != 1 || ticks[0][0].Temp.Or(0) != 46 || job.CodeOf(err) != job.ErrNoDriver {
		t.Errorf("%+v, %v", ticks, err)
	}
	const field = "power.default_limit"
	if len(calls) != 2 || !strings.Contains(calls[0], field) || strings.Contains(calls[1], field) {
		t.Errorf("asked with %q", calls)
	}
}

func TestAStreamThatEndsByItselfHasFailed(t *testing.T) {
	var calls []string
	ticks, err := streamed(t, "nvidia-smi", scripted(&calls, script(header, row("0", "1", "9.00"))))
	if len(ticks) != 1 || job.CodeOf(err) != job.ErrToolFailed {
		t.Errorf("%+v, %v", ticks, err)
	}
}

func TestWhatASecondGPUSaysDoesNotEndTheFirst(t *testing.T) {
	var calls []string
	ticks, err := streamed(t, "nvidia-smi", scripted(&calls, script(header,
		row("0", "50", "90.00"), "Unable to determine the device handle for GPU0000:02:00.0: Unknown Error", "!pause",
		row("0", "51", "91.00"), "!exit 1")))
	if len(ticks) != 2 || job.CodeOf(err) != job.ErrToolFailed || len(calls) != 1 {
		t.Errorf("%d ticks, %v after %q", len(ticks), err, calls)
	}
}

func TestADriverThatWasJustWokenIsNotBelieved(t *testing.T) {
	woken := strings.Replace(row("0", "100", "144.97"), "15600 MiB", "0 MiB", 1)
	for name, c := range map[string]struct {
		row  string
		want bool
	}{
		"persistence off": {woken, false},
		"persistence on":  {strings.Replace(woken, "Disabled", "Enabled", 1), true},
		"memory in use":   {row("0", "100", "144.97"), true},
	} {
		var calls []string
		ticks, _ := streamed(t, "nvidia-smi", scripted(&calls, script(header, c.row)))
		if len(ticks) != 1 || ticks[0][0].Util.Known() != c.want || ticks[0][0].Power.Known() != c.want {
			t.Errorf("%s: %+v", name, ticks)
		}
	}
}

func TestOnceReadsGPUsAndProcesses(t *testing.T) {
	var calls []string
	opt := scripted(&calls, script(header, row("0", "100", "43.10")), "!file testdata/10-apps-odd-names.csv")
	src, err := Open("nvidia-smi", opt)
	if err != nil {
		t.Fatal(err)
	}
	readings, processes, err := src.Once(t.Context())
	if err != nil || len(readings) != 1 {
		t.Fatalf("%+v, %v", readings, err)
	}
	compareApps(t, processes, wantOf(t, "10-apps-odd-names.csv").Apps)
	if strings.Contains(calls[0], " -l ") || !strings.Contains(calls[1], "--query-compute-apps="+appFields) {
		t.Errorf("asked with %q", calls)
	}
}

func TestAMissingToolSaysSo(t *testing.T) {
	src, err := Open("nvidia-smi", Options{Sys: noSys{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, _, err = src.Once(t.Context()); job.CodeOf(err) != job.ErrNoTool {
		t.Errorf("the error is %v", err)
	}
	if err = src.Stream(t.Context(), time.Second, nil); job.CodeOf(err) != job.ErrNoTool {
		t.Errorf("the stream ended with %v", err)
	}
}

func TestSSHIsTheSameStreamFromAfar(t *testing.T) {
	var calls []string
	opt := scripted(&calls, script("!stderr bash: line 1: nvidia-smi: command not found", "!exit 127"),
		script("fortune says hello", header, row("0", "100", "43.10"),
			"!stderr Timeout, server gpu-7 not responding.", "!exit 255"))
	ticks, err := streamed(t, "ssh:render@gpu-7", opt)
	if len(ticks) != 1 || ticks[0][0].Source != "ssh:render@gpu-7" || job.CodeOf(err) != job.ErrUnreachable {
		t.Errorf("%+v, %v", ticks, err)
	}
	const want = "ssh -T -o BatchMode=yes -o ConnectTimeout=8 -o ServerAliveInterval=5 -o ServerAliveCountMax=3 " +
		"-o ControlMaster=no -o ControlPath=none -- render@gpu-7 nvidia-smi --query-gpu="
	const elsewhere = " /usr/lib/wsl/lib/nvidia-smi "
	if len(calls) != 2 || !strings.HasPrefix(calls[0], want) || !strings.Contains(calls[1], elsewhere) {
		t.Errorf("asked with %q", calls)
	}
	if strings.ContainsAny(calls[0], "\"'$;|&`") {
		t.Errorf("a shell could read more than words in %q", calls[0])
	}
}

func TestACancelledOnceIsNotAHungTool(t *testing.T) {
	var calls []string
	src, err := Open("nvidia-smi", scripted(&calls, "!hang"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, _, err := src.Once(ctx); !errors.Is(err, context.DeadlineExceeded) || job.CodeOf(err) != "" {
		t.Errorf("the error is %v", err)
	}
}
