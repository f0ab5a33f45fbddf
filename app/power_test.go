package app

import (
	"testing"

	"reckoner/app/scenetest"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

func TestTheComputerIsWantedAwakeWhileThereIsWork(t *testing.T) {
	one := make([]scheduler.JobView, 1)
	for _, c := range []struct {
		name string
		snap scheduler.Snapshot
		want bool
	}{
		{"nothing to do", scheduler.Snapshot{}, false},
		{"a job runs", scheduler.Snapshot{Running: one}, true},
		{"a job runs while the queue is paused", scheduler.Snapshot{Running: one, Paused: true}, true},
		{"a job waits", scheduler.Snapshot{Waiting: one}, true},
		{"all are paused", scheduler.Snapshot{Waiting: one, Paused: true}, false},
		{"the user lets it sleep", scheduler.Snapshot{Running: one, Settings: job.Settings{MaySleep: true}}, false},
	} {
		if got := wantsAwake(&c.snap); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestASettingIsACommand(t *testing.T) {
	f := &fakeFarm{snap: scenetest.Story()}
	w := open(t, f)
	w.shell.show(pageSettings)
	w.update()
	w.prefs.OnChange(job.Settings{MaySleep: true})
	if len(f.sent) != 1 {
		t.Fatalf("sent %v", f.sent)
	}
	if c, ok := f.sent[0].(scheduler.Configure); !ok || !c.Settings.MaySleep {
		t.Errorf("sent %+v", f.sent[0])
	}
}
