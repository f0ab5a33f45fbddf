package comfy

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"reckoner/scheduler/job"
	"reckoner/scheduler/sim"
)

// heardEnd waits for the message that ends a prompt.
func (l *lab) heardEnd(id string) job.News {
	l.t.Helper()
	var n job.News
	l.soon("its end is said", func() bool {
		got := l.ear.of(id, job.NewsEnded)
		if len(got) > 0 {
			n = got[0]
		}
		return len(got) > 0
	})
	return n
}

// terminalNews gives how a run ended by its socket: servers before July 2024
// only say that it did.
func (l *lab) terminalNews(id string) (job.RunOutcome, *job.Error) {
	l.t.Helper()
	end := l.heardEnd(id)
	for _, n := range l.ear.of(id, job.NewsEnding) {
		return n.Outcome, n.Err
	}
	return end.Outcome, nil
}

func following() []behaviour {
	return []behaviour{
		{name: "the socket tells the whole life of a run", real: true, loopback: true, run: func(l *lab) {
			id, _ := l.submit(2, 4)
			l.heardEnd(id)
			want := "started cached node step node ending ended"
			if !l.p.success {
				want = "started cached node step node ended"
			}
			if got := l.ear.kinds(id); got != want {
				l.t.Errorf("heard %s, want %s", got, want)
			}
		}},
		{name: "steps are the server's own", real: true, run: func(l *lab) {
			id, _ := l.submit(2, 4)
			l.heardEnd(id)
			steps := l.ear.of(id, job.NewsStep)
			if len(steps) == 0 {
				l.t.Fatal("no steps")
			}
			if s := steps[len(steps)-1]; s.Value != 4 || s.Max != 4 || s.Node != "2" {
				l.t.Errorf("the last step %+v", s)
			}
		}},
		{name: "the queue's length is told", real: true, cloud: true, run: func(l *lab) {
			id, _ := l.submit(2, 2)
			l.heardEnd(id)
			var most int
			for _, n := range l.ear.of("", job.NewsStatus) {
				most = max(most, n.Count)
			}
			if last := l.ear.of("", job.NewsStatus); most < 1 || last[len(last)-1].Count != 0 {
				l.t.Errorf("%d at most, %+v", most, last)
			}
		}},
		{name: "another's run is not told as ours", real: true, run: func(l *lab) {
			other := l.foreign(`,"client_id":"other"`, 2)
			id, _ := l.submit(2, 4)
			l.heardEnd(id)
			if got := l.ear.of(other, job.NewsStep, job.NewsStarted, job.NewsEnded); len(got) > 0 {
				l.t.Errorf("of the other's %+v", got)
			}
			if got := len(l.ear.of(id, job.NewsStarted)); got != 1 {
				l.t.Errorf("ours started %d times", got)
			}
		}},
		{name: "progress that everybody gets names its prompt", run: func(l *lab) {
			other := l.foreign("", 4)
			l.sleep(6)
			for _, n := range l.ear.all() {
				if n.Kind == job.NewsStep && n.PromptID != other && l.p.name != "legacy-2023-07" {
					l.t.Errorf("%+v", n)
				}
			}
		}},
		{name: "two runs are told apart", real: true, run: func(l *lab) {
			a, _ := l.submit(1, 2)
			b, _ := l.submit(1, 3)
			l.heardEnd(b)
			for id, steps := range map[string]float64{a: 2, b: 3} {
				got := l.ear.of(id, job.NewsStep)
				if len(got) == 0 || got[len(got)-1].Max != steps || len(l.ear.of(id, job.NewsEnded)) != 1 {
					l.t.Errorf("%s: %+v", id, got)
				}
			}
		}},
		{name: "a run that is over before its reply is told whole", real: true, run: func(l *lab) {
			graph := l.graph(1, 1)
			_, first, err := l.send(graph)
			if err != nil {
				l.t.Fatal(err)
			}
			l.ended(first.PromptID)
			_, again, err := l.send(graph)
			if err != nil {
				l.t.Fatal(err)
			}
			l.heardEnd(again.PromptID)
			if got := l.ear.kinds(again.PromptID); !strings.HasPrefix(got, "started cached") {
				l.t.Errorf("heard %s", got)
			}
		}},
		{name: "a slow load says nothing until the first step", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.ColdLoadS = 100 })
			id, _ := l.submit(4, 4)
			l.sleep(90)
			if got := l.ear.kinds(id); got != "started cached node" {
				l.t.Errorf("heard %s", got)
			}
			l.wantOutcome(l.ended(id), job.RunSucceeded)
		}},
		{name: "a pause of five minutes in a node ends nothing", run: func(l *lab) {
			id, _ := l.submit(600, 2)
			l.sleep(299)
			if q := l.queue(); len(q.Running) != 1 || q.Running[0].ID != id {
				l.t.Errorf("queue %+v", q)
			}
			for _, n := range l.ear.all() {
				if n.Kind == job.NewsDown {
					l.t.Errorf("the socket was given up: %v", n.Err)
				}
			}
			l.wantOutcome(l.ended(id), job.RunSucceeded)
		}},
		{name: "previews name their prompt where they can", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.PreviewBytes = 40 << 10 })
			id, _ := l.submit(2, 2)
			l.heardEnd(id)
			got := l.ear.of(id, job.NewsPreview)
			if len(got) == 0 || len(got[0].Image) != 40<<10 || got[0].Node != "2" {
				l.t.Errorf("%d previews", len(got))
			}
		}},
		{name: "frames of many MiB are taken", loopback: true, run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.PreviewBytes = 16 << 20 })
			id, _ := l.submit(2, 3)
			l.heardEnd(id)
			if got := l.ear.of("", job.NewsDown); len(got) > 0 {
				l.t.Errorf("%+v", got[0].Err)
			}
		}},
		{
			name: "a monitor's messages are readings and nothing else", spec: func(s *sim.ServerSpec) { s.MonitorEveryS = 1 },
			run: func(l *lab) {
				before := len(l.ear.all())
				l.sleep(60)
				got := l.ear.all()[before:]
				if len(got) < 50 {
					l.t.Errorf("%d readings in a minute", len(got))
				}
				for _, n := range got {
					if n.Kind != job.NewsReadings || len(n.Readings) != 1 || n.Readings[0].MemTotal.Or(0) == 0 {
						l.t.Fatalf("heard %+v", n)
					}
				}
			},
		},
		{name: "a server whose lock is held is late, not dead", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.HoldLockS = 20 })
			id, _ := l.submit(2, 2)
			l.wantOutcome(l.ended(id), job.RunSucceeded)
			if got := l.ear.of("", job.NewsDown); len(got) > 0 {
				l.t.Errorf("%+v", got[0].Err)
			}
		}},
	}
}

