package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"reckoner/scheduler/job"
	"reckoner/scheduler/sim"
)

// worldStopWait bounds the end of a simulation.
const worldStopWait = 10 * time.Second

// eventListening is a line of `simulate`: an address that answers.
const eventListening job.EventKind = "listening"

type listeningLine struct {
	head
	Machine string   `json:"machine"`
	Name    string   `json:"name"`
	Kind    sim.Kind `json:"kind"`
	URL     string   `json:"url"`
	GPUUUID *string  `json:"gpu_uuid"`
	GPUName *string  `json:"gpu_name"`
}

type simulateOptions struct {
	listen, scenario, protocol string
	speed                      float64
	seed                       uint64
	json                       bool
}

func (s *shell) simulateCommand() *cobra.Command {
	var o simulateOptions
	cmd := &cobra.Command{
		Use:   "simulate [--listen ADDR] [--speed N] [--scenario NAME|FILE] [--protocol VERSION]",
		Short: "Serve simulated render machines to any ComfyUI client",
		Long: `Serve simulated render machines: their render servers, and a metrics page of
their GPUs. Ports count up from the one of --listen, and each address is printed
on a line of its own. Ends with Ctrl-C.`,
		Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, release := s.untilSignal(cmd.Context())
			defer release()
			return s.simulate(ctx, cmd, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.listen, "listen", "127.0.0.1:8288", "first `ADDR`, as HOST:PORT; port 0 takes any free ones")
	f.Float64Var(&o.speed, "speed", 1, "work `N` times faster than real machines do")
	f.StringVar(&o.scenario, "scenario", "default", "`NAME` of a built-in scenario, or a file")
	f.StringVar(&o.protocol, "protocol", sim.DefaultProtocol, "ComfyUI's `VERSION` to speak")
	f.Uint64Var(&o.seed, "seed", 1, "decides all that is left to chance")
	f.BoolVar(&o.json, "json", false, "one JSON object an address")
	return cmd
}

func (s *shell) simulate(ctx context.Context, cmd *cobra.Command, o simulateOptions) (err error) {
	if o.speed <= 0 {
		return usage(cmd, fmt.Errorf("--speed %g: say a number above 0", o.speed))
	}
	listen, err := countUp(ctx, o.listen)
	if err != nil {
		return usage(cmd, err)
	}
	scenario, err := sim.Load(o.scenario)
	if err != nil {
		return usage(cmd, err)
	}
	world, err := sim.Open(scenario, sim.Options{Speed: o.speed, Seed: o.seed, Protocol: o.protocol})
	if err != nil {
		return usage(cmd, err)
	}
	ends, err := world.Start(ctx, listen)
	if err != nil {
		return fmt.Errorf("start the simulation: %w", err)
	}
	defer func() { err = errors.Join(err, stopWorld(world)) }()
	for _, e := range ends {
		if err := s.printEndpoint(e, o.json); err != nil {
			return err
		}
	}
	<-ctx.Done()
	return nil
}

func (s *shell) printEndpoint(e sim.Endpoint, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(s.env.Stdout).Encode(listeningLine{
			head: head{stamp(time.Now()), eventListening}, Machine: e.Machine, Name: e.Name, Kind: e.Kind, URL: e.URL,
			GPUUUID: textOrNull(e.GPUUUID), GPUName: textOrNull(e.GPUName),
		})
	}
	what := map[sim.Kind]string{
		sim.KindServer: "render server", sim.KindWatch: "another person's render server", sim.KindMetrics: "metrics page",
	}[e.Kind]
	_, err := fmt.Fprintf(s.env.Stdout, "%s\t%s (%s)\n", e.URL, e.Name, what)
	return err
}

func stopWorld(w *sim.World) error {
	ctx, cancel := context.WithTimeout(context.Background(), worldStopWait)
	defer cancel()
	return w.Stop(ctx)
}

// countUp makes listeners on one port after the other, beginning with that of
// an address. Port 0 stays 0: any free port.
func countUp(ctx context.Context, first string) (func(string) (net.Listener, error), error) {
	host, text, err := net.SplitHostPort(first)
	if err != nil {
		return nil, fmt.Errorf("--listen %s: say HOST:PORT", first)
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("--listen %s: %s is no port", first, text)
	}
	return func(string) (net.Listener, error) {
		if port > 65535 {
			return nil, fmt.Errorf("no port is left after 65535")
		}
		ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(host, strconv.FormatUint(port, 10)))
		if port != 0 {
			port++
		}
		return ln, err
	}, nil
}
