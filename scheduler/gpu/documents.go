package gpu

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"reckoner/scheduler/job"
)

// document reads the samples of a JSON document, whichever tool wrote it. ok is
// false when none is known that writes so.
func document(body []byte) (samples []sample, ok bool) {
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		return nil, false
	}
	switch body[0] {
	case '{':
		return object(body)
	case '[':
		return list(body)
	}
	return nil, false
}

// object reads a document that is an object.
func object(body []byte) ([]sample, bool) {
	var top map[string]json.RawMessage
	if json.Unmarshal(body, &top) != nil {
		return nil, false
	}
	switch {
	case top["devices"] != nil:
		samples, err := systemStats(body)
		return samples, err == nil
	case top["gpu_data"] != nil:
		return amdSMI(top["gpu_data"])
	case string(top["type"]) == `"crystools.monitor"`:
		return crystools(top["data"])
	}
	return rocmSMI(top)
}

// list reads a document that is a list.
func list(body []byte) ([]sample, bool) {
	var first []struct {
		Name *string         `json:"device_name"`
		GPU  json.RawMessage `json:"gpu"`
	}
	if json.Unmarshal(body, &first) != nil || len(first) == 0 {
		return intelTop(body) // never closed while it runs
	}
	switch {
	case first[0].Name != nil:
		return nvtop(body)
	case first[0].GPU != nil:
		return amdSMI(body)
	}
	return intelTop(body)
}

// quantity is a figure as amd-smi writes it: {"value": 42, "unit": "%"}, or "N/A".
type quantity struct{ job.Maybe[float64] }

func (q *quantity) UnmarshalJSON(b []byte) error {
	var v struct{ Value json.Number }
	if json.Unmarshal(b, &v) == nil {
		q.Maybe = number(v.Value.String())
	}
	return nil
}

// amdSMI reads `amd-smi metric --json`. Its MB are MiB; it has no power cap.
func amdSMI(body []byte) ([]sample, bool) {
	var cards []struct {
		GPU   job.Maybe[int] `json:"gpu"`
		Usage struct {
			Busy quantity `json:"gfx_activity"`
		} `json:"usage"`
		Power struct {
			Socket  quantity `json:"socket_power"`
			Average quantity `json:"average_socket_power"`
		} `json:"power"`
		Temperature struct {
			Edge quantity `json:"edge"`
		} `json:"temperature"`
		Memory struct {
			Total quantity `json:"total_vram"`
			Used  quantity `json:"used_vram"`
		} `json:"mem_usage"`
	}
	if json.Unmarshal(body, &cards) != nil {
		return nil, false
	}
	var samples []sample
	for _, c := range cards {
		s := sample{
			index: c.GPU, name: "AMD GPU", util: c.Usage.Busy.Maybe, power: c.Power.Socket.Maybe,
			temp: c.Temperature.Edge.Maybe,
		}
		if !s.power.Known() {
			s.power = c.Power.Average.Maybe
		}
		s.memTotal, s.memUsed = mebibytes(c.Memory.Total.Maybe), mebibytes(c.Memory.Used.Maybe)
		samples = append(samples, s)
	}
	return samples, len(samples) > 0
}

func mebibytes(m job.Maybe[float64]) job.Maybe[int64] {
	v, ok := m.Get()
	if !ok {
		return job.Maybe[int64]{}
	}
	return bytesOf(v, mib)
}

// rocmSMI reads `rocm-smi --json`: an object for each card, all values strings,
// and the key of the power differing by card. "system" is no card, a limit of 0 is
// none, and the second die of a MI250 has no power of its own.
func rocmSMI(top map[string]json.RawMessage) ([]sample, bool) {
	var samples []sample
	for key, raw := range top {
		digits, ok := strings.CutPrefix(key, "card")
		index, err := strconv.Atoi(digits)
		var card map[string]string
		if !ok || err != nil || json.Unmarshal(raw, &card) != nil {
			continue
		}
		s := sample{
			index: job.Known(index), name: firstOf(card, "Card Series", "Card series", "Card model"),
			util: figureOf(card["GPU use (%)"]), temp: figureOf(card["Temperature (Sensor edge) (C)"]),
			power:         figureOf(card["Average Graphics Package Power (W)"]),
			limitEnforced: figureOf(card["Max Graphics Package Power (W)"]),
		}
		if !s.power.Known() {
			s.power = figureOf(card["Current Socket Graphics Package Power (W)"])
		}
		if total, ok := figureOf(card["VRAM Total Memory (B)"]).Get(); ok {
			s.memTotal = bytesOf(total, 1)
		}
		if used, ok := figureOf(card["VRAM Total Used Memory (B)"]).Get(); ok {
			s.memUsed = bytesOf(used, 1)
		}
		samples = append(samples, s)
	}
	sortSamples(samples)
	return samples, len(samples) > 0
}

