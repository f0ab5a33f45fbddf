package scheduler_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
	"reckoner/scheduler/sim"
)

// bugCase is a failure that people reported of a queue for ComfyUI, named after
// the report, and what must happen instead.
type bugCase struct {
	name     string
	protocol string // "" for the default one
	servers  []string
	spec     func(*sim.ServerSpec)
	act      func(*stage)
}

// TestBugCases plays the reports at the level of jobs: engine, client and
// fetcher against the simulated server.
func TestBugCases(t *testing.T) {
	for _, c := range slices.Concat(
		socketCases(), endCases(), progressCases(), stopCases(), queueCases(), fileCases(), networkCases(),
	) {
		t.Run(c.name, func(t *testing.T) {
			servers := c.servers
			if servers == nil {
				servers = []string{"gpu-1"}
			}
			play(t, c.protocol, servers, c.spec, c.act)
		})
	}
}

func socketCases() []bugCase {
	done := func(prepare func(*sim.Faults)) func(*stage) {
		return func(s *stage) {
			s.faults(prepare)
			id := s.add(s.painting(10, 20))
			s.ends(id, time.Minute, job.JobDone)
			s.once(id, 1)
		}
	}
	return []bugCase{
		{name: "Comfy-Org/ComfyUI#15240 the socket says nothing after its first status", act: func(s *stage) {
			s.faults(func(f *sim.Faults) { f.DeafSockets = true })
			id := s.add(s.painting(20, 20))
			if took := s.ends(id, time.Minute, job.JobDone); took > 31*time.Second {
				s.t.Errorf("it was seen done after %v", took)
			}
			s.once(id, 1)
		}},
		{name: "Comfy-Org/ComfyUI#3128 the stream stops at the first step", act: func(s *stage) {
			id := s.add(s.painting(60, 10))
			s.runsNow(id)
			s.pass(7 * time.Second)
			s.faults(func(f *sim.Faults) { f.DeafSockets = true })
			if took := s.ends(id, 2*time.Minute, job.JobDone); took > 65*time.Second {
				s.t.Errorf("it was seen done after %v", took)
			}
			s.once(id, 1)
		}},
		{name: "SaladTechnologies/comfyui-api#186 a socket that is dead inside is replaced", act: func(s *stage) {
			first, second := s.add(s.painting(30, 30)), s.add(s.painting(60, 60))
			s.runsNow(first)
			s.server().Deafen()
			s.ends(first, time.Minute, job.JobDone)
			s.runsNow(second)
			s.pass(20 * time.Second)
			if run := s.seen().Running; len(run) != 1 || !run[0].Step.Known() {
				s.t.Errorf("no live steps: %+v", run)
			}
			s.ends(second, 2*time.Minute, job.JobDone)
		}},
		{name: "Comfy-Org/comfy-cli#200 a step of five minutes without a message", act: func(s *stage) {
			id := s.add(s.painting(600, 2))
			s.runsNow(id)
			s.pass(299 * time.Second)
			if j := s.job(id); j.State != job.JobRunning {
				s.t.Errorf("%+v", j)
			}
			s.ends(id, 10*time.Minute, job.JobDone)
			s.once(id, 1)
		}},
		{name: "aws-samples/comfyui-on-eks#37 a balancer cuts the socket every minute", act: func(s *stage) {
			s.faults(func(f *sim.Faults) { f.SocketLifeS = 60 })
			s.server().DropSockets()
			id := s.add(s.painting(300, 30))
			s.ends(id, 6*time.Minute, job.JobDone)
			s.once(id, 1)
			if got := s.heard(job.EventTrouble); len(got) > 0 {
				s.t.Errorf("alarms %+v", got)
			}
		}},
		{
			name: "Comfy-Org/ComfyUI#8395 only executing null ends a run", protocol: "legacy-2024-01",
			act: done(func(*sim.Faults) {}),
		},
		{
			name: "Comfy-Org/ComfyUI#8395 execution_success and executing null end a run",
			act:  done(func(*sim.Faults) {}),
		},
		{
			name: "Comfy-Org/ComfyUI#8395 the null is lost",
			act:  done(func(f *sim.Faults) { f.LoseEvents = []string{"executing_null"} }),
		},
		{
			name: "mcmonkeyprojects/SwarmUI#1445 feature flags are never answered", protocol: "0.3.44",
			act: done(func(f *sim.Faults) { f.PreviewBytes = 64 << 10 }),
		},
		{
			name: "mcmonkeyprojects/SwarmUI#1445 feature flags are answered, previews have ids",
			act:  done(func(f *sim.Faults) { f.PreviewBytes = 64 << 10 }),
		},
		{name: "Acly/krita-ai-diffusion#310 two programs on one server", act: func(s *stage) {
			first := s.last(s.sent())
			s.engine.Do(scheduler.Pause{On: true})
			other := newStageBeside(s)
			second := other.last(other.sent())
			if first.ClientID == second.ClientID || first.ClientID == "" {
				s.t.Errorf("client ids %q, %q", first.ClientID, second.ClientID)
			}
			other.ends(second.Job, 2*time.Minute, job.JobDone)
			s.ends(first.Job, 2*time.Minute, job.JobDone)
			other.told.Close()
			if err := other.engine.Stop(s.t.Context()); err != nil {
				s.t.Error(err)
			}
		}},
		{name: "Acly/krita-ai-diffusion#1978 a cut in the middle, and executed is never said again", act: func(s *stage) {
			id := s.add(s.painting(20, 20))
			s.runsNow(id)
			s.pass(10 * time.Second)
			s.faults(func(f *sim.Faults) { f.LoseEvents = []string{"executed"} })
			s.server().DropSockets()
			s.ends(id, time.Minute, job.JobDone)
			s.once(id, 1)
		}},
	}
}

