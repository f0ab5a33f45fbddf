package estimate_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"reckoner/scheduler/estimate"
	"reckoner/scheduler/job"
)

const longRun = 29.7 * 60 // seconds: the story's

// noise draws runs around 4.7 min with a spread.
func noise(rng *rand.Rand, n int, spread, factor float64) []float64 {
	seconds := make([]float64, 0, n)
	for range n {
		seconds = append(seconds, 282*factor*math.Exp(spread*rng.NormFloat64()))
	}
	return seconds
}

// TestOneLongRun is bar 6 of estimation.md: how far one run of 29.7 min moves
// the estimate, after n runs of about 4.7 min.
func TestOneLongRun(t *testing.T) {
	for n, most := range map[int]float64{1: 0, 2: 2.5, 3: 2.5, 5: 1, 10: 0, 20: 0, 41: 0} {
		var moves []float64
		for seed := range uint64(401) {
			rng := rand.New(rand.NewPCG(seed, 1))
			runs := at(noise(rng, n, 0.05, 1)...)
			before := estimate.Fit(runs, gpu).MidS
			long := run(n, longRun)
			moves = append(moves, 100*math.Abs(estimate.Fit(append(slices.Clone(runs), long), gpu).MidS/before-1))
			long.Label = job.Shared
			if after := estimate.Fit(append(slices.Clone(runs), long), gpu).MidS; after != before {
				t.Errorf("labelled, after %d runs: moved %v to %v", n, before, after)
			}
			long.Label, long.Bound = job.Clean, true
			if after := estimate.Fit(append(slices.Clone(runs), long), gpu).MidS; after != before {
				t.Errorf("cut short, after %d runs: moved %v to %v", n, before, after)
			}
		}
		slices.Sort(moves)
		t.Logf("after %2d runs: %.2f %% (at most %v)", n, moves[200], most)
		if moves[200] > most {
			t.Errorf("after %d runs one long run moves the estimate by %.2f %%, want at most %v", n, moves[200], most)
		}
	}
}

// TestALongUnwatchedSpell is bar 7: 20 clean runs in a row at twice the time,
// and nobody who says that this is normal.
func TestALongUnwatchedSpell(t *testing.T) {
	for _, spread := range []float64{0.002, 0.3} {
		worst := []float64{}
		for seed := range uint64(40) {
			rng := rand.New(rand.NewPCG(seed, 2))
			runs := at(append(noise(rng, 41, spread, 1), noise(rng, 20, spread, 2)...)...)
			before := judged(runs[:41]).MidS()
			off := 0.0
			for upTo := 42; upTo <= len(runs); upTo++ {
				off = max(off, 100*math.Abs(judged(runs[:upTo]).MidS()/before-1))
			}
			worst = append(worst, off)
		}
		slices.Sort(worst)
		t.Logf("spread %v: at most %.2f %% off in half of the spells", spread, worst[20])
		if most := map[float64]float64{0.002: 0, 0.3: 6}[spread]; worst[20] > most {
			t.Errorf("spread %v: %v %% off, want at most %v", spread, worst[20], most)
		}
	}
}

// TestWhatMovesABaseline is bar 13: in how many of 300 episodes of 40 runs a
// baseline of 41 moved, or would if the user agreed.
func TestWhatMovesABaseline(t *testing.T) {
	episode := func(rng *rand.Rand, spread, factor, sporadic float64, burst int) []float64 {
		seconds := noise(rng, 40, spread, factor)
		for i := range seconds {
			if i < burst || rng.Float64() < sporadic {
				seconds[i] *= 1.5 * math.Pow(6.3/1.5, rng.Float64())
			}
		}
		return seconds
	}
	for _, c := range []struct {
		name                     string
		spread, factor, sporadic float64
		burst                    int
		least, most              float64 // percent of episodes
		delay                    int     // at most, in the middle
	}{
		{"tight, nothing", 0.002, 1, 0, 0, 0, 0, 0},
		{"tight, a burst of 3", 0.002, 1, 0, 3, 0, 0, 0},
		{"tight, one in five slowed", 0.002, 1, 0.2, 0, 0, 1, 0},
		{"tight, 10 % slower for good", 0.002, 1.1, 0, 0, 100, 100, 5},
		{"noisy, nothing", 0.3, 1, 0, 0, 0, 1.5, 0},
		{"noisy, 50 % slower for good", 0.3, 1.5, 0, 0, 80, 100, 15},
	} {
		moved := 0
		var delays []int
		for seed := range uint64(300) {
			rng := rand.New(rand.NewPCG(seed, 3))
			runs := at(append(noise(rng, 41, c.spread, 1), episode(rng, c.spread, c.factor, c.sporadic, c.burst)...)...)
			_, log := estimate.Judge(runs, nil)
			for _, rev := range log {
				if rev.Kind == job.RevisionProposed || rev.Kind == job.RevisionApplied {
					if hours := int(rev.At.Unix()/3600) - 40; hours > 0 {
						moved++
						delays = append(delays, hours)
						break
					}
				}
			}
		}
		share := 100 * float64(moved) / 300
		slices.Sort(delays)
		delay := 0
		if len(delays) > 0 {
			delay = delays[len(delays)/2]
		}
		t.Logf("%-28s %5.1f %% of episodes, after %d runs (%v to %v %%)", c.name, share, delay, c.least, c.most)
		if share < c.least || share > c.most || c.delay > 0 && delay > c.delay {
			t.Errorf("%s: moved in %.1f %% after %d runs, want %v to %v %% after at most %d",
				c.name, share, delay, c.least, c.most, c.delay)
		}
	}
}

