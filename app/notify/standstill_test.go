package notify

import (
	"strings"
	"testing"
	"time"

	"reckoner/assets/text"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

func waiting(codes ...job.HoldCode) scheduler.JobView {
	v := scheduler.JobView{Job: &job.Job{Name: "old-town"}}
	for _, c := range codes {
		v.Holds = append(v.Holds, job.Hold{Code: c, Say: job.Say{Code: job.SayQueuePaused}})
	}
	return v
}

func TestAQueueThatCannotGoOnIsToldOnce(t *testing.T) {
	start := time.Date(2026, 5, 9, 23, 0, 0, 0, time.UTC)
	held := []scheduler.JobView{waiting(job.HoldUnreachable), waiting(job.HoldUnreachable, job.HoldForeign)}
	for _, c := range []struct {
		name string
		snap scheduler.Snapshot
		told bool
	}{
		{"all held", scheduler.Snapshot{Waiting: held}, true},
		{"something runs", scheduler.Snapshot{Waiting: held, Running: []scheduler.JobView{{}}}, false},
		{"paused by the user", scheduler.Snapshot{Waiting: held, Paused: true}, false},
		{"the machine paused by the user", scheduler.Snapshot{Waiting: []scheduler.JobView{waiting(job.HoldMachinePaused)}}, false},
		{"one goes next", scheduler.Snapshot{Waiting: append([]scheduler.JobView{waiting()}, held...)}, false},
		{"nothing waits", scheduler.Snapshot{}, false},
	} {
		var s Standstill
		told := 0
		for minute := range 60 {
			c.snap.At.Wall = start.Add(time.Duration(minute) * time.Minute)
			why, stuck := s.See(&c.snap, text.English)
			if !stuck {
				continue
			}
			told++
			if minute < 10 || !strings.HasPrefix(why, "2 jobs wait. The first: ") {
				t.Errorf("%s: after %d min it says %q", c.name, minute, why)
			}
		}
		if want := map[bool]int{true: 1}[c.told]; told != want {
			t.Errorf("%s: told %d times in an hour, want %d", c.name, told, want)
		}
	}
}

func TestAQueueThatStandsStillAgainIsToldAgain(t *testing.T) {
	var s Standstill
	at := time.Date(2026, 5, 9, 23, 0, 0, 0, time.UTC)
	see := func(running int) bool {
		at = at.Add(11 * time.Minute)
		snap := scheduler.Snapshot{Waiting: []scheduler.JobView{waiting(job.HoldUnreachable)}, Running: make([]scheduler.JobView, running)}
		snap.At.Wall = at
		_, stuck := s.See(&snap, text.English)
		return stuck
	}
	var got []bool
	for _, running := range []int{0, 0, 0, 1, 0, 0} {
		got = append(got, see(running))
	}
	want := []bool{false, true, false, false, false, true}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("told %v, want %v", got, want)
		}
	}
}