// sent adds a job and waits until the server has it.
func (s *stage) sent() job.ID {
	s.t.Helper()
	id := s.add(s.painting(20, 20))
	s.within(time.Minute, "it is sent", func() bool { return len(s.runs(id)) > 0 })
	return id
}

// newStageBeside is a second program with records of its own and the same
// servers.
func newStageBeside(s *stage) *stage {
	other := &stage{t: s.t, world: s.world, store: newMemory(), dir: s.t.TempDir(), lines: s.lines, ids: 100, seed: 500}
	other.store.kept = s.store.kept
	other.start()
	other.pass(time.Second)
	return other
}

const previewAndPicture = `{"1":{"class_type":"EmptyImage","inputs":{"width":64,"height":64,"batch_size":1,"color":255}},
	"2":{"class_type":"SlowSampler","inputs":{"image":["1",0],"steps":3,"seconds":3,"seed":1}},
	"3":{"class_type":"PreviewImage","inputs":{"images":["2",0]}},
	"4":{"class_type":"SlowSampler","inputs":{"image":["2",0],"steps":7,"seconds":7,"seed":1}},
	"5":{"class_type":"SaveImage","inputs":{"images":["4",0],"filename_prefix":"hill"}}}`

func endCases() []bugCase {
	reports := func(text string) func(*sim.ServerSpec) {
		return func(spec *sim.ServerSpec) {
			spec.Results = map[string]json.RawMessage{"SaveImage": json.RawMessage(text)}
		}
	}
	return []bugCase{
		{name: "artokun/comfyui-mcp-panel#365 the first preview is not the end", act: func(s *stage) {
			id := s.add(previewAndPicture)
			s.runsNow(id)
			s.pass(6 * time.Second)
			if j := s.job(id); j.State != job.JobRunning {
				s.t.Errorf("%+v after the preview", j)
			}
			s.ends(id, time.Minute, job.JobDone)
			if r := s.last(id); len(r.Outputs) == 0 || !strings.HasPrefix(r.Outputs[0].ServerName, "hill") ||
				r.Seconds.Or(0) < 10 {
				s.t.Errorf("%+v", r)
			}
		}},
		{name: "ai-dock/comfyui#31 a preview that was cleaned up fails nothing", act: func(s *stage) {
			s.faults(func(f *sim.Faults) { f.LoseTemp = true })
			id := s.add(previewAndPicture)
			s.ends(id, time.Minute, job.JobDone)
			s.once(id, 1)
		}},
		{name: "artokun/comfyui-mcp#373 an empty text is a result", spec: reports(`{"text": [""]}`), act: func(s *stage) {
			s.ends(s.add(s.painting(2, 2)), time.Minute, job.JobDone)
		}},
		{name: "alangrainger/immich-public-proxy#240 a file that is cut off is fetched whole", act: func(s *stage) {
			s.faults(func(f *sim.Faults) { f.ShortViews = 1 })
			id := s.add(s.painting(2, 2))
			s.ends(id, 5*time.Minute, job.JobDone)
			s.once(id, 1)
			data, err := os.ReadFile(s.last(id).Outputs[0].File)
			if err != nil || !bytes.HasPrefix(data, []byte("\x89PNG")) || !bytes.Contains(data, []byte("IEND")) {
				s.t.Errorf("%d bytes, %v", len(data), err)
			}
			files, err := os.ReadDir(filepath.Join(s.dir, "out"))
			if err != nil || len(files) != 1 {
				s.t.Errorf("%v, %v", files, err)
			}
		}},
		{name: "artokun/comfyui-mcp#2512 an interrupt counts when it comes, not with the next prompt", act: func(s *stage) {
			id := s.add(s.painting(600, 600))
			s.runsNow(id)
			s.pass(60 * time.Second)
			s.engine.Do(scheduler.Cancel{Job: id})
			if took := s.ends(id, time.Minute, job.JobCancelled); took > 10*time.Second {
				s.t.Errorf("seen after %v", took)
			}
			if r := s.last(id); r.Seconds.Or(0) < 59 || r.Seconds.Or(0) > 64 {
				s.t.Errorf("it took %v s", r.Seconds)
			}
		}},
		{name: "Comfy-Org/ComfyUI_frontend#487 an interrupt whose status says success", act: func(s *stage) {
			s.faults(func(f *sim.Faults) { f.InterruptedAsSuccess = true })
			id := s.add(s.painting(60, 60))
			s.runsNow(id)
			s.engine.Do(scheduler.Cancel{Job: id})
			s.ends(id, time.Minute, job.JobCancelled)
			if r := s.last(id); r.Outcome != job.RunInterrupted {
				s.t.Errorf("%+v", r)
			}
		}},
		{name: "Comfy-Org/ComfyUI#5063 a saver that reports nothing", spec: reports(`null`), act: func(s *stage) {
			id := s.add(s.painting(2, 2))
			s.ends(id, time.Minute, job.JobNoOutput)
			s.once(id, 0)
		}},
	}
}

