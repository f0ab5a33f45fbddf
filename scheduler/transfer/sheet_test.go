package transfer

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"reckoner/scheduler/job"
)

var sheetColumns = []string{"input", "batch"}

func writeSheetOf(t *testing.T, to job.Destination, batch string, inputs ...string) string {
	t.Helper()
	var rows [][]string
	for _, in := range inputs {
		rows = append(rows, []string{in, batch})
	}
	path, err := WriteSheet(to, sheetColumns, rows)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestASheetReplacesOnlyItself(t *testing.T) {
	to := job.Destination{Dir: t.TempDir(), Batch: "castle"}
	at := func(name string) string { return filepath.Join(to.Dir, name) }
	// Given a file of the user's under the sheet's name
	if err := os.WriteFile(at("castle.csv"), []byte("input,batch\nmine,too\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// when sheets of two batches of one name are written, one of them again
	if got := writeSheetOf(t, to, "b1", "a.png"); got != at("castle (2).csv") {
		t.Errorf("the first is %s", got)
	}
	if got := writeSheetOf(t, to, "b2", "x.png"); got != at("castle (3).csv") {
		t.Errorf("the second is %s", got)
	}
	if got := writeSheetOf(t, to, "b1", "a.png", `b "2", c.png`); got != at("castle (2).csv") {
		t.Errorf("the first again is %s", got)
	}
	// then each has its own, and nothing else is there
	wantFolder(t, to.Dir, map[string]string{
		"castle.csv":     "input,batch\nmine,too\n",
		"castle (2).csv": "input,batch\na.png,b1\n\"b \"\"2\"\", c.png\",b1\n",
		"castle (3).csv": "input,batch\nx.png,b2\n",
	})
}

func TestASheetLiesWhereAllResultsOfItsBatchAre(t *testing.T) {
	to := job.Destination{Date: time.Date(2026, 5, 3, 12, 0, 0, 0, time.Local), Batch: "castle"}
	for template, want := range map[string]string{
		"":                           "castle.csv",
		job.DefaultNames:             "2026-05-03/castle/castle.csv",
		"{date}/{batch}/":            "2026-05-03/castle/castle.csv",
		"{date}/{machine}/{batch}/x": "2026-05-03/castle.csv",
		"all/{name}":                 "all/castle.csv",
		"../{seed}/{name}":           "castle.csv",
	} {
		to.Dir, to.Names = t.TempDir(), template
		if got := writeSheetOf(t, to, "b", "a"); got != filepath.Join(to.Dir, filepath.FromSlash(want)) {
			t.Errorf("%q: %s, want %s", template, got, want)
		}
	}
}
