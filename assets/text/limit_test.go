package text_test

import (
	"testing"

	"reckoner/assets/text"
	"reckoner/scheduler/job"
)

// A run that was stopped for its silence did not reach its limit in time, and
// nothing may say that it did.
func TestASilenceIsNotCalledATimeLimit(t *testing.T) {
	e := job.Event{Kind: job.EventLimit, Job: &job.Job{Name: "harbour-night"}, Run: &job.Run{LimitS: 10800, SilentS: 900}}
	want := "harbour-night: no sign of life for 15 min, and the first of its kind: that is the limit"
	if got := text.English.Event(e); got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}
