package queue

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"reckoner/app/scenetest"
	"reckoner/app/widgets"
	"reckoner/assets/text"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC
	os.Exit(m.Run())
}

const w = text.English

func joined(spans []widgets.Span) string {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(s.Text)
	}
	return b.String()
}

func TestRunningRowsOfTheStory(t *testing.T) {
	s := scenetest.Story()
	estimate, over := RunningRow(s, &s.Running[0], w), RunningRow(s, &s.Running[1], w)
	for _, c := range []struct{ what, got, want string }{
		{"the caption of an estimate", estimate.Bar.Caption, "Estimate: about 1 min 50 s left, done about 21:16 (18 past runs)"},
		{"the server's steps", joined(estimate.Fact), "Server reports step 9 of 20"},
		{"the kind in words", estimate.Kind, "Image to video · 640 × 640 · 161 frames · 20 steps"},
		{"where it runs", estimate.State + " " + estimate.Where, "Running on attic"},
		{"the caption past all runs", over.Bar.Caption, "29 min 50 s: longer than all 41 past runs, so no estimate of what is left"},
		{
			"what was decided and what the server does", joined(over.Fact),
			"Your limit passed at 21:14. Told to stop; gpu-1 has not stopped yet (8 s)",
		},
		{"the state of a stopping run", over.State + " " + over.Where, "Stopping on gpu-1"},
	} {
		if c.got != c.want {
			t.Errorf("%s is %q, want %q", c.what, c.got, c.want)
		}
	}
	if estimate.Bar.Kind != widgets.BarEstimate || over.Bar.Kind != widgets.BarOver {
		t.Errorf("kinds of bar are %v and %v", estimate.Bar.Kind, over.Bar.Kind)
	}
	if got := estimate.Bar.UsualFrom; got < 0.87 || got > 0.89 {
		t.Errorf("usual runs begin to end at %.2f of the bar, want 151/172", got)
	}
	if over.Tone != widgets.Odd {
		t.Error("a stopping run is not shown as a thing to look at")
	}
}

func TestARowSaysThatItsRunIsNotSeen(t *testing.T) {
	s := scenetest.Story()
	silent := job.Errorf(job.ErrUnreachable, job.Args{Server: "attic"}, nil)
	what, _ := w.Trouble(silent)
	running, stopping := s.Running[0], s.Running[1]
	fetching := running
	collecting := *running.Job
	collecting.State = job.JobCollecting
	fetching.Job = &collecting
	for _, c := range []struct {
		name string
		view scheduler.JobView
		want []string
	}{
		{"a running one", running, []string{"Not heard of since 21:10: " + what, "Server reports step 9 of 20"}},
		{"a stopping one", stopping, []string{"Not heard of since 21:10: " + what, "Told to stop"}},
		{"one whose results are fetched", fetching, []string{"Results not fetched yet: " + what}},
	} {
		// given a row without trouble
		if got := joined(RunningRow(s, &c.view, w).Fact); strings.Contains(got, what) {
			t.Errorf("%s: without trouble it says %q", c.name, got)
		}
		// when its server does not answer
		c.view.Trouble, c.view.TroubleSince = silent, s.At.Wall.Truncate(time.Hour).Add(10*time.Minute)
		row := RunningRow(s, &c.view, w)
		// then the doubt stands before what was last known
		got, last := joined(row.Fact), 0
		for _, want := range c.want {
			at := strings.Index(got, want)
			if at < last || row.Tone != widgets.Odd {
				t.Errorf("%s: it says %q (tone %v), want %q after %d", c.name, got, row.Tone, want, last)
			}
			last = at
		}
	}
}

// A bar without a fraction is never filled (rule 2), whatever its kind says.
func TestABarIsFilledOnlyByAnEstimate(t *testing.T) {
	for _, b := range []job.Bar{
		{Kind: job.BarEstimate},
		{Kind: job.BarOver, Fraction: job.Known(0.5)},
		{Kind: job.BarNone, Fraction: job.Known(0.5)},
		{},
	} {
		got := barState(&scheduler.JobView{Job: &job.Job{}, Bar: b}, w)
		if got.Fraction != 0 {
			t.Errorf("%+v is filled to %.2f", b, got.Fraction)
		}
	}
}

