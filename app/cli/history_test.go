package cli

import (
	"testing"
	"time"

	"reckoner/assets/text"
	"reckoner/scheduler/job"
)

func TestHistoryGivesTheUsersWordBesideWhatWasSeen(t *testing.T) {
	row := job.HistoryRow{Run: job.Run{Label: job.Clean, Outcome: job.RunSucceeded, Corrections: []job.Correction{
		{At: time.Unix(0, 0), Kind: job.CorrectLabel, Label: job.Shared}, {At: time.Unix(1, 0), Kind: job.SetAside},
	}}}
	l := encoder{words: text.English}.historyLine(row)
	if orEmpty(l.Label) != "shared" || orEmpty(l.LabelSeen) != "clean" || !l.SetAside {
		t.Errorf("label %q, seen %q, set aside %v", orEmpty(l.Label), orEmpty(l.LabelSeen), l.SetAside)
	}
}
