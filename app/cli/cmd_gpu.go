package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	escape "reckoner/assets/text"
	"reckoner/scheduler/job"
)

// gpuEvery is how often readings are shown.
const gpuEvery = time.Second

func (s *shell) gpuCommand() *cobra.Command {
	var asJSON, once bool
	cmd := &cobra.Command{
		Use:   "gpu [--json] [--once] SOURCE",
		Short: "Show a GPU's readings, and who uses it where the source knows",
		Long: `Show what a source says about its GPUs. SOURCE is one of

  nvidia-smi   this computer's NVIDIA cards
  amd          this computer's AMD cards
  ssh:HOST     nvidia-smi on another computer
  prom:URL     a metrics page: nvidia_gpu_exporter, dcgm-exporter, AMD's
  comfy:URL    the memory that a ComfyUI server sees
  file:PATH    a recording

What a source does not give is shown as "-", never as 0.
Exit status: 0; 2 for a source that does not exist; 3 when it cannot be read.`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, given []string) error {
			ctx, release := s.untilSignal(cmd.Context())
			defer release()
			return s.gpu(ctx, cmd, given[0], asJSON, once)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "JSON lines: a reading for each GPU, then its processes")
	cmd.Flags().BoolVar(&once, "once", false, "read once and leave")
	return cmd
}

// unlock makes the way to a render server that is a source and that RECKONER_AUTH
// opens.
func (s *shell) unlock(source string, conns *connections, log *slog.Logger) error {
	address, ok := strings.CutPrefix(source, "comfy:")
	if !ok {
		return nil
	}
	keys, err := readKeyring("", s.env.Getenv("RECKONER_AUTH"))
	if err != nil {
		return err
	}
	opens := keys.forServer(address)
	if opens.none() {
		return nil
	}
	srv := job.Server{ID: "source", Name: address, URL: address}
	conn, err := s.parts.connect(srv, opens, log)
	if err != nil {
		return err
	}
	conns.add(srv, conn)
	return nil
}

func (s *shell) gpu(ctx context.Context, cmd *cobra.Command, source string, asJSON, once bool) error {
	log := slog.New(peopleHandler(s.env.Stderr, s.flags.verbose))
	conns := newConnections()
	defer conns.close()
	if err := s.unlock(source, conns, log); err != nil {
		return usage(cmd, err)
	}
	m, err := s.parts.meter(source, job.NewClock(1), log, conns.through(source))
	if err != nil {
		return usage(cmd, errors.New(s.encoder().failure(err)))
	}
	show := gpuShow{shell: s, source: source, json: asJSON}
	if once {
		readings, processes, err := m.Once(ctx)
		return show.tick(readings, processes, err)
	}
	for ctx.Err() == nil {
		readings, processes, failure := m.Once(ctx)
		if ctx.Err() == nil { // else the user has seen enough, and the source was cut short
			if err := show.tick(readings, processes, failure); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(gpuEvery):
		}
	}
	return nil
}

// gpuShow writes ticks.
type gpuShow struct {
	*shell
	source string
	json   bool
}

// tick writes what one look at a source gave. What was read is shown also when
// a part failed.
func (g gpuShow) tick(readings []job.Reading, processes []job.Process, failure error) error {
	slices.SortStableFunc(readings, func(a, b job.Reading) int {
		return cmp.Compare(a.GPU.Index.Or(1<<30), b.GPU.Index.Or(1<<30))
	})
	var err error
	if g.json {
		err = g.lines(readings, processes, failure)
	} else {
		err = g.text(readings, processes, failure)
	}
	if err == nil && failure != nil {
		err = &exitError{status: exitNoPeer}
	}
	return err
}

func (g gpuShow) lines(readings []job.Reading, processes []job.Process, failure error) error {
	out := json.NewEncoder(g.env.Stdout)
	now := stamp(time.Now())
	index := map[string]job.Maybe[int]{}
	for _, r := range readings {
		index[r.GPU.UUID] = r.GPU.Index
		if err := out.Encode(readingValue(head{now, job.EventReading}, r, "")); err != nil {
			return err
		}
	}
	for _, p := range processes {
		l := processLine{
			head: head{now, eventProcess}, GPU: index[p.GPU], PID: p.PID, Name: p.Name, Mem: p.Mem, SM: p.SM,
		}
		if err := out.Encode(l); err != nil {
			return err
		}
	}
	if failure == nil {
		return nil
	}
	said, ok := errors.AsType[*job.Error](failure)
	if !ok {
		said = job.Errorf(job.ErrToolFailed, job.Args{Detail: failure.Error()}, failure)
	}
	return out.Encode(g.encoder().sourceErrorValue(head{now, job.EventSourceError}, g.source, said))
}

func (g gpuShow) text(readings []job.Reading, processes []job.Process, failure error) error {
	for _, r := range readings {
		if _, err := fmt.Fprintln(g.env.Stdout, escape.Plain(readingText(r))); err != nil {
			return err
		}
	}
	for _, p := range processes {
		text := fmt.Sprintf("  %d %s, memory %s", p.PID, p.Name, gibibytes(p.Mem))
		if sm, ok := p.SM.Get(); ok {
			text += fmt.Sprintf(", %.0f %% of the time", sm)
		}
		if _, err := fmt.Fprintln(g.env.Stdout, escape.Plain(text)); err != nil {
			return err
		}
	}
	if failure != nil {
		_, err := fmt.Fprintf(g.env.Stderr, "reckoner: %s\n", g.encoder().about(g.source, failure))
		return err
	}
	return nil
}

// readingText says one reading. What is not known is a dash.
func readingText(r job.Reading) string {
	name := r.GPU.Name
	if i, ok := r.GPU.Index.Get(); ok {
		name = fmt.Sprintf("%d %s", i, name)
	}
	text := fmt.Sprintf("%s: %s busy, %s of %s, memory %s of %s, %s",
		strings.TrimSpace(name), figure(r.Util, "%.0f %%"), figure(r.Power, "%.0f W"), figure(r.Limit, "%.0f W"),
		gibibytes(r.MemUsed), gibibytes(r.MemTotal), figure(r.Temp, "%.0f °C"))
	if len(r.Reasons) > 0 {
		text += ", held back: " + spaced(strings.Join(r.Reasons, ", "))
	}
	return text
}

func figure(m job.Maybe[float64], format string) string {
	if v, ok := m.Get(); ok {
		return fmt.Sprintf(format, v)
	}
	return "-"
}

// gibibytes says memory as the card's own tools count it.
func gibibytes(m job.Maybe[int64]) string {
	if v, ok := m.Get(); ok {
		return fmt.Sprintf("%.1f GiB", float64(v)/(1<<30))
	}
	return "-"
}
