package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reckoner/scheduler/gpu"
	"reckoner/scheduler/job"
	"reckoner/scheduler/sim"
	"reckoner/store"
)

// Given files, then inspect says what they are, a line each, and status 2 tells
// that one is no job.
func TestInspect(t *testing.T) {
	good := jobFile(t, "picture")
	got := runCLI(t, newFakeParts(t), "inspect", "--json", good, "/no/such.json")
	if got.status != exitUsage {
		t.Errorf("exit %d", got.status)
	}
	lines := strings.Split(strings.TrimSpace(got.stdout), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d lines, want 2:\n%s", len(lines), got.stdout)
	}
	var l inspectLine
	if err := json.Unmarshal([]byte(lines[0]), &l); err != nil {
		t.Fatal(err)
	}
	if orEmpty(l.Format) != "api" || l.Nodes != 2 || len(l.Outputs) != 1 || l.Outputs[0].Class != "SaveImage" || l.Error != nil {
		t.Errorf("line %s", lines[0])
	}
	for _, field := range []string{
		"file", "format", "job_type", "title", "nodes", "outputs", "inputs", "models", "cost", "warnings", "error",
	} {
		if !strings.Contains(lines[1], `"`+field+`":`) {
			t.Errorf("no field %s in %s", field, lines[1])
		}
	}
	if text := runCLI(t, newFakeParts(t), "inspect", good); text.status != exitDone || !strings.Contains(text.stdout, "SaveImage") {
		t.Errorf("as text: %d\n%s%s", text.status, text.stdout, text.stderr)
	}
	content, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, content); err != nil {
		t.Fatal(err)
	}
	if api := runCLI(t, newFakeParts(t), "inspect", "--api", good); api.stdout != compact.String()+"\n" {
		t.Errorf("--api changed the graph:\n%s", api.stdout)
	}
}

// Given a recording of a source, then gpu shows it; given a source that cannot
// be read, then the status is 3 and the line says why.
func TestGPU(t *testing.T) {
	r := newRender(t, slowS)
	got := runCLI(t, newFakeParts(t), "gpu", "--json", "--once", "prom:"+r.metrics)
	if got.status != exitDone {
		t.Fatalf("exit %d\n%s", got.status, got.stderr)
	}
	var l readingLine
	if err := json.Unmarshal([]byte(got.stdout), &l); err != nil {
		t.Fatal(err)
	}
	if i, ok := l.GPU.Get(); !ok || i != 0 || !l.UtilPct.Known() || !l.PowerW.Known() || l.Event != job.EventReading {
		t.Errorf("line %s", got.stdout)
	}
	if text := runCLI(t, newFakeParts(t), "gpu", "--once", "prom:"+r.metrics); !strings.Contains(text.stdout, "Test GPU") {
		t.Errorf("as text: %s%s", text.stdout, text.stderr)
	}
	dead := runCLI(t, newFakeParts(t), "gpu", "--json", "--once", "prom:http://127.0.0.1:9/metrics")
	if dead.status != exitNoPeer || !strings.Contains(dead.stdout, `"event":"source_error"`) {
		t.Errorf("exit %d\n%s", dead.status, dead.stdout)
	}
}

// Given a simulation, then each address is printed and answers until the end.
func TestSimulate(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	r, w := io.Pipe()
	s := &shell{
		env:     Env{Stdout: w, Stderr: io.Discard, Getenv: func(string) string { return "" }},
		parts:   newFakeParts(t).parts(),
		signals: func() (<-chan stopSignal, func()) { return nil, func() {} },
	}
	status := make(chan int, 1)
	go func() {
		status <- s.run(ctx, []string{"simulate", "--json", "--listen", "127.0.0.1:0", "--speed", "10"})
		w.Close()
	}()
	out := json.NewDecoder(r)
	kinds := map[string]int{}
	for range 3 {
		var l listeningLine
		if err := out.Decode(&l); err != nil {
			t.Fatal(err)
		}
		kinds[string(l.Kind)]++
		if l.Kind != sim.KindMetrics { // not JSON; TestGPU reads one
			var stats map[string]any
			render{url: l.URL}.get(t, "/system_stats", &stats)
		}
	}
	if kinds["server"] != 1 || kinds["watch"] != 1 || kinds["metrics"] != 1 {
		t.Errorf("endpoints: %v", kinds)
	}
	cancel()
	if got := <-status; got != exitDone {
		t.Errorf("exit %d", got)
	}
}

