package core

import (
	"slices"

	"reckoner/scheduler/estimate"
	"reckoner/scheduler/job"
)

// RunCorrected is the user's word about a run that ended: what else was on its GPU,
// or whether it counts.
type RunCorrected struct {
	// Run is its record as it was kept, and Past are all finished runs of its type:
	// the core remembers the newest only.
	Run  job.Run
	Past []estimate.Run
	Kind job.CorrectionKind
	// Label is the new one, of job.CorrectLabel.
	Label job.Label
}

func (RunCorrected) event() {}

// correct adds the user's word to a run's record and works out the baseline anew.
func (t *turn) correct(e RunCorrected) {
	r := t.endedRun(e.Run)
	c := job.Correction{At: t.now.Wall, Kind: e.Kind, Label: e.Label}
	if r.State != job.RunEnded || !c.Changes(&r) {
		return
	}
	r.Corrections = append(slices.Clip(r.Corrections), c)
	t.writeRun(&r)
	if newest := t.newest[r.Job]; newest != nil && newest.ID == r.ID {
		t.newest[r.Job] = &r
	}
	if f := t.fetches[r.ID]; f != nil {
		f.rec = &r
	}
	t.urgent = true
	t.judgeAnew(&r, e.Past, c)
}

// endedRun gives a run's record as it is here, where it is, else as it was kept.
func (t *turn) endedRun(kept job.Run) job.Run {
	if f := t.fetches[kept.ID]; f != nil {
		return *f.rec
	}
	if r := t.newest[kept.Job]; r != nil && r.ID == kept.ID {
		return *r
	}
	return kept
}

// judgeAnew lets the baseline of a run's type follow from what the user said of it.
func (t *turn) judgeAnew(r *job.Run, kept []estimate.Run, c job.Correction) {
	run, ok := estimate.FromRun(r)
	if !ok || r.TypeKey == "" {
		return
	}
	t.learn(nil, map[string][]estimate.Run{r.TypeKey: kept})
	all := make([]estimate.Run, 0, len(kept)+1)
	type mark struct {
		id job.ID
		at int64
	}
	of := func(r estimate.Run) mark { return mark{r.ID, r.At.UnixNano()} }
	known := map[mark]bool{of(run): true}
	for _, past := range append(slices.Clip(kept), t.past[r.TypeKey]...) {
		if past.GPU == r.GPU && !known[of(past)] {
			known[of(past)] = true
			all = append(all, past)
		}
	}
	all = append(all, run)
	mine := slices.Clone(t.past[r.TypeKey])
	for i := range mine {
		if mine[i].ID == run.ID {
			mine[i] = run
		}
	}
	t.past[r.TypeKey] = mine
	t.book.Correct(job.Type{Key: r.TypeKey}, estimate.Correction{At: c.At, Kind: c.Kind, Run: run}, all)
	clear(t.estimates)
	clear(t.rooms)
	delete(t.dots, [2]string{r.TypeKey, r.GPU})
	t.logOf(r.TypeKey, r.GPU)
}
