package gpu

import (
	"strconv"
	"strings"

	"reckoner/scheduler/job"
)

// nvidiaSMI takes a series of utkuozdemir/nvidia_gpu_exporter: ratios, bytes,
// watts and hertz. What is not available has no series.
func (g *gathering) nvidiaSMI(field string, l map[string]string, v float64) {
	switch field {
	case "last_collect_success":
		g.failed = v == 0
		return
	case "command_exit_code":
		g.exit = int(v)
		return
	case "compute_app_used_memory_bytes":
		if pid, ok := nonNegative(l["pid"]).Get(); ok && pid > 0 {
			p := job.Process{GPU: plainUUID(l["uuid"]), PID: pid, Mem: bytesOf(v, 1)}
			if !absent(l["process_name"]) {
				p.Name = l["process_name"]
			}
			g.processes = append(g.processes, p)
		}
		return
	}
	uuid := plainUUID(l["uuid"])
	if uuid == "" {
		return
	}
	s := g.gpu(uuid)
	s.uuid = uuid
	switch field {
	case "gpu_info":
		s.index, s.name = nonNegative(l["index"]), l["name"]
		if !absent(l["driver_version"]) {
			s.driver = l["driver_version"]
		}
	case "utilization_gpu_ratio":
		s.util = job.Known(v * 100)
	case "utilization_memory_ratio":
		s.memBusy = job.Known(v * 100)
	case "power_draw_watts":
		s.power = job.Known(v)
	case "enforced_power_limit_watts":
		s.limitEnforced = job.Known(v)
	case "power_limit_watts":
		s.limitAsked = job.Known(v)
	case "power_default_limit_watts":
		s.limitDefault = job.Known(v)
	case "memory_total_bytes":
		s.memTotal = bytesOf(v, 1)
	case "memory_used_bytes":
		s.memUsed = bytesOf(v, 1)
	case "temperature_gpu":
		s.temp = job.Known(v)
	case "clocks_current_sm_clock_hz":
		s.smClock = job.Known(v / 1e6)
	case "pstate":
		s.pstate = "P" + strconv.Itoa(int(v))
	default:
		takeFlag(s, field, v)
	}
}

// takeFlag takes one of the exporter's single reasons, in the spelling of before
// or after driver 535.
func takeFlag(s *sample, field string, v float64) {
	reason, ok := strings.CutPrefix(field, "clocks_event_reasons_")
	if !ok {
		reason, ok = strings.CutPrefix(field, "clocks_throttle_reasons_")
	}
	if !ok || reason == "active" || reason == "supported" || strings.HasPrefix(reason, "counters") {
		return
	}
	if s.reasons == nil {
		s.reasons = []string{}
	}
	if v == 1 {
		s.reasons = append(s.reasons, reason)
	}
}

// dcgm takes a series of NVIDIA's dcgm-exporter, by its DCGM_FI_DEV_ name:
// percent, watts and MiB. It has no total; that is the sum of its parts. A slice
// of a GPU (MIG) has no figures of its own here.
func (g *gathering) dcgm(field string, l map[string]string, v float64) {
	uuid := plainUUID(l["UUID"])
	if uuid == "" || l["GPU_I_ID"] != "" {
		return
	}
	s := g.gpu(uuid)
	s.uuid, s.index, s.name = uuid, nonNegative(l["gpu"]), l["modelName"]
	switch field {
	case "GPU_UTIL":
		s.util = job.Known(v)
	case "MEM_COPY_UTIL":
		s.memBusy = job.Known(v)
	case "POWER_USAGE":
		s.power = job.Known(v)
	case "POWER_MGMT_LIMIT":
		s.limitAsked = job.Known(v)
	case "ENFORCED_POWER_LIMIT":
		s.limitEnforced = job.Known(v)
	case "GPU_TEMP":
		s.temp = job.Known(v)
	case "SM_CLOCK":
		s.smClock = job.Known(v)
	case "FB_TOTAL":
		s.memTotal = dcgmMemory(v)
	case "FB_USED":
		s.memUsed = dcgmMemory(v)
	case "FB_FREE":
		s.memFree = dcgmMemory(v)
	case "FB_RESERVED":
		s.memReserved = dcgmMemory(v)
	}
	used, okU := s.memUsed.Get()
	free, okF := s.memFree.Get()
	reserved, okR := s.memReserved.Get()
	if field != "FB_TOTAL" && okU && okF && okR {
		s.memTotal = job.Known(used + free + reserved)
	}
}

