package estimate_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"reckoner/scheduler/estimate"
	"reckoner/scheduler/job"
)

// at gives runs of a baseline, one an hour, each session of its own.
func at(seconds ...float64) []estimate.Run {
	runs := make([]estimate.Run, 0, len(seconds))
	for i, s := range seconds {
		runs = append(runs, run(i, s))
	}
	return runs
}

// run is the run of hour i: clean and warm.
func run(i int, seconds float64) estimate.Run {
	return estimate.Run{
		ID: job.ID(rune('a' + i%26)), At: time.Unix(int64(i)*3600, 0), GPU: gpu, Seconds: seconds,
		Label: job.Clean, Start: job.Warm,
	}
}

// drawSettled draws a baseline of ten runs or more, of any spread.
func drawSettled(t *rapid.T) []estimate.Run {
	spread := rapid.SampledFrom([]float64{0.002, 0.05, 0.3, 0.8}).Draw(t, "spread")
	seed := rapid.Uint64().Draw(t, "seed")
	rng := rand.New(rand.NewPCG(seed, 1))
	n := rapid.IntRange(10, 60).Draw(t, "n")
	var seconds []float64
	for range n {
		seconds = append(seconds, 282*math.Exp(spread*rng.NormFloat64()))
	}
	return at(seconds...)
}

func judged(runs []estimate.Run) estimate.Baseline {
	b, _ := estimate.Judge(runs, nil)
	return b
}

// usual are the figures of a forecast that rest on the baseline alone, without
// what a proposal that waits adds to its limit and lines.
func usual(runs []estimate.Run) job.Forecast {
	f := estimate.Fit(runs, gpu)
	f.ProposedS, f.AlarmS, f.LimitS = 0, 0, 0
	return f
}

func TestRandomOneRunOutsideMovesABaselineByExactlyZero(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Given a baseline of ten or more, and a run outside of its range
		runs := drawSettled(t)
		before, log := estimate.Judge(runs, nil)
		if len(log) == 0 || before.N() < 10 {
			t.Skip("it is not settled")
		}
		low, high := before.Reach()
		outside := high * rapid.Float64Range(1.0001, 50).Draw(t, "times longer")
		if rapid.Bool().Draw(t, "shorter") {
			outside = low / rapid.Float64Range(1.0001, 50).Draw(t, "times shorter")
		}
		// when it ends, clean, then nothing at all moves, unless it was the last of
		// several that agree
		after, more := estimate.Judge(append(slices.Clone(runs), run(len(runs), outside)), nil)
		if len(more) > len(log) {
			t.Skip("several runs agreed already")
		}
		if more := append(slices.Clone(runs), run(len(runs), outside)); usual(more) != usual(runs) {
			t.Fatalf("a run of %v s moved the forecast", outside)
		}
		if !reflect.DeepEqual(before, after) {
			t.Fatalf("a run of %v s moved %v (of %d) to %v (of %d)", outside, before.MidS(), before.N(), after.MidS(), after.N())
		}
	})
}

func TestRandomOneRunInsideMovesABaselineByAtMostOneRank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		runs := drawSettled(t)
		before, log := estimate.Judge(runs, nil)
		if len(log) == 0 || before.N() < 10 {
			t.Skip("it is not settled")
		}
		low, high := before.Reach()
		inside := rapid.Float64Range(low, high).Draw(t, "inside")
		after, more := estimate.Judge(append(slices.Clone(runs), run(len(runs), inside)), nil)
		if len(more) > len(log) {
			t.Skip("several runs agreed")
		}
		// The middle lies between two members at most one rank from where it was.
		sorted := before.Seconds()
		n := len(sorted)
		if down, up := sorted[(n-1)/2-1], sorted[n/2+1]; after.MidS() < down-1e-9 || after.MidS() > up+1e-9 {
			t.Fatalf("the middle moved from %v to %v, beyond %v to %v", before.MidS(), after.MidS(), down, up)
		}
		// So does what is expected of the next run, which leans to the newest ones.
		was := estimate.Fit(runs, gpu).MidS
		is := estimate.Fit(append(slices.Clone(runs), run(len(runs), inside)), gpu).MidS
		i, _ := slices.BinarySearch(sorted, was*(1+1e-9))
		k, _ := slices.BinarySearch(sorted, was*(1-1e-9))
		if down, up := sorted[max(0, i-2)], sorted[min(k+1, n-1)]; is < down*(1-1e-9) || is > up*(1+1e-9) {
			t.Fatalf("what is expected moved from %v to %v, beyond %v to %v", was, is, down, up)
		}
	})
}

