package job

import (
	"strings"
	"time"
)

// Reading is one telemetry sample of a GPU. Every figure may be unknown. A
// Reading is never changed once it is made.
type Reading struct {
	At     time.Time // of the sample
	Source string    // "nvidia-smi", "prom:http://…", "comfy:http://…"
	GPU    GPU

	Util     Maybe[float64] // percent of time in which a kernel ran
	Power    Maybe[float64] // watts
	Limit    Maybe[float64] // watts; the enforced limit where it is known
	MemUsed  Maybe[int64]   // bytes
	MemTotal Maybe[int64]   // bytes
	Temp     Maybe[float64] // degrees Celsius
	// SM is the clock of the multiprocessors and SMMax its highest, in MHz. PState is
	// the performance state, "P0" (fastest) to "P12", "" when not known.
	SM, SMMax Maybe[float64]
	PState    string
	// Driver is the version of the GPU's driver, "" when not known.
	Driver string
	// Link is what the bus carries towards the GPU at its present speed, in bytes a
	// second.
	Link Maybe[float64]
	// Reasons are why the clocks are held back, such as "sw_power_cap". Empty
	// when none, or when not known.
	Reasons []string
}

// GPU names a GPU. Any field may be empty.
type GPU struct {
	UUID  string // lower case, without "GPU-"
	Index Maybe[int]
	Name  string // "NVIDIA GeForce RTX 4090"
}

// Key is what a baseline belongs to: the model and the uuid, "" when neither is
// known. It never holds an address.
func (g GPU) Key() string {
	switch {
	case g.UUID != "":
		return g.Name + "/" + g.UUID
	default:
		return g.Name
	}
}

// Process is a program that holds a GPU.
type Process struct {
	GPU   string // uuid, "" when the source does not tell
	Index Maybe[int]
	PID   int
	Name  string
	Mem   Maybe[int64]   // bytes
	SM    Maybe[float64] // percent of the streaming multiprocessors' time
}

// ProgramName is a program's name without its folder, and, where it is a path with
// words behind it, without those.
func ProgramName(path string) string {
	if i := strings.LastIndexByte(path, '\\'); i >= 0 {
		return path[i+1:]
	}
	if !strings.HasPrefix(path, "/") {
		return path
	}
	path, _, _ = strings.Cut(path, " ")
	return path[strings.LastIndexByte(path, '/')+1:]
}

// Programs is which programs held the GPUs of a source at one moment. It is never
// changed once it is made.
type Programs struct {
	At     time.Time
	Source string
	List   []Process
	// Listeners are the processes that listen on TCP ports of that computer, by
	// port, and Parents who started a process: both as far as they could be read,
	// nil when they could not.
	Listeners, Parents map[int]int
	// BusIn is what goes over the bus towards a GPU, in bytes a second, by index.
	BusIn map[int]float64
}

// HostReading is a sample of this computer. Sizes are in bytes.
type HostReading struct {
	At                time.Time
	CPU               Maybe[float64] // percent of all cores
	MemUsed, MemTotal Maybe[int64]
	DiskFree          Maybe[int64] // where results go
}
