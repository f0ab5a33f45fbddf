package text

import (
	"strings"
	"testing"
	"time"

	"reckoner/scheduler/job"
)

func TestNotesOfTheStory(t *testing.T) {
	n := &job.Note{
		Status: job.NoteProbable, Cause: job.CauseOtherClient,
		Claim: job.Say{Code: job.NoteOtherClient, Args: job.Args{Machine: "gpu-1"}},
		Finding: job.Say{Code: job.NoteSawPrompts, Args: job.Args{
			Server: "gpu-1 second", Of: 2, Count: 14, UpTo: 480, Seconds: 35,
		}},
	}
	want := "Is another client slowing gpu-1? Probable, not tested. " +
		"Its second server took 14 jobs in 8 min, one about every 35 s; none are yours."
	if got := English.Event(job.Event{Kind: job.EventNote, Note: n}); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	test := English.Say(job.Say{Code: job.NoteTestOtherClient, Args: job.Args{Seconds: 282}})
	if want := "Would test it: stop that client, run one such job, see whether it takes about 4.7 min"; test != want {
		t.Errorf("got  %s\nwant %s", test, want)
	}
	n.Status = job.NoteSupported
	n.Results = []job.TestResult{{At: time.Unix(1, 0), Verdict: job.TestReturned, Say: job.Say{
		Code: job.NoteReturned, Args: job.Args{Seconds: 288, UpTo: 282, Value: "under 0.1 %"},
	}}}
	got := English.Event(job.Event{Kind: job.EventNote, Note: n})
	for _, part := range []string{"Supported by a test.", "4.8 min", "4.7 min", "one run", "under 0.1 %", "by themselves"} {
		if !strings.Contains(got, part) {
			t.Errorf("%q is missing in %q", part, got)
		}
	}
}

// A strength has its own verb, and only what was seen is said with "is".
func TestStrengthsOfMechanisms(t *testing.T) {
	for _, c := range []struct {
		m    job.Mechanism
		how  job.Strength
		want string
	}{
		{job.Spill, job.Probably, "Its memory is probably swapped over the bus"},
		{job.Spill, job.MayBe, "Its memory may be swapped over the bus"},
		{job.Throttled, job.Certain, "It is slowed by heat or its power supply"},
		{job.Stalled, job.MayBe, "It is busy and may be getting nowhere"},
		{job.Stalled, job.Probably, "The work on it is probably stuck"},
		{job.SharedGPU, job.Certain, "The GPU is computing for somebody else too"},
		{job.Unclear, job.Unsure, "What the gauges add up to is not clear"},
	} {
		say := job.Say{Code: job.NoteSawMechanism, Args: job.Args{Value: string(c.m), Detail: string(c.how)}}
		if got := English.Say(say); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.m, c.how, got, c.want)
		}
	}
}

// The word is not used for anything that a note says (rule 8).
func TestNotesNeverSayBecause(t *testing.T) {
	for _, code := range []string{
		job.NoteOtherClient, job.NoteOtherProgram, job.NoteThrottled, job.NoteUnexplained, job.NoteSawPrompts,
		job.NoteSawProgram, job.NoteSawComputing, job.NoteSawBusyAlone, job.NoteSawThrottle, job.NoteSawLowPower,
		job.NoteSawFull, job.NoteSawMechanism, job.NoteSlowShared, job.NoteSlowAlone, job.NoteUsualShared,
		job.NoteUsualAlone, job.NoteTestOtherClient, job.NoteTestProgram, job.NoteTestThrottled,
		job.NoteTestUnexplained, job.NoteTestWaits, job.NoteTestRuns, job.NoteReturned, job.NoteStayed, job.NoteVoid,
		job.NoteReworded,
	} {
		text := English.Say(job.Say{Code: code})
		if text == code || strings.Contains(strings.ToLower(text), "because") || strings.Contains(text, "caused") {
			t.Errorf("%s: %q", code, text)
		}
	}
}
