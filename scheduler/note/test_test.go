package note

import (
	"math"
	"testing"

	"reckoner/scheduler/job"
)

// baseline is n runs around 4.7 min with a spread.
func baseline(n int, spread float64) []float64 {
	runs := make([]float64, n)
	for i := range runs {
		q := (float64(i) + .5) / float64(n)
		runs[(i*17)%n] = 282 * math.Exp(spread*math.Sqrt2*math.Erfinv(2*q-1))
	}
	return runs
}

// The bounds that the research gives for 41 runs are exact.
func TestRanksAreThoseOfTheResearch(t *testing.T) {
	for _, c := range []struct {
		n, k, rank int
		fails      float64
	}{
		{41, 1, 40, .048},
		{41, 3, 37, .045},
		{41, 5, 35, .044},
		{20, 1, 20, .048},
		{9, 1, 9, .1},
		{3, 1, 3, .25},
	} {
		rank, fails := rankFor(c.n, c.k)
		if rank != c.rank || math.Abs(fails-c.fails) > .0006 {
			t.Errorf("n %d, k %d: rank %d, fails %.4f; want %d, %.3f", c.n, c.k, rank, fails, c.rank, c.fails)
		}
	}
}

// One run tells much of a steady type and little of an unsteady one, and the plan
// says so before anything starts.
func TestPlanSaysWhatOneRunCanTell(t *testing.T) {
	tight, ok := Plan(baseline(41, .05))
	if !ok || tight.N != 41 || math.Abs(tight.MidS-282) > 1 || math.Abs(tight.Spread-.05) > .01 {
		t.Fatalf("plan %+v", tight)
	}
	if tight.BoundS < 282 || tight.BoundS > 330 || tight.PassesSlow > .001 {
		t.Errorf("tight: bound %.0f s, a slow one passes with %.4f", tight.BoundS, tight.PassesSlow)
	}
	noisy, _ := Plan(baseline(41, .3))
	if noisy.PassesSlow < .4 || noisy.PassesSlow > .75 {
		t.Errorf("noisy: a slow one passes with %.2f, want about .62", noisy.PassesSlow)
	}
	if _, ok := Plan(baseline(2, .05)); ok {
		t.Error("two runs give no bound")
	}
}

func TestJudge(t *testing.T) {
	plan, _ := Plan(baseline(41, .05))
	good := Probe{Run: "r", Seconds: 284, Well: true, Label: job.Clean, Start: job.Warm}
	change := func(f func(*Probe)) Probe { p := good; f(&p); return p }
	for name, c := range map[string]struct {
		probe Probe
		want  job.TestVerdict
		why   string
	}{
		"back to usual":           {good, job.TestReturned, ""},
		"usual though cold":       {change(func(p *Probe) { p.Start = job.Cold }), job.TestReturned, ""},
		"start not known":         {change(func(p *Probe) { p.Start = "" }), job.TestReturned, ""},
		"still slow":              {change(func(p *Probe) { p.Seconds = 864 }), job.TestStayed, ""},
		"slow and cold":           {change(func(p *Probe) { p.Seconds, p.Start = 864, job.Cold }), job.TestVoid, job.VoidCold},
		"cached":                  {change(func(p *Probe) { p.Seconds, p.Start = 2, job.Cached }), job.TestVoid, job.VoidCached},
		"client was back":         {change(func(p *Probe) { p.Disturbed = true }), job.TestVoid, job.VoidForeign},
		"labelled shared":         {change(func(p *Probe) { p.Label = job.Shared }), job.TestVoid, job.VoidForeign},
		"not watched":             {change(func(p *Probe) { p.Label = job.LabelUnknown }), job.TestVoid, job.VoidUnwatched},
		"failed":                  {change(func(p *Probe) { p.Well = false }), job.TestVoid, job.VoidNotEnded},
		"cut short by its limit":  {change(func(p *Probe) { p.Well, p.Cut, p.Seconds = false, true, 1782 }), job.TestStayed, ""},
		"cut short by the user":   {change(func(p *Probe) { p.Well, p.Seconds = false, 1782 }), job.TestVoid, job.VoidNotEnded},
		"cut, and not watched":    {change(func(p *Probe) { p.Well, p.Cut, p.Seconds, p.Label = false, true, 1782, "" }), job.TestVoid, job.VoidUnwatched},
		"still open, client back": {change(func(p *Probe) { p.Open, p.Disturbed = true, true }), job.TestVoid, job.VoidForeign},
	} {
		r, decided := Judge(plan, c.probe, evening)
		if !decided || r.Verdict != c.want || r.Verdict == job.TestVoid && r.Say.Args.Detail != c.why {
			t.Errorf("%s: decided %v, %s (%s), want %s (%s)", name, decided, r.Verdict, r.Say.Args.Detail, c.want, c.why)
		}
		if r.Verdict != job.TestVoid && r.Say.Args.Value == "" {
			t.Errorf("%s: no odds", name)
		}
	}
	if _, decided := Judge(plan, change(func(p *Probe) { p.Open, p.Seconds = true, 100 }), evening); decided {
		t.Error("an open run is decided")
	}
	if r, _ := Judge(job.NoteTest{}, good, evening); r.Verdict != job.TestVoid || r.Say.Args.Detail != job.VoidNoBound {
		t.Errorf("without a bound: %+v", r)
	}
}

func TestSettle(t *testing.T) {
	plan, _ := Plan(baseline(41, .05))
	c, _ := Suspect(story())
	for verdict, want := range map[job.TestVerdict]job.NoteStatus{
		job.TestReturned: job.NoteSupported, job.TestStayed: job.NoteRefuted, job.TestVoid: job.NoteProbable,
	} {
		n := Begin(Open("n", c, nil, evening), plan, evening)
		if n.Test.State != job.TestWaiting {
			t.Fatal("not begun")
		}
		n = Settle(n, job.TestResult{At: evening, Verdict: verdict, Test: n.Test})
		if n.Status != want || len(n.Results) != 1 || n.Test.Under() {
			t.Errorf("%s: %s, %d results", verdict, n.Status, len(n.Results))
		}
		if e := n.Evidence[len(n.Evidence)-1]; e.Kind != job.SawTest || e.Against != (verdict == job.TestStayed) {
			t.Errorf("%s: evidence %+v", verdict, e)
		}
	}
}

func TestPercent(t *testing.T) {
	for p, want := range map[float64]string{0: "under 0.1 %", .048: "4.8 %", .62: "62 %", .01: "1 %"} {
		if got := Percent(p); got != want {
			t.Errorf("Percent(%v) = %q, want %q", p, got, want)
		}
	}
}
