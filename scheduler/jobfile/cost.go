package jobfile

import (
	"encoding/json"
	"math"
	"strings"

	"reckoner/scheduler/job"
)

// costs is what a graph says about its cost.
type costs struct {
	cost          job.Cost
	partial       bool
	sizeFromInput bool
}

// cost reads the size, the length and the steps of what the marked nodes make
// (comfyui-protocol, 5.6). Of several sizes the largest is the job's.
func (x index) cost(marked []bool) costs {
	var c costs
	best, bestWork := job.Cost{}, -1.0
	sampled := false
	for i, n := range x.nodes {
		if !marked[i] {
			continue
		}
		if fields, rank, ok := sizeFields(n); ok {
			size, complete := x.size(n, fields)
			c.partial = c.partial || !complete
			if work := work(size) + rank; work > bestWork {
				best, bestWork = size, work
			}
		}
		steps, samples, complete := x.steps(n)
		c.cost.Steps += steps
		sampled = sampled || samples
		c.partial = c.partial || !complete
		if fps, ok := x.fps(n); ok {
			c.cost.FPS = max(c.cost.FPS, fps)
		}
	}
	best.Steps, best.FPS = c.cost.Steps, c.cost.FPS
	c.cost = best
	if sampled && best.Width == 0 {
		c.partial, c.sizeFromInput = true, x.readsMedia(marked)
	}
	return c
}

func (x index) readsMedia(marked []bool) bool {
	for i, n := range x.nodes {
		if marked[i] && (loadsMedia(n.Class) || x.sourceOf(i) != fromText) {
			return true
		}
	}
	return false
}

func work(c job.Cost) float64 {
	return float64(c.Width) * float64(c.Height) * float64(max(c.Frames, 1)) * float64(max(c.Batch, 1))
}

// sizeNames are the inputs of a node that hold its size.
type sizeNames struct{ width, height, frames, batch string }

// latentRank puts every size of a latent before every size of a plain picture:
// a mask's size costs next to nothing.
const latentRank = 1e15

// sizeFields tells whether a node decides the size of what is made, by which
// inputs, and how much its word counts.
func sizeFields(n job.Node) (fields sizeNames, rank float64, ok bool) {
	if _, has := n.Input("empty_latent_width"); has {
		return sizeNames{"empty_latent_width", "empty_latent_height", "", "batch_size"}, latentRank, true
	}
	if _, has := n.Input("width"); !has {
		return sizeNames{}, 0, false
	}
	fields = sizeNames{width: "width", height: "height", batch: "batch_size"}
	for _, name := range [...]string{"length", "video_frames", "num_frames", "frames", "video_length"} {
		if _, has := n.Input(name); has {
			fields.frames = name
			break
		}
	}
	switch class := n.Class; {
	case class == "EmptyImage":
		return fields, 0, true
	case strings.Contains(class, "Empty") || strings.Contains(class, "ToVideo") ||
		strings.Contains(class, "img2vid") || strings.Contains(class, "Img2Vid") ||
		strings.Contains(class, "VideoLatent") || strings.HasPrefix(class, "SV3D"):
		return fields, latentRank, true
	}
	return sizeNames{}, 0, false
}

// size reads a node's size. An absent input is the server's default, which the
// file does not tell; one behind a link that cannot be followed makes the size
// incomplete.
func (x index) size(n job.Node, names sizeNames) (c job.Cost, complete bool) {
	complete = true
	read := func(name string) int {
		v, state := x.figure(n, name)
		complete = complete && state != figureLost
		if v < 1 || v > 1<<24 {
			return 0
		}
		return int(v)
	}
	c = job.Cost{Width: read(names.width), Height: read(names.height), Batch: read(names.batch)}
	if names.frames != "" {
		c.Frames = read(names.frames)
	}
	return c, complete
}