func TestWaitingRowsOfTheStory(t *testing.T) {
	s := scenetest.Story()
	for i, want := range []widgets.LineState{
		{Name: "forest-loop", Text: "next about 21:16, takes about 6 min (estimate, 12 runs)", Right: "attic"},
		{
			Name: "old-town", Right: "gpu-1", Action: widgets.Action{Key: "move machine-attic", Label: "Move to attic"},
			Text: "waiting for harbour-night to stop on gpu-1, and for other work on the same GPU to end " +
				"(on gpu-1, 2 prompts now) · about 6 min",
		},
		{Name: "logo-spin", Text: "first of its kind, so no estimate yet", Right: "any machine"},
	} {
		if got := WaitingRow(s, &s.Waiting[i], i == 0, w); got != want {
			t.Errorf("row %d is\n%+v, want\n%+v", i, got, want)
		}
	}
}

func TestAHeldJobForAnyMachineMayBeSentAnyway(t *testing.T) {
	s := scenetest.Story()
	v := s.Waiting[1]
	free := *v.Job
	free.Servers = nil
	v.Job = &free
	if got := WaitingRow(s, &v, false, w).Action; got != (widgets.Action{Key: "send", Label: "Send anyway"}) {
		t.Errorf("the action is %+v, want to send it anyway", got)
	}
	sent := free
	sent.SendAnyway = true
	v.Job = &sent
	if got := WaitingRow(s, &v, false, w).Action; got.Key != "" {
		t.Errorf("a job that is sent anyway offers %+v", got)
	}
}

func TestOnlyAMachineThatTakesJobsIsOffered(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*scheduler.MachineView)
	}{
		{"paused", func(m *scheduler.MachineView) { m.Machine.Paused = true }},
		{"with other work", func(m *scheduler.MachineView) { m.Foreign = true }},
		{"watched only", func(m *scheduler.MachineView) { m.Servers[0].Server.WatchOnly = true }},
		{"not answering", func(m *scheduler.MachineView) { m.Servers[0].Err = job.Errorf(job.ErrUnreachable, job.Args{}, nil) }},
	} {
		s := scenetest.Story()
		c.change(&s.Machines[1])
		if got := WaitingRow(s, &s.Waiting[1], false, w).Action; strings.HasPrefix(got.Key, doMove) {
			t.Errorf("a machine %s is offered: %+v", c.name, got)
		}
	}
}

func TestDoneRowsOfTheStory(t *testing.T) {
	s := scenetest.Story()
	open, again := widgets.Action{Key: "open", Label: "Open"}, widgets.Action{Key: "again", Label: "Run again"}
	for i, want := range []widgets.LineState{
		{Name: "dune-sunrise", Text: "took 3 min 2 s, as usual · 1 video", Action: open},
		{Name: "lighthouse", Text: "took 3 min 8 s, as usual · 2 pictures", Action: open},
		{Name: "fog-bank", Action: again, Tone: widgets.Bad},
	} {
		got := DoneRow(&s.Done[i], w)
		if want.Text == "" {
			if !strings.Contains(got.Text, "memory") {
				t.Errorf("a job that ran out of memory says %q", got.Text)
			}
			want.Text = got.Text
		}
		if got != want {
			t.Errorf("row %d is\n%+v, want\n%+v", i, got, want)
		}
	}
}

