package estimate_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"reckoner/scheduler/estimate"
	"reckoner/scheduler/job"
)

// video is a job type of so many frames.
func video(frames int) job.Type {
	return job.Type{
		Key: fmt.Sprintf("video-%d", frames), Task: job.TaskImageToVideo,
		Cost: job.Cost{Width: 640, Height: 640, Frames: frames, Steps: 20}, Models: []string{"wan.safetensors"},
	}
}

// on tells a book n runs of a type on a GPU.
func on(book *estimate.Book, t job.Type, gpu string, n int, seconds float64) {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(seconds)))
	for i, s := range noise(rng, n, 0.03, seconds/282) {
		r := run(i, s)
		r.GPU = gpu
		book.Tell(t, r, nil)
	}
}

// TestEachLevelSaysNoMoreThanItRestsOn walks through the levels of a forecast,
// from runs of the very type on the very GPU down to nothing.
func TestEachLevelSaysNoMoreThanItRestsOn(t *testing.T) {
	book := estimate.NewBook()
	const fast, slow, strange = "RTX 4090/1", "RTX 3060/1", "RTX 2080/1"
	on(book, video(161), fast, 12, 282)
	for frames, seconds := range map[int]float64{33: 60, 81: 140} {
		on(book, video(frames), fast, 10, seconds)
		on(book, video(frames), slow, 10, 2*seconds)
	}
	for _, c := range []struct {
		name       string
		typ        job.Type
		gpu        string
		level      job.Level
		n, basis   int
		low, high  float64 // between which the middle must be
		bar        job.BarKind
		caption    string
		upperKnown bool
	}{
		{"measured here", video(161), fast, job.LevelExact, 12, 0, 270, 295, job.BarEstimate, job.CaptionEstimate, true},
		{
			"measured on another GPU", video(161), slow, job.LevelOtherGPU, 0, 12, 350, 500, job.BarNone, job.CaptionOtherGPU, true,
		},
		{"a GPU of unknown speed", video(161), strange, job.LevelNone, 0, 0, 0, 0, job.BarNone, job.CaptionFirst, false},
		{"similar types here", video(97), fast, job.LevelSimilar, 0, 3, 60, 282, job.BarNone, job.CaptionSimilar, true},
		{
			"larger than all that is known: no upper end", video(241), slow, job.LevelSimilar, 0, 2, 120, 280, job.BarNone,
			job.CaptionSimilar, false,
		},
		{"nothing to compare", job.Type{Key: "x"}, fast, job.LevelNone, 0, 0, 0, 0, job.BarNone, job.CaptionFirst, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := book.Estimate(c.typ, c.gpu)
			f := e.Forecast()
			if f.Level != c.level || f.N != c.n || f.Basis != c.basis || f.MidS < c.low || f.MidS > c.high {
				t.Errorf("got %+v, want %s over %d runs, basis %d, middle %v to %v", f, c.level, c.n, c.basis, c.low, c.high)
			}
			if f.HighS > 0 != c.upperKnown {
				t.Errorf("the upper end is %v, want one: %v", f.HighS, c.upperKnown)
			}
			bar := e.Bar(f, 10, time.Time{})
			if bar.Kind != c.bar || bar.Caption.Code != c.caption || bar.Fraction.Known() != (c.bar == job.BarEstimate) {
				t.Errorf("the bar is %+v, want %s %s", bar, c.bar, c.caption)
			}
			if _, ok := e.NoticeS(); ok != (c.level == job.LevelExact) {
				t.Errorf("a notice: %v", ok)
			}
			if limit := e.Limit(); c.level != job.LevelExact && limit < 3*time.Hour {
				t.Errorf("the default limit is %v: what was never measured here must not be cut", limit)
			}
		})
	}
}

func TestANewCardBehindAnOldAddressInheritsNothing(t *testing.T) {
	book := estimate.NewBook()
	on(book, video(161), "RTX 3060/old", 41, 282)
	if e := book.Estimate(video(161), "RTX 3060/new"); e.Forecast().N != 0 {
		t.Errorf("a card that never ran it has %+v", e.Forecast())
	}
}

// TestTheFactorBetweenTwoGPUs measures bar 14's second half on made-up machines:
// the error of what is said of the first run on another GPU.
func TestTheFactorBetweenTwoGPUs(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 1))
	var apart []float64
	for range 200 {
		book := estimate.NewBook()
		times := math.Exp(rng.NormFloat64() * 0.5)
		for k := range 12 {
			seconds := 30 * math.Exp(2*rng.Float64())
			typ := job.Type{Key: fmt.Sprint(k)}
			on(book, typ, "a", 5, seconds)
			there := seconds * times * math.Exp(0.1*rng.NormFloat64())
			if k < 11 {
				on(book, typ, "b", 5, there)
				continue
			}
			apart = append(apart, math.Abs(book.Estimate(typ, "b").Forecast().MidS/there-1))
		}
	}
	median := sortedMiddle(apart)
	t.Logf("median error on another GPU: %.1f %%", 100*median)
	if median > 0.11 {
		t.Errorf("the median error on another GPU is %.1f %%, want at most 11", 100*median)
	}
}

func TestColdRunsAreKeptApart(t *testing.T) {
	runs := at(16, 16.2, 15.9, 16.1, 47, 46, 48)
	for i := range 3 {
		runs[4+i].Start = job.Cold
	}
	f := estimate.Fit(runs, gpu)
	if f.N != 4 || math.Abs(f.ColdS-30.95) > 0.1 {
		t.Errorf("got %+v, want 4 warm runs and about 31 s more when cold", f)
	}
	// Without warm runs the cold ones are all there is.
	if f := estimate.Fit(runs[4:], gpu); f.N != 3 || f.MidS != 47 {
		t.Errorf("got %+v, want the 3 cold runs", f)
	}
}

func TestTwoTimesAreShownAsTwo(t *testing.T) {
	short, long, ok := judged(at(16, 47, 16.2, 46, 15.9, 48)).Modes()
	if !ok || short != 16 || long != 47 {
		t.Errorf("got %v and %v (%v), want 16 and 47", short, long, ok)
	}
	if _, _, ok := judged(at(16, 17, 18, 19, 20, 21)).Modes(); ok {
		t.Error("one time was taken for two")
	}
}

func TestABoundLengthensWhatIsLeftAndNothingElse(t *testing.T) {
	var seconds []float64
	for i := range 20 {
		seconds = append(seconds, 280+float64(i))
	}
	book := func(bounds int) *estimate.Estimate {
		b := estimate.NewBook()
		for i, s := range seconds {
			b.Tell(job.Type{Key: "k"}, run(i, s), nil)
		}
		for i := range bounds {
			r := run(20+i, 296)
			r.Bound = true
			b.Tell(job.Type{Key: "k"}, r, nil)
		}
		return b.Estimate(job.Type{Key: "k"}, gpu)
	}
	without, with := book(0), book(6)
	if without.Forecast() != with.Forecast() {
		t.Errorf("runs that were cut moved %+v to %+v", without.Forecast(), with.Forecast())
	}
	if a, b := without.At(285), with.At(285); !(b.MidS > a.MidS) {
		t.Errorf("at 285 s the middle of what is left is %v without cut runs, %v with six", a.MidS, b.MidS)
	}
}
