package queue

import (
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"reckoner/app/scenetest"
	"reckoner/app/widgets"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

const (
	doneLight, doneFog = job.ID("done:batch-lighthouse:0"), job.ID("done:batch-fog:0")
	waitingFog         = job.ID("waiting:batch-fog:0")
)

// rowsOf writes a list as one word a row; jobs of an open batch are indented.
func rowsOf(l long) string {
	var rows []string
	for i := range l.length() {
		switch e := l.at(i); {
		case e.batch != nil:
			rows = append(rows, "["+e.batch.name()+"]")
		case e.inner:
			rows = append(rows, ">"+string(e.view.Job.ID))
		case e.view != nil:
			rows = append(rows, e.view.Job.Name)
		default:
			rows = append(rows, e.heading+e.count)
		}
	}
	return strings.Join(rows, " ")
}

func TestJobsAddedTogetherAreOneRowThatOpens(t *testing.T) {
	s := scenetest.Batches()
	closed := "WAITING5 forest-loop old-town logo-spin [fog-c and 1 more] DONE11 dune-sunrise [lighthouse × 8] [fog-a and 1 more]"
	if got := rowsOf(newLong(s, nil)); got != closed {
		t.Errorf("closed, the list is\n%s, want\n%s", got, closed)
	}
	opened := "WAITING5 forest-loop old-town logo-spin [fog-c and 1 more] >job-fog-c >job-fog-d " +
		"DONE11 dune-sunrise [lighthouse × 8] [fog-a and 1 more]"
	if got := rowsOf(newLong(s, map[job.ID]bool{waitingFog: true})); got != opened {
		t.Errorf("opened, the list is\n%s, want\n%s", got, opened)
	}
}

// The order of waiting jobs is that of the queue: a batch that another job was
// moved into is two rows, each with its own place.
func TestAWaitingBatchThatWasTornIsTwoRows(t *testing.T) {
	s := scenetest.Crowd(9)
	for i := range s.Waiting {
		j := *s.Waiting[i].Job
		j.Name = "frame"
		if i != 4 {
			j.Batch = "frames"
		} else {
			j.Name = "urgent"
		}
		s.Waiting[i].Job = &j
	}
	s.Done = nil
	l := newLong(s, nil)
	if got := rowsOf(l); got != "WAITING9 [frame × 8] urgent [frame × 8]" {
		t.Errorf("the list is %s", got)
	}
	if a, b := l.at(1).id(), l.at(3).id(); a == b {
		t.Errorf("both parts are called %s", a)
	}
}

func TestWhatABatchSays(t *testing.T) {
	s := scenetest.Batches()
	l := newLong(s, nil)
	for key, want := range map[job.ID]widgets.LineState{
		doneLight: {
			Name: "lighthouse × 8", Text: "8 of 8 done, 25.1 min · 8 videos", Fold: widgets.FoldClosed,
			Action: widgets.Action{Key: "open", Label: "Open"},
		},
		doneFog: {
			Name: "fog-a and 1 more", Text: "0 of 4 done, 2 unsuccessful", Fold: widgets.FoldClosed, Tone: widgets.Odd,
			Action: widgets.Action{Key: "failed-again", Label: "Run failed again"},
		},
		waitingFog: {
			Name: "fog-c and 1 more", Fold: widgets.FoldClosed, Right: "any machine",
			Text: "2 of 4 waiting · about 21:30, takes about 6 min (estimate, 12 runs) each",
		},
	} {
		if got := l.batch(key).row(s, false, w); got != want {
			t.Errorf("%s says\n%+v, want\n%+v", key, got, want)
		}
	}
	d := l.batch(doneFog).details(w)
	if want := []string{"2 of 4 ended without success", "2 of 4 waiting"}; !slices.Equal(d.Batch[:2], want) || len(d.Batch) != 3 ||
		!strings.HasPrefix(d.Batch[2], "2 jobs: ") {
		t.Errorf("the details say %q", d.Batch)
	}
}

func TestABatchOpensAndIsMovedByKey(t *testing.T) {
	p, sent := newTestPage(t, scenetest.Batches())
	p.Select(waitingFog)
	press(p, fyne.KeyRight, fyne.KeyDown)
	if v := p.Selected(); v == nil || v.Job.Name != "fog-c" {
		t.Fatalf("the row below the opened batch is %+v, want its first job", v)
	}
	press(p, fyne.KeyUp, fyne.KeyLeft, fyne.KeyDown)
	if v := p.Selected(); v == nil || v.Job.Name != "dune-sunrise" {
		t.Fatalf("the row below the closed batch is %+v", v)
	}
	press(p, fyne.KeyUp)
	p.MoveSelected(false)
	if len(*sent) != 0 {
		t.Errorf("the last row moved further down: %v", *sent)
	}
	p.MoveSelected(true)
	p.actOnBatch(waitingFog, doFirst)
	want := []scheduler.Command{
		scheduler.Move{Job: "job-fog-c", Before: "job-logo-spin"},
		scheduler.Move{Job: "job-fog-d", Before: "job-logo-spin"},
		scheduler.Move{Job: "job-fog-c", Before: "job-forest-loop"},
		scheduler.Move{Job: "job-fog-d", Before: "job-forest-loop"},
	}
	if !slices.Equal(*sent, want) {
		t.Errorf("sent %v, want %v", *sent, want)
	}
}

func TestWhatIsDoneToABatchIsDoneToItsJobs(t *testing.T) {
	p, sent := newTestPage(t, scenetest.Batches())
	p.Select(waitingFog)
	asked, yes := 0, func() {}
	p.OnCancelAll = func(_ string, n int, then func()) { asked, yes = n, then }
	press(p, fyne.KeyDelete)
	if asked != 2 || len(*sent) != 0 {
		t.Fatalf("asked about %d jobs and sent %v, want a question first", asked, *sent)
	}
	yes()
	p.details.onAction(doFailedAgain)
	want := []scheduler.Command{
		scheduler.Cancel{Job: "job-fog-c"}, scheduler.Cancel{Job: "job-fog-d"}, scheduler.RunFailedAgain{Batch: "batch-fog"},
	}
	if !slices.Equal(*sent, want) {
		t.Errorf("sent %v, want %v", *sent, want)
	}
	opened := ""
	p.OnOpen = func(file string) { opened = file }
	p.Select(doneLight)
	press(p, fyne.KeyReturn)
	if opened != "/home/me/Videos/Reckoner/2026-05-08/lighthouse" {
		t.Errorf("opened %q, want the folder of all eight", opened)
	}
}
