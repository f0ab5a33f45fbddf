package store

import (
	"fmt"
	"testing"
	"time"

	"reckoner/scheduler/job"
)

func TestHistoryPagesNeitherRepeatNorLeaveOut(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	var c job.Changes
	for n := range 25 {
		j := endedJob(n, day)
		// Five at a time end at the very same moment.
		c.Jobs = append(c.Jobs, j)
		c.Runs = append(c.Runs, endedRun(j, 1, day.Add(time.Duration(n/5)*time.Hour), float64(n)))
	}
	open := waitingJob(99)
	c.Jobs, c.Runs = append(c.Jobs, open), append(c.Runs, openRun(open, 1, job.RunStarted))
	mustSave(t, s, c)

	seen := map[job.ID]bool{}
	q := job.HistoryQuery{Limit: 7}
	last := day.Add(1000 * time.Hour)
	for {
		rows, err := s.History(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) == 0 {
			break
		}
		for _, row := range rows {
			if seen[row.Run.ID] {
				t.Errorf("run of %s came twice", row.Job.Name)
			}
			if row.Run.Ended.After(last) {
				t.Errorf("%v comes after %v", row.Run.Ended, last)
			}
			if row.Job.ID != row.Run.Job || row.Job.Name == "" {
				t.Errorf("a row with the wrong job: %+v", row.Job)
			}
			seen[row.Run.ID], last = true, row.Run.Ended
		}
		q.Before, q.BeforeRun = rows[len(rows)-1].Run.Ended, rows[len(rows)-1].Run.ID
	}
	if len(seen) != 25 {
		t.Errorf("%d runs, want the 25 that ended", len(seen))
	}
}

func TestHistoryFilters(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	var c job.Changes
	for n := range 12 {
		j := endedJob(n, day)
		r := endedRun(j, 1, day.Add(time.Duration(n)*time.Minute), 1)
		r.TypeKey = fmt.Sprintf("t%d", n%2)
		r.GPU = fmt.Sprintf("g%d", n%3)
		if n%4 == 0 {
			r.Outcome = job.RunFailed
		}
		c.Jobs, c.Runs = append(c.Jobs, j), append(c.Runs, r)
	}
	mustSave(t, s, c)
	for _, test := range []struct {
		q    job.HistoryQuery
		want int
	}{
		{job.HistoryQuery{}, 12},
		{job.HistoryQuery{Limit: 5}, 5},
		{job.HistoryQuery{TypeKey: "t1"}, 6},
		{job.HistoryQuery{TypeKey: "t"}, 0}, // no prefixes
		{job.HistoryQuery{GPU: "g2"}, 4},
		{job.HistoryQuery{Outcome: job.RunFailed}, 3},
		{job.HistoryQuery{TypeKey: "t0", GPU: "g0", Outcome: job.RunFailed}, 1},
		{job.HistoryQuery{Before: day.Add(3 * time.Minute)}, 3},
		{job.HistoryQuery{Before: day.Add(3 * time.Minute), GPU: "g0"}, 1},
		{job.HistoryQuery{Before: day}, 0},
	} {
		rows, err := s.History(t.Context(), test.q)
		if err != nil || len(rows) != test.want {
			t.Errorf("%+v: %d rows, %v, want %d", test.q, len(rows), err, test.want)
		}
	}
}

func TestPastRunsAreTheNewestOfEachGPUOldestFirst(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	var c job.Changes
	add := func(n int, gpu, typeKey string, change func(*job.Run)) {
		j := waitingJob(n)
		r := endedRun(j, 1, day.Add(time.Duration(n)*time.Minute), float64(n))
		r.GPU, r.TypeKey = gpu, typeKey
		if change != nil {
			change(r)
		}
		c.Runs = append(c.Runs, r)
	}
	for n := range 10 {
		add(n, "A/u1", "t1", nil)
	}
	add(20, "B/u2", "t1", func(r *job.Run) { r.Label, r.Start = job.Shared, job.Cold })
	add(21, "", "t1", nil)
	add(22, "A/u1", "t10", nil) // another type whose key begins alike
	add(23, "A/u1", "t1", func(r *job.Run) { r.Outcome = job.RunFailed })
	add(24, "A/u1", "t1", func(r *job.Run) { r.Seconds = job.Maybe[float64]{} })
	add(25, "A/u1", "", nil)
	mustSave(t, s, c)

	runs, err := s.PastRuns(t.Context(), "t1", 3)
	if err != nil {
		t.Fatal(err)
	}
	var got []float64
	for _, r := range runs {
		got = append(got, r.Seconds)
	}
	if fmt.Sprint(got) != "[7 8 9 20 21]" {
		t.Errorf("seconds %v", got)
	}
	b := runs[3]
	if b.GPU != "B/u2" || b.Label != job.Shared || b.Start != job.Cold || !b.At.Equal(day.Add(20*time.Minute)) {
		t.Errorf("the run on B: %+v", b)
	}
	if runs, err := s.PastRuns(t.Context(), "", 3); err != nil || len(runs) != 0 {
		t.Errorf("no type: %v, %v", runs, err)
	}
}

func TestARunWhoseLabelChangesCountsOnce(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	j := endedJob(1, day)
	r := endedRun(j, 1, day, 9)
	mustSave(t, s, job.Changes{Runs: []*job.Run{r}})
	changed := *r
	changed.Label, changed.GPU = job.Shared, "C/u3"
	mustSave(t, s, job.Changes{Runs: []*job.Run{&changed}})

	runs, err := s.PastRuns(t.Context(), r.TypeKey, 10)
	if err != nil || len(runs) != 1 || runs[0].Label != job.Shared || runs[0].GPU != "C/u3" {
		t.Errorf("%+v, %v", runs, err)
	}
	rows, err := s.History(t.Context(), job.HistoryQuery{GPU: r.GPU})
	if err != nil || len(rows) != 0 {
		t.Errorf("still on the old GPU: %+v, %v", rows, err)
	}
}

func TestTheUsersWordAboutARunCountsForEstimates(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	j := endedJob(1, day)
	r := endedRun(j, 1, day, 9)
	mustSave(t, s, job.Changes{Jobs: []*job.Job{j}, Runs: []*job.Run{r}})
	changed := *r
	changed.Corrections = []job.Correction{
		{At: day, Kind: job.CorrectLabel, Label: job.Shared}, {At: day, Kind: job.SetAside},
	}
	mustSave(t, s, job.Changes{Runs: []*job.Run{&changed}})

	runs, err := s.PastRuns(t.Context(), r.TypeKey, 10)
	if err != nil || len(runs) != 1 || runs[0].Label != job.Shared || !runs[0].SetAside {
		t.Errorf("for estimates: %+v, %v", runs, err)
	}
	kept, found, err := s.RunOf(t.Context(), j.ID, 1)
	if err != nil || !found || kept.Label != r.Label || len(kept.Corrections) != 2 {
		t.Errorf("the record: %+v, %v, %v", kept, found, err)
	}
	if _, found, err := s.RunOf(t.Context(), j.ID, 2); found || err != nil {
		t.Errorf("another attempt: %v, %v", found, err)
	}
}
