// Package scenetest builds snapshots for tests of the window: the moment of the
// story in which a job has passed its limit while another client fills the GPU.
//
// It is for tests only.
package scenetest

import (
	"fmt"
	"time"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// Now is the moment of every scene.
func Now() time.Time { return time.Date(2026, 5, 8, 21, 14, 8, 0, time.Local) }

func at(hour, minute, second int) time.Time {
	return time.Date(2026, 5, 8, hour, minute, second, 0, time.Local)
}

// The machines and servers of the story.
const (
	GPU1  = job.ID("machine-gpu-1")
	Attic = job.ID("machine-attic")

	serverGPU1, serverForeign = job.ID("server-gpu-1"), job.ID("server-gpu-1-b")
	serverAttic               = job.ID("server-attic")
)

// Empty is a first start: no machine and no job.
func Empty() *scheduler.Snapshot {
	return &scheduler.Snapshot{At: job.Instant{Wall: Now()}, Speed: 1}
}

// Story is the moment of the reference picture.
func Story() *scheduler.Snapshot {
	s := Empty()
	s.Machines = []scheduler.MachineView{gpu1(), attic()}
	s.Running = []scheduler.JobView{beachWalk(), harbourNight()}
	s.Waiting = waiting()
	s.Done = done()
	s.AllDone = job.Known(scheduler.TimeRange{From: at(21, 20, 0), To: at(21, 25, 0)})
	s.NotCounted = 2
	return s
}

// Asked is the story some minutes later: the server still lists the job that it
// was told to stop, and a batch fails.
func Asked() *scheduler.Snapshot {
	s := Story()
	asked := job.Instant{Wall: Now()}
	s.Questions = []job.Question{
		{
			ID: "question-stop", Asked: asked, Due: at(21, 29, 8), Run: "run-harbour-night", Server: serverGPU1,
			Say:     job.Say{Code: job.AskUnconfirmed, Args: job.Args{Job: "harbour-night", Server: "gpu-1", Seconds: 61}},
			Answers: []job.Answer{job.KeepWaiting, job.OutOfUse}, Default: job.OutOfUse,
		},
		{
			ID: "question-batch", Asked: asked, Due: at(21, 29, 8),
			Say:     job.Say{Code: job.AskBatchFailing, Args: job.Args{Count: 3, Class: "VAEDecode"}},
			Answers: []job.Answer{job.TryAgain, job.GiveUp}, Default: job.GiveUp,
		},
	}
	return s
}

// Batches is the story with jobs that were added together: eight copies of one
// file that are done, and five of six that wait or failed.
func Batches() *scheduler.Snapshot {
	s := Story()
	light := s.Done[1]
	s.Done = append([]scheduler.JobView(nil), s.Done[0])
	for i := range 8 {
		v, j, r := light, *light.Job, *light.Run
		j.ID, j.Batch, j.Copy = job.ID(fmt.Sprintf("job-lighthouse-%d", i)), "batch-lighthouse", i
		file := fmt.Sprintf("/home/me/Videos/Reckoner/2026-05-08/lighthouse/l_%05d_.mp4", i)
		r.Job, r.Outputs = j.ID, []job.Output{{File: file}}
		v.Job, v.Run = &j, &r
		s.Done = append(s.Done, v)
	}
	fog := done()[2]
	for i, name := range []string{"fog-a", "fog-b", "fog-c", "fog-d"} {
		j := newJob(name)
		j.Batch = "batch-fog"
		if i < 2 {
			failed := *fog.Job
			failed.ID, failed.Name, failed.Batch = j.ID, j.Name, j.Batch
			s.Done = append(s.Done, scheduler.JobView{Job: &failed, Run: fog.Run, MachineName: fog.MachineName})
			continue
		}
		s.Waiting = append(s.Waiting, scheduler.JobView{
			Job: j, Expected: usual(12, 340, 360, 390), StartsAbout: job.Known(at(21, 30, 0)),
		})
	}
	return s
}

// Crowd is a queue of n waiting jobs, a third of them held.
func Crowd(n int) *scheduler.Snapshot {
	s := Story()
	s.Waiting = make([]scheduler.JobView, n)
	for i := range s.Waiting {
		v := scheduler.JobView{Job: newJob(fmt.Sprintf("frame-%05d", i)), Expected: usual(12, 340, 360, 390)}
		if i%3 == 0 {
			v.Holds = waiting()[1].Holds
		}
		s.Waiting[i] = v
	}
	return s
}

func videoType() job.Type {
	return job.Type{
		Key: "b2f0", Task: job.TaskImageToVideo,
		Cost: job.Cost{Width: 640, Height: 640, Frames: 161, Steps: 20},
	}
}

func newJob(name string) *job.Job {
	return &job.Job{ID: job.ID("job-" + name), Name: name, Type: videoType(), State: job.JobWaiting}
}

func usual(n int, low, mid, high float64) job.Forecast {
	return job.Forecast{N: n, LowS: low, MidS: mid, HighS: high, LongestS: high * 1.1}
}

func gpu1() scheduler.MachineView {
	g := card("NVIDIA GeForce RTX 5060 Ti", 180, 15.9, func(i int) (util, power, mem float64) {
		util, power, mem = 100, 43, 15.2
		switch {
		case i < 20:
			power, mem, util = 112+float64(i%7), 11, 97+float64(i%3)
		case i < 32:
			power, mem = 112-5*float64(i-20), 11+0.35*float64(i-20)
		}
		return util, power, mem
	})
	g.LowPower, g.Last.Source = true, "ssh:gpu-1"
	return scheduler.MachineView{
		Machine: job.Machine{ID: GPU1, Name: "gpu-1", Sources: []string{"ssh:gpu-1"}},
		GPUs:    []scheduler.GPUView{g}, Mine: scheduler.MineStopping, Foreign: true,
		Servers: []scheduler.ServerView{
			{Server: job.Server{ID: serverGPU1, Machine: GPU1, Name: "gpu-1", URL: "http://gpu-1:8188"}, Seen: Now()},
			{
				Server: job.Server{
					ID: serverForeign, Machine: GPU1, Name: "gpu-1, port 8189", URL: "http://gpu-1:8189", WatchOnly: true,
				},
				Seen:    Now(),
				Foreign: job.ForeignWork{Prompts: 14, OverS: 480, EveryS: job.Known(35.0), Ahead: 2},
			},
		},
	}
}

func attic() scheduler.MachineView {
	g := card("NVIDIA GeForce RTX 4090", 450, 24, func(i int) (util, power, mem float64) {
		if i < 14 {
			return 1, 30, 2.2 + 0.05*float64(i)
		}
		return 97 + float64(i%3), 421 - float64(i%5), min(18.7, 3+2*float64(i-14))
	})
	g.Last.Source = "ssh:attic"
	return scheduler.MachineView{
		Machine: job.Machine{ID: Attic, Name: "attic", Sources: []string{"ssh:attic"}},
		GPUs:    []scheduler.GPUView{g}, Mine: scheduler.MineRunning,
		Servers: []scheduler.ServerView{{
			Server: job.Server{ID: serverAttic, Machine: Attic, Name: "attic", URL: "http://attic:8188"}, Seen: Now(),
			Info: job.Known(job.ServerInfo{Version: "0.3.64"}),
		}},
	}
}

// card makes ten minutes of readings of a GPU, the last one a second ago.
func card(name string, limit, memory float64, figures func(i int) (util, power, mem float64)) scheduler.GPUView {
	const readings = 120
	gpu := job.GPU{Name: name, UUID: "uuid-" + name, Index: job.Known(0)}
	v := scheduler.GPUView{GPU: gpu}
	for i := range readings {
		util, power, mem := figures(i)
		v.Recent = append(v.Recent, job.Reading{
			At: Now().Add(-time.Second - time.Duration(readings-1-i)*5*time.Second), GPU: gpu,
			Util: job.Known(util), Power: job.Known(power), Limit: job.Known(limit),
			MemUsed: job.Known(int64(mem * (1 << 30))), MemTotal: job.Known(int64(memory * (1 << 30))),
		})
	}
	v.Last = v.Recent[readings-1]
	if name == "NVIDIA GeForce RTX 4090" {
		v.Last.Util, v.Last.Power = job.Known(98.0), job.Known(421.0)
	}
	return v
}

func beachWalk() scheduler.JobView {
	j := newJob("beach-walk")
	j.State, j.Attempt = job.JobRunning, 1
	f := usual(18, 151, 165, 172)
	return scheduler.JobView{
		Job: j, MachineName: "attic", ElapsedS: 67, Expected: f,
		Run: &job.Run{
			Job: j.ID, Server: serverAttic, State: job.RunStarted, Started: at(21, 13, 1), Forecast: f, LimitS: 600,
			Story: []job.Happening{{At: at(21, 13, 1), Say: job.Say{Code: job.StoryStarted, Args: job.Args{Server: "attic"}}}},
		},
		Bar: job.Bar{Kind: job.BarEstimate, Fraction: job.Known(0.39), Caption: job.Say{
			Code: job.CaptionEstimate,
			Args: job.Args{Seconds: 110, UpTo: 118, At: at(21, 16, 0), Count: 18},
		}},
		Step: job.Known(job.Step{Value: 9, Max: 20, Node: "3"}), StepsDone: 9, StepsOf: 20,
		Past: past(18, 165, 6),
	}
}

func harbourNight() scheduler.JobView {
	j := newJob("harbour-night")
	j.State, j.Attempt, j.Servers = job.JobRunning, 1, []job.ID{serverGPU1}
	f := usual(41, 268, 282, 300)
	story := func(at time.Time, code string, a job.Args) job.Happening {
		return job.Happening{At: at, Say: job.Say{Code: code, Args: a}}
	}
	return scheduler.JobView{
		Job: j, MachineName: "gpu-1", ElapsedS: 1790, Expected: f,
		Run: &job.Run{
			Job: j.ID, Server: serverGPU1, State: job.RunStarted, Started: at(20, 44, 18), Forecast: f,
			LimitS: 1782, LimitPassed: at(21, 14, 0),
			Stop: &job.Stop{Why: job.StopLimit, At: at(21, 14, 0), Sent: []time.Time{at(21, 14, 0)}},
			Story: []job.Happening{
				story(at(20, 44, 18), job.StoryStarted, job.Args{Server: "gpu-1"}),
				story(at(20, 50, 20), job.StoryLonger, job.Args{Count: 41}),
				story(at(21, 14, 0), job.StoryLimit, job.Args{Seconds: 1782}),
				story(at(21, 14, 0), job.StoryToldToStop, job.Args{Server: "gpu-1"}),
			},
		},
		Bar: job.Bar{Kind: job.BarOver, Caption: job.Say{
			Code: job.CaptionOver, Args: job.Args{Seconds: 1790, Count: 41},
		}},
		Past: append(past(41, 282, 9), scheduler.PastRun{At: at(12, 0, 0), Seconds: 864, Label: job.Shared}),
	}
}

// past makes n clean runs around a middle.
func past(n int, mid, spread float64) []scheduler.PastRun {
	runs := make([]scheduler.PastRun, n)
	for i := range runs {
		off := spread * (float64((i*7)%11) - 5) / 5
		runs[i] = scheduler.PastRun{At: at(8, i, 0), Seconds: mid + off, Label: job.Clean}
	}
	return runs
}

func waiting() []scheduler.JobView {
	loop, town, logo := newJob("forest-loop"), newJob("old-town"), newJob("logo-spin")
	loop.Servers, town.Servers = []job.ID{serverAttic}, []job.ID{serverGPU1}
	return []scheduler.JobView{
		{Job: loop, Expected: usual(12, 340, 360, 390), StartsAbout: job.Known(at(21, 16, 0))},
		{
			Job: town, Expected: usual(9, 350, 360, 380), Holds: []job.Hold{
				{Code: job.HoldRunOpen, Server: serverGPU1, Since: at(21, 14, 0), Say: job.Say{
					Code: job.SayStopping, Args: job.Args{Job: "harbour-night", Server: "gpu-1"},
				}},
				{Code: job.HoldForeign, Server: serverGPU1, Since: at(21, 6, 0), Say: job.Say{
					Code: job.SayForeignGPU, Args: job.Args{Server: "gpu-1", Count: 2},
				}},
			},
		},
		{Job: logo},
	}
}

func done() []scheduler.JobView {
	dune, light, fog := newJob("dune-sunrise"), newJob("lighthouse"), newJob("fog-bank")
	for _, j := range []*job.Job{dune, light, fog} {
		j.State, j.Outcome, j.Attempt, j.Ended = job.JobEnded, job.JobDone, 1, at(20, 30, 0)
	}
	fog.Outcome = job.JobFailed
	fog.Why = job.Errorf(job.ErrOutOfMemory, job.Args{Server: "gpu-1", Node: "3", Class: "KSampler"}, nil)
	f := usual(18, 175, 182, 190)
	ended := func(j *job.Job, seconds float64, f job.Forecast, files ...string) *job.Run {
		r := &job.Run{Job: j.ID, State: job.RunEnded, Outcome: job.RunSucceeded, Seconds: job.Known(seconds), Forecast: f}
		for _, file := range files {
			r.Outputs = append(r.Outputs, job.Output{File: "/home/me/Videos/Reckoner/2026-05-08/" + file})
		}
		return r
	}
	return []scheduler.JobView{
		{Job: dune, Run: ended(dune, 182, f, "dune-sunrise_00001_.mp4"), MachineName: "attic"},
		{Job: light, Run: ended(light, 188, f, "lighthouse_00001_.png", "lighthouse_00002_.png"), MachineName: "attic"},
		{Job: fog, Run: ended(fog, 30, f), MachineName: "gpu-1"},
	}
}
