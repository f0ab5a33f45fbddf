package note

import (
	"testing"

	"reckoner/scheduler/job"
)

// The wordings that the index of the scenarios allows: what was seen is said
// plainly, the rest as likely, and where nothing is sure nothing is said.
func TestVerdictsAreWordedAsSurelyAsTheyAreKnown(t *testing.T) {
	for _, c := range []struct {
		name     string
		at       int // second
		code     string
		what     job.Mechanism
		strength job.Strength
	}{
		{"a-idle", 60, "", "", ""},
		{"b-healthy", 60, "", "", ""},
		{"c-time-sliced", 60, job.NoteSawMechanism, job.SharedGPU, job.Certain},
		{"d-spill-foreign-memory", 60, job.NoteSawMechanism, job.Spill, job.Probably},
		{"e-thermal", 60, job.NoteSawMechanism, job.Throttled, job.Certain},
		{"f-load-sample-vae", 15, job.NoteSawMechanism, job.HostBound, job.Probably},
		{"g-hang", 60, job.NoteSawMechanism, job.Stalled, job.MayBe},
		{"g-hang", 100, job.NoteSawMechanism, job.Stalled, job.Probably},
		{"h-brief-gauges-only", 60, "", "", ""},
		{"h2-brief-with-app-list-and-speed", 60, job.NoteSawMechanism, job.Spill, job.Probably},
		{"i-busy-with-none-of-ours", 60, job.NoteBusyAlone, "", ""},
	} {
		say, ok := course(t, c.name)[c.at].Verdict()
		if ok != (c.code != "") || ok && (say.Code != c.code ||
			say.Args.Value != string(c.what) || say.Args.Detail != string(c.strength)) {
			t.Errorf("%s at %d s: %+v, want %q %s %q", c.name, c.at, say, c.code, c.what, c.strength)
		}
	}
}

// What was seen is said whatever the score shows: heat holds the clocks back
// while the work may also be stuck.
func TestAFactComesBeforeWhatIsLikely(t *testing.T) {
	d := Diagnosis{Mechanism: job.Stalled, Strength: job.Probably, Facts: []job.Mechanism{job.Throttled}}
	if say, ok := d.Verdict(); !ok || say.Args.Value != string(job.Throttled) || say.Args.Detail != string(job.Certain) {
		t.Errorf("%+v %v, want that it is slowed by heat", say, ok)
	}
}

// The evidence has what a person would ask for: how busy, at which power, how
// full, how much slower.
func TestTheEvidenceOfASpill(t *testing.T) {
	d := course(t, "d-spill-foreign-memory")[60]
	seen := map[string]job.Args{}
	for _, say := range d.All {
		seen[say.Code] = say.Args
	}
	if a := seen[job.NoteSawLowPower]; a.Percent < 95 || a.Watts > 50 {
		t.Errorf("power: %+v", a)
	}
	if a := seen[job.NoteSawSlow]; a.Percent < 4 || a.Percent > 8 {
		t.Errorf("speed: %+v, want about 6 %%", a)
	}
	if a := seen[job.NoteSawBus]; a.Percent < 30 {
		t.Errorf("bus: %+v", a)
	}
	if len(d.Seen) != 2 || d.Seen[0].Code != d.All[0].Code {
		t.Errorf("the strongest two are %+v of %+v", d.Seen, d.All)
	}
}

// A run whose steps are slow is not stuck while they still come at its own pace,
// nor is a GPU on which other people's prompts come and go.
func TestWhatStillMovesIsNotStuck(t *testing.T) {
	says := func(change func(*Sample)) job.Strength {
		var tr Tracker
		for _, s := range scenario(t, "g-hang")[:100] {
			change(&s)
			tr.See(s)
		}
		if d := tr.Last(); d.Mechanism == job.Stalled {
			return d.Strength
		}
		return ""
	}
	if got := says(func(*Sample) {}); got != job.Probably {
		t.Fatalf("the hang itself: %q", got)
	}
	for name, change := range map[string]func(*Sample){
		"steps of four minutes":          func(s *Sample) { s.StepS = job.Known(240.0) },
		"somebody's prompt ended lately": func(s *Sample) { s.SinceOthers = job.Known(20.0) },
	} {
		if got := says(change); got == job.Probably || got == job.Certain {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := says(func(s *Sample) { s.StepS, s.SinceOthers = job.Known(2.0), job.Known(900.0) }); got != job.Probably {
		t.Errorf("quick steps, and nobody for a quarter of an hour: %q", got)
	}
}
