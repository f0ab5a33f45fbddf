package sim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// page is a machine's metrics page, in the names of nvidia_gpu_exporter.
type page struct {
	gpus []*gpu
	pace pace
}

type metric struct {
	name, help string
	value      func(sample) float64
}

var metrics = []metric{
	{"utilization_gpu_ratio", "utilisation", func(s sample) float64 { return s.util / 100 }},
	{"power_draw_watts", "draw", func(s sample) float64 { return s.power }},
	{"enforced_power_limit_watts", "limit", func(s sample) float64 { return s.limit }},
	{"memory_total_bytes", "total", func(s sample) float64 { return float64(s.total) }},
	{"memory_used_bytes", "used", func(s sample) float64 { return float64(s.used) }},
	{"temperature_gpu", "celsius", func(s sample) float64 { return s.temp }},
	{"clocks_current_sm_clock_hz", "hertz", func(s sample) float64 { return s.smHz }},
	{"clocks_event_reasons_sw_power_cap", "flag", func(s sample) float64 {
		if s.powerCapped {
			return 1
		}
		return 0
	}},
	{"pstate", "number", func(s sample) float64 { return float64(s.pstate) }},
}

// text writes the page. All figures of a card are of one moment.
func (p *page) text() string {
	var b strings.Builder
	head := func(name, help string) {
		fmt.Fprintf(&b, "# HELP nvidia_smi_%s %s\n# TYPE nvidia_smi_%s gauge\n", name, help, name)
	}
	samples := make([]sample, len(p.gpus))
	for i, g := range p.gpus {
		samples[i] = g.sample()
	}
	head("gpu_info", "constant 1, labels describe the card")
	for i, g := range p.gpus {
		fmt.Fprintf(&b, "nvidia_smi_gpu_info{uuid=%q,index=\"%d\",name=%q,driver_version=\"595.71.05\"} 1\n",
			g.spec.UUID, i, g.spec.Name)
	}
	for _, m := range metrics {
		head(m.name, m.help)
		for i, g := range p.gpus {
			fmt.Fprintf(&b, "nvidia_smi_%s{uuid=%q} %s\n", m.name, g.spec.UUID, number(m.value(samples[i])))
		}
	}
	head("compute_app_used_memory_bytes", "per process")
	for i, g := range p.gpus {
		slices.SortFunc(samples[i].apps, func(a, b app) int { return cmp.Compare(a.pid, b.pid) })
		for _, a := range samples[i].apps {
			fmt.Fprintf(&b, "nvidia_smi_compute_app_used_memory_bytes{uuid=%q,pid=\"%d\",process_name=%q} %s\n",
				g.spec.UUID, a.pid, "/opt/venv/bin/python3", number(float64(a.used)))
		}
	}
	head("last_collect_success", "1 good")
	b.WriteString("nvidia_smi_last_collect_success 1\n")
	head("command_exit_code", "exit code")
	b.WriteString("nvidia_smi_command_exit_code 0\n")
	return b.String()
}

func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// ServeHTTP answers /metrics, and nothing else.
func (p *page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Date", p.pace.clock.Now().Wall.Format(http.TimeFormat))
	if r.URL.Path != "/metrics" {
		http.NotFound(w, r)
		return
	}
	answer(w, http.StatusOK, "text/plain; version=0.0.4; charset=utf-8", []byte(p.text()))
}

// serve answers on a listener until the context ends.
func (p *page) serve(ctx context.Context, ln net.Listener) error {
	ctx, cancel := context.WithCancel(ctx)
	hs := &http.Server{Handler: p, ReadHeaderTimeout: 30 * time.Second, ErrorLog: log.New(io.Discard, "", 0)}
	var closer sync.WaitGroup
	closer.Go(func() {
		<-ctx.Done()
		_ = hs.Close() // every connection ends here; there is nothing to save
	})
	err := hs.Serve(ln)
	ended := ctx.Err() != nil || errors.Is(err, http.ErrServerClosed)
	cancel()
	closer.Wait()
	if !ended {
		return fmt.Errorf("serve the metrics page: %w", err)
	}
	return nil
}
