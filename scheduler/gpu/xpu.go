package gpu

import (
	"cmp"
	"slices"
	"strings"
)

// xpuDump reads `xpu-smi dump`: a table with padded columns, named in its header,
// and bare N/A. Its memory is told in percent only, which says nothing of a size.
func xpuDump(text string) (samples []sample, ok bool) {
	var columns []string
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.TrimSpace(line), ",")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case len(cells) > 2 && cells[0] == "Timestamp" && cells[1] == "DeviceId":
			columns = cells
			continue
		case len(columns) == 0:
			return nil, false
		case len(cells) != len(columns):
			continue
		}
		s := sample{name: "Intel GPU"}
		for i, name := range columns {
			v := figureOf(cells[i])
			switch name {
			case "DeviceId":
				s.index = nonNegative(cells[i])
			case "GPU Utilization (%)":
				s.util = v
			case "GPU Power (W)":
				s.power = v
			case "GPU Frequency (MHz)":
				s.smClock = v
			case "GPU Core Temperature (Celsius Degree)":
				s.temp = v
			}
		}
		samples = slices.DeleteFunc(samples, func(old sample) bool { return old.index == s.index })
		samples = append(samples, s)
	}
	sortSamples(samples)
	return samples, len(samples) > 0
}

func sortSamples(samples []sample) {
	slices.SortFunc(samples, func(a, b sample) int { return cmp.Compare(a.index.Or(1<<30), b.index.Or(1<<30)) })
}
