package history

import (
	"fmt"
	"strings"

	"reckoner/assets/text"
	"reckoner/scheduler/job"
)

// conditions says under which conditions a run went, "" when nothing is known of
// them.
func conditions(c job.Conditions) string {
	var says []string
	for _, v := range [...]struct{ what, version string }{
		{"ComfyUI ", c.ComfyUI}, {"torch ", c.Torch}, {"driver ", c.Driver},
	} {
		if v.version != "" {
			says = append(says, v.what+text.Plain(v.version))
		}
	}
	if limit, ok := c.LimitW.Get(); ok {
		says = append(says, fmt.Sprintf("power limit %.0f W", limit))
	}
	var medians []string
	for _, v := range [...]struct {
		figure job.Maybe[float64]
		unit   string
	}{{c.UtilPct, "%.0f %%"}, {c.PowerW, "%.0f W"}, {c.TempC, "%.0f °C"}} {
		if f, ok := v.figure.Get(); ok {
			medians = append(medians, fmt.Sprintf(v.unit, f))
		}
	}
	if len(medians) > 0 {
		says = append(says, "GPU in the median at "+strings.Join(medians, ", "))
	}
	return strings.Join(says, " · ")
}
