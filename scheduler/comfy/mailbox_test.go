package comfy

import (
	"fmt"
	"testing"

	"reckoner/scheduler/job"
)

func step(node string, value float64) job.News {
	return job.News{Kind: job.NewsStep, PromptID: "p", Node: node, Value: value, Max: 100}
}

func list(news []job.News) string {
	s := ""
	for _, n := range news {
		s += fmt.Sprintf("%s %s%s %v|", n.Kind, n.PromptID, n.Node, n.Value+float64(n.Count))
	}
	return s
}

func TestOfStepsPreviewsAndLengthsOnlyTheNewestWaits(t *testing.T) {
	m := newMailbox()
	for _, n := range []job.News{
		{Kind: job.NewsStatus, Count: 2},
		{Kind: job.NewsStarted, PromptID: "p"},
		step("3", 1), step("4", 1),
		{Kind: job.NewsPreview, PromptID: "p", Value: 1},
		step("3", 2),
		{Kind: job.NewsStatus, Count: 1},
		{Kind: job.NewsPreview, PromptID: "q", Value: 2},
		{Kind: job.NewsEnding, PromptID: "p"},
		{Kind: job.NewsEnding, PromptID: "p"},
	} {
		if !m.put(n) {
			t.Fatal("full")
		}
	}
	want := "started p 0|step p4 1|step p3 2|status  1|preview q 2|ending p 0|ending p 0|"
	if got := list(m.take()); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := m.take(); len(got) != 0 {
		t.Errorf("a second time: %v", got)
	}
	m.put(step("3", 3))
	if got := list(m.take()); got != "step p3 3|" {
		t.Errorf("after emptying: %s", got)
	}
}

func TestACrowdedMailboxDropsOnlyWhatMayBeDropped(t *testing.T) {
	m := newMailbox()
	m.put(job.News{Kind: job.NewsStarted, PromptID: "p"})
	for i := range 50000 { // many nodes, each with a step
		m.put(job.News{Kind: job.NewsNode, Node: fmt.Sprint(i)})
		m.put(step(fmt.Sprint(i), 1))
	}
	m.put(job.News{Kind: job.NewsEnded, PromptID: "p"})
	got := m.take()
	if len(got) > mailboxCrowded || got[0].Kind != job.NewsStarted || got[len(got)-1].Kind != job.NewsEnded {
		t.Errorf("%d news, first %v, last %v", len(got), got[0], got[len(got)-1])
	}
	if n := got[len(got)-2]; n.Kind != job.NewsStep || n.Node != "49999" {
		t.Errorf("the newest step is %+v", n)
	}
}

func TestAFloodFillsTheMailboxButUpAndDownStillFit(t *testing.T) {
	m := newMailbox()
	taken := 0
	for m.put(job.News{Kind: job.NewsStarted, PromptID: "p"}) {
		if taken++; taken > mailboxFull {
			t.Fatal("no bound")
		}
	}
	if !m.put(job.News{Kind: job.NewsDown}) || !m.put(job.News{Kind: job.NewsUp}) {
		t.Error("up and down were dropped")
	}
	if got := m.take(); len(got) != mailboxFull+2 {
		t.Errorf("%d", len(got))
	}
}
