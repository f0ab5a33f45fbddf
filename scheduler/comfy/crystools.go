package comfy

import "reckoner/scheduler/job"

// maxCards bounds how many cards a message may speak of.
const maxCards = 32

// monitored reads what ComfyUI-Crystools tells every client once in a while: how
// busy, how warm and how full each card is. -1 is not available. It names no card:
// they come in the driver's order. What it counts as used includes what the driver
// keeps for itself.
func monitored(data object) []job.Reading {
	cards := data.list("gpus")
	if len(cards) > maxCards {
		return nil
	}
	var readings []job.Reading
	for i, raw := range cards {
		card, ok := asObject(raw)
		if !ok {
			return nil
		}
		percent, degrees := card.figure("gpu_utilization", 100), card.figure("gpu_temperature", 200)
		r := job.Reading{GPU: job.GPU{Index: job.Known(i)}, Util: percent, Temp: degrees}
		if total, ok := card.int64("vram_total"); ok && total > 0 {
			r.MemTotal = job.Known(total)
			if used, ok := card.int64("vram_used"); ok && used >= 0 && used <= total {
				r.MemUsed = job.Known(used)
			}
		}
		readings = append(readings, r)
	}
	return readings
}

// figure reads a number from 0 to most; anything else is not known.
func (o object) figure(key string, most float64) job.Maybe[float64] {
	if v, ok := o.number(key); ok && v >= 0 && v <= most {
		return job.Known(v)
	}
	return job.Maybe[float64]{}
}