func TestDoctor(t *testing.T) {
	f := newFakeParts(t)
	f.answers[gpu1] = nil
	got := runCLI(t, f, "doctor", "--server", gpu1)
	if got.status != exitDone {
		t.Errorf("exit %d\n%s", got.status, got.stdout)
	}
	for _, want := range []string{"display", "tray", "notifications", "ffmpeg", "data folder", gpu1} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("nothing about %s in\n%s", want, got.stdout)
		}
	}
	if got := runCLI(t, f, "doctor", "--server", "http://dead:1"); got.status != exitFailed {
		t.Errorf("with a dead server: exit %d\n%s", got.status, got.stdout)
	}
}

func TestDoctorShowsWhatLookingCosts(t *testing.T) {
	f := newFakeParts(t)
	f.answers[gpu1] = nil
	f.costs = []gpu.Cost{
		{Source: "nvidia-smi", Core: job.Known(0.0021), Readings: 10},
		{Source: "prom:http://far:9835/metrics", Core: job.Known(0.012), Readings: 10},
		{Source: "ssh:gone", Err: job.Errorf(job.ErrUnreachable, job.Args{Value: "ssh:gone"}, nil)},
	}
	got := runCLI(t, f, "doctor", "--server", gpu1, "--gpu", "gpu-1=nvidia-smi", "--gpu", "prom:http://far:9835/metrics",
		"--gpu", "ssh:gone")
	for _, want := range []string{
		"[ok] cost of looking at gpu-1: 0.2 % of a core at one reading a second (nvidia-smi)",
		"[--] cost of looking at gpu-1: 1.2 % of a core at one reading a second (prom:http://far:9835/metrics)",
		"It should be under 0.5 %", "[??] cost of looking at gpu-1: No GPU readings from ssh:gone",
	} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("nothing like %q in\n%s", want, got.stdout)
		}
	}
	if len(f.costsOf) != 3 {
		t.Errorf("measured %q", f.costsOf)
	}
}

func TestHistoryWithoutAnyRuns(t *testing.T) {
	for flag, want := range map[string]string{
		"--json": "", "--csv": strings.Join(historyColumns, ",") + "\n", "--limit=3": "No runs yet.\n",
	} {
		if got := runCLI(t, newFakeParts(t), "history", flag); got.status != exitDone || got.stdout != want {
			t.Errorf("history %s: exit %d, %q, want %q", flag, got.status, got.stdout, want)
		}
	}
}

// Given names that a spreadsheet would compute, then CSV keeps it from that.
func TestCSVCellsAreNoFormulas(t *testing.T) {
	for _, c := range []struct{ in, want string }{{"=1+1", "'=1+1"}, {"-x", "'-x"}, {"plain", "plain"}, {"", ""}} {
		if got := cell(c.in); got != c.want {
			t.Errorf("%q became %q", c.in, got)
		}
	}
}

