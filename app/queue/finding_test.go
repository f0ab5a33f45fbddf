package queue

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2/test"

	"reckoner/app/scenetest"
	"reckoner/app/widgets"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// diagnosed is the story with what the readings of its first machine show.
func diagnosed(change func(*scheduler.GPUView)) *scheduler.Snapshot {
	s := scenetest.Story()
	change(&s.Machines[0].GPUs[0])
	return s
}

func spill(g *scheduler.GPUView) {
	g.Verdict = &job.Say{Code: job.NoteSawMechanism, Args: job.Args{Value: string(job.Spill), Detail: string(job.Probably)}}
	g.Evidence = []job.Say{
		{Code: job.NoteSawLowPower, Args: job.Args{Percent: 100, Watts: 43, OfWatts: 180}},
		{Code: job.NoteSawSlow, Args: job.Args{Percent: 6}},
	}
	g.IdleW = job.Known(11.0)
}

func seenOnly(g *scheduler.GPUView) {
	g.Seen = []job.Say{
		{Code: job.NoteSawLowPower, Args: job.Args{Percent: 100, Watts: 43, OfWatts: 180}},
		{Code: job.NoteSawFull, Args: job.Args{Bytes: 15972 << 20, OfBytes: 16311 << 20}},
	}
	g.Evidence = g.Seen
}

func TestTheCardSaysNoMoreThanTheReadingsShow(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*scheduler.GPUView)
		want   string
		source string
	}{
		"nothing to say":     {func(*scheduler.GPUView) {}, "", "Low power for 100 % busy"},
		"likely":             {spill, "Its memory is probably swapped over the bus.", "Low power for 100 % busy"},
		"nothing sure":       {seenOnly, "100 % busy at 43 of 180 W. 15.6 of 15.9 GiB of its memory in use.", "Measured"},
		"an old reading":     {func(g *scheduler.GPUView) { spill(g); g.Last.At = g.Last.At.Add(-time.Minute) }, "", "Last measured"},
		"busy without yours": {func(g *scheduler.GPUView) { g.Verdict = &job.Say{Code: job.NoteBusyAlone} }, "It is busy, and not with your jobs.", ""},
	} {
		s := diagnosed(c.change)
		gpu := CardState(s, s.Machines[0], w).GPUs[0]
		if gpu.Finding.Says != c.want || !strings.HasPrefix(gpu.Source, c.source) {
			t.Errorf("%s: the card says %q above %q, want %q above %q", name, gpu.Finding.Says, gpu.Source, c.want, c.source)
		}
	}
}

func TestThePowerGaugeMarksWhereTheCardRests(t *testing.T) {
	s := diagnosed(spill)
	gauges := CardState(s, s.Machines[0], w).GPUs[0].Gauges
	if got := gauges[1].Mark; got < .060 || got > .062 {
		t.Errorf("the mark is at %.3f, want 11 of 180 W", got)
	}
	if gauges[0].Mark != 0 || gauges[2].Mark != 0 {
		t.Error("other gauges have a mark")
	}
	// Without a limit there is no bar to put it on.
	s = diagnosed(func(g *scheduler.GPUView) { spill(g); g.Last.Limit = job.Maybe[float64]{} })
	if got := CardState(s, s.Machines[0], w).GPUs[0].Gauges[1].Mark; got != 0 {
		t.Errorf("without a limit the mark is at %v", got)
	}
}

// Asked for its evidence, a card grows, and the list below makes room.
func TestEvidenceOpensOnAClick(t *testing.T) {
	p, _ := newTestPage(t, diagnosed(spill))
	before, list := p.cards[0].HeightFor(440), p.panel.Position().Y
	press := evidenceButton(t, p.cards[0])
	press()
	if after := p.cards[0].HeightFor(440); after <= before {
		t.Errorf("with its evidence the card is %v high, without %v", after, before)
	}
	if p.panel.Position().Y <= list {
		t.Error("the list did not make room")
	}
	// Newer figures change its words, and leave it open.
	next := diagnosed(spill)
	next.Machines[0].GPUs[0].Evidence[0].Args.Watts = 47
	p.Apply(next)
	if texts := lines(p.cards[0]); !slices.Contains(texts, "· 100 % busy at 47 of 180 W.") {
		t.Errorf("the open evidence says %q", texts)
	}
	press()
	if after := p.cards[0].HeightFor(440); after != before {
		t.Errorf("closed again it is %v high, was %v", after, before)
	}
}

func evidenceButton(t *testing.T, c *widgets.Card) func() {
	t.Helper()
	for _, o := range test.WidgetRenderer(c).Objects() {
		if f, ok := o.(*widgets.Finding); ok {
			for _, part := range test.WidgetRenderer(f).Objects() {
				if b, ok := part.(*widgets.Button); ok {
					return func() { test.Tap(b) }
				}
			}
		}
	}
	t.Fatal("the card has no evidence to open")
	return nil
}

// lines are the words of a card's findings.
func lines(c *widgets.Card) []string {
	var texts []string
	for _, o := range test.WidgetRenderer(c).Objects() {
		if f, ok := o.(*widgets.Finding); ok {
			for _, part := range test.WidgetRenderer(f).Objects() {
				if l, ok := part.(*widgets.Line); ok {
					texts = append(texts, l.Text())
				}
			}
		}
	}
	return texts
}

func TestTheCardNamesThePrograms(t *testing.T) {
	attic := func(programs ...job.Process) widgets.CardState {
		s := scenetest.Story()
		s.Machines[1].GPUs[0].Programs = programs
		return CardState(s, s.Machines[1], w)
	}
	holds := job.Process{PID: 4988, Name: "/usr/local/bin/ollama", Mem: job.Known(int64(5744 << 20))}
	c := attic(holds)
	if c.OtherLead != "" || c.Other != "ollama (process 4988) holds 5.6 GiB of the GPU's memory." || c.Badge != "Running your job" {
		t.Errorf("%q, %q under %q", c.OtherLead, c.Other, c.Badge)
	}
	computes := holds
	computes.SM = job.Known(47.0)
	c = attic(computes, holds, holds)
	if c.OtherLead != "Other work." || c.Badge != "Your job and other work" ||
		!strings.HasPrefix(c.Other, "ollama (process 4988) computes on the GPU. ") || !strings.HasSuffix(c.Other, " And 1 more.") {
		t.Errorf("%q, %q under %q", c.OtherLead, c.Other, c.Badge)
	}
}
