package core_test

import (
	"slices"
	"testing"
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

// newLiveWorld gives a world with one server whose news come live.
func newLiveWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, "gpu-1")
	w.speed = 600 // progress is told every ten minutes: the runs take hours
	w.boot()
	w.hosts[0].say(job.News{Kind: job.NewsUp})
	w.run(time.Second)
	return w
}

// beat reports another node now and then, for six hours.
func (h *host) beat(every time.Duration) {
	for at := time.Duration(0); at < 6*time.Hour; at += every {
		h.w.later(at, func() {
			if h.running != nil {
				h.say(job.News{Kind: job.NewsNode, PromptID: h.running.id, Node: at.String()})
			}
		})
	}
}

// cutAfter gives how long after its start a job's limit passed; false when it ended
// without that.
func cutAfter(w *world, id job.ID, within time.Duration) (time.Duration, bool) {
	w.runUntil("cut or ended", within, func() bool {
		return slices.Contains(w.kinds(id), job.EventLimit) || w.job(id).State == job.JobEnded
	})
	var started, cut job.Instant
	for _, e := range w.told {
		switch {
		case e.Run == nil || e.Run.Job != id:
		case e.Kind == job.EventStarted:
			started = e.At
		case e.Kind == job.EventLimit:
			cut = e.At
		}
	}
	return cut.Since(started), cut != job.Instant{}
}

func TestTheFirstOfItsKindMayBeSilentForFifteenMinutes(t *testing.T) {
	const long = 5 * 60 * 60
	for _, c := range []struct {
		name        string
		deaf, steps bool
		job         func(*job.Job)
		set         job.Settings
		past        int
		want        time.Duration
	}{
		{"silent", false, false, nil, job.Settings{}, 0, 15 * time.Minute},
		{"it reports steps", false, true, nil, job.Settings{}, 0, 3 * time.Hour},
		{"deaf", true, false, nil, job.Settings{}, 0, 3 * time.Hour},
		{"the user set a limit", false, false, limit(2 * time.Hour), job.Settings{}, 0, 2 * time.Hour},
		{"the settings have one", false, false, nil, job.Settings{Limit: job.Limit{Kind: job.LimitSet, For: time.Hour}}, 0, time.Hour},
		{
			"the job's own stands before that", false, false, limit(2 * time.Hour),
			job.Settings{Limit: job.Limit{Kind: job.LimitSet, For: time.Hour}},
			0, 2 * time.Hour,
		},
		{"past runs know its kind", false, false, nil, job.Settings{}, 41, 19 * time.Minute},
	} {
		w := newLiveWorld(t)
		if c.deaf {
			w.hosts[0].deaf = true
			w.boot()
		}
		if c.past > 0 {
			w.usual(c.past)
		}
		w.hosts[0].seconds = long
		if c.steps {
			w.later(time.Second, func() { w.hosts[0].beat(5 * time.Minute) })
		}
		w.step(core.Configure{Settings: c.set})
		w.run(time.Second)
		var change []func(*job.Job)
		if c.job != nil {
			change = append(change, c.job)
		}
		id := w.add("first", change...)
		got, cut := cutAfter(w, id, 10*time.Hour)
		if !cut || got < c.want || got > c.want+time.Minute {
			t.Errorf("%s: cut %v after %v, want %v", c.name, cut, got, c.want)
		}
		// The record tells a silence from a limit: the words for them differ.
		silence := map[bool]float64{true: 900}[c.name == "silent"]
		if r := w.disk.runs[job.RunID(id, 1)]; r.SilentS != silence {
			t.Errorf("%s: the record says %v s of silence, want %v", c.name, r.SilentS, silence)
		}
	}
}

func TestALimitThatIsOffInTheSettingsCutsNothing(t *testing.T) {
	w := newLiveWorld(t)
	w.hosts[0].seconds = 5 * 60 * 60
	w.step(core.Configure{Settings: job.Settings{Limit: job.Limit{Kind: job.LimitOff}}})
	if after, cut := cutAfter(w, w.add("endless"), 10*time.Hour); cut {
		t.Errorf("cut after %v", after)
	}
}

func TestAStopMayTakeThreeOfTheLongestSilencesOfPastRuns(t *testing.T) {
	// Given a run of this kind that was silent for its whole 282 s, live
	w := newLiveWorld(t)
	w.run(time.Second)
	first := w.add("first")
	w.runUntil("ended", time.Hour, w.ended(first))
	r := w.disk.runs[job.RunID(first, 1)]
	if r.SilenceS < 280 || r.SilenceS > 284 {
		t.Fatalf("its longest silence is %v s", r.SilenceS)
	}
	// when the next one is stopped and its server does not obey
	w.hosts[0].stubborn, w.hosts[0].seconds = true, 20000
	id := w.add("wedged", limit(5*time.Minute))
	w.runUntil("asked", 3*time.Hour, func() bool { return w.count(job.EventUnconfirmed) > 0 })
	// then it is called unconfirmed after three times that
	i := slices.IndexFunc(w.told, func(e job.Event) bool { return e.Kind == job.EventUnconfirmed })
	if got, want := w.told[i].AfterS, 3*r.SilenceS; got < want || got > want+60 || w.told[i].Run.Job != id {
		t.Errorf("unconfirmed after %v s, want %v", got, want)
	}
}

func TestASilenceThatWasNotHeardIsNotKnown(t *testing.T) {
	w := newWorld(t, "gpu-1")
	w.hosts[0].deaf = true
	id := w.add("deaf")
	w.runUntil("ended", time.Hour, w.ended(id))
	if r := w.disk.runs[job.RunID(id, 1)]; r.SilenceS != 0 {
		t.Errorf("its longest silence is %v s", r.SilenceS)
	}
}

func TestASilenceBeforeTheNewsCameIsNotKnown(t *testing.T) {
	// Given a run that starts while the server's socket is down
	w := newWorld(t, "gpu-1")
	w.hosts[0].deaf = true
	id := w.add("half deaf")
	w.runUntil("it runs", time.Minute, func() bool { return slices.Contains(w.kinds(id), job.EventStarted) })
	// when the news come from the middle on
	w.run(100 * time.Second)
	w.hosts[0].deaf = false
	w.hosts[0].say(job.News{Kind: job.NewsUp})
	w.runUntil("ended", time.Hour, w.ended(id))
	// then nobody knows how silent it was
	if r := w.disk.runs[job.RunID(id, 1)]; r.SilenceS != 0 || r.Outcome != job.RunSucceeded {
		t.Errorf("its longest silence is %v s (%s)", r.SilenceS, r.Outcome)
	}
}
