package estimate_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reckoner/scheduler/estimate"
	"reckoner/scheduler/job"
)

const gpu = "RTX 5060 Ti/1"

func past(seconds ...float64) []estimate.Run {
	runs := make([]estimate.Run, 0, len(seconds))
	for i, s := range seconds {
		runs = append(runs, estimate.Run{
			At: time.Unix(int64(i)*1000, 0), GPU: gpu, Seconds: s, Label: job.Clean, Start: job.Warm,
		})
	}
	return runs
}

func TestFitGivesMedianAndRange(t *testing.T) {
	for _, c := range []struct {
		name    string
		seconds []float64
		want    job.Forecast
	}{
		{"no run", nil, job.Forecast{}},
		{"one run is its own range", []float64{280}, job.Forecast{N: 1, LowS: 280, MidS: 280, HighS: 280, LongestS: 280}},
		{
			"two runs: the middle in log time",
			[]float64{100, 121},
			job.Forecast{N: 2, LowS: 100, MidS: 110, HighS: 121, LongestS: 121},
		},
		{
			"two runs that disagree: the shorter",
			[]float64{100, 400},
			job.Forecast{N: 2, LowS: 100, MidS: 100, HighS: 400, LongestS: 400},
		},
		{
			"below nine runs the range ends at the longest",
			[]float64{5, 1, 3, 2, 4},
			job.Forecast{N: 5, LowS: 1, MidS: 3, HighS: 5, LongestS: 5},
		},
		{
			"nine runs: ranks 1 and 9",
			[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9},
			job.Forecast{N: 9, LowS: 1, MidS: 5, HighS: 9, LongestS: 9},
		},
		{
			"nineteen runs: ranks 2 and 18",
			[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19},
			job.Forecast{N: 19, LowS: 2, MidS: 10, HighS: 18, LongestS: 19},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := estimate.Fit(past(c.seconds...), gpu)
			if math.Abs(got.MidS-c.want.MidS) > 1e-9 {
				t.Errorf("middle %v, want %v", got.MidS, c.want.MidS)
			}
			got = job.Forecast{N: got.N, LowS: got.LowS, MidS: c.want.MidS, HighS: got.HighS, LongestS: got.LongestS}
			if got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestFitCountsOnlyWhatMayCount(t *testing.T) {
	// Given 41 clean runs of about 4.7 min, and runs that may not move them
	runs := past()
	for i := range 41 {
		runs = append(runs, estimate.Run{At: time.Unix(int64(i), 0), GPU: gpu, Seconds: 270 + float64(i), Label: job.Clean})
	}
	before := estimate.Fit(runs, gpu)
	for name, intruder := range map[string]estimate.Run{
		"a shared run":         {At: time.Unix(99, 0), GPU: gpu, Seconds: 864, Label: job.Shared},
		"a cached run":         {At: time.Unix(99, 0), GPU: gpu, Seconds: 0.01, Label: job.Clean, Start: job.Cached},
		"a run of another GPU": {At: time.Unix(99, 0), GPU: "other", Seconds: 90, Label: job.Clean},
		"a run without time":   {At: time.Unix(99, 0), GPU: gpu, Seconds: 0, Label: job.Clean},
		"a run that is NaN":    {At: time.Unix(99, 0), GPU: gpu, Seconds: math.NaN(), Label: job.Clean},
	} {
		// when it is added, then nothing moves
		if after := estimate.Fit(append(past(), append(runs, intruder)...), gpu); after != before {
			t.Errorf("%s moved the baseline from %+v to %+v", name, before, after)
		}
	}
	// An unwatched run founds, and is said.
	unwatched := estimate.Run{At: time.Unix(99, 0), GPU: gpu, Seconds: 280, Label: job.LabelUnknown}
	if f := estimate.Fit(append(past(280, 281), unwatched), gpu); f.N != 3 || f.Unwatched != 1 {
		t.Errorf("got %+v, want 3 runs, 1 of them unwatched", f)
	}
}

func TestFitUsesTheNewestRuns(t *testing.T) {
	var runs []estimate.Run
	for i := range 60 {
		runs = append(runs, estimate.Run{At: time.Unix(int64(i), 0), GPU: gpu, Seconds: float64(1 + i), Label: job.Clean})
	}
	f := estimate.Fit(runs, gpu)
	if usual := judged(runs).MidS(); f.N != 41 || f.LongestS != 60 || usual != 40 || f.MidS < 40 || f.MidS > 50 {
		t.Errorf("got %+v, usually %v, want the 41 newest: usually 40, longest 60, and somewhat more next", f, usual)
	}
}

func TestFitDoesNotCareAboutOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seconds := rapid.SliceOfN(rapid.Float64Range(1, 5000), 1, 60).Draw(t, "seconds")
		runs := past(seconds...)
		want := estimate.Fit(runs, gpu)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		rng.Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
		if got := estimate.Fit(runs, gpu); got != want {
			t.Fatalf("shuffled %+v, in order %+v", got, want)
		}
		if !(want.LowS <= want.MidS && want.MidS <= want.HighS && want.HighS <= want.LongestS) {
			t.Fatalf("out of order: %+v", want)
		}
	})
}

