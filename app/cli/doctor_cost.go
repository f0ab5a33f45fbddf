package cli

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"reckoner/scheduler/job"
	"reckoner/scheduler/remote"
)

const (
	// costOver is how long looking is measured: the system counts processor time
	// in hundredths of a second.
	costOver = 10 * time.Second
	// costAtMost is what looking at a machine may cost, as a share of a core.
	costAtMost = 0.005
)

// costFindings measure what looking at the saved machines' GPUs costs this
// computer, and at those that were named. It takes some seconds.
func (s *shell) costFindings(ctx context.Context, data string, p park) []finding {
	if s.parts.cost == nil {
		return nil
	}
	machines, servers := p.machines, p.servers
	if st, err := s.parts.readStore(data, slog.New(slog.DiscardHandler)); err == nil {
		if kept, err := st.Load(ctx); err == nil {
			machines, servers = slices.Concat(machines, kept.Machines), slices.Concat(servers, kept.Servers)
		}
		_ = st.Close() // only read
	}
	var sources []string
	of := map[string]string{} // machines by source
	for _, m := range machines {
		for _, source := range sourcesOf(m, servers) {
			if of[source] == "" {
				of[source] = m.Name
				sources = append(sources, source)
			}
		}
	}
	if len(sources) == 0 {
		return nil
	}
	fmt.Fprintf(s.env.Stderr, "Measuring for %.0f s what looking at %d of them costs.\n", costOver.Seconds(), len(sources))
	var found []finding
	for _, c := range s.parts.cost(ctx, sources) {
		f := finding{thing: "cost of looking at " + of[c.Source], state: works}
		core, known := c.Core.Get()
		switch {
		case !known && c.Err != nil:
			f.state, f.text = notKnown, s.encoder().failure(c.Err)
		case !known:
			f.state, f.text = notKnown, "nothing was read from "+c.Source
		default:
			f.text = fmt.Sprintf("%.1f %% of a core at one reading a second (%s)", 100*core, c.Source)
			if core > costAtMost {
				f.state = lacking
				f.next = fmt.Sprintf("It should be under %.1f %%. What costs is the tool or the connection, not the GPU's work.",
					100*costAtMost)
			}
		}
		found = append(found, f)
	}
	return found
}

// sourcesOf gives a machine's sources as the engine opens them: without any of its
// own, its first server's.
func sourcesOf(m job.Machine, servers []job.Server) []string {
	if len(m.Sources) > 0 {
		return m.Sources
	}
	for _, srv := range servers {
		if srv.Machine != m.ID || srv.WatchOnly {
			continue
		}
		if a, err := remote.ParseAddress(srv.URL); err == nil {
			return []string{a.Source()}
		}
		return []string{"comfy:" + srv.URL}
	}
	return nil
}