func stopCases() []bugCase {
	class := []string{"SlowSampler"}
	return []bugCase{
		{name: "Comfy-Org/ComfyUI#1920 an interrupt that takes effect after 90 s", act: func(s *stage) {
			s.faults(func(f *sim.Faults) { f.Uninterruptible = class })
			id, next := s.add(s.painting(100, 10)), s.add(s.painting(1, 1))
			s.runsNow(id)
			s.pass(10 * time.Second)
			s.engine.Do(scheduler.Cancel{Job: id})
			s.pass(12 * time.Second)
			if r := s.last(id); r.Stop == nil || r.State == job.RunEnded || len(s.runs(next)) > 0 {
				s.t.Errorf("%+v, next %+v", r, s.runs(next))
			}
			s.ends(id, 3*time.Minute, job.JobCancelled)
			s.ends(next, time.Minute, job.JobDone)
		}},
		{name: "snicolast/ComfyUI-Ovi#32 an interrupt that comes back as an error", act: func(s *stage) {
			s.faults(func(f *sim.Faults) { f.ErrorOnInterrupt = class })
			id := s.add(s.painting(60, 60))
			s.runsNow(id)
			s.engine.Do(scheduler.Cancel{Job: id})
			s.ends(id, time.Minute, job.JobCancelled)
			s.once(id, 0)
		}},
		{name: "Comfy-Org/ComfyUI#4014 another page interrupts our run", act: func(s *stage) {
			id := s.add(s.painting(60, 60))
			for range 6 {
				s.pass(20 * time.Second)
				s.server().Interrupt()
			}
			s.within(10*time.Minute, "it ends", func() bool { return s.job(id).State == job.JobEnded })
			if runs := s.runs(id); len(runs) > 2 || runs[0].Outcome != job.RunInterrupted {
				s.t.Errorf("%d runs, %+v", len(runs), runs)
			}
		}},
		{name: "comfy-addons/comfyui-sdk#9 somebody deletes our pending prompt", act: func(s *stage) {
			// It waits behind nobody's run, in the moment before its own start.
			s.faults(func(f *sim.Faults) { f.DeadWorker = true })
			id := s.add(s.painting(10, 10))
			s.within(time.Minute, "it waits there", func() bool { return len(s.onServer().Pending) == 1 })
			s.pass(5 * time.Second)
			s.server().ClearQueue()
			s.within(30*time.Second, "its run is known to be gone", func() bool {
				return s.runs(id)[0].Outcome == job.RunLost
			})
		}},
		{name: "source: an interrupt between queue and start is lost, a repeated one is not", act: func(s *stage) {
			s.faults(func(f *sim.Faults) { f.StartDelayS = 6 })
			id := s.add(s.painting(600, 600))
			s.within(time.Minute, "the server has it", func() bool { return len(s.onServer().Running) == 1 })
			s.pass(200 * time.Millisecond)
			s.engine.Do(scheduler.Cancel{Job: id})
			s.ends(id, time.Minute, job.JobCancelled)
		}},
	}
}

