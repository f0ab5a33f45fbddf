package gpu

import (
	"strconv"
	"strings"

	"reckoner/scheduler/job"
)

// monitor reads the columns that `nvidia-smi pmon` and `nvidia-smi dmon` print.
// Their order and number differ from version to version: the first line of the
// header, which begins with "#", names them. A "-" is no value.
type monitor struct {
	columns []string
}

// header takes a line of the header and tells whether it was one. Its second line
// has the units.
func (m *monitor) header(line string) bool {
	names, ok := strings.CutPrefix(strings.TrimSpace(line), "#")
	if !ok {
		return false
	}
	if columns := strings.Fields(names); len(columns) > 1 && columns[0] == "gpu" {
		m.columns = columns
	}
	return true
}

// row reads a line by the names of its columns. The last one takes the rest of
// the line: a program's name may hold spaces.
func (m *monitor) row(line string) (cells map[string]string, ok bool) {
	if len(m.columns) == 0 {
		return nil, false
	}
	cells = make(map[string]string, len(m.columns))
	rest := strings.TrimSpace(line)
	for i, name := range m.columns {
		if rest == "" {
			return nil, false
		}
		cell := rest
		if i < len(m.columns)-1 {
			cell, rest, _ = strings.Cut(rest, " ")
			rest = strings.TrimLeft(rest, " ")
		}
		cells[name] = cell
	}
	_, err := strconv.Atoi(cells["gpu"])
	return cells, err == nil
}

// programRow makes a process of a row of pmon. ok is false for a GPU that nothing
// holds. Names are cut at 15 characters there.
func programRow(cells map[string]string) (p job.Process, ok bool) {
	pid, err := strconv.Atoi(cells["pid"])
	if err != nil || pid <= 0 {
		return p, false
	}
	p = job.Process{PID: pid, Index: nonNegative(cells["gpu"]), SM: within(figureOf(cells["sm"]), 0, 100)}
	if name := cells["command"]; !absent(name) {
		p.Name = name
	}
	if used, known := figureOf(cells["fb"]).Get(); known {
		p.Mem = bytesOf(used, mib)
	}
	return p, true
}

// trafficRow reads a row of dmon: what goes towards a GPU, in bytes a second.
func trafficRow(cells map[string]string) (index int, in float64, ok bool) {
	index, known := nonNegative(cells["gpu"]).Get()
	in, is := within(figureOf(cells["rxpci"]), 0, 1<<20).Get()
	return index, in * mib, known && is
}

// figureOf reads a cell that may have no value.
func figureOf(cell string) job.Maybe[float64] {
	if absent(cell) {
		return job.Maybe[float64]{}
	}
	return number(cell)
}
