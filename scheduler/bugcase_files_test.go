package scheduler_test

import (
	"strings"
	"time"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
	"reckoner/scheduler/sim"
)

// pageWorkflow is in the format of ComfyUI's page, with a node of a pack that the
// server lacks.
const pageWorkflow = `{"last_node_id":2,"last_link_id":1,"version":0.4,"links":[[1,1,0,2,0,"IMAGE"]],"nodes":[
	{"id":1,"type":"MagicPicture","mode":0,"properties":{"cnr_id":"magic-pack"},"widgets_values":[64],
	 "outputs":[{"name":"IMAGE","type":"IMAGE","links":[1]}]},
	{"id":2,"type":"SaveImage","mode":0,"properties":{},"widgets_values":["hill"],
	 "inputs":[{"name":"images","type":"IMAGE","link":1}]}]}`

// checkpoint is a picture with a model named so, whose prompt has a backslash.
func checkpoint(model string) string {
	return `{"1":{"class_type":"CheckpointLoaderSimple","inputs":{"ckpt_name":"` + model + `"}},
	"2":{"class_type":"CLIPTextEncode","inputs":{"clip":["1",1],"text":"a sign that says \\o/"}},
	"3":{"class_type":"EmptyLatentImage","inputs":{"width":64,"height":64,"batch_size":1}},
	"4":{"class_type":"KSampler","inputs":{"model":["1",0],"seed":1,"steps":2,"cfg":7,"sampler_name":"euler",
		"scheduler":"normal","positive":["2",0],"negative":["2",0],"latent_image":["3",0],"denoise":1}},
	"5":{"class_type":"VAEDecode","inputs":{"samples":["4",0],"vae":["1",2]}},
	"6":{"class_type":"SaveImage","inputs":{"images":["5",0],"filename_prefix":"hill"}}}`
}

func fileCases() []bugCase {
	lists := func(windows bool, model string) func(*sim.ServerSpec) {
		return func(spec *sim.ServerSpec) {
			spec.Windows, spec.Models = windows, map[string][]string{"checkpoints": {model}}
		}
	}
	renamed := func(file, want string) func(*stage) {
		return func(s *stage) {
			id := s.add(checkpoint(file))
			s.ends(id, time.Minute, job.JobDone)
			s.once(id, 1)
			sent := s.get("/history")
			if !strings.Contains(sent, want) || !strings.Contains(sent, `a sign that says \\o/`) {
				s.t.Errorf("it was sent %.600s", sent)
			}
			told := false
			for _, h := range s.last(id).Story {
				told = told || h.Code == job.StoryRenamed
			}
			if !told {
				s.t.Error("the run's record does not say so")
			}
		}
	}
	return []bugCase{
		{name: "piyushK52/comfy_runner#23 a node that the server lacks is named with its pack", act: func(s *stage) {
			added, err := s.engine.Add(s.t.Context(), scheduler.AddRequest{Files: []string{s.file(pageWorkflow)}})
			if err != nil || len(added.Refused) != 1 {
				s.t.Fatalf("%+v, %v", added, err)
			}
			if why := added.Refused[0].Err; why.Args.Class != "MagicPicture" || why.Args.Node != "1" || why.Args.Value != "magic-pack" {
				s.t.Errorf("%v %+v", why.Code, why.Args)
			}
			if q := s.onServer(); len(q.Running)+len(q.Pending) > 0 {
				s.t.Errorf("on the server %+v", q)
			}
		}},
		{
			name: "Stability-AI/StableSwarmUI#112 a model under the other separator, Linux",
			spec: lists(false, "SDXL/a.safetensors"), act: renamed(`SDXL\\a.safetensors`, `"SDXL/a.safetensors"`),
		},
		{
			name: "Stability-AI/StableSwarmUI#112 a model under the other separator, Windows",
			spec: lists(true, "SDXL/a.safetensors"), act: renamed("SDXL/a.safetensors", `"SDXL\\a.safetensors"`),
		},
		{name: "Comfy-Org/ComfyUI#8548 NaN in a file and in the server's answers", act: func(s *stage) {
			s.faults(func(f *sim.Faults) { f.NaN = true })
			id := s.add(strings.Replace(s.painting(5, 5), `"class_type":"SlowSampler"`, `"is_changed":NaN,"class_type":"SlowSampler"`, 1))
			s.ends(id, time.Minute, job.JobDone)
			s.once(id, 1)
		}},
		{name: "Comfy-Org/ComfyUI#8238 a seed of 64 bits arrives as it is", act: func(s *stage) {
			s.seed = 0
			id := s.add(strings.Replace(s.painting(2, 2), `"seed":1`, `"seed":18446744073709551557`, 1))
			s.ends(id, time.Minute, job.JobDone)
			if sent := s.get("/history"); !strings.Contains(sent, "18446744073709551557") {
				s.t.Errorf("it was sent %.400s", sent)
			}
		}},
		{name: "Comfy-Org/ComfyUI#8344 a node of a paid service without an account", act: func(s *stage) {
			s.faults(func(f *sim.Faults) {
				f.Fail, f.FailText = []string{"SlowSampler"}, "Unauthorized: Please login first to use this node."
			})
			id := s.add(s.painting(2, 2))
			s.ends(id, time.Minute, job.JobFailed)
			if why := s.job(id).Why; why == nil || why.Code != job.ErrAccount || len(s.runs(id)) != 1 {
				s.t.Errorf("%v in %d runs", why, len(s.runs(id)))
			}
			s.faults(func(f *sim.Faults) { f.Fail = nil })
			s.ends(s.add(s.painting(2, 2)), time.Minute, job.JobDone)
		}},
		{name: "Comfy-Org/ComfyUI#14312 nothing would come out, said at the drop", act: func(s *stage) {
			added, err := s.engine.Add(s.t.Context(), scheduler.AddRequest{Files: []string{s.file(
				`{"1":{"class_type":"EmptyImage","inputs":{"width":64,"height":64,"batch_size":1,"color":255}}}`)}})
			if err != nil || len(added.Refused) != 1 || added.Refused[0].Err.Code != job.ErrNoOutputNode {
				s.t.Errorf("%+v, %v", added, err)
			}
		}},
	}
}
