package estimate_test

import (
	"fmt"
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

// kind is the job type of these tests.
func kind() job.Type { return job.Type{Key: "k"} }

// named gives each run an id of its own.
func named(runs []estimate.Run) []estimate.Run {
	for i := range runs {
		runs[i].ID = job.ID(fmt.Sprintf("run-%03d", i))
	}
	return runs
}

// live is a book that was told runs one by one as they ended.
func live(runs []estimate.Run) *estimate.Book {
	b := estimate.NewBook()
	for _, r := range runs {
		b.Tell(kind(), r, nil)
	}
	return b
}

// corrected tells a book that the user said something else of the i-th run, and
// gives the runs as they are judged since then.
func corrected(b *estimate.Book, runs []estimate.Run, i int, kindOf job.CorrectionKind, change func(*estimate.Run)) []estimate.Run {
	runs = slices.Clone(runs)
	change(&runs[i])
	when := runs[len(runs)-1].At.Add(time.Duration(len(b.Revisions("k", gpu))+1) * time.Minute)
	b.Correct(kind(), estimate.Correction{At: when, Kind: kindOf, Run: runs[i]}, runs)
	return runs
}

func TestTheWrongNormalIsPutRightByTheUsersWord(t *testing.T) {
	// Given 41 runs around 4.7 min, and five of 5.9 min which the user took for the
	// new usual time
	runs := named(slower())
	b := live(runs)
	log := b.Revisions("k", gpu)
	b.Answer("k", gpu, job.BaselineAnswer{
		At: runs[45].At.Add(time.Second), Kind: job.AnswerUse, About: log[len(log)-1].Seq,
	})
	wrong := b.Estimate(kind(), gpu)
	if b.Baseline("k", gpu).MidS() != 356 {
		t.Fatalf("the usual time is %v s", b.Baseline("k", gpu).MidS())
	}

	// when the user says of one of them that other work was there
	after := corrected(b, runs, 43, job.CorrectLabel, func(r *estimate.Run) { r.Label = job.Shared })

	// then four runs never were enough to ask, and the newest 41 clean ones count,
	want, _ := estimate.Judge(after, nil)
	if got := b.Baseline("k", gpu); !reflect.DeepEqual(got, want) || got.N() != 41 || got.MidS() > 290 {
		t.Errorf("the usual time is %v s of %d runs, want %v s of 41", got.MidS(), got.N(), want.MidS())
	}
	// the log says so and of which run,
	line := b.Revisions("k", gpu)[len(b.Revisions("k", gpu))-1]
	if line.Kind != job.RevisionCorrected || line.By != job.ByUser || line.Corrected.ID != "run-043" ||
		line.Corrected.Label != job.Shared || line.WasMidS != 356 || line.Was != 5 || len(line.Runs) != 41 {
		t.Errorf("the log ends with %+v", line)
	}
	// and taken back, the estimate is what it was to the bit.
	corrected(b, after, 43, job.CorrectUndo, func(r *estimate.Run) { r.Label = job.Clean })
	if got := b.Estimate(kind(), gpu); !reflect.DeepEqual(got, wrong) {
		t.Errorf("taken back it is %+v\nit was %+v", got, wrong)
	}
}

func TestARunThatIsSetAsideLeavesAndComesBack(t *testing.T) {
	runs := named(slower()[:41])
	b := live(runs)
	was := b.Estimate(kind(), gpu)
	after := corrected(b, runs, 40, job.SetAside, func(r *estimate.Run) { r.SetAside = true })
	if got := b.Baseline("k", gpu); got.N() != 40 || slices.Contains(got.Seconds(), runs[40].Seconds) {
		t.Errorf("it still counts among %d", got.N())
	}
	line := b.Revisions("k", gpu)[1]
	if !line.Corrected.Aside || line.Corrected.Kind != job.SetAside {
		t.Errorf("the log says %+v", line.Corrected)
	}
	corrected(b, after, 40, job.TakeIn, func(r *estimate.Run) { r.SetAside = false })
	if got := b.Estimate(kind(), gpu); !reflect.DeepEqual(got, was) {
		t.Error("taken in again, the estimate is another one")
	}
}

func TestAChangeThatStandsUnderOtherLabelsCanStillBeUndone(t *testing.T) {
	// Given a change that the user took, of five runs, and a correction of another run
	runs := named(slower())
	b := live(runs)
	taken := len(b.Revisions("k", gpu)) + 1
	b.Answer("k", gpu, job.BaselineAnswer{At: runs[45].At.Add(time.Second), Kind: job.AnswerUse, About: taken - 1})
	after := corrected(b, runs, 3, job.SetAside, func(r *estimate.Run) { r.SetAside = true })
	if got := b.Baseline("k", gpu); got.MidS() != 356 {
		t.Fatalf("an old run's correction made the usual time %v s", got.MidS())
	}
	line := b.Revisions("k", gpu)[taken]
	if line.About != taken {
		t.Fatalf("the correction leaves %d to undo, want %d", line.About, taken)
	}
	// when it is undone, now or after a restart
	again := estimate.NewBook()
	again.Learn([]job.Type{kind()}, map[string][]estimate.Run{"k": after},
		[]job.BaselineLog{{TypeKey: "k", GPU: gpu, Revisions: b.Revisions("k", gpu)}})
	for name, book := range map[string]*estimate.Book{"at once": b, "after a restart": again} {
		book.Answer("k", gpu, job.BaselineAnswer{At: line.At.Add(time.Minute), Kind: job.AnswerUndo, About: taken})
		// then the other forty count, without the one set aside.
		got := book.Baseline("k", gpu)
		if got.N() != 40 || slices.Contains(got.Seconds(), runs[3].Seconds) {
			t.Errorf("%s: %d runs", name, got.N())
		}
	}
	// And what was undone stays so when the first correction is taken back.
	corrected(b, after, 3, job.TakeIn, func(r *estimate.Run) { r.SetAside = false })
	if got := b.Baseline("k", gpu); got.N() != 41 {
		t.Errorf("taken in again: %d runs of %v s", got.N(), got.MidS())
	}
}

func TestAProposalThatOtherLabelsRaiseSurvivesARestart(t *testing.T) {
	runs := named(slower())
	runs[42].Label = job.Shared
	b := live(runs)
	if len(b.Proposals()) != 0 {
		t.Fatal("four runs propose a change")
	}
	after := corrected(b, runs, 42, job.CorrectLabel, func(r *estimate.Run) { r.Label = job.Clean })
	again := estimate.NewBook()
	again.Learn([]job.Type{kind()}, map[string][]estimate.Run{"k": after},
		[]job.BaselineLog{{TypeKey: "k", GPU: gpu, Revisions: b.Revisions("k", gpu)}})
	for name, book := range map[string]*estimate.Book{"at once": b, "after a restart": again} {
		if len(book.Proposals()) != 1 {
			t.Fatalf("%s: %d changes wait", name, len(book.Proposals()))
		}
		log := book.Revisions("k", gpu)
		book.Answer("k", gpu, job.BaselineAnswer{At: runs[45].At, Kind: job.AnswerUse, About: log[len(log)-1].Seq})
		if got := book.Baseline("k", gpu); got.N() != 5 || got.MidS() != 356 {
			t.Errorf("%s: taken it is %v s of %d", name, got.MidS(), got.N())
		}
	}
}

func TestRandomCorrectionsGiveWhatTheLabelsGive(t *testing.T) {
	labels := rapid.SampledFrom([]job.Label{job.Clean, job.Clean, job.LabelUnknown, job.Shared})
	rapid.Check(t, func(t *rapid.T) {
		// Given runs of which some got slower for good, told one by one
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 5))
		spread := rapid.SampledFrom([]float64{0.002, 0.05, 0.3}).Draw(t, "spread")
		factor := rapid.SampledFrom([]float64{0.7, 1, 1.3}).Draw(t, "factor")
		runs := at(append(noise(rng, 45, spread, 1), noise(rng, 25, spread, factor)...)...)
		for i := range runs {
			runs[i].Label = labels.Draw(t, "label")
		}
		runs = named(runs)
		b := live(runs)
		told := b.Estimate(kind(), gpu)
		// when the user says something else of some of them
		now, changed := runs, []int{}
		for range rapid.IntRange(1, 4).Draw(t, "corrections") {
			i := rapid.IntRange(0, len(runs)-1).Draw(t, "run")
			label := labels.Draw(t, "new label")
			now = corrected(b, now, i, job.CorrectLabel, func(r *estimate.Run) { r.Label = label })
			changed = append(changed, i)
		}
		// then the baseline is what these labels make of these runs,
		want, _ := estimate.Judge(now, nil)
		if got := b.Baseline("k", gpu); math.Abs(got.MidS()-want.MidS()) > 0 || !slices.Equal(got.Seconds(), want.Seconds()) {
			t.Fatalf("corrected it is %v s of %d, want %v s of %d", got.MidS(), got.N(), want.MidS(), want.N())
		}
		// also after a restart,
		again := estimate.NewBook()
		again.Learn([]job.Type{kind()}, map[string][]estimate.Run{"k": now},
			[]job.BaselineLog{{TypeKey: "k", GPU: gpu, Revisions: b.Revisions("k", gpu)}})
		if got := again.Baseline("k", gpu); !slices.Equal(got.Seconds(), want.Seconds()) {
			t.Fatalf("after a restart it is %v s of %d, want %v s of %d", got.MidS(), got.N(), want.MidS(), want.N())
		}
		// and when all is taken back, the estimate is what it was, to the bit.
		for _, i := range changed {
			now = corrected(b, now, i, job.CorrectUndo, func(r *estimate.Run) { r.Label = runs[i].Label })
		}
		if got := b.Estimate(kind(), gpu); !reflect.DeepEqual(got, told) {
			t.Fatalf("taken back it is %v of %d, it was %v of %d", got.Forecast().MidS, got.Forecast().N,
				told.Forecast().MidS, told.Forecast().N)
		}
	})
}
