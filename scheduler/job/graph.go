package job

import "encoding/json"

// Graph is a workflow in ComfyUI's API format: what a render server is sent.
// Raw is sent as it is: key order and every digit of a 64-bit seed are the
// file's own. Nodes is the same thing taken apart, in the file's order. A Graph
// is never changed once it is made.
type Graph struct {
	Raw   json.RawMessage
	Nodes []Node
}

// Node is one step of a workflow.
type Node struct {
	ID     string // any string; "57:8" inside subgraphs
	Class  string // class_type
	Title  string // _meta.title, or ""
	Inputs []Input
}

// Input is a named value of a node, or a link to another node's output.
type Input struct {
	Name  string
	Value json.RawMessage // as in the file
	Link  *Link           // nil for a plain value
}

// Link points to an output of a node.
type Link struct {
	Node string
	Slot int
}

// Node gives the node with an id.
func (g Graph) Node(id string) (Node, bool) {
	for _, n := range g.Nodes {
		if n.ID == id {
			return n, true
		}
	}
	return Node{}, false
}

// Input gives a node's input by name.
func (n Node) Input(name string) (Input, bool) {
	for _, in := range n.Inputs {
		if in.Name == name {
			return in, true
		}
	}
	return Input{}, false
}

// Type is a job type: what jobs must share for their durations to be
// comparable.
type Type struct {
	// Key is equal for the same work, whatever the prompts, seeds, titles, node
	// ids and file names, and differs when anything that costs time differs. It
	// is the hexadecimal start of a SHA-256. "" means that no type is known.
	Key string `json:"key"`
	// Task is what the job makes of what, such as "image_to_video".
	Task   string   `json:"task"`
	Cost   Cost     `json:"cost,omitzero"`
	Models []string `json:"models,omitempty"`
	// Partial says that a cost input is behind a link that could not be
	// followed, so jobs of this type may differ in cost.
	Partial bool `json:"partial,omitempty"`
}

// Tasks of a Type.
const (
	TaskTextToImage  = "text_to_image"
	TaskImageToImage = "image_to_image"
	TaskTextToVideo  = "text_to_video"
	TaskImageToVideo = "image_to_video"
	TaskVideoToVideo = "video_to_video"
	TaskAudio        = "audio"
	TaskOther        = "other"
)

// Sampler is a node that works in steps, and how many its inputs say. Its server
// may count them otherwise: some samplers call the model twice a step.
type Sampler struct {
	Node  string `json:"node"`
	Steps int    `json:"steps"`
}

// Cost holds the inputs that carry most of a job's cost, as far as they could
// be read. A zero is unknown: none of them can be 0 in a job that does
// something.
type Cost struct {
	Width  int     `json:"width,omitempty"`  // pixels
	Height int     `json:"height,omitempty"` // pixels
	Frames int     `json:"frames,omitempty"`
	Steps  int     `json:"steps,omitempty"` // of all samplers together
	Batch  int     `json:"batch,omitempty"`
	FPS    float64 `json:"fps,omitempty"` // costs nothing; tells the length of a video
}
