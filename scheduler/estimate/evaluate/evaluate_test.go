package evaluate_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"reckoner/scheduler/estimate/evaluate"
	"reckoner/scheduler/job"
)

func fixedWork(t testing.TB) []evaluate.Row {
	t.Helper()
	in, err := os.Open("testdata/mlperf_fixed_work_3.1.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	rows, err := evaluate.Read(in, evaluate.Columns{})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// bar is a figure that must lie in a range (estimation, 5).
type bar struct {
	name            string
	got, from, upTo float64
}

func hold(t *testing.T, bars ...bar) {
	t.Helper()
	for _, b := range bars {
		t.Logf("%-40s %8.3f (%g to %g)", b.name, b.got, b.from, b.upTo)
		if b.got < b.from || b.got > b.upTo {
			t.Errorf("%s is %v, want %v to %v", b.name, b.got, b.from, b.upTo)
		}
	}
}

func TestBarsOnUntouchedWork(t *testing.T) {
	r := evaluate.Run(fixedWork(t), evaluate.Slowing{})
	hold(t,
		bar{"3: MdAPE, %", r.MdAPE, 0, 0.11},
		bar{"3: accuracy, %", r.Accuracy.Accuracy, 99.2, 100},
		bar{"8: 80 % range with nine runs or more", r.CoverageMany, 78, 84},
		bar{"8: 80 % range with fewer", r.CoverageFew, 78, 84},
		bar{"8: 90 % range", r.Coverage90, 88, 92},
		bar{"9: 80 % range of the rest at half", r.Conditional["0.5"].Coverage, 78, 85},
		bar{"11: notice, against 1/(n+1)", r.NoticePct / r.NoticeNominal, 0, 1.5},
		bar{"11: false alarms, %", r.AlarmPct, 0, 0},
		bar{"11: caught when slowed x1.5, %", r.Caught["1.5"], 98, 100},
		bar{"12: longer than the default limit, %", r.LimitPct, 0, 0.1},
		bar{"13: revisions", float64(r.Revisions), 0, 0},
	)
}

func TestBarsOnSlowedWork(t *testing.T) {
	ten := evaluate.Run(fixedWork(t), evaluate.Slowing{Share: 0.1, From: 1.5, To: 6.3, Seed: 1})
	hold(t,
		bar{"4: MdAPE, 10 % slowed, %", ten.MdAPE, 0, 0.12},
		bar{"4: accuracy", ten.Accuracy.Accuracy, 98.8, 100},
		bar{"4: off by two", ten.Off2, 0, 0.4},
	)
	half := evaluate.Run(fixedWork(t), evaluate.Slowing{Share: 0.3, From: 1.5, To: 6.3, Labelled: 0.5, Seed: 1})
	hold(t,
		bar{"5: MdAPE, 30 % slowed, half labelled, %", half.MdAPE, 0, 0.13},
		bar{"5: accuracy", half.Accuracy.Accuracy, 97.5, 100},
		bar{"5: off by two", half.Off2, 0, half.PerRule["running_median"].Off2},
		bar{"5: accuracy, against the running median's", half.Accuracy.Accuracy, half.PerRule["running_median"].Accuracy, 100},
	)
}

func TestThePredictionSeesOnlyWhatHadEnded(t *testing.T) {
	// Given a run that is still going when the second starts
	start := time.Unix(1000, 0)
	rows := []evaluate.Row{
		{Key: "k", Start: start, Duration: 100, Ended: true, Label: job.Clean},
		{Key: "k", Start: start.Add(50 * time.Second), Duration: 10, Ended: true, Label: job.Clean},
		{Key: "k", Start: start.Add(200 * time.Second), Duration: 10, Ended: true, Label: job.Clean},
	}
	// then only the third is predicted
	if r := evaluate.Run(rows, evaluate.Slowing{}); r.N != 1 {
		t.Errorf("%d runs were predicted, want 1", r.N)
	}
}

func TestTheReportHasTheNamesOfTheContract(t *testing.T) {
	b, err := json.Marshal(evaluate.Run(fixedWork(t), evaluate.Slowing{}))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"n", "mdape_pct", "accuracy_pct", "off2_pct", "coverage80_pct", "width80_pct", "coverage90_pct", "conditional",
		"notice_pct", "alarm_pct", "caught", "per_rule", "last", "last_two", "mean", "ewma", "running_median", "jenkins",
	} {
		if !bytes.Contains(b, []byte(`"`+name+`":`)) {
			t.Errorf("no %s in %s", name, b)
		}
	}
}

func TestReadRefusesWhatItCannotRead(t *testing.T) {
	for name, c := range map[string]struct{ log, want string }{
		"nothing":           {"", "line of names"},
		"no key":            {"start_unix_s,duration_s\n1,2\n", `no column "key"`},
		"words for seconds": {"key,start_unix_s,duration_s\na,1,soon\n", `the duration "soon"`},
		"infinite":          {"key,start_unix_s,duration_s\na,1,+Inf\n", "the duration"},
		"words for a time":  {"key,start_unix_s,duration_s\na,noon,2\n", `the start "noon"`},
		"a label of others": {"key,start_unix_s,duration_s,label\na,1,2,fine\n", `the label "fine"`},
		"a short row":       {"key,start_unix_s,duration_s\na,1\n", "read the log"},
		"half a gzip":       {"\x1f\x8b", "unpack"},
	} {
		_, err := evaluate.Read(strings.NewReader(c.log), evaluate.Columns{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q in it", name, err, c.want)
		}
	}
}

func TestReadTakesOtherColumnsAndStatuses(t *testing.T) {
	const log = "\ufeffkind,start_unix_s,took,swf_status,label\n" +
		"a,1,2.5,1,\n" + "a,2,3,0,shared\n" + "a,3,,1,clean\n" + "a,4,-1,1,clean\n"
	rows, err := evaluate.Read(strings.NewReader(log), evaluate.Columns{Key: "kind", Duration: "took"})
	if err != nil {
		t.Fatal(err)
	}
	want := []evaluate.Row{
		{Key: "a", Start: time.Unix(1, 0).UTC(), Duration: 2.5, Ended: true, Label: job.Clean},
		{Key: "a", Start: time.Unix(2, 0).UTC(), Duration: 3, Label: job.Shared},
	}
	if len(rows) != 2 || rows[0] != want[0] || rows[1] != want[1] {
		t.Errorf("got %+v, want %+v", rows, want)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("key,start_unix_s,duration_s,status,label\na,1,2,success,clean\n"))
	f.Add([]byte("key,start_unix_s,duration_s\n\"a\nb\",1e3,2e-3\n"))
	f.Add([]byte{0x1f, 0x8b, 8, 0})
	f.Fuzz(func(t *testing.T, log []byte) {
		rows, err := evaluate.Read(bytes.NewReader(log), evaluate.Columns{})
		if err != nil {
			return
		}
		for _, r := range rows {
			if !(r.Duration > 0) || r.Label == "" {
				t.Fatalf("read %+v", r)
			}
		}
		evaluate.Run(rows, evaluate.Slowing{Share: 0.5, From: 1.5, To: 6.3})
	})
}

// BenchmarkEvaluate lets about 25,000 runs happen: the extract a dozen times.
func BenchmarkEvaluate(b *testing.B) {
	rows := fixedWork(b)
	var many []evaluate.Row
	for i := range 12 {
		for _, r := range rows {
			r.Key += string(rune('a' + i))
			many = append(many, r)
		}
	}
	b.ReportMetric(float64(len(many)), "runs")
	for b.Loop() {
		evaluate.Run(many, evaluate.Slowing{})
	}
}
