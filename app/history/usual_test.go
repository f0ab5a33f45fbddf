package history

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2/test"

	"reckoner/app/goldentest"
	"reckoner/app/scenetest"
	"reckoner/app/theme"
	"reckoner/app/widgets"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// story is the log of the story: 4.7 min from 41 runs, and six runs of 14.4 min
// that would make another usual time.
func story(more ...job.Revision) job.BaselineLog {
	at := func(day int) time.Time { return time.Date(2026, 5, day, 12, 0, 0, 0, time.UTC) }
	members := func(n int) []job.Member { return make([]job.Member, n) }
	return job.BaselineLog{TypeKey: "video", GPU: "4090", Revisions: append([]job.Revision{
		{Seq: 1, At: at(3), Kind: job.RevisionFounded, By: job.ByRule, Runs: members(10), MidS: 282},
		{Seq: 2, At: at(5), Kind: job.RevisionApplied, By: job.ByRule, Runs: members(41), MidS: 280, WasMidS: 282, Was: 10},
	}, more...)}
}

func proposal() job.Revision {
	return job.Revision{
		Seq: 3, At: time.Date(2026, 5, 9, 12, 0, 0, 0, time.UTC), Kind: job.RevisionProposed, By: job.ByRule,
		Runs: make([]job.Member, 6), MidS: 864, WasMidS: 280, Was: 41,
	}
}

func texts(n widgets.NoticeState) string {
	var all []string
	for _, l := range n.Lines {
		all = append(all, l.Text)
	}
	return strings.Join(all, "\n")
}

func labels(n widgets.NoticeState) []string {
	var all []string
	for _, l := range n.Lines {
		if l.Action.Label != "" {
			all = append(all, l.Action.Label)
		}
	}
	return all
}

func TestAChangeOfAUsualTimeWaitsForTheUser(t *testing.T) {
	// Given a page, and runs that take longer than before
	p, _, _ := newTestPage(t, theme.New(theme.Dark, 1), past(90))
	var sent []scheduler.Command
	p.OnCommand = func(c scheduler.Command) { sent = append(sent, c) }
	s := scenetest.Story()
	s.Proposals = []job.BaselineLog{story(proposal())}
	p.Apply(s)
	// then both times are said, and each can be chosen
	n := Asked(s.Proposals, p.kindName, p.where, w)
	for _, want := range []string{"Image to video", "on attic", "14.4 min", "before it 4.7 min", "Until you decide"} {
		if !strings.Contains(texts(n), want) {
			t.Errorf("it does not say %q:\n%s", want, texts(n))
		}
	}
	if got := labels(n); !slices.Equal(got, []string{"Use 14.4 min", "Keep 4.7 min"}) || !p.usual.Visible() {
		t.Fatalf("offered %v, visible %v", got, p.usual.Visible())
	}
	for _, l := range n.Lines {
		p.usual.OnAction(l.Action.Key)
	}
	want := []scheduler.Command{
		scheduler.AnswerBaseline{TypeKey: "video", GPU: "4090", Kind: job.AnswerUse, About: 3},
		scheduler.AnswerBaseline{TypeKey: "video", GPU: "4090", Kind: job.AnswerKeep, About: 3},
	}
	if !slices.Equal(sent, want) {
		t.Errorf("sent %+v, want %+v", sent, want)
	}
	// and another one in its place is shown in its place
	other := story(proposal())
	other.TypeKey = "logo"
	s = scenetest.Story()
	s.Proposals = []job.BaselineLog{other}
	p.Apply(s)
	var shown []string
	for _, o := range test.LaidOutObjects(p.usual) {
		if l, ok := o.(*widgets.Line); ok {
			shown = append(shown, l.Text())
		}
	}
	if said := strings.Join(shown, "\n"); !strings.Contains(said, "A kind of job on attic") {
		t.Errorf("it still says %q", said)
	}
	// and once it was answered it is gone
	s = scenetest.Story()
	p.Apply(s)
	if p.usual.Visible() {
		t.Error("the answered question is still shown")
	}
}

func TestTheLogOfAUsualTimeIsShownAndCanBeTakenBack(t *testing.T) {
	p, win, _ := newTestPage(t, theme.New(theme.Dark, 1), past(90))
	var sent []scheduler.Command
	p.OnCommand = func(c scheduler.Command) { sent = append(sent, c) }
	asked := ""
	p.OnUsual = func(typeKey string) {
		asked = typeKey
		p.LoadedUsual("another kind", nil)
		p.LoadedUsual(typeKey, []scheduler.UsualTime{{
			BaselineLog: story(), MayUndo: 2,
			Say: job.Say{Code: job.BaselineUsual, Args: job.Args{Seconds: 280, Count: 41}},
		}})
	}
	p.head.kind.SetSelectedIndex(1)
	if asked != "video" || !p.usual.Visible() {
		t.Fatalf("asked for %q, visible %v", asked, p.usual.Visible())
	}
	n := Known(p.known, p.where, w)
	for _, want := range []string{"attic: 4.7 min, 41 runs.", "On 3 May 10 runs made 4.7 min the usual time.", "On 5 May"} {
		if !strings.Contains(texts(n), want) {
			t.Errorf("it does not say %q:\n%s", want, texts(n))
		}
	}
	for _, l := range n.Lines {
		if l.Action.Key != "" {
			p.usual.OnAction(l.Action.Key)
		}
	}
	if want := (scheduler.AnswerBaseline{TypeKey: "video", GPU: "4090", Kind: job.AnswerUndo, About: 2}); len(sent) != 1 || sent[0] != want {
		t.Errorf("sent %+v, want %+v", sent, want)
	}
	goldentest.Compare(t, "usual_dark", win.Canvas().Capture())
	p.head.kind.SetSelectedIndex(0)
	if p.usual.Visible() {
		t.Error("what is usual of one kind is shown for all")
	}
}
