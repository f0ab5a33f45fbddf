package sim

import (
	"context"
	"time"
)

// monitor tells everybody what ComfyUI-Crystools' monitor does, until the
// context ends: percentages, degrees and bytes, -1 where its library has lost
// sight. Cards are all of the machine's, in the driver's order.
func (p *process) monitor(ctx context.Context, every time.Duration) {
	for p.srv.pace.wait(ctx, every) == nil {
		p.hub.broadcast("crystools.monitor", p.srv.monitored())
	}
}

func (s *Server) monitored() *object {
	const ram, disk = 64 << 30, 1 << 40
	gpus, unknown := list(), s.faults.get().MonitorUnknown
	for _, g := range s.cards {
		m := g.sample()
		o := obj("gpu_utilization", int(m.util), "gpu_temperature", int(m.temp), "vram_total", m.total,
			"vram_used", m.used, "vram_used_percent", 100*float64(m.used)/float64(m.total))
		if unknown {
			for _, k := range o.keys {
				o.set(k, -1)
			}
		}
		gpus = append(gpus, o)
	}
	return obj("cpu_utilization", 12.5, "ram_total", ram, "ram_used", 21<<30, "ram_used_percent", 32.8,
		"hdd_total", disk, "hdd_used", disk/2, "hdd_used_percent", 50.0, "device_type", "cuda", "gpus", gpus)
}
