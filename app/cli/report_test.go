package cli

import (
	"slices"
	"testing"
	"time"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

func TestARowOfABatchSaysWhatBecameOfItsInput(t *testing.T) {
	added := time.Date(2026, 5, 3, 22, 0, 0, 0, time.UTC)
	input := []job.InputFile{{File: "start.png", Path: "/pictures/=a.png"}}
	run := &job.Run{
		Outcome: job.RunSucceeded, Seconds: job.Known(61.5), Label: job.Clean,
		Outputs: []job.Output{{File: "/r/a.mp4"}, {File: "/r/b.mp4"}},
	}
	for name, c := range map[string]struct {
		view scheduler.JobView
		want []string
	}{
		"done": {
			scheduler.JobView{Run: run, MachineName: "gpu-1", Job: &job.Job{
				ID: "j", Batch: "b", Name: "walk", File: "/jobs/walk.json", Inputs: input, State: job.JobEnded,
				Outcome: job.JobDone, Added: added, Ended: added.Add(time.Hour),
			}},
			[]string{
				"'=a.png", "walk", "done", "", "/r/a.mp4; /r/b.mp4", "61.5", "clean", "gpu-1",
				"2026-05-03T22:00:00.000Z", "2026-05-03T23:00:00.000Z", "/jobs/walk.json", "j", "b",
			},
		},
		"needs you": {
			scheduler.JobView{Job: &job.Job{
				ID: "j", Batch: "b", Name: "walk", State: job.JobEnded, Outcome: job.JobNeedsYou, Added: added,
				Inputs: []job.InputFile{{File: "start.png"}},
				Why:    &job.Error{Say: job.Say{Code: job.ErrMissingInput, Args: job.Args{File: "start.png", Node: "1"}}},
			}},
			[]string{
				"start.png", "walk", "needs_you",
				"The job reads start.png at node 1, which is neither next to its file nor on a server. Nothing was sent.",
				"", "", "", "", "2026-05-03T22:00:00.000Z", "", "", "j", "b",
			},
		},
		"waiting again": {
			scheduler.JobView{Run: run, MachineName: "gpu-1", Job: &job.Job{
				ID: "j", Batch: "b", Name: "walk", State: job.JobWaiting, Added: added,
			}},
			[]string{"", "walk", "waiting", "", "", "", "", "gpu-1", "2026-05-03T22:00:00.000Z", "", "", "j", "b"},
		},
	} {
		if got := (encoder{}).reportRow(c.view); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q\nwant %q", name, got, c.want)
		}
		if len(c.want) != len(reportColumns) {
			t.Errorf("%d columns, %d names", len(c.want), len(reportColumns))
		}
	}
}
