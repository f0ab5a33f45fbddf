package note

import (
	"testing"
	"time"

	"reckoner/scheduler/job"
)

var evening = time.Date(2026, 11, 30, 20, 44, 18, 0, time.UTC)

// story is what the story's machine shows while its job is too long.
func story() Seen {
	return Seen{
		Machine: "gpu-1", MachineName: "gpu-1", At: evening, Source: "nvidia-smi",
		Prompts: []Prompts{
			{Server: "first", Name: "gpu-1", Nth: 1},
			{
				Server: "second", Name: "gpu-1 second", URL: "http://second", Nth: 2, First: evening.Add(-8 * time.Minute), Last: evening,
				Work: job.ForeignWork{Prompts: 14, OverS: 480, EveryS: job.Known(35.0)},
			},
		},
		Reading: job.Reading{
			Util: job.Known(100.0), Power: job.Known(43.0), Limit: job.Known(180.0),
			MemUsed: job.Known(int64(15600 << 20)), MemTotal: job.Known(int64(16311 << 20)),
		},
		Diagnosis: Diagnosis{Mechanism: job.Unclear},
		LowPower:  true,
	}
}

func TestTheStoryGivesAProbableQuestion(t *testing.T) {
	c, ok := Suspect(story())
	if !ok {
		t.Fatal("no claim")
	}
	if c.Cause != job.CauseOtherClient || c.Server != "second" || c.Question.Code != job.NoteOtherClient {
		t.Errorf("claim %+v", c)
	}
	a := c.Finding.Args
	if c.Finding.Code != job.NoteSawPrompts || a.Count != 14 || a.Seconds != 35 || a.UpTo != 480 || a.Of != 2 {
		t.Errorf("finding %+v", c.Finding)
	}
	n := Open("n", c, &job.Run{ID: "r", TypeKey: "type", GPU: "gpu"}, evening)
	if n.Status != job.NoteProbable || n.Mechanism != job.Unclear || n.Strength != job.Unsure {
		t.Errorf("opened as %s, mechanism %s %q", n.Status, n.Mechanism, n.Strength)
	}
	kinds := map[job.EvidenceKind]bool{}
	for _, e := range n.Evidence {
		kinds[e.Kind] = true
		if e.First.IsZero() || e.Source == "" {
			t.Errorf("evidence without time or source: %+v", e)
		}
	}
	if !kinds[job.SawPrompts] || !kinds[job.SawLowPower] || !kinds[job.SawFullMemory] {
		t.Errorf("evidence %v", kinds)
	}
}

// Mechanism and contributor are kept apart: who holds memory computes nothing.
func TestMechanismAndContributorAreApart(t *testing.T) {
	s := story()
	s.Prompts = nil
	s.Diagnosis = Diagnosis{Mechanism: job.Spill, Strength: job.Probably, Share: .93}
	s.Programs = []job.Process{{PID: 4988, Name: "ollama", Mem: job.Known(int64(5744 << 20)), SM: job.Known(0.0)}}
	c, ok := Suspect(s)
	if !ok || c.Cause != job.CauseOtherProgram || c.Mechanism != job.Spill || c.Strength != job.Probably {
		t.Fatalf("claim %+v", c)
	}
	if c.Finding.Code != job.NoteSawProgram || c.Finding.Args.Bytes != 5744<<20 {
		t.Errorf("finding %+v: a program that computes nothing only holds memory", c.Finding)
	}
}

func TestNothingOddIsNoClaim(t *testing.T) {
	s := story()
	s.Prompts, s.LowPower = s.Prompts[:1], false
	for _, m := range []job.Mechanism{job.Healthy, job.HostBound, job.Idle, job.Unclear} {
		s.Diagnosis.Mechanism = m
		if c, ok := Suspect(s); ok {
			t.Errorf("%s: claim %+v", m, c)
		}
	}
	s.Prompts = []Prompts{{Server: "second", Work: job.ForeignWork{Prompts: 1}}}
	if c, ok := Suspect(s); ok {
		t.Errorf("one visitor: claim %+v", c)
	}
}

