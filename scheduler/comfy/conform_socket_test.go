package comfy

import (
	"net/http"
	"time"

	"reckoner/scheduler/job"
	"reckoner/scheduler/sim"
)

func (l *lab) downs() []job.News { return l.ear.of("", job.NewsDown) }
func (l *lab) ups() []job.News   { return l.ear.of("", job.NewsUp) }

// reopened makes the client's socket a new one, under the faults of now.
func (l *lab) reopened() {
	l.t.Helper()
	n := len(l.ups())
	l.server.DropSockets()
	l.soon("the socket is open again", func() bool { return len(l.ups()) > n })
}

func socketing() []behaviour {
	return []behaviour{
		{name: "an outcome needs no socket", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.SocketStatus = http.StatusForbidden })
			l.server.DropSockets()
			id, _ := l.submit(2, 2)
			l.wantOutcome(l.ended(id), job.RunSucceeded)
		}},
		{name: "a socket that is refused says why, once, and is not stormed", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.SocketStatus = http.StatusForbidden })
			l.server.DropSockets()
			l.sleep(600)
			downs := l.downs()
			if len(downs) != 2 || downs[1].Err == nil || downs[1].Err.Code != job.ErrOrigin {
				l.t.Errorf("%d times down, %+v", len(downs), downs[len(downs)-1].Err)
			}
		}},
		{name: "a proxy without websockets is called that", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.SocketStatus = http.StatusUpgradeRequired })
			l.server.DropSockets()
			l.sleep(60)
			downs := l.downs()
			if last := downs[len(downs)-1]; last.Err == nil || last.Err.Code != job.ErrNotComfy {
				l.t.Errorf("%+v", last.Err)
			}
		}},
		{name: "a deaf socket changes no outcome", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.DeafSockets = true })
			id, _ := l.submit(20, 20)
			l.wantOutcome(l.ended(id), job.RunSucceeded)
			if got := l.ear.kinds(id); got != "" {
				l.t.Errorf("heard %s", got)
			}
		}},
		{name: "a socket that is deaf while the queue moves is replaced", run: func(l *lab) {
			l.server.Deafen()
			l.sleep(1) // so that the last frame is older than the look
			l.queue()
			l.submit(60, 10)
			for range 6 {
				l.sleep(2)
				l.queue()
			}
			l.sleep(5)
			if ups := len(l.ups()); ups != 2 {
				l.t.Errorf("opened %d times", ups)
			}
			if downs := l.downs(); len(downs) != 1 || downs[0].Err == nil || downs[0].Err.Code != job.ErrBusy {
				l.t.Errorf("%+v", downs)
			}
			id, _ := l.submit(1, 1)
			l.heardEnd(id)
		}},
		{name: "a silence in the middle changes no outcome", run: func(l *lab) {
			id, _ := l.submit(60, 10)
			l.sleep(7)
			l.faults(func(f *sim.Faults) { f.DeafSockets = true })
			l.wantOutcome(l.ended(id), job.RunSucceeded)
			if got := l.ear.of(id, job.NewsStep); len(got) != 1 {
				l.t.Errorf("steps %+v", got)
			}
		}},
		{name: "a half-open socket is given up after a minute", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.HalfOpen = true })
			l.sleep(95)
			if len(l.downs()) == 0 {
				l.t.Error("it is still believed")
			}
			l.faults(func(f *sim.Faults) { f.HalfOpen = false })
			l.sleep(120)
			id, _ := l.submit(2, 2)
			l.heardEnd(id)
		}},
		{name: "the end of an old socket does not silence the new one", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.HalfOpen, f.LingerS = true, 20 })
			l.soon("it is given up", func() bool { return len(l.downs()) > 0 })
			l.faults(func(f *sim.Faults) { f.HalfOpen = false })
			l.soon("a new one is open", func() bool { return len(l.ups()) > 1 })
			l.sleep(30)
			id, _ := l.submit(2, 2)
			l.heardEnd(id)
		}},
		{name: "a socket that is cut comes back and hears the rest", run: func(l *lab) {
			id, _ := l.submit(20, 10)
			l.sleep(9)
			l.reopened()
			l.heardEnd(id)
			if r := l.ended(id); len(r.Outputs) != 1 {
				l.t.Errorf("%+v", r)
			}
		}},
		{name: "a socket that is cut every minute costs no run", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.SocketLifeS = 60 })
			l.reopened()
			id, _ := l.submit(300, 30)
			l.wantOutcome(l.ended(id), job.RunSucceeded)
			if n := len(l.ups()); n < 5 || n > 8 {
				l.t.Errorf("opened %d times in five minutes", n)
			}
		}},
		{name: "an idle socket is kept alive", run: func(l *lab) {
			l.sleep(600)
			if got := l.downs(); len(got) > 0 {
				l.t.Errorf("down: %v", got[0].Err)
			}
		}},
		{name: "a flood stops nothing", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.Flood = 500 })
			id, _ := l.submit(4, 8)
			l.heardEnd(id)
			steps := l.ear.of(id, job.NewsStep)
			if len(steps) == 0 || steps[len(steps)-1].Value != 8 {
				l.t.Errorf("steps %+v", steps)
			}
		}},
		{name: "what is said twice is said of one run", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.DuplicateEvents = true })
			id, _ := l.submit(2, 2)
			l.heardEnd(id)
			for _, n := range l.ear.of(id, job.NewsEnding) {
				if n.Outcome != job.RunSucceeded {
					l.t.Errorf("%+v", n)
				}
			}
			l.wantOutcome(l.ended(id), job.RunSucceeded)
		}},
		{name: "late news is no news", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.EventDelayS = 20 })
			id, _ := l.submit(2, 2)
			l.sleep(5)
			if _, ok := l.record(id); !ok || len(l.ear.of(id, job.NewsEnded)) > 0 {
				l.t.Error("the record is not ahead of the socket")
			}
			l.heardEnd(id)
		}},
		{name: "without the last message the outcome is still heard", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.LoseEvents = []string{"executing_null"} })
			id, _ := l.submit(2, 2)
			l.wantOutcome(l.ended(id), job.RunSucceeded)
			l.sleep(1)
			if got := l.ear.of(id, job.NewsEnding); l.p.success && (len(got) != 1 || got[0].Outcome != job.RunSucceeded) {
				l.t.Errorf("%+v", got)
			}
		}},
		{name: "without execution_success the end is still heard", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.LoseEvents = []string{"execution_success"} })
			id, _ := l.submit(2, 2)
			if n := l.heardEnd(id); n.Outcome != "" {
				l.t.Errorf("%+v", n)
			}
			l.wantOutcome(l.ended(id), job.RunSucceeded)
		}},
		{name: "a reader that is stuck silences everybody and changes no outcome", run: func(l *lab) {
			l.stuckReader("stuck")
			id, _ := l.submit(4, 4)
			l.wantOutcome(l.ended(id), job.RunSucceeded)
		}},
		{name: "a restart is told, and what ran is gone", run: func(l *lab) {
			id, _ := l.started(60, 6)
			waiting, _ := l.submit(5, 5)
			l.server.Restart(20 * time.Second)
			l.sleep(30)
			if len(l.downs()) == 0 {
				l.t.Error("nothing was said")
			}
			q := l.queue()
			_, has := l.record(id)
			if len(q.Running)+len(q.Pending) > 0 || has {
				l.t.Errorf("queue %+v", q)
			}
			if _, has := l.record(waiting); has {
				l.t.Error("what waited has a record")
			}
			l.soon("the socket is open again", func() bool { return len(l.ups()) > 1 })
			again, _ := l.submit(1, 1)
			l.heardEnd(again)
		}},
		{name: "two clients hear their own", real: true, run: func(l *lab) {
			other := newTest(l.t, l.options())
			heard := l.listen(other, "other")
			l.soon("both are open", func() bool { return len(heard.all()) > 0 })
			theirs := l.foreign(`,"client_id":"other"`, 1)
			ours, _ := l.submit(1, 1)
			l.heardEnd(ours)
			if len(l.ear.of(theirs, job.NewsStarted)) > 0 || len(heard.of(ours, job.NewsStarted)) > 0 {
				l.t.Error("they heard each other's")
			}
			if len(heard.of(theirs, job.NewsEnded)) != 1 {
				l.t.Errorf("the other heard %s", heard.kinds(theirs))
			}
		}},
	}
}
