package scheduler_test

import (
	"testing"
	"time"

	"reckoner/scheduler/job"
	"reckoner/scheduler/sim"
)

func TestWhatAServerShowsOfItsWorkIsSeenWhileItRuns(t *testing.T) {
	for _, protocol := range []string{"legacy-2024-01", "0.3.64"} { // without ids in the preview, and with
		play(t, protocol, []string{"gpu-1"}, nil, func(s *stage) {
			// Given a server that shows a picture with each step
			s.faults(func(f *sim.Faults) { f.PreviewBytes = 8 << 10 })
			id := s.add(s.painting(20, 20))
			s.runsNow(id)
			s.pass(5 * time.Second)
			// then the row has it, and a newer one later
			of := s.seen().Running[0].Live
			if of.Live == "" || of.Frame < 3 {
				t.Fatalf("%s: %+v", protocol, of)
			}
			if m, err := s.engine.Picture(t.Context(), of, 40, 30); err != nil || m.Bounds().Dx() != 40 {
				t.Errorf("%s: %v, %v", protocol, m, err)
			}
			s.pass(5 * time.Second)
			if later := s.seen().Running[0].Live; later.Live != of.Live || later.Frame <= of.Frame {
				t.Errorf("%s: %+v, then %+v", protocol, of, later)
			}
			// and none is left once the run has ended
			s.ends(id, time.Minute, job.JobDone)
			if m, err := s.engine.Picture(t.Context(), of, 40, 30); err == nil {
				t.Errorf("%s: %v is still there", protocol, m.Bounds())
			}
			if done := s.seen().Done[0]; done.Live != (job.Picture{}) {
				t.Errorf("%s: %+v", protocol, done.Live)
			}
		})
	}
}

func TestSomebodysPreviewIsNotOurs(t *testing.T) {
	play(t, "0.3.64", []string{"gpu-1"}, nil, func(s *stage) {
		// Given a prompt of somebody without a client id, whose previews everybody gets
		s.faults(func(f *sim.Faults) { f.PreviewBytes = 8 << 10 })
		s.post("/prompt", `{"prompt":`+s.painting(30, 30)+`}`)
		id := s.add(s.painting(5, 5))
		// then none of it is shown for the job that waits
		for range 10 {
			s.pass(2 * time.Second)
			for _, v := range s.seen().Running {
				if v.Live != (job.Picture{}) {
					t.Fatalf("%+v", v.Live)
				}
			}
		}
		s.ends(id, 5*time.Minute, job.JobDone)
	})
}
