package gpu

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"reckoner/scheduler/job"
)

// comfy reads a render server's own view of its GPU: memory only. The question
// is answered by the server's event loop, so a late answer says that the server
// is busy, not that it is down.
type comfy struct {
	name string
	url  string
	opt  Options
}

const statsTime = 3 * time.Second

// Stream implements Source.
func (c *comfy) Stream(ctx context.Context, period time.Duration, out func([]job.Reading)) error {
	return poll(ctx, max(period, 2*time.Second), c.Once, out)
}

// Once implements Source. Processes are never known.
func (c *comfy) Once(ctx context.Context) ([]job.Reading, []job.Process, error) {
	body, err := page(ctx, c.opt, c.name, c.url, job.ErrNotComfy, statsTime)
	if err != nil {
		return nil, nil, err
	}
	samples, err := systemStats(body)
	if err != nil {
		return nil, nil, sourceError(job.ErrNotComfy, c.name, "", err)
	}
	if len(samples) == 0 {
		return nil, nil, sourceError(job.ErrNoGPU, c.name, "the server computes on no GPU", nil)
	}
	readings := make([]job.Reading, 0, len(samples))
	at := c.opt.Now()
	for _, s := range samples {
		readings = append(readings, s.reading(at, c.name))
	}
	byIndex(readings)
	return readings, nil, nil
}

// device is an entry of /system_stats. Sizes are in bytes; what torch holds but
// does not use counts as free in vram_free (model_management.py).
type device struct {
	Name       string           `json:"name"`
	Type       string           `json:"type"`
	Index      job.Maybe[int]   `json:"index"`
	VRAMTotal  job.Maybe[int64] `json:"vram_total"`
	VRAMFree   job.Maybe[int64] `json:"vram_free"`
	TorchTotal job.Maybe[int64] `json:"torch_vram_total"`
	TorchFree  job.Maybe[int64] `json:"torch_vram_free"`
}

// systemStats reads the GPUs from the answer to GET /system_stats. A GPU's index
// there is torch's, which CUDA_VISIBLE_DEVICES renumbers.
func systemStats(body []byte) ([]sample, error) {
	var stats struct {
		Devices *[]device `json:"devices"`
	}
	if err := json.Unmarshal(body, &stats); err != nil {
		return nil, fmt.Errorf("read system_stats: %w", err)
	}
	if stats.Devices == nil {
		return nil, errors.New("read system_stats: no devices")
	}
	var samples []sample
	for _, d := range *stats.Devices {
		// A CPU's entry repeats the host's memory, and so does Apple's; DirectML
		// always says one GiB.
		if slices.Contains([]string{"cpu", "mps", "privateuseone", ""}, d.Type) {
			continue
		}
		samples = append(samples, sample{
			index: d.Index, name: deviceName(d.Name), memTotal: d.VRAMTotal, memUsed: d.used(),
		})
	}
	return samples, nil
}

// used gives what is used on the card, by everybody: the total less what the
// driver has free. On Intel the total leaves other programs out.
func (d device) used() job.Maybe[int64] {
	total, okT := d.VRAMTotal.Get()
	free, okF := d.VRAMFree.Get()
	torchFree, okH := d.TorchFree.Get()
	used := total - (free - torchFree)
	if !okT || !okF || !okH || d.Type == "xpu" || used < 0 || used > total {
		return job.Maybe[int64]{}
	}
	return job.Known(used)
}

// deviceName gives the card's name from torch's, such as "cuda:0 NVIDIA GeForce
// RTX 5060 Ti : cudaMallocAsync".
func deviceName(name string) string {
	if head, rest, ok := strings.Cut(name, " "); ok && strings.Contains(head, ":") {
		name = rest
	}
	if i := strings.LastIndex(name, " : "); i >= 0 {
		name = name[:i]
	}
	return strings.TrimSpace(name)
}
