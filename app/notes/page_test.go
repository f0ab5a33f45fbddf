package notes

import (
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"reckoner/app/goldentest"
	"reckoner/app/scenetest"
	"reckoner/app/theme"
	"reckoner/assets/text"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

const w = text.English

// scene has a note of each standing.
func scene() *scheduler.Snapshot {
	s := scenetest.Story()
	gpu1 := s.Machines[0].Machine.ID
	open := &job.Note{
		ID: "open", Machine: gpu1, Cause: job.CauseOtherClient, Status: job.NoteProbable, Opened: s.At.Wall,
		Claim: job.Say{Code: job.NoteOtherClient, Args: job.Args{Machine: "gpu-1"}},
		Evidence: []job.Evidence{
			{Kind: job.SawLowPower, Last: s.At.Wall, Say: job.Say{
				Code: job.NoteSawLowPower, Args: job.Args{Percent: 100, Watts: 43, OfWatts: 180},
			}},
			{Kind: job.SawUsualShared, Against: true, Last: s.At.Wall, Say: job.Say{
				Code: job.NoteUsualShared, Args: job.Args{Job: "old-town", Seconds: 282},
			}},
		},
		Wordings: []job.Wording{{
			Claim: job.Say{Code: job.NoteUnexplained, Args: job.Args{Machine: "gpu-1"}}, Until: s.At.Wall,
			Why: job.Say{Code: job.NoteReworded},
		}},
		Test: job.NoteTest{N: 41, MidS: 282, BoundS: 309.6, FailsUsual: .048, PassesSlow: .0001},
	}
	tested := *open
	tested.ID, tested.Status = "tested", job.NoteSupported
	tested.Results = []job.TestResult{{At: s.At.Wall, Verdict: job.TestReturned, Say: job.Say{
		Code: job.NoteReturned, Args: job.Args{Seconds: 288, UpTo: 282, Value: "under 0.1 %"},
	}}}
	quiet, gone := *open, *open
	quiet.ID, quiet.Quiet = "quiet", true
	gone.ID, gone.Status, gone.Machine = "gone", job.NoteWithdrawn, "removed"
	s.Notes = []*job.Note{&gone, &tested, &quiet, open}
	return s
}

func newTestPage(t *testing.T, th fyne.Theme, s *scheduler.Snapshot) (*Page, fyne.Window, *[]scheduler.Command) {
	t.Helper()
	test.NewTempApp(t).Settings().SetTheme(th)
	p, sent := New(w), &[]scheduler.Command{}
	p.OnCommand = func(c scheduler.Command) { *sent = append(*sent, c) }
	p.NewID = func() job.ID { return "new" }
	win := test.NewTempWindow(t, p)
	win.SetPadded(false)
	win.Resize(fyne.NewSize(1000, 900))
	p.Apply(s)
	return p, win, sent
}

func TestNotesStandByWhatIsKnownOfThem(t *testing.T) {
	p, _, _ := newTestPage(t, theme.New(theme.Dark, 1), scene())
	var got []string
	for _, s := range p.shown {
		for _, n := range s.Notes {
			got = append(got, s.Heading+": "+string(n.ID))
		}
	}
	want := []string{"OPEN: open", "OPEN, NOTHING SEEN LATELY: quiet", "SETTLED: tested", "WITHDRAWN: gone"}
	if !slices.Equal(got, want) {
		t.Errorf("they stand as %v, want %v", got, want)
	}
	if n := Open(scene()); n != 1 {
		t.Errorf("%d ask something now", n)
	}
	// What changed its words says what it asked before, and why that changed.
	evidence := p.shown[0].Notes[0].Evidence
	if last := evidence[len(evidence)-1].Text; !strings.HasPrefix(last, "Until then it asked: What is slowing gpu-1?") ||
		!strings.Contains(last, "Changed when somebody was seen") {
		t.Errorf("of its words it says %q", last)
	}
}

func TestANoteIsTestedRewordedAndWithdrawn(t *testing.T) {
	p, _, sent := newTestPage(t, theme.New(theme.Dark, 1), scene())
	asked := ""
	p.OnWithdraw = func(claim string, yes func()) { asked = claim; yes() }
	p.act(Test + " open")
	if len(*sent) != 0 || p.opened != Test+" open" {
		t.Fatalf("asking for the plan sent %v, opened %q", *sent, p.opened)
	}
	p.act(BeginTest + " open")
	p.act(EndTest + " open")
	p.act(reword + " open")
	p.reworded("open", "  Is it the cat? ")
	p.reworded("open", "Is another client slowing gpu-1?") // as it was
	p.act(withdraw + " open")
	want := []scheduler.Command{
		scheduler.StartTest{Note: "open"},
		scheduler.EndTest{Note: "open"},
		scheduler.RewordNote{Note: "open", Text: "Is it the cat?"},
		scheduler.WithdrawNote{Note: "open"},
	}
	if !slices.Equal(*sent, want) || asked != "Is another client slowing gpu-1?" {
		t.Errorf("sent %+v, asked about %q", *sent, asked)
	}
}

func TestANoteIsWrittenByHand(t *testing.T) {
	p, _, sent := newTestPage(t, theme.New(theme.Dark, 1), scenetest.Story())
	p.writeNote() // without words
	p.machine.SetSelectedIndex(1)
	p.claim.SetText("Does the new driver slow attic?")
	p.claim.OnSubmitted("")
	want := []scheduler.Command{scheduler.WriteNote{Note: "new", Machine: scenetest.Attic, Text: "Does the new driver slow attic?"}}
	if !slices.Equal(*sent, want) || p.claim.Text != "" {
		t.Errorf("sent %+v, the field has %q", *sent, p.claim.Text)
	}
}

func TestNewerEvidenceMakesNoBoxAnew(t *testing.T) {
	p, _, _ := newTestPage(t, theme.New(theme.Dark, 1), scene())
	before := p.shown
	s := scene()
	s.Notes[3].Evidence[0].Last = s.At.Wall.Add(time.Minute)
	p.Apply(s)
	if &before[0] != &p.shown[0] {
		t.Error("the boxes were made anew")
	}
	s.Notes[3].Status = job.NoteRefuted
	p.Apply(s)
	if len(p.shown) != 3 {
		t.Errorf("a note that was settled stands in %d sections", len(p.shown))
	}
}

func TestThePage(t *testing.T) {
	for _, c := range []struct {
		name  string
		theme fyne.Theme
		scene *scheduler.Snapshot
		do    func(*Page)
	}{
		{"page_dark", theme.New(theme.Dark, 1), scene(), func(p *Page) { p.act(ShowEvidence + " open") }},
		{"page_light_200", theme.New(theme.Light, 2), scene(), func(p *Page) { p.act(Test + " open") }},
		{"empty", theme.New(theme.Dark, 1), scenetest.Story(), func(*Page) {}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, win, _ := newTestPage(t, c.theme, c.scene)
			c.do(p)
			goldentest.Compare(t, c.name, win.Canvas().Capture())
		})
	}
}
