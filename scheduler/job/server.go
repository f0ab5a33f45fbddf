package job

import (
	"encoding/json"
	"time"
)

// Machine is a host with GPUs and render servers.
type Machine struct {
	ID   ID     `json:"id"`
	Name string `json:"name"`
	// Sources are where its GPUs' readings come from, as `reckoner gpu` names
	// them: "nvidia-smi", "prom:URL", ...
	Sources []string `json:"sources,omitempty"`
	Paused  bool     `json:"paused,omitempty"`
	// Others says what jobs do while other people's work is on its GPUs, and
	// OthersFor how long at most they are held for it; 0 means an hour.
	Others    OthersPolicy  `json:"others,omitempty"`
	OthersFor time.Duration `json:"others_for,omitempty"`
	// Ignored are reasons to hold that the user told us to ignore here, each
	// until a time.
	Ignored map[HoldCode]time.Time `json:"ignored,omitempty"`
	// Saved says that the machine is kept; those named on a command line are
	// used, not saved.
	Saved bool `json:"-"`
}

// OthersPolicy says what jobs do while other people's work is on a machine.
type OthersPolicy string

// The policies.
const (
	OthersHold   OthersPolicy = ""       // wait here, for a bounded time
	OthersBehind OthersPolicy = "behind" // queue behind them on the server
	// OthersElsewhere lets jobs that may run here only run on any other machine,
	// too; those that nobody else takes wait as with OthersHold.
	OthersElsewhere OthersPolicy = "elsewhere"
)

// Server is a render server: one ComfyUI process.
type Server struct {
	ID      ID     `json:"id"`
	Machine ID     `json:"machine"`
	Name    string `json:"name"`
	URL     string `json:"url"` // bare: no user, password or token; ssh:user@host for one behind ssh
	// Pins are the SHA-256 fingerprints of certificates that the user accepted for
	// this server.
	Pins []string `json:"pins,omitempty"`
	// WatchOnly servers are looked at and never sent to.
	WatchOnly bool `json:"watch_only,omitempty"`
	// GPU is the key of the GPU it computes on, "" while not known.
	GPU string `json:"gpu,omitempty"`
	// ClientID is our websocket's clientId on this server.
	ClientID string `json:"client_id"`
}

// LocalProcess is a program of this computer.
type LocalProcess struct {
	PID  int    // 0 where this user may not see it
	Name string // likewise ""
}

// ServerInfo is what a server says about itself.
type ServerInfo struct {
	Version string // a lower bound; "" when it does not say
	Torch   string // "2.8.0+cu128"
	OS      string
	// TargetedInterrupt says that an interrupt stops only the prompt it names
	// (0.3.57 and later). OwnIDs says that the prompt_id we choose is used
	// (0.3.45 and later).
	TargetedInterrupt bool
	OwnIDs            bool
	// FillsCard says that it fills the GPU's memory on purpose and makes room for
	// others: how much is free says nothing.
	FillsCard         bool
	Devices           []Device
	RAMTotal, RAMFree Maybe[int64]  // bytes
	ClockOffset       time.Duration // the server's clock minus ours, from its Date header
}

// Device is a GPU as torch on a render server sees it. Sizes are in bytes.
type Device struct {
	Name  string // "cuda:0 NVIDIA GeForce RTX 4090 : cudaMallocAsync"
	Type  string
	Index Maybe[int]
	// VRAMTotal and VRAMFree are the card's; what torch holds but does not use
	// counts as free. TorchTotal and TorchFree are this process's.
	VRAMTotal, VRAMFree, TorchTotal, TorchFree Maybe[int64]
}

// Checkup is what a check of a render server found: reachable is not usable. The
// zero fields were not come to.
type Checkup struct {
	Info  ServerInfo
	Known bool // it is a ComfyUI that lets us in; Info is set
	// SocketErr says why there will be no live news, nil when there will.
	SocketErr *Error
	// Ahead counts prompts that ran or waited there. With any the tiny prompt was
	// not sent: the server is at work, which shows as much.
	Ahead int
	// Ran says that the server ran the tiny prompt; Took is from sending it to its
	// record.
	Ran  bool
	Took time.Duration
	// Err says why the server cannot be used, nil when it can.
	Err *Error
}

// Tag is what every submission of ours carries in extra_data.reckoner, so that
// it is recognised on servers that ignore our ids and after a crash.
type Tag struct {
	Job ID     `json:"job"`
	Run ID     `json:"run"`
	App string `json:"app"` // one id a data folder
}

// Submission is what a render server is asked to run.
type Submission struct {
	Graph Graph
	// Workflow is the same in the page's own format, which servers keep in what
	// they make; nil for none.
	Workflow json.RawMessage
	PromptID ID
	ClientID string
	Tag      Tag
}

// Receipt is a server's answer to a submission that it took.
type Receipt struct {
	PromptID string // the server's own
	Number   float64
	// Faults are outputs that the server left out of the run.
	Faults []NodeFault
}

// Queue is what a render server runs and has waiting.
type Queue struct {
	Running []Prompt
	Pending []Prompt // in the order in which they will run
}

// Prompt is a prompt on a server's queue.
type Prompt struct {
	ID     string
	Number float64
	Client string // client_id of who sent it, "" when the server does not say
	Tag    Tag    // zero unless a Reckoner sent it
}

// Record is what a server's history says about a prompt that ended.
type Record struct {
	PromptID string
	Tag      Tag
	Outcome  RunOutcome // "" when no terminal message is there and none can be inferred
	// Started and Ended are the server's own stamps; zero on servers before July
	// 2024.
	Started, Ended time.Time
	Cached         []string // nodes whose results came from the cache
	Outputs        []OutputRef
	// OtherOutputs counts results that are not files, such as texts.
	OtherOutputs int
	Err          *Error
}

// News is something a server's websocket said. It is a hint: HTTP is the
// record.
type News struct {
	Kind     NewsKind
	PromptID string // "" when the message names none
	Stamp    time.Time
	Node     string
	Value    float64
	Max      float64
	Nodes    []string // NewsCached: the cached nodes
	Count    int      // NewsStatus: running and pending prompts
	Err      *Error   // NewsDown: why
	// Outcome is set for NewsEnded when the message said it.
	Outcome RunOutcome
	Image   []byte // NewsPreview: an encoded picture
	// Readings are NewsReadings: of the cards of the server's computer. Whoever
	// hears them sets their time and source.
	Readings []Reading
}

// NewsKind says what a News is about.
type NewsKind string

// The kinds of news.
const (
	NewsUp      NewsKind = "up"      // the socket is open
	NewsDown    NewsKind = "down"    // the socket is gone; it is being opened again
	NewsStatus  NewsKind = "status"  // the queue's length changed
	NewsStarted NewsKind = "started" // a prompt of ours started
	NewsCached  NewsKind = "cached"  // which nodes came from the cache
	NewsNode    NewsKind = "node"    // a node began
	NewsStep    NewsKind = "step"    // a node reported progress
	NewsEnding  NewsKind = "ending"  // a terminal message; history may not be written yet
	NewsEnded   NewsKind = "ended"   // "executing: null": history is written
	NewsPreview NewsKind = "preview"
	// NewsReadings is what an extension of the server tells of its cards.
	NewsReadings NewsKind = "readings"
	NewsImage    NewsKind = "image" // a whole picture: previews are JPEG, results sent this way PNG
)
