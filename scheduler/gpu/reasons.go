package gpu

import (
	"math/bits"
	"strconv"
	"strings"
)

// reasonIdle says that the clocks are low because nothing runs.
const reasonIdle = "gpu_idle"

// reasonName names a bit of clocks_event_reasons.active, as nvidia-smi names its
// single fields (NVML header, nvmlClocksEventReasons).
func reasonName(bit uint64) string {
	switch bit {
	case 0x1:
		return reasonIdle
	case 0x2:
		return "applications_clocks_setting"
	case 0x4:
		return "sw_power_cap"
	case 0x8:
		return "hw_slowdown"
	case 0x10:
		return "sync_boost"
	case 0x20:
		return "sw_thermal_slowdown"
	case 0x40:
		return "hw_thermal_slowdown"
	case 0x80:
		return "hw_power_brake_slowdown"
	case 0x100:
		return "display_clocks_setting"
	default:
		return "unknown_0x" + strconv.FormatUint(bit, 16)
	}
}

// reasonsOf decodes a cell such as 0x0000000000000048, lowest bit first. It
// gives nil when the cell is not such a number.
func reasonsOf(cell string) []string {
	digits, ok := strings.CutPrefix(strings.ToLower(cell), "0x")
	if !ok {
		return nil
	}
	mask, err := strconv.ParseUint(digits, 16, 64)
	if err != nil {
		return nil
	}
	names := make([]string, 0, bits.OnesCount64(mask))
	for ; mask != 0; mask &= mask - 1 {
		names = append(names, reasonName(mask&-mask))
	}
	return names
}