func queueCases() []bugCase {
	return []bugCase{
		{name: "Comfy-Org/ComfyUI#13512 a crash loses no job that waits", act: func(s *stage) {
			var ids []job.ID
			for range 5 {
				ids = append(ids, s.add(s.painting(20, 20)))
			}
			s.runsNow(ids[0])
			s.pass(5 * time.Second)
			s.server().Restart(20 * time.Second)
			for _, id := range ids[1:] {
				s.ends(id, 10*time.Minute, job.JobDone)
				s.once(id, 1)
			}
			if runs := s.runs(ids[0]); runs[0].Outcome != job.RunLost || len(runs) > 2 {
				s.t.Errorf("%+v", runs)
			}
		}},
		{
			name: "Comfy-Org/ComfyUI#3652 two prompts at once keep their events and files apart", servers: []string{"a", "b"},
			act: func(s *stage) {
				x, y := s.add(s.painting(10, 10)), s.add(s.painting(12, 12))
				s.ends(x, time.Minute, job.JobDone)
				s.ends(y, time.Minute, job.JobDone)
				s.once(x, 1)
				s.once(y, 1)
				if a, b := s.last(x), s.last(y); a.Server == b.Server || a.Outputs[0].File == b.Outputs[0].File {
					s.t.Errorf("%+v, %+v", a, b)
				}
			},
		},
		{name: "Comfy-Org/ComfyUI#6261 the same job again comes from the cache", act: func(s *stage) {
			graph := s.painting(5, 5)
			first, second := s.add(graph), s.add(graph)
			s.ends(first, time.Minute, job.JobDone)
			s.ends(second, time.Minute, job.JobDone)
			if a, b := s.last(first), s.last(second); b.Start != job.Cached || a.Start == job.Cached ||
				a.Outputs[0].ServerName != b.Outputs[0].ServerName {
				s.t.Errorf("%+v, then %+v", a, b)
			}
		}},
		{name: "Acly/krita-ai-diffusion#814 nothing is counted that was never taken", act: func(s *stage) {
			s.server().Restart(90 * time.Second)
			s.pass(time.Second)
			var ids []job.ID
			for range 8 {
				ids = append(ids, s.add(s.painting(1, 1)))
			}
			s.pass(60 * time.Second)
			if snap := s.seen(); len(snap.Waiting) != 8 || len(snap.Running) != 0 {
				s.t.Errorf("%d wait, %d run", len(snap.Waiting), len(snap.Running))
			}
			for _, id := range ids {
				s.ends(id, 5*time.Minute, job.JobDone)
			}
			if snap := s.seen(); len(snap.Waiting)+len(snap.Running) != 0 || len(snap.Done) != 8 {
				s.t.Errorf("%d wait, %d run, %d done", len(snap.Waiting), len(snap.Running), len(snap.Done))
			}
		}},
		{name: "ltdrdata/ComfyUI-Impact-Pack#609 one file that is handed over twice is one job", act: func(s *stage) {
			file := s.file(s.painting(20, 20))
			r := scheduler.AddRequest{Files: []string{file}, Resume: true}
			first := s.request(r)
			if again := s.request(r); len(first) != 1 || len(again) != 0 {
				s.t.Errorf("%v, then %v", first, again)
			}
			s.ends(first[0], time.Minute, job.JobDone)
			s.once(first[0], 1)
		}},
		{name: "Comfy-Org/ComfyUI_frontend#1373 three thousand jobs, one at a time on the server", act: func(s *stage) {
			ids := s.request(scheduler.AddRequest{Files: []string{s.file(s.painting(3, 3))}, Repeat: 3000})
			if len(ids) != 3000 {
				s.t.Fatalf("%d jobs", len(ids))
			}
			for range 20 {
				s.pass(700 * time.Millisecond)
				if q := s.onServer(); len(q.Running)+len(q.Pending) > 1 {
					s.t.Errorf("on the server %+v", q)
				}
			}
			sent := 0
			for i, id := range ids {
				if n := len(s.runs(id)); n > 0 {
					if i != sent {
						s.t.Fatalf("job %d was sent before job %d", i, sent)
					}
					sent++
				}
			}
			if sent < 2 {
				s.t.Errorf("%d were sent", sent)
			}
		}},
		{name: "source: ten jobs run in the order in which they were dropped", act: func(s *stage) {
			var ids []job.ID
			for range 10 {
				ids = append(ids, s.add(s.painting(2, 2)))
			}
			s.ends(ids[9], 5*time.Minute, job.JobDone)
			for i := 1; i < len(ids); i++ {
				if a, b := s.last(ids[i-1]), s.last(ids[i]); b.ServerStarted.Before(a.ServerEnded) {
					s.t.Errorf("job %d began at %v, before %v", i, b.ServerStarted, a.ServerEnded)
				}
			}
		}},
	}
}

