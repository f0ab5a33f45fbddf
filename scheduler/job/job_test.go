package job_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"reckoner/scheduler/job"
)

func TestARunsIDFollowsFromItsJobAndAttempt(t *testing.T) {
	// ComfyUI takes only canonical lower-case UUIDs from 2026 on.
	uuid := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	rapid.Check(t, func(t *rapid.T) {
		id := job.ID(rapid.String().Draw(t, "job"))
		attempt := rapid.IntRange(0, 1000).Draw(t, "attempt")
		run := job.RunID(id, attempt)
		if !uuid.MatchString(string(run)) {
			t.Fatalf("%q is no canonical version 4 UUID", run)
		}
		if run != job.RunID(id, attempt) {
			t.Fatal("it is not the same the second time")
		}
		if run == job.RunID(id, attempt+1) || run == job.RunID(id+"x", attempt) {
			t.Fatal("another attempt or job has the same id")
		}
	})
	// The rule is in the contract, so an id written down years ago is found again.
	if got, want := job.RunID("9c5cb20f-520f-4ec8-bc34-99e3f6ff3b4c", 1), job.ID("879617eb-c0e9-4fdc-a71f-3f6c475356e8"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTheClockOfADemonstrationRunsFaster(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plain, story := job.NewClock(1), job.NewClock(60)
		before := story.Now()
		time.Sleep(2 * time.Second)
		if after := story.Now(); after.Since(before) != 2*time.Minute || after.Wall.Sub(before.Wall) != 2*time.Minute {
			t.Errorf("two seconds were %v of the story", after.Since(before))
		}
		if got := plain.Now().Mono; got != 2*time.Second {
			t.Errorf("two seconds were %v", got)
		}
		if got := story.Real(time.Minute); got != time.Second {
			t.Errorf("a minute of the story takes %v", got)
		}
	})
	if job.NewClock(-3).Speed() != 1 {
		t.Error("a speed below zero is not 1")
	}
}

func TestUnknownIsNeverZero(t *testing.T) {
	type figures struct {
		A job.Maybe[float64] `json:"a"`
		B job.Maybe[float64] `json:"b"`
		C job.Maybe[int64]   `json:"c,omitzero"`
	}
	in := figures{A: job.Known(0.0)}
	raw, err := json.Marshal(in)
	if err != nil || string(raw) != `{"a":0,"b":null}` {
		t.Fatalf("%s, %v", raw, err)
	}
	var out figures
	if err := json.Unmarshal(raw, &out); err != nil || out != in {
		t.Errorf("read back %+v, %v", out, err)
	}
	if _, known := out.B.Get(); known || out.B.Or(7) != 7 || out.A.Or(7) != 0 {
		t.Errorf("%+v", out)
	}
	if err := json.Unmarshal([]byte(`{"a":"x"}`), &out); err == nil {
		t.Error("a text was read as a number")
	}
}

func TestStatesMoveOnlyForward(t *testing.T) {
	for _, c := range []struct {
		from, to job.JobState
		may      bool
	}{
		{job.JobWaiting, job.JobRunning, true},
		{job.JobRunning, job.JobWaiting, true}, // it goes back
		{job.JobCollecting, job.JobRunning, false},
		{job.JobEnded, job.JobWaiting, true}, // run again
		{job.JobEnded, job.JobRunning, false},
	} {
		if c.from.CanBecome(c.to) != c.may {
			t.Errorf("%s to %s: %v", c.from, c.to, !c.may)
		}
	}
	if job.RunEnded.CanBecome(job.RunStarted) || !job.RunIntended.CanBecome(job.RunEnded) {
		t.Error("a run moves the wrong way")
	}
}

func TestCodeOfFindsTheErrorInAChain(t *testing.T) {
	cause := errors.New("connection refused")
	err := fmt.Errorf("look at gpu-1: %w", job.Errorf(job.ErrUnreachable, job.Args{Server: "gpu-1", Detail: "dial"}, cause))
	if job.CodeOf(err) != job.ErrUnreachable || !errors.Is(err, cause) {
		t.Errorf("%v has the code %q", err, job.CodeOf(err))
	}
	if job.CodeOf(cause) != "" || job.CodeOf(nil) != "" {
		t.Error("a code out of nothing")
	}
	if got := err.Error(); got != "look at gpu-1: unreachable: dial: connection refused" {
		t.Errorf("%q", got)
	}
}

func TestAGPUsKeyHoldsNoAddress(t *testing.T) {
	for want, g := range map[string]job.GPU{
		"RTX 4090/1a2b": {UUID: "1a2b", Name: "RTX 4090", Index: job.Known(0)},
		"RTX 4090":      {Name: "RTX 4090"},
		"":              {Index: job.Known(1)},
	} {
		if got := g.Key(); got != want {
			t.Errorf("%+v: %q, want %q", g, got, want)
		}
	}
}

func TestAnErrorSaysItsCauseOnce(t *testing.T) {
	full := errors.New("write a.png: no space left on device")
	for _, c := range []struct {
		err  *job.Error
		want string
	}{
		{job.Errorf(job.ErrDisk, job.Args{Detail: full.Error()}, full), "disk: write a.png: no space left on device"},
		{job.Errorf(job.ErrDisk, job.Args{Detail: "results"}, full), "disk: results: write a.png: no space left on device"},
		{job.Errorf(job.ErrDisk, job.Args{}, full), "disk: write a.png: no space left on device"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