func firstOf(card map[string]string, keys ...string) string {
	for _, k := range keys {
		if !absent(card[k]) {
			return card[k]
		}
	}
	return "AMD GPU"
}

// nvtop reads `nvtop -s`: figures with their units, null for what is not there.
// Its mem_util is how full the memory is, without a size.
func nvtop(body []byte) ([]sample, bool) {
	var cards []map[string]*string
	if json.Unmarshal(body, &cards) != nil {
		return nil, false
	}
	var samples []sample
	for i, c := range cards {
		text := func(key, unit string) job.Maybe[float64] {
			if c[key] == nil {
				return job.Maybe[float64]{}
			}
			return number(strings.TrimSuffix(*c[key], unit))
		}
		s := sample{
			index: job.Known(i), util: text("gpu_util", "%"), power: text("power_draw", "W"), temp: text("temp", "C"),
			smClock: text("gpu_clock", "MHz"), memClock: text("mem_clock", "MHz"),
		}
		if c["device_name"] != nil {
			s.name = *c["device_name"]
		}
		samples = append(samples, s)
	}
	return samples, len(samples) > 0
}

// crystools reads what ComfyUI-Crystools tells every client of a render server. -1
// is not available. It names no card, and counts reserved memory as used.
func crystools(data []byte) ([]sample, bool) {
	var said struct {
		GPUs []struct {
			Busy  job.Maybe[float64] `json:"gpu_utilization"`
			Temp  job.Maybe[float64] `json:"gpu_temperature"`
			Total job.Maybe[int64]   `json:"vram_total"`
			Used  job.Maybe[int64]   `json:"vram_used"`
		} `json:"gpus"`
	}
	if json.Unmarshal(data, &said) != nil {
		return nil, false
	}
	var samples []sample
	for i, g := range said.GPUs {
		s := sample{
			index: job.Known(i), util: within(g.Busy, 0, 100), memTotal: positive(g.Total), memUsed: positive(g.Used),
		}
		if v, ok := g.Temp.Get(); ok && v >= 0 {
			s.temp = g.Temp
		}
		samples = append(samples, s)
	}
	return samples, true
}

// intelTop reads `intel_gpu_top -J`: a list that is never closed, in some versions
// without commas. Its first sample spans less than was asked for and is wrong.
func intelTop(body []byte) ([]sample, bool) {
	type engine struct{ Busy job.Maybe[float64] }
	var last *sample
	n := 0
	body = bytes.TrimPrefix(body, []byte("["))
	for {
		body = bytes.TrimLeft(body, ", \t\r\n")
		var one struct {
			Frequency struct{ Actual job.Maybe[float64] }
			Power     *struct{ GPU job.Maybe[float64] }
			Engines   map[string]engine
		}
		tokens := json.NewDecoder(bytes.NewReader(body))
		if tokens.Decode(&one) != nil || one.Power == nil {
			break
		}
		body = body[tokens.InputOffset():]
		if n++; n == 1 {
			continue
		}
		s := sample{index: job.Known(0), name: "Intel GPU", power: one.Power.GPU, smClock: one.Frequency.Actual}
		for _, e := range one.Engines {
			if busy, ok := e.Busy.Get(); ok && busy >= s.util.Or(0) {
				s.util = e.Busy
			}
		}
		last = &s
	}
	if last == nil {
		return nil, false
	}
	return []sample{*last}, true
}
