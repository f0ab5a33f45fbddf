package core_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

func TestSettingsTakeEffectAtOnceAndSurviveAKill(t *testing.T) {
	// Given a paused queue, and a run whose server ignores its interrupt
	w := newWorld(t, "stuck")
	w.usual(41)
	w.hosts[0].stubborn, w.hosts[0].seconds = true, 20000
	w.add("wedged", limit(5*time.Minute))
	w.step(core.Pause{On: true})
	w.step(core.Pause{})
	w.runUntil("asked", time.Hour, func() bool {
		return slices.ContainsFunc(w.told, func(e job.Event) bool { return e.Kind == job.EventQuestion })
	})
	w.step(core.Pause{On: true})
	// when the user wants questions settled after one minute, in settings made
	// before the queue was paused
	want := job.Settings{
		UnansweredAfter: time.Minute, Notify: job.Notify{Off: []job.Topic{job.TopicDone}, Quiet: job.Quiet{From: 1320, To: 420}},
	}
	w.step(core.Configure{Settings: want})
	w.run(time.Minute)
	// then the question is settled by then
	if !slices.ContainsFunc(w.told, func(e job.Event) bool { return e.Kind == job.EventDecided && e.By == "default" }) {
		t.Errorf("the question still waits after a minute:\n%s", w.story())
	}
	// and the queue stays paused, in the snapshot and after a kill
	want.Paused = true
	w.crash()
	if got := w.s.Snapshot(w.now); !reflect.DeepEqual(got.Settings, want) || !got.Paused {
		t.Errorf("after a kill the settings are %+v, paused %v", got.Settings, got.Paused)
	}
}

func TestACommandLinesWordStandsBeforeTheSettingsAndIsNotKept(t *testing.T) {
	// Given a start with a wait of its own
	kept := job.Kept{App: "app", Settings: job.Settings{UnansweredAfter: time.Hour}}
	now := job.Instant{Wall: epoch}
	s := core.New(kept, nil, core.Options{App: "app", UnansweredAfter: time.Minute, StopWait: time.Minute}, now)
	// when something is written
	eff := s.Step(core.Pause{On: true}, now)
	// then the settings on disk are the user's
	if got := eff.Write.Settings; got == nil || got.UnansweredAfter != time.Hour || got.StopWait != 0 {
		t.Errorf("written: %+v", got)
	}
}