func TestOutcomesInWords(t *testing.T) {
	for _, c := range []struct {
		job  job.Job
		run  job.Run
		want string
	}{
		{job.Job{Outcome: job.JobDone}, job.Run{}, "done, how long it took is not known"},
		{job.Job{Outcome: job.JobDone}, job.Run{Start: job.Cached}, "everything came from the server's cache"},
		{
			job.Job{Outcome: job.JobDone, FinishedLate: true},
			job.Run{Seconds: job.Known(60.0)},
			"took 1 min · finished after your limit had passed",
		},
		{
			job.Job{Outcome: job.JobDone},
			job.Run{Seconds: job.Known(99.0), Forecast: job.Forecast{N: 5, LowS: 40, HighS: 60}},
			"took 1 min 39 s, longer than usual",
		},
		{job.Job{Outcome: job.JobTimedOut}, job.Run{}, w.Outcome(job.JobTimedOut)},
		{job.Job{Outcome: job.JobNoOutput}, job.Run{}, w.Outcome(job.JobNoOutput)},
		{job.Job{Outcome: job.JobCancelled}, job.Run{}, w.Outcome(job.JobCancelled)},
	} {
		if got := outcome(&scheduler.JobView{Job: &c.job, Run: &c.run}, w); got != c.want {
			t.Errorf("%s reads %q, want %q", c.job.Outcome, got, c.want)
		}
	}
}

func TestCardsOfTheStory(t *testing.T) {
	s := scenetest.Story()
	gpu1, attic := CardState(s, s.Machines[0], w), CardState(s, s.Machines[1], w)
	power := gpu1.GPUs[0].Gauges[1]
	for _, c := range []struct{ what, got, want string }{
		{"badge", gpu1.Badge, "Busy: your stopped job and other work"},
		{"model", gpu1.Model, "RTX 5060 Ti"},
		{"power", power.Figure + " " + power.Unit, "43 of 180 W"},
		{"memory", gpu1.GPUs[0].Gauges[2].Figure + " " + gpu1.GPUs[0].Gauges[2].Unit, "15.2 of 15.9 GiB"},
		{"source", gpu1.GPUs[0].Source, "Low power for 100 % busy · measured 1 s ago, nvidia-smi over ssh · last 10 min"},
		{
			"other", gpu1.OtherLead + " " + gpu1.Other,
			"Other work. Its second server took 14 jobs in 8 min, one about every 35 s; none are yours.",
		},
		{"badge of attic", attic.Badge, "Running your job"},
		{"other of attic", attic.OtherLead + attic.Other, "Only your jobs."},
	} {
		if c.got != c.want {
			t.Errorf("%s is %q, want %q", c.what, c.got, c.want)
		}
	}
	if !power.Odd || gpu1.GPUs[0].Gauges[0].Odd {
		t.Error("43 W is the odd figure, not 100 %")
	}
}

func TestWhatCouldNotBeReadIsUnknownNeverZero(t *testing.T) {
	s := scenetest.Story()
	m := s.Machines[0]
	g := m.GPUs[0]
	g.Last.Util, g.Last.Power, g.Last.MemUsed = job.Maybe[float64]{}, job.Maybe[float64]{}, job.Maybe[int64]{}
	state := gpuState(s, g, w)
	for _, gauge := range state.Gauges {
		if gauge.Figure != "" || gauge.Unit != "not known" || gauge.Fraction >= 0 {
			t.Errorf("%s without a reading shows %q %q, filled to %.1f", gauge.Title, gauge.Figure, gauge.Unit, gauge.Fraction)
		}
	}
}

func TestAnOldReadingIsShownAsOld(t *testing.T) {
	s := scenetest.Story()
	for _, c := range []struct {
		later time.Duration
		speed float64
		old   bool
	}{{0, 1, false}, {28 * time.Second, 1, false}, {2 * time.Minute, 1, true}, {2 * time.Minute, 60, false}} {
		s.At.Wall, s.Speed = scenetest.Now().Add(c.later), c.speed
		state := gpuState(s, s.Machines[0].GPUs[0], w)
		says := strings.Contains(strings.ToLower(state.Source), "last measured")
		if state.Gauges[1].Old != c.old || says != c.old {
			t.Errorf("after %v at ×%.0f: old %v, says so %v (%s); want %v", c.later, c.speed, state.Gauges[1].Old, says,
				state.Source, c.old)
		}
		if c.old && state.Gauges[1].Odd {
			t.Error("an old figure is shown as a thing to look at now")
		}
	}
}