func TestBarSaysWhatItKnows(t *testing.T) {
	now := time.Date(2026, 11, 30, 21, 14, 10, 0, time.UTC)
	story := job.Forecast{N: 41, LowS: 270, MidS: 282, HighS: 300, LongestS: 312}
	for _, c := range []struct {
		name     string
		f        job.Forecast
		elapsed  float64
		kind     job.BarKind
		fraction job.Maybe[float64]
		caption  string
	}{
		{"no past runs: empty, and why", job.Forecast{}, 100, job.BarNone, job.Maybe[float64]{}, job.CaptionFirst},
		{"at the start", story, 0, job.BarEstimate, job.Known(0.0), job.CaptionEstimate},
		{"half way", story, 150, job.BarEstimate, job.Known(0.5), job.CaptionEstimate},
		{"past the middle", story, 290, job.BarEstimate, job.Known(290.0 / 300), job.CaptionPastHalf},
		{"past the usual range, not past the longest", story, 310, job.BarEstimate, job.Known(1.0), job.CaptionPastHalf},
		{"at the longest", story, 312, job.BarEstimate, job.Known(1.0), job.CaptionPastHalf},
		{"past the longest: hollow", story, 313, job.BarOver, job.Maybe[float64]{}, job.CaptionOver},
		{
			"two runs only are named",
			job.Forecast{N: 2, LowS: 270, MidS: 280, HighS: 290, LongestS: 290},
			29, job.BarEstimate, job.Known(0.1), job.CaptionFew,
		},
		{"a clock that went back", story, -5, job.BarEstimate, job.Known(0.0), job.CaptionEstimate},
	} {
		t.Run(c.name, func(t *testing.T) {
			bar := estimate.Bar(c.f, c.elapsed, now)
			if bar.Kind != c.kind || bar.Fraction != c.fraction || bar.Caption.Code != c.caption {
				t.Errorf("got %+v, want %v %v %v", bar, c.kind, c.fraction, c.caption)
			}
		})
	}
	// The caption's time of day is the elapsed time's, not the start's.
	bar := estimate.Bar(story, 172, now)
	if want := now.Add(110 * time.Second); !bar.Caption.Args.At.Equal(want) || bar.Caption.Args.Seconds != 110 {
		t.Errorf("got %+v, want 110 s left, done %v", bar.Caption.Args, want)
	}
}

func TestBarNeverGoesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := estimate.Fit(past(rapid.SliceOfN(rapid.Float64Range(1, 5000), 1, 50).Draw(t, "seconds")...), gpu)
		a := rapid.Float64Range(0, 6000).Draw(t, "earlier")
		b := a + rapid.Float64Range(0, 1000).Draw(t, "later")
		early, late := estimate.Bar(f, a, time.Time{}), estimate.Bar(f, b, time.Time{})
		if late.Kind == job.BarEstimate && early.Kind == job.BarOver {
			t.Fatalf("over at %v, an estimate again at %v", a, b)
		}
		ef, eok := early.Fraction.Get()
		lf, lok := late.Fraction.Get()
		if eok && lok && lf < ef {
			t.Fatalf("fraction %v at %v, %v at %v", ef, a, lf, b)
		}
	})
}

func TestDefaultLimitIsGenerous(t *testing.T) {
	for _, c := range []struct {
		name string
		f    job.Forecast
		want time.Duration
	}{
		{"nothing known", job.Forecast{}, 3 * time.Hour},
		{"short jobs still get ten minutes", job.Forecast{N: 5, MidS: 3, LongestS: 4}, 10 * time.Minute},
		{"four times the middle", job.Forecast{N: 41, MidS: 282, LongestS: 312}, 19 * time.Minute},
		{"twice the longest", job.Forecast{N: 41, MidS: 282, LongestS: 900}, 30 * time.Minute},
	} {
		if got := estimate.DefaultLimit(c.f); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}
