package job

import "time"

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
	GPU  string // uuid
	PID  int
	Name string
	Mem  Maybe[int64]   // bytes
	SM   Maybe[float64] // percent of the streaming multiprocessors' time
}

// HostReading is a sample of this computer. Sizes are in bytes.
type HostReading struct {
	At                time.Time
	CPU               Maybe[float64] // percent of all cores
	MemUsed, MemTotal Maybe[int64]
	DiskFree          Maybe[int64] // where results go
}
