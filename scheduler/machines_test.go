package scheduler_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

func TestAMachineIsRemovedFromTheEngineAndFromTheDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, time.Hour)
		s.start()
		defer s.stop()
		m, server := job.Machine{ID: "attic", Name: "attic", Saved: true}, job.Server{ID: "attic-1", URL: "http://attic"}
		if err := s.engine.AddMachine(t.Context(), m, []job.Server{server}); err != nil {
			t.Fatal(err)
		}
		if err := s.engine.RemoveMachine(t.Context(), "attic"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if n := len(s.engine.Snapshot().Machines); n != 1 {
			t.Errorf("%d machines are left", n)
		}
		if !s.store.isRemoved("attic") {
			t.Error("it is still on disk")
		}
		// Nothing of it goes on: the meter of the other one only.
		if s.meters.Load() == 0 {
			t.Error("the other machine's meter was never started")
		}

		told := s.engine.Follow()
		defer told.Close()
		if _, err := s.engine.Add(t.Context(), scheduler.AddRequest{Files: []string{s.file("x.json", graph)}, OutDir: "o"}); err != nil {
			t.Fatal(err)
		}
		follow(t, told, job.EventStarted)
		if err := s.engine.RemoveMachine(t.Context(), "gpu-1"); !errors.Is(err, scheduler.ErrInUse) {
			t.Errorf("removing the machine of a run gave %v", err)
		}
	})
}

func TestWhatIsNotAddedYetCanBeAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, time.Second)
		s.start()
		defer s.stop()
		if info, err := s.engine.Probe(t.Context(), "http://attic:8188"); err != nil || info.Version != "0.3.64" {
			t.Errorf("probed %+v, %v", info, err)
		}
		if urls := s.engine.LookForLocal(t.Context()); len(urls) != 2 {
			t.Errorf("found %v; want both ports, as both answer", urls)
		}
		readings, err := s.engine.TestSource(t.Context(), "test")
		if err != nil || len(readings) != 1 || readings[0].GPU.Name != "Test GPU" {
			t.Errorf("read %+v, %v", readings, err)
		}
	})
}

// checked is a render server that can be checked.
type checked struct {
	*played
	tags chan job.Tag
}

func (c checked) Check(_ context.Context, tag job.Tag) job.Checkup {
	c.tags <- tag
	return job.Checkup{Known: true, Ran: true}
}

func TestAServerIsCheckedUnderAnIDOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// given a server that can be checked, one that cannot and one that is watched only
		can := checked{played: &played{}, tags: make(chan job.Tag, 1)}
		s := newScene(t, time.Second)
		s.store.kept.Servers = append(s.store.kept.Servers,
			job.Server{ID: "plain", Machine: "gpu-1", URL: "http://plain"},
			job.Server{ID: "watched", Machine: "gpu-1", URL: "http://watched", WatchOnly: true})
		s.connect = func(rec job.Server) (scheduler.RenderServer, error) {
			if rec.ID == "plain" {
				return s.server, nil
			}
			return can, nil
		}
		s.start()
		defer s.stop()
		// when they are checked
		for _, c := range []struct {
			id   job.ID
			code string
		}{{"gpu-1", ""}, {"plain", job.ErrUnsupported}, {"watched", job.ErrUnsupported}, {"nobody", job.ErrUnreachable}} {
			found, err := s.engine.Check(t.Context(), c.id)
			// then only the first one is
			if job.CodeOf(err) != c.code || found.Ran != (c.code == "") {
				t.Errorf("%s: %+v, %v", c.id, found, err)
			}
		}
		if tag := <-can.tags; tag.Run == "" || tag.App != "app" || tag.Job != "" {
			t.Errorf("checked with the tag %+v", tag)
		}
		if n := len(can.tags); n != 0 {
			t.Errorf("%d more checks", n)
		}
	})
}

func TestAServerWhoseCertificateIsAcceptedIsConnectedToAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// given an engine with one server
		var pins [][]string
		s := newScene(t, time.Second)
		s.connect = func(rec job.Server) (scheduler.RenderServer, error) {
			pins = append(pins, rec.Pins)
			return s.server, nil
		}
		s.start()
		defer s.stop()
		time.Sleep(time.Second)
		v := s.engine.Snapshot().Machines[0]
		rec := v.Servers[0].Server
		for range 2 {
			// when its machine is added once more, with the certificate and then unchanged
			rec.Pins = []string{"sha256:ab"}
			if err := s.engine.AddMachine(t.Context(), v.Machine, []job.Server{rec}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		s.server.mu.Lock()
		client := s.server.clientID
		s.server.mu.Unlock()
		// then it was connected to again once, with it, and brings news of what is
		// sent there
		if len(pins) != 2 || len(pins[1]) != 1 {
			t.Errorf("connected with the certificates %v", pins)
		}
		got := s.engine.Snapshot().Machines[0].Servers[0]
		if len(got.Server.Pins) != 1 || !got.LiveSince.Known() || got.Server.ClientID != client {
			t.Errorf("the server is %+v, live %v, listened to as %q", got.Server, got.LiveSince, client)
		}
	})
}
