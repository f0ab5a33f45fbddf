package scheduler_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// desk is this computer, with one process behind every port.
type desk struct {
	process job.LocalProcess
	listens bool
	err     error
}

func (desk) Sample(context.Context, string) job.HostReading { return job.HostReading{} }

func (d desk) Listener(context.Context, int) (job.LocalProcess, bool, error) {
	return d.process, d.listens, d.err
}

func TestThisComputersGPUsAreReadOnlyForAServerThatIsReallyHere(t *testing.T) {
	for _, c := range []struct {
		name string
		url  string
		desk desk
		want bool
	}{
		{"ComfyUI itself", "http://127.0.0.1:8188", desk{job.LocalProcess{PID: 7, Name: "python3"}, true, nil}, true},
		{"the desktop program", "http://localhost:8000", desk{job.LocalProcess{PID: 7, Name: "ComfyUI"}, true, nil}, true},
		{"the end of a tunnel", "http://127.0.0.1:8188", desk{job.LocalProcess{PID: 7, Name: "ssh"}, true, nil}, false},
		{"nothing listens", "http://127.0.0.1:8188", desk{}, false},
		{"it cannot be seen", "http://127.0.0.1:8188", desk{err: errors.New("not permitted")}, false},
		{"another computer", "http://gpu-1:8188", desk{job.LocalProcess{PID: 7, Name: "python3"}, true, nil}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScene(t, time.Second)
				s.store.kept.Machines[0].Sources = nil
				s.store.kept.Servers[0].URL = c.url
				s.host = c.desk
				s.start()
				defer s.stop()
				time.Sleep(time.Minute)
				s.mu.Lock()
				defer s.mu.Unlock()
				if got := slices.Contains(s.sources, "nvidia-smi"); got != c.want {
					t.Errorf("opened %v", s.sources)
				}
				p, known := s.engine.Snapshot().Machines[0].Servers[0].Process.Get()
				if known != (c.desk.listens && c.url != "http://gpu-1:8188") || known && p != c.desk.process {
					t.Errorf("the process is said to be %v, %v", p, known)
				}
			})
		})
	}
}

var _ scheduler.HostMeter = desk{}