// A load that nobody can be named for is a question without a suspect; when one
// is seen later, the note keeps what it asked before.
func TestAQuestionKeepsItsEarlierWording(t *testing.T) {
	s := story()
	prompts := s.Prompts
	s.Prompts = nil
	c, ok := Suspect(s)
	if !ok || c.Cause != job.CauseUnexplained || c.Server != "" {
		t.Fatalf("claim %+v", c)
	}
	n := Open("n", c, nil, evening)
	s.Prompts, s.At = prompts, evening.Add(time.Minute)
	named, _ := Suspect(s)
	if !Answers(n, named, s.At) {
		t.Fatal("the suspect would open a second note")
	}
	again, fresh := Update(n, named, s.At)
	if !fresh || again.Cause != job.CauseOtherClient || again.Claim.Code != job.NoteOtherClient {
		t.Errorf("updated to %+v", again)
	}
	if len(again.Wordings) != 1 || again.Wordings[0].Claim.Code != job.NoteUnexplained || again.Wordings[0].Why.Code == "" {
		t.Errorf("wordings %+v", again.Wordings)
	}
	if n.Cause != job.CauseUnexplained || len(n.Wordings) != 0 {
		t.Error("the old copy changed")
	}
}

// A hundred slow runs are one note, and looking at it a thousand times adds no
// line.
func TestHundredRunsAreOneNote(t *testing.T) {
	c, _ := Suspect(story())
	n := Open("n", c, nil, evening)
	lines := len(n.Evidence)
	for i := range 1000 {
		s := story()
		s.At = evening.Add(time.Duration(i) * time.Second)
		s.Prompts[1].Work.Prompts++
		again, _ := Suspect(s)
		if !Answers(n, again, s.At) {
			t.Fatal("a second note")
		}
		n, _ = Update(n, again, s.At)
	}
	if len(n.Evidence) != lines {
		t.Errorf("%d lines of evidence, want %d", len(n.Evidence), lines)
	}
	for i := range 300 {
		r := &job.Run{
			ID: job.RunID("j", i), Seconds: job.Known(864.0), Label: job.Shared, Forecast: job.Forecast{MidS: 282},
		}
		n = AddRun(n, r, "harbour-night", false, evening)
		n = AddRun(n, r, "harbour-night", false, evening)
	}
	if len(n.Evidence) != job.NoteEvidenceKept || n.LeftOut < 300-job.NoteEvidenceKept {
		t.Errorf("%d lines and %d left out", len(n.Evidence), n.LeftOut)
	}
	if n.Status != job.NoteProbable {
		t.Errorf("runs made it %s; only a test and the user may", n.Status)
	}
}

func TestRunsSpeakForAndAgainst(t *testing.T) {
	c, _ := Suspect(story())
	for _, x := range []struct {
		label   job.Label
		usual   bool
		kind    job.EvidenceKind
		against bool
	}{
		{job.Shared, false, job.SawSlowShared, false},
		{job.Shared, true, job.SawUsualShared, true},
		{job.Clean, false, job.SawSlowAlone, true},
		{job.Clean, true, job.SawUsualAlone, false},
		{job.LabelUnknown, false, "", false}, // nobody knows who was there
	} {
		n := Open("n", c, nil, evening)
		before := len(n.Evidence)
		r := &job.Run{ID: "r", Seconds: job.Known(300.0), Label: x.label}
		n = AddRun(n, r, "old-town", x.usual, evening)
		if x.kind == "" {
			if len(n.Evidence) != before {
				t.Errorf("%s: %+v", x.label, n.Evidence[before:])
			}
			continue
		}
		if e := n.Evidence[len(n.Evidence)-1]; len(n.Evidence) != before+1 || e.Kind != x.kind || e.Against != x.against {
			t.Errorf("%s, usual %v: %+v", x.label, x.usual, e)
		}
	}
}

// Evidence that is gone, and the user's own words, leave the status alone; what
// the user withdrew is not raised again the same day.
func TestOnlyTestAndUserChangeAStatus(t *testing.T) {
	c, _ := Suspect(story())
	n := Open("n", c, nil, evening)
	n = Hush(n, evening.Add(time.Hour))
	if n.Status != job.NoteProbable || !n.Quiet {
		t.Errorf("%s, quiet %v", n.Status, n.Quiet)
	}
	n = Reword(n, "the colleague's script", evening)
	if n.Text == "" || len(n.Wordings) != 1 || n.Status != job.NoteProbable {
		t.Errorf("%+v", n)
	}
	n = Withdraw(n, evening)
	if n.Status != job.NoteWithdrawn {
		t.Error(n.Status)
	}
	if !Answers(n, c, evening.Add(time.Hour)) || Answers(n, c, evening.Add(25*time.Hour)) {
		t.Error("a withdrawn claim is kept for a day, and may be raised after")
	}
}