func TestBadges(t *testing.T) {
	down := []scheduler.ServerView{{Err: job.Errorf(job.ErrUnreachable, job.Args{}, nil)}}
	for _, c := range []struct {
		m    scheduler.MachineView
		want string
		tone widgets.Tone
	}{
		{scheduler.MachineView{}, "Free", widgets.Quiet},
		{scheduler.MachineView{Machine: job.Machine{Paused: true}}, "Paused by you", widgets.Quiet},
		{scheduler.MachineView{Foreign: true}, "Busy: other work", widgets.Odd},
		{scheduler.MachineView{Mine: scheduler.MineRunning, Foreign: true}, "Your job and other work", widgets.Odd},
		{scheduler.MachineView{Mine: scheduler.MineStopping}, "Stopping your job", widgets.Odd},
		{scheduler.MachineView{Mine: scheduler.MineRunning, Servers: down}, "Does not answer", widgets.Bad},
	} {
		if got, tone := badge(c.m); got != c.want || tone != c.tone {
			t.Errorf("%+v: %q %v, want %q %v", c.m, got, tone, c.want, c.tone)
		}
	}
}

func TestSummaries(t *testing.T) {
	story, paused, odd := scenetest.Story(), scenetest.Story(), scenetest.Story()
	paused.Paused = true
	odd.AllDone, odd.NotCounted = job.Maybe[scheduler.TimeRange]{}, 5
	held, mixed := *odd, *odd
	held.NotCountedHeld = 5
	mixed.NotCountedHeld = 1
	for _, c := range []struct {
		s    *scheduler.Snapshot
		want string
	}{
		{story, "Done about 21:20 to 21:25 estimate, not counting 2 jobs"},
		{paused, "Paused by you  3 jobs wait; what runs goes on"},
		{odd, "No estimate yet  nothing is known of 5 jobs yet"},
		{&held, "No estimate yet  5 jobs are held"},
		{&mixed, "No estimate yet  1 job is held, of 4 nothing is known yet"},
		{scenetest.Empty(), "No jobs are waiting"},
	} {
		if got := joined(Summary(c.s, w)); got != c.want {
			t.Errorf("the summary is %q, want %q", got, c.want)
		}
	}
	if got := strings.Join(Counts(story), ", "); got != "1 running, 1 stopping, 3 waiting" {
		t.Errorf("the counts are %q", got)
	}
}

func TestDetailsOfTheStory(t *testing.T) {
	s := scenetest.Story()
	d := Details(s, &s.Running[1], w)
	if got := joined(d.Usual); got != "Usual: 4.7 min, from 41 runs with the GPU to itself. "+
		"One run of 14.4 min shared the GPU; it is kept but does not count." {
		t.Errorf("the usual time reads %q", got)
	}
	if d.HowLong != "HOW LONG THIS KIND TAKES ON gpu-1" || d.Strip.Now != 1790 || len(d.Strip.Dots) != 42 {
		t.Errorf("the strip is %q, now at %.0f, %d dots", d.HowLong, d.Strip.Now, len(d.Strip.Dots))
	}
	var happened []string
	for _, m := range d.Happened {
		happened = append(happened, m.At+" "+m.Text)
	}
	want := "20:44:18 Started on gpu-1|20:50:20 Longer than all 41 past runs|21:14:00 Your limit of 29 min 42 s passed|" +
		"21:14:00 Told gpu-1 to stop this job|now No proof yet that gpu-1 stopped it"
	if got := strings.Join(happened, "|"); got != want {
		t.Errorf("what happened is\n%s, want\n%s", got, want)
	}
	held := Details(s, &s.Waiting[1], w)
	if len(held.Waits) != 2 || held.Waits[0].Text != "Waiting for harbour-night to stop on gpu-1" {
		t.Errorf("a held job's reasons are %+v, want both", held.Waits)
	}
}

