package gpu

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"reckoner/scheduler/job"
)

// prom reads the page of a Prometheus exporter. Its series carry no times, so a
// reading is as old as its scrape; how old the exporter's own figures are is not
// told (dcgm-exporter asks the driver every 30 s).
type prom struct {
	name string
	url  string
	opt  Options
}

// Stream implements Source.
func (p *prom) Stream(ctx context.Context, period time.Duration, out func([]job.Reading)) error {
	return poll(ctx, period, p.Once, out)
}

// Once implements Source.
func (p *prom) Once(ctx context.Context) ([]job.Reading, []job.Process, error) {
	body, err := page(ctx, p.opt, p.name, p.url, job.ErrNotExporter, pageTime)
	if err != nil {
		return nil, nil, err
	}
	return promReadings(body, p.opt.Now(), p.name)
}

// promReadings reads a page.
func promReadings(body []byte, at time.Time, source string) ([]job.Reading, []job.Process, error) {
	found, err := scrape(body)
	if err != nil {
		return nil, nil, sourceError(job.ErrNotExporter, source, "", err)
	}
	if found.failed {
		f := faultOfStatus(found.exit, false)
		if f == faultNone {
			f = faultOther
		}
		e := sourceError(f.code(), source, "the exporter runs; the tool behind it fails", nil)
		e.Args.Status = found.exit
		return nil, nil, e
	}
	if len(found.gpus) == 0 {
		return nil, nil, sourceError(job.ErrNoGPU, source, "the page has no series of a GPU", nil)
	}
	readings := make([]job.Reading, 0, len(found.gpus))
	for _, s := range found.gpus {
		readings = append(readings, s.reading(at, source))
	}
	byIndex(readings)
	return readings, found.processes, nil
}

// scraped is what a page says.
type scraped struct {
	gpus      []sample
	processes []job.Process
	failed    bool // the exporter works, the tool behind it does not
	exit      int  // the tool's exit status
}

// scrape parses a page. A page that breaks off, or repeats a TYPE line, is an
// error to the parser beside what it read so far: that is kept.
func scrape(body []byte) (scraped, error) {
	if len(body) > maxPage {
		return scraped{}, errors.New("the page is too large")
	}
	body = bytes.ReplaceAll(body, []byte{'\r'}, nil) // the parser takes a CR for a part of the type
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(body))
	if len(families) == 0 {
		if err == nil {
			err = errors.New("the page is empty")
		}
		return scraped{}, err
	}
	g := gathering{gpus: map[string]*sample{}}
	for _, name := range slices.Sorted(maps.Keys(families)) {
		for _, m := range families[name].GetMetric() {
			if v, ok := value(m); ok {
				g.series(name, labels(m), v)
			}
		}
	}
	return g.result(), nil
}

// value gives a series' number, unless it is none.
func value(m *dto.Metric) (float64, bool) {
	var v float64
	switch {
	case m.Gauge != nil:
		v = m.Gauge.GetValue()
	case m.Untyped != nil:
		v = m.Untyped.GetValue()
	case m.Counter != nil:
		v = m.Counter.GetValue()
	default:
		return 0, false
	}
	return v, !math.IsNaN(v) && !math.IsInf(v, 0)
}

func labels(m *dto.Metric) map[string]string {
	l := make(map[string]string, len(m.GetLabel()))
	for _, p := range m.GetLabel() {
		l[p.GetName()] = p.GetValue()
	}
	return l
}

// gathering collects series into GPUs. A GPU's key is the dialect's own label.
type gathering struct {
	gpus      map[string]*sample
	processes []job.Process
	hwmon     hwmon
	failed    bool
	exit      int
}

// gpu gives the sample of a GPU, made at its first series.
func (g *gathering) gpu(key string) *sample {
	s := g.gpus[key]
	if s == nil {
		s = &sample{}
		g.gpus[key] = s
	}
	return s
}

// series takes one series in.
func (g *gathering) series(name string, l map[string]string, v float64) {
	if field, ok := strings.CutPrefix(name, "nvidia_smi_"); ok {
		g.nvidiaSMI(field, l, v)
		return
	}
	if field, ok := strings.CutPrefix(name, "DCGM_FI_DEV_"); ok {
		g.dcgm(field, l, v)
		return
	}
	if field, ok := strings.CutPrefix(name, "node_"); ok {
		g.node(field, l, v)
		return
	}
	if l["gpu_id"] != "" && (l["card_model"] != "" || l["serial_number"] != "") {
		_, field, _ := strings.Cut("_"+name, "_gpu_") // a prefix can be configured
		g.amdMetrics(field, l, v)
	}
}

func (g *gathering) result() scraped {
	g.joinHwmon()
	r := scraped{processes: g.processes, failed: g.failed, exit: g.exit}
	for _, key := range slices.Sorted(maps.Keys(g.gpus)) {
		r.gpus = append(r.gpus, *g.gpus[key])
	}
	slices.SortStableFunc(r.gpus, func(a, b sample) int { return a.index.Or(math.MaxInt) - b.index.Or(math.MaxInt) })
	slices.SortStableFunc(r.processes, func(a, b job.Process) int { return a.PID - b.PID })
	return r
}

// nonNegative reads an index or a pid from a label.
func nonNegative(label string) job.Maybe[int] {
	if i, err := strconv.Atoi(label); err == nil && i >= 0 {
		return job.Known(i)
	}
	return job.Maybe[int]{}
}
