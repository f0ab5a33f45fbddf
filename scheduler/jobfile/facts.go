package jobfile

import (
	"encoding/json"
	"strings"

	"reckoner/scheduler/job"
)

// Facts are what a file says about its job, for people and for `inspect`.
type Facts struct {
	Nodes   int
	Outputs []Output
	Inputs  []MediaInput
	Models  []string // of nodes that run, in the graph's order, each once
	Cost    job.Cost
	// Partial says that some of the Cost is behind a link that could not be
	// followed, and SizeFromInput that the size is that of an input file.
	Partial       bool
	SizeFromInput bool
}

// Output is a node whose results the server returns.
type Output struct {
	ID    string `json:"id"`
	Class string `json:"class"`
}

// MediaInput is a file that the job reads on the server: it has to be there
// before the job can run.
type MediaInput struct {
	Node  string `json:"node"`
	Class string `json:"class"`
	Name  string `json:"name"` // the input's
	File  string `json:"file"` // as the graph names it; may be a URL
	// Needed says that the node runs: some output needs it.
	Needed bool `json:"-"`
	// Title is the node's, and Takes what it reads.
	Title string `json:"-"`
	Takes Media  `json:"-"`
}

// FactsOf reads a graph's facts. Outputs that are not known to be any are left
// out. Models and cost are those of the nodes that results need; inputs are all,
// with those that results need marked.
func FactsOf(g job.Graph) Facts {
	x := newIndex(g)
	known, doubtful := x.outputs()
	marked := x.needed(append(append([]int(nil), known...), doubtful...))
	f := Facts{Nodes: len(g.Nodes)}
	for _, i := range known {
		f.Outputs = append(f.Outputs, Output{ID: g.Nodes[i].ID, Class: g.Nodes[i].Class})
	}
	seen := map[string]bool{}
	for i, n := range g.Nodes {
		for _, in := range n.Inputs {
			if file, ok := mediaFile(n.Class, in); ok {
				f.Inputs = append(f.Inputs, MediaInput{
					Node: n.ID, Class: n.Class, Name: in.Name, File: file, Needed: marked[i],
					Title: n.Title, Takes: takes(n.Class, ""),
				})
			}
			for _, m := range modelsIn(in) {
				if marked[i] && !seen[m] {
					seen[m] = true
					f.Models = append(f.Models, m)
				}
			}
		}
	}
	c := x.cost(marked)
	f.Cost, f.Partial, f.SizeFromInput = c.cost, c.partial, c.sizeFromInput
	return f
}

// mediaFile gives the file that a loading node reads: a picture, a video or a
// sound, not a model.
func mediaFile(class string, in job.Input) (string, bool) {
	if !loadsMedia(class) {
		return "", false
	}
	switch in.Name {
	case "image", "video", "audio", "file", "model_file", "latent", "mask":
	default:
		return "", false
	}
	if isLongText(in.Value) {
		return "", false
	}
	file, ok := text(in.Value)
	return file, ok && file != "" && !isModel(file)
}

func loadsMedia(class string) bool {
	for _, prefix := range [...]string{"LoadImage", "LoadVideo", "LoadAudio", "LoadLatent", "Load3D", "VHS_Load"} {
		if strings.HasPrefix(class, prefix) {
			return true
		}
	}
	return strings.HasPrefix(class, "Load ") || strings.HasSuffix(class, "LoadImage")
}

// modelEndings are what files with weights end in (comfyui-protocol, 5.6).
var modelEndings = [...]string{
	".safetensors", ".ckpt", ".pt", ".pt2", ".bin", ".pth", ".sft", ".pkl", ".gguf", ".onnx",
}

func isModel(file string) bool {
	if len(file) > 512 || strings.ContainsAny(file, "\n\r") {
		return false
	}
	lower := strings.ToLower(file)
	for _, e := range modelEndings {
		if strings.HasSuffix(lower, e) {
			return true
		}
	}
	return false
}

// isLongText tells texts that are too long to be a name or a choice, without
// reading them: pictures lie inside some workflows as text. An escaped character
// takes at most six bytes.
func isLongText(raw json.RawMessage) bool { return kind(raw) == '"' && len(raw) > 6*512+2 }

// modelsIn gives the model files that an input names, also in a record such as
// {"on": true, "lora": "x.safetensors"} that is not switched off.
func modelsIn(in job.Input) []string {
	if isLongText(in.Value) {
		return nil
	}
	if file, ok := text(in.Value); ok {
		if isModel(file) {
			return []string{file}
		}
		return nil
	}
	members, _, _ := object(in.Value)
	if on, has := find(members, "on"); has && string(on) == "false" {
		return nil
	}
	var files []string
	for _, m := range members {
		if file, ok := text(m.value); ok && isModel(file) {
			files = append(files, file)
		}
	}
	return files
}