// dcgmMemory reads MiB. Old versions spell "blank" as numbers from 2^31 - 16 on.
func dcgmMemory(v float64) job.Maybe[int64] {
	if v >= 2147483632 {
		return job.Maybe[int64]{}
	}
	return bytesOf(v, mib)
}

// amdMetrics takes a series of ROCm's device-metrics-exporter: percent, watts
// and MB, which are MiB in the driver's own books. It has no power cap.
func (g *gathering) amdMetrics(field string, l map[string]string, v float64) {
	s := g.gpu("amd " + l["hostname"] + " " + l["gpu_id"])
	s.index, s.name = nonNegative(l["gpu_id"]), l["card_model"]
	switch field {
	case "gfx_activity":
		s.util = job.Known(v)
	case "package_power", "average_package_power":
		s.power = job.Known(v)
	case "total_vram":
		s.memTotal = bytesOf(v, mib)
	case "used_vram":
		s.memUsed = bytesOf(v, mib)
	case "junction_temperature":
		s.temp = job.Known(v)
	case "clock":
		if l["clock_type"] == "GPU_CLOCK_TYPE_SYSTEM" {
			s.smClock = job.Known(v)
		}
		if l["clock_type"] == "GPU_CLOCK_TYPE_MEMORY" {
			s.memClock = job.Known(v)
		}
	}
}

// node takes a series of node_exporter's drm and hwmon collectors, by its name
// after node_. They know amdgpu cards only.
func (g *gathering) node(field string, l map[string]string, v float64) {
	switch field {
	case "drm_gpu_busy_percent":
		g.card(l).util = job.Known(v)
	case "drm_memory_vram_size_bytes":
		g.card(l).memTotal = bytesOf(v, 1)
	case "drm_memory_vram_used_bytes":
		g.card(l).memUsed = bytesOf(v, 1)
	case "hwmon_chip_names":
		if l["chip_name"] == "amdgpu" {
			g.hwmon.chips = append(g.hwmon.chips, l["chip"])
		}
	case "hwmon_power_average_watt", "hwmon_power_cap_watt", "hwmon_temp_celsius":
		if sensor := l["sensor"]; sensor == "power1" || sensor == "temp1" {
			g.hwmon.figures = append(g.hwmon.figures, hwmonFigure{chip: l["chip"], field: field, value: v})
		}
	}
}

func (g *gathering) card(l map[string]string) *sample {
	s := g.gpu("card " + l["card"])
	s.index = nonNegative(strings.TrimPrefix(l["card"], "card"))
	return s
}

// hwmon is what the hwmon collector says about chips. A chip and a card share no
// label.
type hwmon struct {
	chips   []string // the amdgpu ones
	figures []hwmonFigure
}

type hwmonFigure struct {
	chip, field string
	value       float64
}

// joinHwmon gives a card its chip's figures where there is one of each:
// otherwise nothing tells which belongs to which.
func (g *gathering) joinHwmon() {
	if len(g.hwmon.chips) != 1 || len(g.gpus) != 1 {
		return
	}
	for key, s := range g.gpus {
		if !strings.HasPrefix(key, "card ") {
			return
		}
		for _, f := range g.hwmon.figures {
			switch {
			case f.chip != g.hwmon.chips[0]:
			case f.field == "hwmon_power_average_watt":
				s.power = job.Known(f.value)
			case f.field == "hwmon_power_cap_watt":
				s.limitEnforced = job.Known(f.value)
			case f.field == "hwmon_temp_celsius":
				s.temp = job.Known(f.value)
			}
		}
	}
}
