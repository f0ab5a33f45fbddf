package evaluate

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"reckoner/scheduler/job"
)

// What a log may be at most: it is input from outside.
const (
	largestLog = 1 << 30 // bytes, unpacked
	mostRows   = 5_000_000
)

// Row is one run of a log.
type Row struct {
	Key      string
	Start    time.Time
	Duration float64 // seconds
	Ended    bool    // it succeeded: otherwise its duration is a bound
	Label    job.Label
}

// Columns names the columns of a log that may have other names.
type Columns struct {
	Key      string // "" means key
	Duration string // "" means duration_s
}

// errTooLarge says that a log is larger than is read.
var errTooLarge = errors.New("the log is larger than 1 GiB unpacked, or has more than 5 million rows")

// Read reads a log: CSV with a line of names, packed with gzip or not, with the
// columns key, start_unix_s, duration_s and, where they are there, status and
// label. Rows without a duration are left out. The rows may come in any order.
func Read(r io.Reader, columns Columns) ([]Row, error) {
	in := bufio.NewReader(r)
	var plain io.Reader = in
	if magic, err := in.Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("unpack the log: %w", err)
		}
		plain = z
	}
	bounded := &io.LimitedReader{R: plain, N: largestLog}
	table := csv.NewReader(bounded)
	table.ReuseRecord = true
	names, err := table.Read()
	if err != nil {
		return nil, fmt.Errorf("read the line of names: %w", err)
	}
	at, err := find(names, columns)
	if err != nil {
		return nil, err
	}
	var rows []Row
	for {
		record, err := table.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read the log: %w", err)
		}
		row, ok, err := at.row(record)
		if err != nil {
			line, _ := table.FieldPos(0)
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		if !ok {
			continue
		}
		if rows = append(rows, row); len(rows) > mostRows {
			return nil, errTooLarge
		}
	}
	if bounded.N <= 0 {
		return nil, errTooLarge
	}
	return rows, nil
}

// columnsAt are the places of the columns; -1 is not there.
type columnsAt struct{ key, start, duration, status, label int }

// find finds the columns by name. Logs of the Parallel Workloads Archive call
// their status swf_status.
func find(names []string, c Columns) (columnsAt, error) {
	index := func(wanted ...string) int {
		for _, want := range wanted {
			for i, name := range names {
				if strings.EqualFold(strings.TrimPrefix(strings.TrimSpace(name), "\ufeff"), want) {
					return i
				}
			}
		}
		return -1
	}
	key, duration := c.Key, c.Duration
	if key == "" {
		key = "key"
	}
	if duration == "" {
		duration = "duration_s"
	}
	at := columnsAt{
		key: index(key), start: index("start_unix_s"), duration: index(duration),
		status: index("status", "swf_status"), label: index("label"),
	}
	for name, i := range map[string]int{key: at.key, "start_unix_s": at.start, duration: at.duration} {
		if i < 0 {
			return at, fmt.Errorf("no column %q: the log has %s", name, strings.Join(names, ", "))
		}
	}
	return at, nil
}

// row reads a row; ok is false for one without a duration.
func (at columnsAt) row(record []string) (Row, bool, error) {
	if record[at.duration] == "" {
		return Row{}, false, nil
	}
	duration, err := strconv.ParseFloat(record[at.duration], 64)
	if err != nil || math.IsNaN(duration) || math.IsInf(duration, 0) {
		return Row{}, false, fmt.Errorf("the duration %q is no number of seconds", record[at.duration])
	}
	start, err := strconv.ParseFloat(record[at.start], 64)
	if err != nil || !(math.Abs(start) < 1e11) {
		return Row{}, false, fmt.Errorf("the start %q is no number of seconds since 1970", record[at.start])
	}
	if !(duration > 0) || duration > 1e9 {
		return Row{}, false, nil
	}
	row := Row{
		Key: strings.Clone(record[at.key]), Start: time.UnixMicro(int64(start * 1e6)).UTC(), Duration: duration,
		Ended: true, Label: job.Clean,
	}
	if at.status >= 0 {
		row.Ended = succeeded(record[at.status])
	}
	if at.label >= 0 {
		if row.Label, err = labelOf(record[at.label]); err != nil {
			return Row{}, false, err
		}
	}
	return row, true, nil
}

// succeeded tells whether a status says success. 1 is that of the Parallel
// Workloads Archive.
func succeeded(status string) bool {
	switch strings.ToLower(strings.TrimSpace(status)) {
	case "", "1", "ok", "success", "succeeded", "completed", "done":
		return true
	}
	return false
}

// labelOf reads a label. A log without labels is of runs that nobody doubts.
func labelOf(s string) (job.Label, error) {
	switch l := job.Label(strings.ToLower(strings.TrimSpace(s))); l {
	case "":
		return job.Clean, nil
	case job.Clean, job.Shared, job.LabelUnknown:
		return l, nil
	}
	return "", fmt.Errorf("the label %q is none of clean, shared and unknown", s)
}
