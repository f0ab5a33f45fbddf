package gpu

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"reckoner/scheduler/job"
)

// separator stands between the cells of nvidia-smi's csv. Cells are never
// quoted, and a bare comma can be part of a cell.
const separator = ", "

// errNotARow says that a line is not a row of the table that was asked for.
var errNotARow = errors.New("not a row of the table")

// column is how to read one field of --query-gpu.
type column struct {
	// unit stands behind the number, after a space. It guards against a row
	// whose columns are shifted.
	unit string
	set  func(s *sample, cell string) error
}

// table reads the lines of `nvidia-smi --query-gpu=FIELDS --format=csv`. Columns
// are known by their position among the fields that were asked for: the header
// spells some of them differently from version to version, so it only tells
// where the rows begin.
type table struct {
	fields  []string
	columns []column
	index   int  // position of "index", -1 when it was not asked for
	bare    bool // cells without units (nounits)
	open    bool // the header was seen
}

func newTable(fields []string) *table {
	t := &table{fields: fields, index: -1}
	for i, f := range fields {
		t.columns = append(t.columns, columnOf(f))
		if f == "index" {
			t.index = i
		}
	}
	return t
}

// header tells whether a line is the table's header.
func (t *table) header(line string) bool {
	cells := strings.Split(line, separator)
	return len(cells) == len(t.fields) && t.index >= 0 && fieldOf(cells[t.index]) == "index"
}

// row reads a row. What is not available stays unknown; a row that does not fit
// the table is an error.
func (t *table) row(line string) (sample, error) {
	var s sample
	if strings.Count(line, separator) != len(t.columns)-1 {
		return s, errNotARow
	}
	rest := line
	for _, c := range t.columns {
		var cell string
		cell, rest, _ = strings.Cut(rest, separator)
		cell = strings.TrimSpace(cell)
		if c.set == nil || absent(cell) {
			continue
		}
		if c.unit != "" && !t.bare {
			number, ok := strings.CutSuffix(cell, c.unit)
			if !ok {
				return s, errNotARow
			}
			cell = strings.TrimSpace(number)
		}
		if err := c.set(&s, cell); err != nil {
			return s, err
		}
	}
	return s, nil
}

// fieldOf gives the field that a cell of a header names: "power.draw" for
// "power.draw [W]".
func fieldOf(cell string) string {
	name, _, _ := strings.Cut(strings.TrimSpace(cell), " [")
	return name
}

// headerFields reads the fields from a header, for recordings, where nothing was
// asked.
func headerFields(line string) ([]string, bool) {
	cells := strings.Split(line, separator)
	found := false
	for i, c := range cells {
		cells[i] = fieldOf(c)
		found = found || cells[i] == "index"
	}
	return cells, found && len(cells) > 1
}

// absent tells whether a cell says that there is no value: [N/A], [Not
// Supported], [Unknown Error], [Insufficient Permissions], ...
func absent(cell string) bool {
	return cell == "" || cell == "-" || cell == "N/A" || (cell[0] == '[' && cell[len(cell)-1] == ']')
}

// columnOf tells how to read a field. Fields that nothing here needs have no
// set.
func columnOf(field string) column {
	switch field {
	case "index":
		return column{set: func(s *sample, cell string) error {
			i, err := strconv.Atoi(cell)
			if err != nil || i < 0 {
				return errNotARow
			}
			s.index = job.Known(i)
			return nil
		}}
	case "uuid":
		return column{set: func(s *sample, cell string) error {
			if !strings.HasPrefix(cell, "GPU-") && !strings.HasPrefix(cell, "MIG-") {
				return errNotARow
			}
			s.uuid = plainUUID(cell)
			return nil
		}}
	case "name":
		return textColumn(func(s *sample) *string { return &s.name })
	case "pstate":
		return textColumn(func(s *sample) *string { return &s.pstate })
	case "driver_version":
		return textColumn(func(s *sample) *string { return &s.driver })
	case "persistence_mode":
		return textColumn(func(s *sample) *string { return &s.persistence })
	case "clocks_throttle_reasons.active", "clocks_event_reasons.active":
		return column{set: func(s *sample, cell string) error {
			s.reasons = reasonsOf(cell)
			return nil
		}}
	}
	return figureColumn(field)
}

