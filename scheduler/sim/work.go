package sim

import (
	"math"
	"strings"
	"time"
)

// task is what running a node is like.
type task struct {
	what     use
	d        time.Duration // at full speed, in all
	steps    int           // progress is reported after each; 0 for none
	stubborn bool          // looks at interrupts only between nodes
	asleep   bool          // waits without touching the GPU, at its own pace
}

// The work model: seconds on a card of speed 1, an RTX 5060 Ti. It is made so
// that image-to-video at 640 x 640 and 161 frames in 20 steps takes 282 s, and
// a 512 x 512 picture a few. P is a picture's pixels; a video model sees a
// quarter of the frames.
const (
	perStep   = 7.78e-7 // x P x latent frames x batch, each step
	perDecode = 2.6e-7  // x P x frames x batch
	perEncode = 3.0e-8  // x P x frames
	perUpscal = 2.0e-6  // x P x frames
	perFrame  = 4.5e-8  // x P x frames, to write a video
	perText   = 0.5
	perPick   = 0.1  // writing a picture
	warmLoad  = 0.25 // a model that is in the host's memory already
	spread    = 0.025
)

// coldLoads are the seconds that the first use of a file takes, by the word
// that its loader's input is named with.
var coldLoads = []struct {
	input   string
	seconds float64
}{
	{"unet_name", 9}, {"ckpt_name", 4}, {"clip_name", 3}, {"vae_name", 0.5}, {"", 1},
}

// shape is the size of what a node works on.
type shape struct{ width, height, frames, batch float64 }

func (s shape) pixels() float64 { return s.width * s.height }

// latentFrames is how many frames a video model computes.
func (s shape) latentFrames() float64 { return math.Floor((s.frames-1)/4) + 1 }

// workModel tells how long nodes take.
type workModel struct {
	fixed  map[string]float64 // seconds by class, from the scenario
	factor float64            // of this run: its luck
}

// task describes the work of a node. loaded tells whether a model file was used
// before, and remembers it.
func (m workModel) task(g graph, id string, loaded func(file string) bool) task {
	cl := g.class(id)
	t := m.shaped(g, id, cl, loaded)
	if s, ok := m.fixed[cl.name]; ok {
		t.d = seconds(s)
	}
	if !t.asleep {
		t.d = time.Duration(float64(t.d) * m.factor)
	}
	return t
}

func (m workModel) shaped(g graph, id string, cl *class, loaded func(string) bool) task {
	size := g.shapeOf(id)
	all := size.pixels() * size.frames * size.batch
	switch cl.work {
	case "load":
		return task{what: useLoad, d: seconds(loadSeconds(g.inputs(id), cl, loaded))}
	case "text":
		return task{what: useCompute, d: seconds(perText)}
	case "encode":
		return task{what: useCompute, d: seconds(0.1 + perEncode*all)}
	case "decode":
		return task{what: useCompute, d: seconds(0.1 + perDecode*all)}
	case "upscale":
		return task{what: useCompute, d: seconds(0.1 + perUpscal*all)}
	case "sample":
		n := g.steps(id)
		each := 0.02 + perStep*size.pixels()*size.latentFrames()*size.batch
		return task{what: useCompute, steps: n, d: seconds(float64(n) * each)}
	case "save":
		if cl.saves == "png" || cl.saves == "temp" {
			return task{d: seconds(perPick)}
		}
		return task{d: seconds(perFrame * all)}
	case "sleep", "stubborn", "boom":
		return sleeping(g.inputs(id), cl.work)
	}
	return task{}
}

func sleeping(in *object, work string) task {
	s, _ := in.number("seconds")
	n, _ := in.number("steps")
	t := task{d: seconds(s), steps: int(min(n, maxSteps)), asleep: true}
	if work != "sleep" {
		t.steps, t.stubborn = 0, true
	}
	return t
}

func loadSeconds(in *object, cl *class, loaded func(string) bool) float64 {
	sum := 0.0
	for _, i := range cl.inputs {
		file, ok := in.vals[i.name].(string)
		if !ok || i.folder == "" {
			continue
		}
		if loaded(file) {
			sum += warmLoad
			continue
		}
		for _, c := range coldLoads {
			if strings.HasPrefix(i.name, c.input) {
				sum += c.seconds
				break
			}
		}
	}
	return sum
}

// shapeOf looks for the nearest nodes before (or at) a node that say the width,
// height, frames and batch of what it works on.
func (g graph) shapeOf(id string) shape {
	s := shape{512, 512, 1, 1}
	missing := map[string]*float64{
		"width": &s.width, "height": &s.height, "length": &s.frames, "video_frames": &s.frames, "batch_size": &s.batch,
	}
	scale := 1.0
	seen := map[string]bool{id: true}
	for queue := []string{id}; len(queue) > 0; queue = queue[1:] {
		in := g.inputs(queue[0])
		if by, ok := in.number("scale_by"); ok && missing["width"] != nil {
			scale *= by
		}
		for key, into := range missing {
			if f, ok := g.number(in, key); ok && f > 0 && into != nil {
				*into, missing[key] = f, nil
			}
		}
		for _, src := range g.sources(queue[0]) {
			if !seen[src] {
				seen[src] = true
				queue = append(queue, src)
			}
		}
	}
	s.width, s.height = s.width*scale, s.height*scale
	return s
}

// number reads an input that is a number, or a link to a node that holds one.
func (g graph) number(in *object, key string) (float64, bool) {
	if f, ok := in.number(key); ok {
		return f, true
	}
	v, _ := in.get(key)
	if link, ok := v.([]any); ok && len(link) == 2 {
		if src := g.prompt.object(pyText(link[0])); src != nil {
			return src.object("inputs").number("value")
		}
	}
	return 0, false
}

// maxSteps bounds the steps of a sampler that has them from a link, which nobody
// checks.
const maxSteps = 100000

// steps is how many steps a sampler really takes: its own, or those of the
// scheduler that its sigmas come from.
func (g graph) steps(id string) int {
	in := g.inputs(id)
	n, ok := g.number(in, "steps")
	for hop := 0; !ok && hop < 8; hop++ { // by way of nodes that cut or change the sigmas
		link, _ := in.vals["sigmas"].([]any)
		if len(link) != 2 || g.inputs(pyText(link[0])) == nil {
			return 1
		}
		in = g.inputs(pyText(link[0]))
		n, ok = g.number(in, "steps")
	}
	from, _ := g.number(in, "start_at_step")
	if to, ok := g.number(in, "end_at_step"); ok {
		n = min(n, to) - from
	}
	return int(min(max(n, 1), maxSteps))
}

// estimate is how long a whole prompt takes on a card of its own, all models
// loaded.
func (m workModel) estimate(g graph, speed float64) time.Duration {
	var sum time.Duration
	for _, id := range g.prompt.keys {
		t := m.task(g, id, func(string) bool { return true })
		if t.what == useCompute {
			t.d = time.Duration(float64(t.d) / speed)
		}
		sum += t.d
	}
	return sum
}

// memory is what the prompt holds on the card while it works, in bytes.
func (g graph) memory() int64 {
	gib := 3.0
	for _, id := range g.prompt.keys {
		if g.class(id).name == "UNETLoader" {
			gib = 5.5
		}
	}
	most := 0.0
	for _, id := range g.prompt.keys {
		if g.class(id).work == "sample" {
			s := g.shapeOf(id)
			most = max(most, s.pixels()*s.latentFrames()*s.batch)
		}
	}
	return int64((gib + min(0.45*most/1e6, 8.5)) * float64(1<<30))
}