func TestRandomTheOrderInWhichRunsAreToldChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		runs := drawSettled(t)
		for i := range runs {
			runs[i].Label = rapid.SampledFrom([]job.Label{job.Clean, job.Clean, job.LabelUnknown, job.Shared}).Draw(t, "label")
			runs[i].Bound = rapid.IntRange(0, 9).Draw(t, "cut") == 0
		}
		want, wantLog := estimate.Judge(runs, nil)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "shuffle"), 1))
		rng.Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
		got, gotLog := estimate.Judge(runs, nil)
		if !reflect.DeepEqual(want, got) || !reflect.DeepEqual(wantLog, gotLog) {
			t.Fatal("another order gave another baseline")
		}
	})
}

func TestRandomTheOrderOfLengthsChangesNoBaselineThatHoldsThemAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Given runs so alike that each is inside whichever came before
		seconds := rapid.SliceOfN(rapid.Float64Range(250, 300), 10, 41).Draw(t, "seconds")
		want, log := estimate.Judge(at(seconds...), nil)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "shuffle"), 1))
		rng.Shuffle(len(seconds), func(i, j int) { seconds[i], seconds[j] = seconds[j], seconds[i] })
		got, other := estimate.Judge(at(seconds...), nil)
		if len(log) > 1 || len(other) > 1 {
			t.Skip("five of them agreed on something")
		}
		if !reflect.DeepEqual(want, got) {
			t.Fatalf("the order of the lengths gave %v instead of %v", got.MidS(), want.MidS())
		}
	})
}

// slower is a baseline of 41, then five clean runs that agree on a longer time.
func slower() []estimate.Run {
	rng := rand.New(rand.NewPCG(3, 1))
	var seconds []float64
	for range 41 {
		seconds = append(seconds, 282*math.Exp(0.03*rng.NormFloat64()))
	}
	for i := range 5 {
		seconds = append(seconds, 354+float64(i))
	}
	return at(seconds...)
}

func TestUpwardMovesNeedTheUser(t *testing.T) {
	runs := slower()
	was := judged(runs[:41])
	frozen, log := estimate.Judge(runs, nil)
	if last := log[len(log)-1]; last.Kind != job.RevisionProposed || last.By != job.ByRule || last.MidS != 356 {
		t.Fatalf("five agreeing runs ended with %+v, want a proposal of 356 s", last)
	}
	if !reflect.DeepEqual(was, frozen) {
		t.Fatalf("while it waits the baseline moved from %v to %v", was.MidS(), frozen.MidS())
	}
	proposal := log[len(log)-1].Seq
	after := runs[45].At.Add(time.Minute)

	t.Run("taken", func(t *testing.T) {
		got, log := estimate.Judge(runs, []estimate.Answer{{At: after, Kind: job.AnswerUse, About: proposal}})
		last := log[len(log)-1]
		if got.MidS() != 356 || got.N() != 5 || last.Kind != job.RevisionApplied || last.By != job.ByUser {
			t.Errorf("got %v of %d by %+v", got.MidS(), got.N(), last)
		}
	})
	t.Run("refused", func(t *testing.T) {
		got, log := estimate.Judge(runs, []estimate.Answer{{At: after, Kind: job.AnswerKeep, About: proposal}})
		if !reflect.DeepEqual(was, got) || log[len(log)-1].Kind != job.RevisionKept {
			t.Errorf("got %v by %+v", got.MidS(), log[len(log)-1])
		}
	})
	t.Run("three runs inside again withdraw it", func(t *testing.T) {
		again := append(slices.Clone(runs), run(46, 282), run(47, 283), run(48, 281))
		_, log := estimate.Judge(again, nil)
		if log[len(log)-1].Kind != job.RevisionWithdrawn {
			t.Errorf("ended with %+v", log[len(log)-1])
		}
	})
	t.Run("a shared one among them is no witness", func(t *testing.T) {
		doubted := slices.Clone(runs)
		doubted[44].Label = job.Shared
		if _, log := estimate.Judge(doubted, nil); log[len(log)-1].Kind != job.RevisionFounded {
			t.Errorf("ended with %+v", log[len(log)-1])
		}
	})
	t.Run("downward moves do not", func(t *testing.T) {
		for i := 41; i < 46; i++ {
			runs[i].Seconds = 200 + float64(i)/10
		}
		got, log := estimate.Judge(runs, nil)
		if last := log[len(log)-1]; last.Kind != job.RevisionApplied || last.By != job.ByRule || got.N() != 5 {
			t.Errorf("got %d runs by %+v", got.N(), last)
		}
	})
}