func ending() []behaviour {
	class := func(name string) []string { return []string{name} }
	return []behaviour{
		{name: "success comes with its file and its time", real: true, loopback: true, run: func(l *lab) {
			id, _ := l.submit(2, 2)
			r := l.ended(id)
			l.wantOutcome(r, job.RunSucceeded)
			if len(r.Outputs) != 1 || r.Outputs[0].Node != "3" || r.Outputs[0].Type != "output" {
				l.t.Errorf("outputs %+v", r.Outputs)
			}
			took := r.Ended.Sub(r.Started)
			switch {
			case !l.p.stamps && (!r.Started.IsZero() || !r.Ended.IsZero()):
				l.t.Errorf("stamps %v, %v of a server without", r.Started, r.Ended)
			case l.p.stamps && (took < 2*l.unit*9/10 || took > 3*l.unit+time.Second):
				l.t.Errorf("it took %v by the server", took)
			}
		}},
		{name: "a clock that is ahead changes no duration", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.ClockSkewS = 7200 })
			id, _ := l.submit(2, 2)
			r := l.ended(id)
			if took := r.Ended.Sub(r.Started); l.p.stamps && (took < 2*time.Second || took > 3*time.Second) {
				l.t.Errorf("it took %v", took)
			}
		}},
		{name: "a wholly cached run names the old file", real: true, run: func(l *lab) {
			graph := l.graph(2, 2)
			var files []job.OutputRef
			for i := range 2 {
				_, r, err := l.send(graph)
				if err != nil {
					l.t.Fatal(err)
				}
				rec := l.ended(r.PromptID)
				l.wantOutcome(rec, job.RunSucceeded)
				files = append(files, rec.Outputs...)
				if i == 1 && !l.p.noStatus && len(rec.Cached) != 3 {
					l.t.Errorf("cached %v", rec.Cached)
				}
			}
			if len(files) != 2 || files[0] != files[1] {
				l.t.Errorf("files %+v", files)
			}
		}},
		{name: "a new seed keeps what does not depend on it", real: true, run: func(l *lab) {
			first, _ := l.submit(1, 1)
			l.ended(first)
			again, _ := l.submit(1, 1)
			if r := l.ended(again); !l.p.noStatus && !slices.Equal(r.Cached, []string{"1"}) {
				l.t.Errorf("cached %v", r.Cached)
			}
		}},
		{name: "want of memory is called that", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.OutOfMemory, f.OutOfMemoryStep = class("SlowSampler"), 2 })
			id, _ := l.submit(4, 4)
			r := l.ended(id)
			l.wantOutcome(r, job.RunFailed)
			if outcome, err := l.terminalNews(id); outcome != job.RunFailed || err == nil || err.Code != job.ErrOutOfMemory {
				l.t.Errorf("heard %s, %v", outcome, err)
			}
			if !l.p.noStatus && (r.Err.Code != job.ErrOutOfMemory || r.Err.Args.Node != "2") {
				l.t.Errorf("%+v", r.Err)
			}
		}},
		{name: "an error names its node and its words", run: func(l *lab) {
			l.faults(func(f *sim.Faults) {
				f.Fail, f.FailText = class("SlowSampler"), "Unauthorized: Please login first to use this node."
			})
			id, _ := l.submit(1, 1)
			_, err := l.terminalNews(id)
			if err == nil || err.Code != job.ErrAccount || err.Args.Node != "2" || err.Args.Class != "SlowSampler" ||
				!strings.Contains(err.Args.Detail, "Please login first") {
				l.t.Errorf("%+v", err)
			}
		}},
		{name: "a block that says error is none", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.Blocked = class("EmptyImage") })
			id, _ := l.submit(1, 1)
			l.wantOutcome(l.ended(id), job.RunSucceeded)
			for _, n := range l.ear.of(id, job.NewsEnding) {
				if n.Outcome != job.RunSucceeded {
					l.t.Errorf("%+v", n)
				}
			}
		}},
		{name: "a failure whose status says success is a failure", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.FailedAsSuccess = class("SlowSampler") })
			id, _ := l.submit(1, 1)
			l.wantOutcome(l.ended(id), job.RunFailed)
		}},
		{name: "an interrupt whose status says success is an interrupt", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.InterruptedAsSuccess = true })
			id, _ := l.started(20, 20)
			l.server.Interrupt()
			l.wantOutcome(l.ended(id), job.RunInterrupted)
		}},
		{name: "a full disk is an error of the saving node", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.DiskFull = true })
			id, _ := l.submit(1, 1)
			r := l.ended(id)
			l.wantOutcome(r, job.RunFailed)
			if !l.p.noStatus && (r.Err.Args.Node != "3" || !strings.Contains(r.Err.Args.Detail, "No space left")) {
				l.t.Errorf("%+v", r.Err)
			}
			if len(r.Outputs) > 0 {
				l.t.Errorf("outputs %+v", r.Outputs)
			}
		}},
		{name: "bare NaN spoils no answer", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.NaN, f.Fail, f.FailText = true, class("SlowSampler"), "no" })
			id, s := l.submit(1, 1)
			r := l.ended(id)
			l.wantOutcome(r, job.RunFailed)
			if r.Tag != s.Tag {
				l.t.Errorf("%+v", r)
			}
			if _, err := l.terminalNews(id); err == nil {
				l.t.Error("the error was not heard")
			}
		}},
		{name: "success before its record is waited out", run: func(l *lab) {
			l.faults(func(f *sim.Faults) { f.HistoryDelayS = 5 })
			id, _ := l.submit(1, 1)
			l.sleep(3)
			if _, ok := l.record(id); ok || len(l.queue().Running) != 1 {
				l.t.Error("it has a record before its time")
			}
			l.wantOutcome(l.ended(id), job.RunSucceeded)
		}},
		{
			name: "a text is a result, also an empty one",
			spec: func(s *sim.ServerSpec) {
				s.Results = map[string]json.RawMessage{"SaveImage": json.RawMessage(`{"text": [""]}`)}
			},
			run: func(l *lab) {
				id, _ := l.submit(1, 1)
				if r := l.ended(id); r.OtherOutputs != 1 || len(r.Outputs) != 0 {
					l.t.Errorf("%+v", r)
				}
			},
		},
		{
			name: "a saver that reports nothing lists nothing",
			spec: func(s *sim.ServerSpec) { s.Results = map[string]json.RawMessage{"SaveImage": json.RawMessage(`null`)} },
			run: func(l *lab) {
				id, _ := l.submit(1, 1)
				r := l.ended(id)
				l.wantOutcome(r, job.RunSucceeded)
				if r.OtherOutputs != 0 || len(r.Outputs) != 0 {
					l.t.Errorf("%+v", r)
				}
			},
		},
		{name: "a prompt nobody knows has no record", real: true, run: func(l *lab) {
			for _, id := range []string{"4f3b2a10-0000-4000-8000-000000000000", "no id/at all?"} {
				if r, ok := l.record(id); ok {
					l.t.Errorf("%s: %+v", id, r)
				}
			}
		}},
	}
}