func TestTheStory(t *testing.T) {
	// Given 41 runs around 4.7 min, one of 14.4 min while somebody else used the
	// GPU, and one that was cut at 29.7 min
	rng := rand.New(rand.NewPCG(41, 1))
	runs := at(noise(rng, 41, 0.04, 1)...)
	slow, cut := run(41, 864), run(42, longRun)
	slow.Label, cut.Bound = job.Shared, true
	runs = append(runs, slow, cut)
	book := estimate.NewBook()
	typ := job.Type{Key: "story"}
	book.Learn([]job.Type{typ}, map[string][]estimate.Run{"story": runs}, nil)
	e := book.Estimate(typ, gpu)
	f := e.Forecast()
	// then 4.7 min are stated, over 41
	if f.N != 41 || math.Abs(f.MidS/60-4.7) > 0.1 || f.LongestS > 330 {
		t.Errorf("got %+v, want 4.7 min over 41 runs", f)
	}
	if why := slow.Why(); why != estimate.WhyNotShared {
		t.Errorf("the run of 14.4 min is not counted: %q, want %q", why, estimate.WhyNotShared)
	}
	// The bar of the next run says no more than that.
	now := time.Date(2026, 11, 30, 21, 0, 0, 0, time.UTC)
	for minutes, want := range map[float64]struct {
		kind job.BarKind
		code string
	}{
		2: {job.BarEstimate, job.CaptionEstimate}, 4.8: {job.BarEstimate, job.CaptionPastHalf},
		6: {job.BarOver, job.CaptionOver}, 29: {job.BarOver, job.CaptionAlarm},
	} {
		bar := e.Bar(f, minutes*60, now)
		if bar.Kind != want.kind || bar.Caption.Code != want.code || bar.Caption.Args.Count != 41 {
			t.Errorf("at %v min: %+v, want %+v over 41 runs", minutes, bar, want)
		}
	}
	// One request to take 14.4 min as normal is one run: it stays what it is.
	fit := estimate.Fit(runs, gpu)
	runs[41].Label = job.Clean
	if was, is := book.Baseline("story", gpu), judged(runs); is.MidS() != was.MidS() || estimate.Fit(runs, gpu) != fit {
		t.Errorf("one run of 14.4 min, called clean, moved %v to %v", was.MidS(), is.MidS())
	}
}

func BenchmarkFit41(b *testing.B) {
	rng := rand.New(rand.NewPCG(41, 1))
	book := estimate.NewBook()
	typ := job.Type{Key: "k"}
	for i, s := range noise(rng, 41, 0.05, 1) {
		book.Tell(typ, run(i, s), nil)
	}
	next := run(41, 282)
	b.ReportAllocs()
	for b.Loop() {
		// One run more, and what it makes of the baseline.
		next.At = next.At.Add(time.Hour)
		book.Tell(typ, next, nil)
		book.Estimate(typ, gpu)
	}
}

func BenchmarkTick(b *testing.B) {
	rng := rand.New(rand.NewPCG(41, 1))
	book := estimate.NewBook()
	typ := job.Type{Key: "k"}
	for i, s := range noise(rng, 41, 0.05, 1) {
		book.Tell(typ, run(i, s), nil)
	}
	e := book.Estimate(typ, gpu)
	b.ReportAllocs()
	for b.Loop() {
		e.At(283)
	}
}

func TestATickAllocatesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 1))
	book := estimate.NewBook()
	typ := job.Type{Key: "k"}
	for i, s := range noise(rng, 41, 0.05, 1) {
		book.Tell(typ, run(i, s), nil)
	}
	e := book.Estimate(typ, gpu)
	for _, elapsed := range []float64{0, 100, 283, 300, 1000} {
		if n := testing.AllocsPerRun(10, func() { e.At(elapsed) }); n != 0 {
			t.Errorf("a tick at %v s allocates %v times", elapsed, n)
		}
	}
}

func sortedMiddle(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
