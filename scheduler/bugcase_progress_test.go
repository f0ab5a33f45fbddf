package scheduler_test

import (
	"strings"
	"time"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
	"reckoner/scheduler/sim"
)

// threeSamplers is a job of three samplers in a row, of twenty seconds each.
const threeSamplers = `{"1":{"class_type":"EmptyImage","inputs":{"width":64,"height":64,"batch_size":1,"color":255}},
	"2":{"class_type":"SlowSampler","inputs":{"image":["1",0],"steps":20,"seconds":20,"seed":1}},
	"3":{"class_type":"SlowSampler","inputs":{"image":["2",0],"steps":20,"seconds":20,"seed":2}},
	"4":{"class_type":"SlowSampler","inputs":{"image":["3",0],"steps":20,"seconds":20,"seed":3}},
	"5":{"class_type":"SaveImage","inputs":{"images":["4",0],"filename_prefix":"hill"}}}`

func progressCases() []bugCase {
	return []bugCase{
		{name: "Comfy-Org/ComfyUI#9706 the progress of somebody's prompt is not ours", protocol: "0.3.44", act: func(s *stage) {
			// Their prompt was sent without a client id, so everybody hears its progress;
			// its nodes have the same ids as ours.
			s.post("/prompt", `{"prompt":`+s.painting(60, 20)+`}`)
			s.within(10*time.Second, "theirs runs", func() bool { return len(s.onServer().Running) == 1 })
			id := s.request(scheduler.AddRequest{Files: []string{s.file(s.painting(20, 20))}, SendAnyway: true})[0]
			s.within(time.Minute, "ours waits behind it", func() bool { return len(s.onServer().Pending) == 1 })
			for range 10 {
				s.pass(2 * time.Second)
				for _, v := range s.seen().Running {
					if v.Step.Known() || v.Bar.Kind == job.BarEstimate || v.Run.State == job.RunStarted {
						s.t.Fatalf("while it waits: %+v, step %v, %v", v.Bar, v.Step, v.Run.State)
					}
				}
			}
			s.ends(id, 3*time.Minute, job.JobDone)
			s.once(id, 1)
		}},
		{name: "alexisrolland/ComfyUI-Blender#12 one of three samplers is a third", act: func(s *stage) {
			id := s.add(threeSamplers)
			s.runsNow(id)
			s.pass(21 * time.Second)
			v := s.seen().Running[0]
			if share := v.StepsDone / v.StepsOf; share < .3 || share > .4 {
				s.t.Errorf("%v of %v steps", v.StepsDone, v.StepsOf)
			}
			last := 0.0
			for s.job(id).State == job.JobRunning {
				s.pass(time.Second)
				run := s.seen().Running
				if len(run) == 0 || run[0].StepsOf == 0 {
					break
				}
				now := run[0].StepsDone / run[0].StepsOf
				if now < last || now > 1 {
					s.t.Fatalf("%v after %v", now, last)
				}
				last = now
			}
			s.ends(id, time.Minute, job.JobDone)
		}},
		{name: "BinaryQuantumSoul/sdnext-modernui#76 a sampler that counts two calls a step", act: func(s *stage) {
			s.faults(func(f *sim.Faults) { f.CallsPerStep = 2 })
			id := s.add(s.painting(40, 20))
			s.runsNow(id)
			s.pass(20 * time.Second)
			v := s.seen().Running[0]
			step, _ := v.Step.Get()
			pace, known := v.Pace.Get()
			if step.Max != 40 || v.StepsOf != 40 || v.StepsDone < 17 || v.StepsDone > 22 || !known || pace < 38 || pace > 43 {
				s.t.Errorf("step %+v, %v of %v, pace %v", step, v.StepsDone, v.StepsOf, pace)
			}
			s.ends(id, time.Minute, job.JobDone)
		}},
		{name: "Comfy-Org/ComfyUI#4810 an absurd size is said before it is sent", act: func(s *stage) {
			s.engine.Do(scheduler.Pause{On: true})
			added, err := s.engine.Add(s.t.Context(), scheduler.AddRequest{Files: []string{s.file(
				strings.Replace(s.painting(2, 2), `"batch_size":1`, `"batch_size":512`, 1))}})
			if err != nil || len(added.Warned) != 1 || !added.Warned[0].Loud() || added.Warned[0].Say.Args.Of != 512 {
				s.t.Errorf("%+v, %v", added.Warned, err)
			}
		}},
	}
}
