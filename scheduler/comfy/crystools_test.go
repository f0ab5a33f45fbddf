package comfy

import (
	"testing"

	"reckoner/scheduler/job"
)

func TestWhatCrystoolsTellsAreReadings(t *testing.T) {
	// Given a message of ComfyUI-Crystools 1.27.4 about a card at work and one that
	// it lost sight of,
	n, ok := newListener().hear([]byte(`{"type":"crystools.monitor","data":{"cpu_utilization":12.5,"ram_total":68654149632,
		"device_type":"cuda","gpus":[
		{"gpu_utilization":100,"gpu_temperature":46,"vram_total":17103323136,"vram_used":16787701760,"vram_used_percent":98.2},
		{"gpu_utilization":-1,"gpu_temperature":-1,"vram_total":-1,"vram_used":-1,"vram_used_percent":-1}]}}`))
	// then the first is known in full, and of the second nothing is: never 0.
	if !ok || n.Kind != job.NewsReadings || len(n.Readings) != 2 {
		t.Fatalf("%+v, %v", n, ok)
	}
	first, second := n.Readings[0], n.Readings[1]
	if first.Util != job.Known(100.0) || first.Temp != job.Known(46.0) || first.MemUsed != job.Known(int64(16787701760)) ||
		first.MemTotal != job.Known(int64(17103323136)) || first.GPU.Index != job.Known(0) || first.Power.Known() {
		t.Errorf("%+v", first)
	}
	if second.Util.Known() || second.Temp.Known() || second.MemUsed.Known() || second.MemTotal.Known() || second.GPU.Index != job.Known(1) {
		t.Errorf("%+v", second)
	}
}

func TestWhatCrystoolsMayNotTell(t *testing.T) {
	for _, gpus := range []string{
		`{}`, `[1]`, `"x"`, `[{"gpu_utilization":"full"},2]`,
	} {
		if n, ok := newListener().hear([]byte(`{"type":"crystools.monitor","data":{"gpus":` + gpus + `}}`)); ok {
			t.Errorf("%s: %+v", gpus, n)
		}
	}
	n, ok := newListener().hear([]byte(`{"type":"crystools.monitor","data":{"gpus":[{"gpu_utilization":1e9,"vram_total":5,"vram_used":9}]}}`))
	if !ok || n.Readings[0].Util.Known() || n.Readings[0].MemUsed.Known() {
		t.Errorf("%+v, %v", n, ok)
	}
}