// figureColumn tells how to read a field that is a number with a unit.
func figureColumn(field string) column {
	switch field {
	case "utilization.gpu":
		return numberColumn("%", func(s *sample) *job.Maybe[float64] { return &s.util })
	case "utilization.memory":
		return numberColumn("%", func(s *sample) *job.Maybe[float64] { return &s.memBusy })
	case "power.draw":
		return numberColumn("W", func(s *sample) *job.Maybe[float64] { return &s.power })
	case "power.draw.instant":
		return numberColumn("W", func(s *sample) *job.Maybe[float64] { return &s.powerInstant })
	case "enforced.power.limit":
		return numberColumn("W", func(s *sample) *job.Maybe[float64] { return &s.limitEnforced })
	case "power.limit":
		return numberColumn("W", func(s *sample) *job.Maybe[float64] { return &s.limitAsked })
	case "power.default_limit":
		return numberColumn("W", func(s *sample) *job.Maybe[float64] { return &s.limitDefault })
	case "memory.total":
		return memoryColumn(func(s *sample) *job.Maybe[int64] { return &s.memTotal })
	case "memory.reserved":
		return memoryColumn(func(s *sample) *job.Maybe[int64] { return &s.memReserved })
	case "memory.used":
		return memoryColumn(func(s *sample) *job.Maybe[int64] { return &s.memUsed })
	case "memory.free":
		return memoryColumn(func(s *sample) *job.Maybe[int64] { return &s.memFree })
	case "temperature.gpu":
		return numberColumn("", func(s *sample) *job.Maybe[float64] { return &s.temp })
	case "clocks.sm", "clocks.current.sm":
		return numberColumn("MHz", func(s *sample) *job.Maybe[float64] { return &s.smClock })
	case "clocks.mem", "clocks.current.memory":
		return numberColumn("MHz", func(s *sample) *job.Maybe[float64] { return &s.memClock })
	case "clocks.max.sm":
		return numberColumn("MHz", func(s *sample) *job.Maybe[float64] { return &s.smMax })
	case "pcie.link.gen.current":
		return numberColumn("", func(s *sample) *job.Maybe[float64] { return &s.pcieGen })
	case "pcie.link.width.current":
		return numberColumn("", func(s *sample) *job.Maybe[float64] { return &s.pcieWidth })
	}
	return column{}
}

func textColumn(field func(*sample) *string) column {
	return column{set: func(s *sample, cell string) error {
		*field(s) = cell
		return nil
	}}
}

func numberColumn(unit string, field func(*sample) *job.Maybe[float64]) column {
	return column{unit: unit, set: func(s *sample, cell string) error {
		*field(s) = number(cell)
		return nil
	}}
}

func memoryColumn(field func(*sample) *job.Maybe[int64]) column {
	return column{unit: "MiB", set: func(s *sample, cell string) error {
		if n, ok := number(cell).Get(); ok {
			*field(s) = bytesOf(n, mib)
		}
		return nil
	}}
}

// number reads a lone number. A decimal comma is read too, as other tools print
// one in some languages; with exactly three digits behind it, it could as well
// part thousands, and the number is unknown.
func number(cell string) job.Maybe[float64] {
	if whole, fraction, comma := strings.Cut(cell, ","); comma {
		if len(fraction) == 3 {
			return job.Maybe[float64]{}
		}
		cell = whole + "." + fraction
	}
	v, err := strconv.ParseFloat(cell, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return job.Maybe[float64]{}
	}
	return job.Known(v)
}