func TestHowWeKnowThatItStopped(t *testing.T) {
	s := scenetest.Story()
	run := *s.Running[1].Run
	run.State = job.RunEnded
	run.Witnesses = []job.Witness{{Kind: job.SawTerminal, At: scenetest.Now()}, {Kind: job.SawHistory, At: scenetest.Now()}}
	v := s.Running[1]
	v.Run = &run
	if d := Details(s, &v, w); len(d.Stopped) != 2 || d.Stopped[0].At != "21:14:08" {
		t.Errorf("the witnesses are %+v", d.Stopped)
	}
}

func TestTheLongListHasEveryJobOnce(t *testing.T) {
	s := scenetest.Story()
	l := newLong(s, nil)
	var got []string
	for i := range l.length() {
		e := l.at(i)
		if e.view != nil {
			got = append(got, e.view.Job.Name)
			continue
		}
		got = append(got, e.heading+" "+e.count)
	}
	want := "WAITING 3,forest-loop,old-town,logo-spin,DONE 3,dune-sunrise,lighthouse,fog-bank"
	if strings.Join(got, ",") != want {
		t.Errorf("the list is %v, want %s", got, want)
	}
	for _, i := range []int{-1, l.length(), 1 << 30} {
		if e := l.at(i); e != (entry{}) {
			t.Errorf("row %d is %+v, want nothing", i, e)
		}
	}
}

func TestArrowsGoThroughAllSections(t *testing.T) {
	s := scenetest.Story()
	id, got := job.ID(""), []string{}
	for range 10 {
		id = neighbour(newLong(s, nil), id, 1)
		got = append(got, strings.TrimPrefix(string(id), "job-"))
	}
	want := "[beach-walk harbour-night forest-loop old-town logo-spin dune-sunrise lighthouse fog-bank fog-bank fog-bank]"
	if fmt.Sprint(got) != want {
		t.Errorf("ten times down goes through %v, want %s", got, want)
	}
	if up := neighbour(newLong(s, nil), "job-forest-loop", -1); up != "job-harbour-night" {
		t.Errorf("up from the first waiting job is %s", up)
	}
	if none := neighbour(newLong(scenetest.Empty(), nil), "", 1); none != "" {
		t.Errorf("an empty list has a neighbour %q", none)
	}
}

func TestAQuestionSaysWhatHappensWithoutAnAnswerAndWhen(t *testing.T) {
	s := scenetest.Asked()
	for i, want := range []widgets.AskState{
		{
			Text:    "harbour-night was told to stop on gpu-1 1 min 1 s ago and is still listed there. What now?",
			Default: "Without an answer at 21:29: put this server out of use. Other jobs go on.",
			Answers: []widgets.Action{
				{Key: "answer keep_waiting", Label: "Keep waiting"},
				{Key: "answer out_of_use", Label: "Put this server out of use"},
			},
		},
		{
			Text:    "3 jobs added together failed alike (VAEDecode). Run the rest all the same?",
			Default: "Without an answer at 21:29: leave them for me. Other jobs go on.",
			Answers: []widgets.Action{
				{Key: "answer try_again", Label: "Run them all the same"},
				{Key: "answer give_up", Label: "Leave them for me"},
			},
		},
	} {
		got := QuestionBar(s.Questions[i], w)
		if got.Text != want.Text || got.Default != want.Default || !slices.Equal(got.Answers, want.Answers) {
			t.Errorf("question %d is %+v, want %+v", i, got, want)
		}
	}
}

func TestDetailsSayWhereAJobCannotRun(t *testing.T) {
	s := scenetest.Story()
	v := s.Waiting[0]
	v.NotOn = []job.Hold{{Code: job.HoldMissingNode, Say: job.Say{Code: job.SayMissingNode, Args: job.Args{
		Server: "attic", Class: "RIFE", Count: 2,
	}}}}
	if d := Details(s, &v, text.English); len(d.NotOn) != 1 || d.NotOn[0].Text != "attic lacks the node class RIFE and 1 other" {
		t.Errorf("%+v", d.NotOn)
	}
}
