package gpu

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"reckoner/scheduler/job"
)

// recording plays a file that a tool or an exporter wrote: nvidia-smi's csv with
// its header, its process list, or an exporter's page. It is for support and
// tests: it is read the way the living source is.
type recording struct {
	name string
	path string
	opt  Options
}

// maxRecording bounds a file: some days of a GPU at one row a second.
const maxRecording = 64 << 20

// Stream implements Source: a tick a period, then the end of the recording,
// which is an error that wraps io.EOF, or the fault that it ends with.
func (r *recording) Stream(ctx context.Context, period time.Duration, out func([]job.Reading)) error {
	played, err := r.read()
	if err != nil {
		return err
	}
	if len(played.ticks) == 0 {
		return played.end(r.name, io.EOF)
	}
	next := func(context.Context) ([]job.Reading, []job.Process, error) {
		if len(played.ticks) == 0 {
			return nil, nil, played.end(r.name, io.EOF)
		}
		tick := played.ticks[0]
		played.ticks = played.ticks[1:]
		at := r.opt.Now()
		for i := range tick {
			tick[i].At = at
		}
		return tick, nil, nil
	}
	return poll(ctx, period, next, out)
}

// Once implements Source: the last tick, and the processes where the file lists
// them.
func (r *recording) Once(context.Context) ([]job.Reading, []job.Process, error) {
	played, err := r.read()
	if err != nil {
		return nil, nil, err
	}
	var last []job.Reading
	if n := len(played.ticks); n > 0 {
		last = played.ticks[n-1]
	}
	if len(last) == 0 && !played.apps {
		return nil, nil, played.end(r.name, errors.New("nothing in it was understood"))
	}
	return last, played.processes, played.end(r.name, nil)
}

// played is what a recording holds.
type played struct {
	ticks     [][]job.Reading
	processes []job.Process
	apps      bool   // it has a process list, perhaps an empty one
	said      string // after the last row
}

// end gives the fault that a recording ends with, or otherwise's error, if any.
func (p played) end(source string, otherwise error) error {
	if f := match(p.said, saidByTool()); f != faultNone {
		return sourceError(f.code(), source, p.said, nil)
	}
	if otherwise == nil {
		return nil
	}
	return sourceError(job.ErrToolFailed, source, p.said, fmt.Errorf("the recording ended: %w", otherwise))
}

func (r *recording) read() (played, error) {
	f, err := os.Open(r.path)
	if err != nil {
		return played{}, sourceError(job.ErrUnreadable, r.name, "", err)
	}
	defer f.Close()
	body, err := io.ReadAll(io.LimitReader(f, maxRecording+1))
	if err != nil {
		return played{}, sourceError(job.ErrUnreadable, r.name, "", err)
	}
	if len(body) > maxRecording {
		return played{}, sourceError(job.ErrFileTooLarge, r.name, "", nil)
	}
	for _, dialect := range [...]func() ([]sample, bool){
		func() ([]sample, bool) { return document(body) },
		func() ([]sample, bool) { return xpuDump(string(body)) },
		func() ([]sample, bool) { s := greppedCards(string(body)); return s, len(s) > 0 },
	} {
		if samples, ok := dialect(); ok {
			return played{ticks: [][]job.Reading{r.readings(samples)}}, nil
		}
	}
	if p, ok := pdh(string(body)); ok {
		return p, nil
	}
	if p, ok := r.csv(string(body)); ok {
		return p, nil
	}
	readings, processes, err := promReadings(body[:min(len(body), maxPage)], r.opt.Now(), r.name)
	if err != nil {
		return played{}, err
	}
	return played{ticks: [][]job.Reading{readings}, processes: processes}, nil
}

func (r *recording) readings(samples []sample) []job.Reading {
	readings := make([]job.Reading, 0, len(samples))
	for _, s := range samples {
		readings = append(readings, s.reading(r.opt.Now(), r.name))
	}
	return readings
}

// csv reads nvidia-smi's output, and tells whether it was that: whether a table
// or a sentence of the tool was found.
func (r *recording) csv(text string) (played, bool) {
	var p played
	t, columns := ticks{source: r.name, now: r.opt.Now}, monitor{}
	t.young = func() bool { return len(p.ticks) < int(startTime/time.Second) } // one a second, mostly
	t.out = func(tick []job.Reading) { p.ticks = append(p.ticks, tick) }
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			continue
		}
		if isAppHeader(line) {
			p.apps = true
			continue
		}
		if p.apps {
			if proc, ok := appRow(line); ok {
				p.processes = append(p.processes, proc)
				continue
			}
		}
		if columns.header(line) {
			continue
		}
		if cells, ok := columns.row(line); ok {
			p.apps = true
			if proc, held := programRow(cells); held {
				p.processes = append(p.processes, proc)
			}
			continue
		}
		if t.table == nil {
			if fields, ok := headerFields(line); ok {
				t.table = newTable(fields)
			}
		}
		if t.table == nil {
			t.said.add(line)
			continue
		}
		t.take(line)
	}
	t.flush()
	p.said = t.said.String()
	return p, t.table != nil || p.apps || match(p.said, saidByTool()) != faultNone
}