// Given a fresh data folder, then the demo's past is what the story tells: 41
// runs of 4.7 min in the median, and one of 14.4 min that was shared. Written
// twice it is there once.
func TestTheDemosPast(t *testing.T) {
	s := &shell{
		env: Env{Getenv: func(string) string { return "" }, Stderr: io.Discard}, parts: realParts(),
		flags: globalFlags{data: shortDir(t)},
	}
	d, err := s.openDemo(t.Context(), demoSpeed)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.close(nil); err != nil {
			t.Error(err)
		}
	}()
	st, err := store.Open(d.data, store.Options{Now: time.Now, NewID: newID, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for range 2 {
		if err := d.writePast(t.Context(), st); err != nil {
			t.Fatal(err)
		}
	}
	f, err := readSample(cutJob)
	if err != nil {
		t.Fatal(err)
	}
	runs, err := st.PastRuns(t.Context(), f.Type.Key, 100)
	if err != nil {
		t.Fatal(err)
	}
	gpu1, ok := d.server("gpu-1")
	if !ok {
		t.Fatal("no gpu-1")
	}
	var clean []float64
	for _, r := range runs {
		switch {
		case r.GPU != gpu1.GPU:
		case r.Label == job.Clean:
			clean = append(clean, r.Seconds)
		case r.Seconds != 14.4*60 || r.Label != job.Shared:
			t.Errorf("a run of %v s, %s", r.Seconds, r.Label)
		}
	}
	below, above := 0, 0
	for _, s := range clean {
		if s < 282 {
			below++
		}
		if s > 282 {
			above++
		}
	}
	if len(clean) != 41 || below != 20 || above != 20 {
		t.Errorf("%d clean runs, %d below 4.7 min and %d above", len(clean), below, above)
	}
	kept, err := st.Load(t.Context())
	if err != nil || len(kept.Jobs) > 0 {
		t.Errorf("%d past jobs are in the list (%v)", len(kept.Jobs), err)
	}
}

// Given the story's lines in another way than it is told, then it is said how.
func TestTheStoryIsWatched(t *testing.T) {
	tell := func(lines ...string) string {
		s := newStory()
		for _, l := range lines {
			if err := s.hear(said{Line: json.RawMessage(l)}); err != nil {
				t.Fatal(err)
			}
		}
		return s.differs()
	}
	var good []string
	for _, j := range demoJobs {
		outcome := "done"
		good = append(good, `{"event":"job_added","job":"`+j.name+`","name":"`+j.name+`"}`)
		if j.name == cutJob {
			outcome = "timed_out"
			good = append(good, `{"event":"run_started","job":"`+j.name+`","run":"r"}`,
				`{"event":"time_limit_passed","run":"r"}`, `{"event":"interrupt_sent","run":"r"}`,
				`{"event":"stop_confirmed","run":"r"}`)
		}
		good = append(good, `{"event":"job_ended","job":"`+j.name+`","outcome":"`+outcome+`"}`)
	}
	if wrong := tell(good...); wrong != "" {
		t.Errorf("the story as told: %s", wrong)
	}
	again := strings.ReplaceAll(strings.Join(good, "\n"), `{"event":"stop_confirmed","run":"r"}`,
		`{"event":"stop_confirmed","run":"r"}`+"\n"+`{"event":"job_requeued","job":"`+cutJob+`","run":"r"}`)
	again = strings.ReplaceAll(again, "timed_out", "done")
	if wrong := tell(strings.Split(again, "\n")...); wrong != "" {
		t.Errorf("tried once more: %s", wrong)
	}
	for i, l := range good {
		if strings.Contains(l, "job_added") {
			continue
		}
		if wrong := tell(append(append([]string{}, good[:i]...), good[i+1:]...)...); wrong == "" {
			t.Errorf("without %s it is the story all the same", l)
		}
	}
}

// Given lines on a terminal, then progress is drawn over; where lines stay it is
// written now and then only.
func TestProgressForPeople(t *testing.T) {
	at := time.Unix(0, 0)
	var out bytes.Buffer
	p := newPrinter(nil, &out)
	p.now = func() time.Time { return at }
	progress := said{Line: json.RawMessage(`{"event":"run_progress","run":"r"}`), Text: "a: half"}
	other := said{Line: json.RawMessage(`{"event":"job_ended","job":"j"}`), Text: "b"}
	for range 3 {
		if err := p.show(progress); err != nil {
			t.Fatal(err)
		}
	}
	at = at.Add(progressEvery)
	if err := p.show(progress); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != "a: half\na: half\n" {
		t.Errorf("where lines stay: %q", got)
	}
	out.Reset()
	p.redraw = true
	for _, s := range []said{progress, progress, other} {
		if err := p.show(s); err != nil {
			t.Fatal(err)
		}
	}
	if got := out.String(); got != "a: half\ra: half\rb      \n" {
		t.Errorf("on a terminal: %q", got)
	}
}

func TestTheLogStartsAnew(t *testing.T) {
	dir := t.TempDir()
	r := &rotated{path: filepath.Join(dir, "log")}
	if err := r.open(); err != nil {
		t.Fatal(err)
	}
	r.size = maxLog
	if _, err := r.Write([]byte("one\n")); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "log")); err != nil || string(b) != "one\n" {
		t.Errorf("%q, %v", b, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "log.1")); err != nil {
		t.Error(err)
	}
}
