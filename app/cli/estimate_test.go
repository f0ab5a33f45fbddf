package cli

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reckoner/scheduler/job"
	"reckoner/store"
)

// pastFolder makes a data folder with runs of the job of a file on one GPU: 41
// of about 4.7 min, one of 14.4 min while somebody else used the GPU, and one
// that was stopped after 29.7 min.
func pastFolder(t *testing.T, file string) string {
	t.Helper()
	dir := t.TempDir()
	st, err := store.Open(dir, store.Options{
		Now: time.Now, NewID: func() job.ID { return "00000000-0000-4000-8000-000000000000" }, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	f, said := readJobFile(file)
	if said != nil {
		t.Fatal(said)
	}
	first := time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC)
	for i := range 43 {
		j := &job.Job{
			ID: job.ID(fmt.Sprintf("%08d-0000-4000-8000-000000000000", i)), Name: "a", Type: f.Type, Place: int64(i + 1),
			State: job.JobEnded, Outcome: job.JobDone, Attempt: 1, Added: first,
		}
		end := first.Add(time.Duration(i) * time.Hour)
		r := &job.Run{
			ID: job.RunID(j.ID, 1), Job: j.ID, Attempt: 1, URL: gpu1, GPU: "RTX 5060 Ti", TypeKey: f.Type.Key,
			State: job.RunEnded, Outcome: job.RunSucceeded, Intended: end, Started: end, Ended: end,
			Seconds: job.Known(276 + float64(i%13)), Label: job.Clean, Start: job.Warm,
		}
		if i > 20 {
			r.Forecast = job.Forecast{N: i, LowS: 277, MidS: 282, HighS: 287, LongestS: 288}
		}
		switch i {
		case 41:
			r.Seconds, r.Label = job.Known(864.0), job.Shared
		case 42:
			r.Outcome, r.Seconds, r.Label = job.RunInterrupted, job.Maybe[float64]{}, job.Clean
			r.Stop = &job.Stop{Why: job.StopLimit, At: end.Add(1782 * time.Second)}
		}
		if err := st.Save(t.Context(), job.Changes{Jobs: []*job.Job{j}, Runs: []*job.Run{r}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// withPast are fake parts that read real data folders.
func withPast(t *testing.T) *fakeParts {
	f := newFakeParts(t)
	f.readStore = realParts().readStore
	return f
}

func TestEstimateSaysWhatIsKnownAndHowThatCameAbout(t *testing.T) {
	// Given the story's past
	file := filepath.Join("..", "..", "assets", "samples", "beach-walk.json")
	dir := pastFolder(t, file)

	got := runCLI(t, withPast(t), "estimate", "--data", dir, file)
	if got.status != exitDone {
		t.Fatalf("exit %d\n%s", got.status, got.stderr)
	}
	for _, want := range []string{
		"RTX 5060 Ti (" + gpu1 + ")", "4.7 min, 41 runs, since 3 May",
		"On 5 May one run of 14.4 min was not counted: other work was on the GPU during it",
		"one run of 29.7 min was not counted: it was stopped before its end", "10 runs made 4.7 min the usual time",
	} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("%q is not said in\n%s", want, got.stdout)
		}
	}

	got = runCLI(t, withPast(t), "estimate", "--json", "--data", dir, file)
	var line estimateLine
	if err := json.Unmarshal([]byte(got.stdout), &line); err != nil {
		t.Fatalf("%v in %s", err, got.stdout)
	}
	if len(line.Machines) != 1 || line.Machines[0].N != 41 || *line.Machines[0].Level != "exact" ||
		len(line.Machines[0].Log) != 1 {
		t.Errorf("got %s", got.stdout)
	}

	got = runCLI(t, withPast(t), "estimate", "--score", "--data", dir)
	if want := "Ranges of 8 in 10 held"; got.status != exitDone || !strings.Contains(got.stdout, want) {
		t.Errorf("exit %d, %q is not said in\n%s%s", got.status, want, got.stdout, got.stderr)
	}
}

func TestEstimateOfAFileThatIsNoJob(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "notes.json")
	if err := os.WriteFile(bad, []byte("dear diary"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := runCLI(t, newFakeParts(t), "estimate", bad)
	if got.status != exitUsage || !strings.Contains(got.stderr, "notes.json") {
		t.Errorf("exit %d\n%s", got.status, got.stderr)
	}
}

func TestEstimateEvaluatesALog(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log.csv")
	var b strings.Builder
	b.WriteString("kind,start_unix_s,took\n")
	for i := range 60 {
		fmt.Fprintf(&b, "a,%d,%d\n", 1000*i, 280+i%7)
	}
	if err := os.WriteFile(log, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	got := runCLI(t, newFakeParts(t), "estimate", "--json", "--evaluate", log,
		"--key-column", "kind", "--duration-column", "took")
	var report struct {
		N       int                           `json:"n"`
		MdAPE   float64                       `json:"mdape_pct"`
		PerRule map[string]map[string]float64 `json:"per_rule"`
	}
	if err := json.Unmarshal([]byte(got.stdout), &report); err != nil {
		t.Fatalf("%v in %s%s", err, got.stdout, got.stderr)
	}
	if report.N != 59 || report.MdAPE > 2 || len(report.PerRule) != 6 {
		t.Errorf("got %+v", report)
	}
}

func TestEstimateRefusesWhatMeansNothing(t *testing.T) {
	for name, args := range map[string][]string{
		"nothing":            {},
		"two things":         {"--score", "a.json"},
		"a share of 2":       {"--evaluate", "x.csv", "--slow-share", "2"},
		"one factor":         {"--evaluate", "x.csv", "--slow-factor-range", "2"},
		"a column of a file": {"a.json", "--key-column", "k"},
		"no such log":        {"--evaluate", "/no/such.csv"},
	} {
		if got := runCLI(t, newFakeParts(t), append([]string{"estimate"}, args...)...); got.status != exitUsage {
			t.Errorf("%s: exit %d, want %d\n%s", name, got.status, exitUsage, got.stderr)
		}
	}
}
