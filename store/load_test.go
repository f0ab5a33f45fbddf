package store

import (
	"testing"
	"time"

	"reckoner/scheduler/job"
)

func ids(jobs []job.Job) []job.ID {
	var out []job.ID
	for _, j := range jobs {
		out = append(out, j.ID)
	}
	return out
}

func equalIDs(a []job.ID, b ...job.ID) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestLoadGivesTheQueueInOrderAndTheNewestEnded(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	first, second := waitingJob(900), waitingJob(901)
	first.Place, second.Place = -5, 3
	c := job.Changes{Jobs: []*job.Job{second, first}}
	for n := range endedAtStart + 50 {
		j := endedJob(n, day.Add(time.Duration(n)*time.Minute))
		j.Batch = "earlier"
		c.Jobs = append(c.Jobs, j)
	}
	mustSave(t, s, c)

	jobs := mustLoad(t, s).Jobs
	if len(jobs) != 2+endedAtStart {
		t.Fatalf("%d jobs, want %d", len(jobs), 2+endedAtStart)
	}
	if got := ids(jobs[:3]); !equalIDs(got, first.ID, second.ID, "job-0249") {
		t.Errorf("it begins with %v", got)
	}
	if last := jobs[len(jobs)-1].ID; last != "job-0050" {
		t.Errorf("it ends with %s", last)
	}
}

// Given a large batch that broke off in the middle, when it is loaded, then all
// of it is there, however much of it had ended, and no batch from before it.
func TestLoadGivesTheWholeOfAnUnfinishedBatch(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	var c job.Changes
	for n := range 2*endedAtStart + 50 {
		j := endedJob(n, day.Add(time.Duration(n)*time.Minute))
		j.Batch = "finished"
		if n%2 == 1 {
			j.Batch = "broken off"
		}
		c.Jobs = append(c.Jobs, j)
	}
	open := waitingJob(1)
	open.ID, open.Batch = "open", "broken off"
	c.Jobs = append(c.Jobs, open)
	mustSave(t, s, c)
	found := map[job.ID]int{}
	for _, j := range mustLoad(t, s).Jobs {
		found[j.Batch]++
	}
	if found["broken off"] != endedAtStart+25+1 || found["finished"] != endedAtStart/2 {
		t.Errorf("loaded %v", found)
	}
}

func TestADismissedJobIsNotLoadedAndItsRunsStayInTheHistory(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	j := endedJob(1, day)
	mustSave(t, s, job.Changes{Jobs: []*job.Job{j}, Runs: []*job.Run{endedRun(j, 1, day, 5)}})
	hidden := *j
	hidden.Hidden = true
	mustSave(t, s, job.Changes{Jobs: []*job.Job{&hidden}})

	if kept := mustLoad(t, s); len(kept.Jobs) != 0 || len(kept.Runs) != 0 {
		t.Errorf("loaded %+v", kept)
	}
	rows, err := s.History(t.Context(), job.HistoryQuery{})
	if err != nil || len(rows) != 1 || !rows[0].Job.Hidden {
		t.Errorf("history: %+v, %v", rows, err)
	}
}

func TestAJobThatMovesOnIsLoadedOnceInItsNewState(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	j := waitingJob(1)
	mustSave(t, s, job.Changes{Jobs: []*job.Job{j}})
	for _, state := range []job.JobState{job.JobRunning, job.JobCollecting, job.JobEnded, job.JobWaiting} {
		next := *j
		next.State = state
		if state == job.JobEnded {
			next.Ended = day.Add(time.Hour)
		}
		mustSave(t, s, job.Changes{Jobs: []*job.Job{&next}})
		if jobs := mustLoad(t, s).Jobs; len(jobs) != 1 || jobs[0].State != state {
			t.Errorf("after %s: %+v", state, jobs)
		}
	}
}

// A server must not be sent to while any earlier run there is open, so all of
// them come back, whatever became of their jobs.
func TestLoadGivesEveryOpenRun(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	again := waitingJob(1) // attempt 1 was never seen to end, attempt 2 runs elsewhere
	again.State, again.Attempt = job.JobRunning, 2
	gone := endedJob(2, day.Add(-time.Hour)) // cancelled, dismissed, and still not confirmed ended
	gone.Hidden = true
	done := endedJob(3, day)
	mustSave(t, s, job.Changes{
		Jobs: []*job.Job{again, gone, done},
		Runs: []*job.Run{
			openRun(again, 1, job.RunStarted), openRun(again, 2, job.RunIntended),
			openRun(gone, 1, job.RunSubmitted), endedRun(done, 1, day, 1),
		},
	})

	kept := mustLoad(t, s)
	if got := ids(kept.Jobs); !equalIDs(got, again.ID, done.ID, gone.ID) {
		t.Errorf("jobs %v", got)
	}
	got := map[job.ID]bool{}
	for _, r := range kept.Runs {
		got[r.ID] = true
	}
	for _, want := range []job.ID{
		job.RunID(again.ID, 1), job.RunID(again.ID, 2), job.RunID(gone.ID, 1), job.RunID(done.ID, 1),
	} {
		if !got[want] {
			t.Errorf("run %s is missing", want)
		}
	}
	if len(kept.Runs) != 4 {
		t.Errorf("%d runs, want 4", len(kept.Runs))
	}
}

func TestTheNewestRunIsTheOneOfTheLastAttempt(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	j := waitingJob(1)
	for attempt := 1; attempt <= 12; attempt++ {
		mustSave(t, s, job.Changes{Jobs: []*job.Job{j}, Runs: []*job.Run{endedRun(j, attempt, day, 1)}})
	}
	if runs := mustLoad(t, s).Runs; len(runs) != 1 || runs[0].Attempt != 12 {
		t.Errorf("runs %+v", runs)
	}
}

func TestMachinesKeepTheirOrderAndGoWithTheirServers(t *testing.T) {
	s := mustOpen(t, t.TempDir())
	mustSave(t, s, job.Changes{
		Machines: []job.Machine{{ID: "b", Name: "b"}, {ID: "a", Name: "a"}, {ID: "c", Name: "c"}},
		Servers:  []job.Server{{ID: "s2", Machine: "b"}, {ID: "s1", Machine: "a"}},
	})
	mustSave(t, s, job.Changes{Machines: []job.Machine{{ID: "a", Name: "renamed"}}})
	mustSave(t, s, job.Changes{RemoveMachines: []job.ID{"b", "never there"}})

	kept := mustLoad(t, s)
	if len(kept.Machines) != 2 || kept.Machines[0].Name != "renamed" || kept.Machines[1].ID != "c" {
		t.Errorf("machines %+v", kept.Machines)
	}
	if len(kept.Servers) != 1 || kept.Servers[0].ID != "s1" {
		t.Errorf("servers %+v", kept.Servers)
	}
}