func TestRandomUndoRestoresBitForBit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		runs := drawSettled(t)
		factor := rapid.Float64Range(0.3, 3).Draw(t, "factor")
		for i := range 6 {
			runs = append(runs, run(len(runs), 282*factor*(1+float64(i)/1000)))
		}
		_, log := estimate.Judge(runs, nil)
		end := runs[len(runs)-1].At.Add(time.Minute)
		var answers []estimate.Answer
		last := log[len(log)-1]
		if last.Kind != job.RevisionProposed {
			t.Skip("nothing is proposed")
		}
		before, _ := estimate.Judge(runs, answers)
		answers = append(answers, estimate.Answer{At: end, Kind: job.AnswerUse, About: last.Seq})
		changed, log := estimate.Judge(runs, answers)
		if reflect.DeepEqual(before, changed) {
			t.Fatal("taking a proposal changed nothing")
		}
		answers = append(answers, estimate.Answer{At: end, Kind: job.AnswerUndo, About: log[len(log)-1].Seq})
		undone, log := estimate.Judge(runs, answers)
		if !reflect.DeepEqual(before, undone) {
			t.Fatalf("undone is %v of %d, before it was %v of %d", undone.MidS(), undone.N(), before.MidS(), before.N())
		}
		if log[len(log)-1].Kind != job.RevisionUndone {
			t.Fatalf("the log ends with %+v", log[len(log)-1])
		}
	})
}

func TestUnwatchedRunsFoundAndNeverMove(t *testing.T) {
	runs := at(5, 5.1, 4.9, 5, 5.1, 4.9, 5, 5.1, 4.9, 5)
	for i := range 5 {
		runs[i].Label = job.LabelUnknown
	}
	before := judged(runs)
	more := run(10, 5.05)
	more.Label = job.LabelUnknown
	if after := judged(append(slices.Clone(runs), more)); !reflect.DeepEqual(before, after) {
		t.Errorf("an unwatched run moved a watched baseline")
	}
	if f := estimate.Fit(runs, gpu); f.N != 10 || f.Unwatched != 5 {
		t.Errorf("got %+v, want 10 runs, 5 not watched", f)
	}
}

func TestRelabellingGivesTheOtherBaseline(t *testing.T) {
	runs := slower()
	for i := 41; i < 46; i++ {
		runs[i].Label = job.Shared
	}
	shared := judged(runs)
	for i := 41; i < 46; i++ {
		runs[i].Label = job.Clean
	}
	if _, log := estimate.Judge(runs, nil); log[len(log)-1].Kind != job.RevisionProposed {
		t.Error("as clean runs they propose nothing")
	}
	for i := 41; i < 46; i++ {
		runs[i].Label = job.Shared
	}
	if again := judged(runs); !reflect.DeepEqual(shared, again) {
		t.Error("labelled as before they give another baseline")
	}
}
