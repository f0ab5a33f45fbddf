package gpu

import (
	"encoding/csv"
	"strconv"
	"strings"

	"reckoner/scheduler/job"
)

// spillSample is what Windows' counters say of a process's graphics memory, in
// bytes. Shared is in the computer's memory: when it grows, the driver has moved
// what did not fit.
type spillSample struct {
	pid                              int
	dedicated, shared, adapterShared job.Maybe[int64]
}

// pdhRows reads what `typeperf` writes of the counters of one process. A lone space
// is a missing value. The counters' names are those of an English Windows.
func pdhRows(text string) (rows []spillSample, ok bool) {
	table := csv.NewReader(strings.NewReader(text))
	table.LazyQuotes, table.FieldsPerRecord = true, -1
	header, err := table.Read()
	if err != nil || len(header) == 0 || !strings.HasPrefix(header[0], "(PDH-CSV") {
		return nil, false
	}
	for {
		cells, err := table.Read()
		if err != nil {
			return rows, len(rows) > 0
		}
		var s spillSample
		for i, cell := range cells[:min(len(cells), len(header))] {
			if i > 0 {
				s.take(header[i], cell)
			}
		}
		rows = append(rows, s)
	}
}

func (s *spillSample) take(counter, cell string) {
	var bytes job.Maybe[int64]
	if v, ok := number(strings.TrimSpace(cell)).Get(); ok {
		bytes = bytesOf(v, 1)
	}
	if _, rest, ok := strings.Cut(counter, "(pid_"); ok {
		digits, _, _ := strings.Cut(rest, "_")
		if pid, err := strconv.Atoi(digits); err == nil {
			s.pid = pid
		}
	}
	switch {
	case strings.Contains(counter, "GPU Adapter Memory") && strings.HasSuffix(counter, "Shared Usage"):
		s.adapterShared = bytes
	case strings.HasSuffix(counter, "Dedicated Usage"):
		s.dedicated = bytes
	case strings.HasSuffix(counter, "Shared Usage"):
		s.shared = bytes
	}
}

// pdh makes a recording of the counters: the process with the newest size of what
// it holds on the card that is known.
func pdh(text string) (played, bool) {
	rows, ok := pdhRows(text)
	if !ok {
		return played{}, false
	}
	p := job.Process{}
	for _, r := range rows {
		p.PID = r.pid
		if r.dedicated.Known() {
			p.Mem = r.dedicated
		}
	}
	return played{apps: true, processes: []job.Process{p}}, p.PID > 0
}
