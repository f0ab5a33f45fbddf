package history

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
	"time"

	"reckoner/scheduler/job"
)

// Table writes past runs as comma-separated values, a line each, under a line of
// names. Times are UTC, figures use points, and what is not known is empty.
type Table struct{ w *csv.Writer }

// NewTable makes a table and writes its first line.
func NewTable(to io.Writer) (*Table, error) {
	t := &Table{csv.NewWriter(to)}
	return t, t.w.Write([]string{
		"ended", "job", "job_type", "width", "height", "frames", "steps", "machine", "gpu", "outcome", "seconds", "label",
		"start", "comfyui", "torch", "driver", "limit_w", "util_pct", "power_w", "temp_c", "files",
	})
}

// Add writes a run.
func (t *Table) Add(h job.HistoryRow, machine string) error {
	seconds := ""
	if s, ok := h.Run.Seconds.Get(); ok {
		seconds = strconv.FormatFloat(s, 'f', 3, 64)
	}
	var files []string
	for _, o := range h.Run.Outputs {
		if !o.Preview {
			files = append(files, o.File)
		}
	}
	c, of := h.Job.Type.Cost, h.Run.Conditions
	return t.w.Write([]string{
		h.Run.Ended.UTC().Format(time.RFC3339), plain(h.Job.Name), h.Run.TypeKey,
		figure(c.Width), figure(c.Height), figure(c.Frames), figure(c.Steps), plain(machine), plain(h.Run.GPU),
		string(h.Run.Outcome), seconds, string(h.Run.Judged()), string(h.Run.Start),
		plain(of.ComfyUI), plain(of.Torch), plain(of.Driver), known(of.LimitW), known(of.UtilPct), known(of.PowerW),
		known(of.TempC), plain(strings.Join(files, ";")),
	})
}

// Close writes what is left.
func (t *Table) Close() error {
	t.w.Flush()
	return t.w.Error()
}

func known(v job.Maybe[float64]) string {
	f, ok := v.Get()
	if !ok {
		return ""
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

func figure(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// plain keeps a spreadsheet from taking a name for a formula: names come from
// files that others made.
func plain(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}