func networkCases() []bugCase {
	return []bugCase{
		{name: "Comfy-Org/ComfyUI#4865 the socket is refused, HTTP works", act: func(s *stage) {
			s.faults(func(f *sim.Faults) { f.SocketStatus = http.StatusForbidden })
			s.server().DropSockets()
			id := s.add(s.painting(20, 20))
			s.ends(id, time.Minute, job.JobDone)
			s.once(id, 1)
			if v := s.serverView(); v.LiveSince.Known() || v.Err != nil {
				s.t.Errorf("%+v", v)
			}
		}},
		{name: "Comfy-Org/ComfyUI#8154 two servers behind one address", act: func(s *stage) {
			s.faults(func(f *sim.Faults) { f.OtherPod = 2 })
			id := s.add(s.painting(60, 60))
			s.within(5*time.Minute, "it ends", func() bool { return s.job(id).State == job.JobEnded })
			if r := s.last(id); r.Outcome != job.RunSucceeded || len(s.runs(id)) != 1 {
				s.t.Errorf("%+v", s.runs(id))
			}
		}},
		{name: "runpod-workers/worker-comfyui#186 a server that needs 90 s to come up", act: func(s *stage) {
			s.server().Restart(90 * time.Second)
			id := s.add(s.painting(5, 5))
			s.pass(80 * time.Second)
			if j := s.job(id); j.State != job.JobWaiting {
				s.t.Errorf("%+v", j)
			}
			s.ends(id, 3*time.Minute, job.JobDone)
			s.once(id, 1)
		}},
		{
			name: "mcmonkeyprojects/SwarmUI#574 a server that never ends a run stops no other", servers: []string{"a", "b"},
			act: func(s *stage) {
				s.faults(func(f *sim.Faults) { f.Uninterruptible = []string{"SlowSampler"} })
				stuck := s.request(scheduler.AddRequest{
					Files: []string{s.file(s.painting(3000, 10))}, Servers: []job.ID{"a"},
					Limit: job.Limit{Kind: job.LimitSet, For: time.Minute},
				})[0]
				s.runsNow(stuck)
				var ids []job.ID
				for range 4 {
					ids = append(ids, s.add(s.painting(20, 20)))
				}
				for _, id := range ids {
					s.ends(id, 10*time.Minute, job.JobDone)
				}
				s.pass(5 * time.Minute)
				if r := s.last(stuck); r.LimitPassed.IsZero() || r.Stop == nil || len(r.Stop.Sent) == 0 || r.State == job.RunEnded {
					s.t.Errorf("%+v", r)
				}
			},
		},
	}
}