// steps gives how many steps a sampling node takes, and whether it samples.
func (x index) steps(n job.Node) (steps int, samples, complete bool) {
	if !strings.Contains(n.Class, "Sampler") || strings.Contains(n.Class, "Select") {
		return 0, false, true
	}
	if in, has := n.Input("sigmas"); has {
		if in.Link == nil {
			return 0, true, false
		}
		v, ok := x.sigmas(*in.Link, maxHops)
		return v, true, ok
	}
	total, state := x.figure(n, "steps")
	if state == figureAbsent {
		return 0, false, true // not one of those that sample
	}
	if state == figureLost || total < 0 || total > 1e6 {
		return 0, true, false
	}
	if denoise, s := x.figure(n, "denoise"); s == figureKnown && denoise == 0 {
		return 0, true, true
	}
	start, end := 0.0, total
	if v, s := x.figure(n, "start_at_step"); s == figureKnown {
		start = v
	}
	if v, s := x.figure(n, "end_at_step"); s == figureKnown {
		end = min(v, total)
	}
	return int(max(end-max(start, 0), 0)), true, true
}

// sigmas follows a link to the scheduler that makes a sampler's sigmas, and
// gives its steps. Nodes that split the sigmas are followed as well.
func (x index) sigmas(link job.Link, hops int) (int, bool) {
	at, ok := x.at[link.Node]
	if !ok || hops == 0 {
		return 0, false
	}
	n := x.nodes[at]
	in, passes := n.Input("sigmas")
	if !passes || in.Link == nil {
		v, state := x.figure(n, "steps")
		return int(min(max(v, 0), 1e6)), state == figureKnown
	}
	total, ok := x.sigmas(*in.Link, hops-1)
	if n.Class != "SplitSigmas" {
		return total, ok
	}
	step, state := x.figure(n, "step")
	first := int(min(max(step, 0), float64(total)))
	if link.Slot == 1 {
		return total - first, ok && state == figureKnown
	}
	return first, ok && state == figureKnown
}

func (x index) fps(n job.Node) (float64, bool) {
	for _, name := range [...]string{"fps", "frame_rate"} {
		if v, s := x.figure(n, name); s == figureKnown && v > 0 && v <= 1000 {
			// Browsers write 16.000000000000004 for 16.
			return math.Round(v*1000) / 1000, true
		}
	}
	return 0, false
}

// figureState says what became of a number that was looked for.
type figureState int

const (
	figureAbsent figureState = iota
	figureKnown
	figureLost // behind a link that could not be followed
)

// maxHops bounds how many links are followed for one figure.
const maxHops = 16

// figure reads a number of a node, through links to primitives and to nodes
// that hand on an input of the same name.
func (x index) figure(n job.Node, name string) (float64, figureState) {
	if name == "" {
		return 0, figureAbsent
	}
	for range maxHops {
		in, has := n.Input(name)
		switch {
		case !has:
			return 0, figureAbsent
		case in.Link == nil:
			if v, ok := number(in.Value); ok {
				return v, figureKnown
			}
			return 0, figureLost
		}
		at, ok := x.at[in.Link.Node]
		if !ok {
			return 0, figureLost
		}
		n = x.nodes[at]
		if v, ok := constant(n); ok {
			f, ok := number(v)
			if !ok {
				return 0, figureLost
			}
			return f, figureKnown
		}
		if _, handsOn := n.Input(name); !handsOn {
			return 0, figureLost
		}
	}
	return 0, figureLost
}

// constant gives the value of a node that is nothing but a value: PrimitiveInt
// and its like, of the core and of packs.
func constant(n job.Node) (json.RawMessage, bool) {
	if len(n.Inputs) != 1 || n.Inputs[0].Link != nil {
		return nil, false
	}
	for _, word := range [...]string{"Primitive", "Constant", "constant", "Literal"} {
		if strings.Contains(n.Class, word) {
			return n.Inputs[0].Value, true
		}
	}
	switch n.Class {
	case "easy int", "easy float", "Int", "Float", "Integer", "Seed (rgthree)":
		return n.Inputs[0].Value, true
	}
	return nil, false
}
