package sim

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Happening is something that is done to a server at a time of the scenario.
type Happening struct {
	AtS    float64 `json:"at_s"`
	EveryS float64 `json:"every_s,omitempty"` // and again; 0 for once
	Server string  `json:"server"`            // of the same machine
	// Do is one of Deeds.
	Do Deed `json:"do"`
	// DownS is how long a restart takes.
	DownS float64 `json:"down_s,omitempty"`
	// Faults are, for "faults", what goes wrong from then on, and nothing else.
	Faults Faults `json:"faults,omitzero"`
}

// Deed is what can be done to a server.
type Deed string

// The deeds.
const (
	DoRestart      Deed = "restart"       // as a crash does
	DoClearQueue   Deed = "clear_queue"   // by a third party
	DoClearHistory Deed = "clear_history" // likewise
	DoInterrupt    Deed = "interrupt"     // likewise: whatever runs
	DoDropSockets  Deed = "drop_sockets"
	DoFaults       Deed = "faults"
)

// Deeds lists what can be done to a server.
func Deeds() []Deed {
	return []Deed{DoRestart, DoClearQueue, DoClearHistory, DoInterrupt, DoDropSockets, DoFaults}
}

func (h *Happening) check(servers map[string]bool) error {
	switch {
	case !servers[h.Server]:
		return fmt.Errorf("what happens to server %q: there is no such server", h.Server)
	case !slices.Contains(Deeds(), h.Do):
		names := make([]string, 0, len(Deeds()))
		for _, d := range Deeds() {
			names = append(names, string(d))
		}
		return fmt.Errorf("server %s: %q cannot be done; known are %s", h.Server, h.Do, strings.Join(names, ", "))
	case h.AtS < 0 || h.EveryS < 0 || h.DownS < 0:
		return fmt.Errorf("server %s: %s at a time before the start", h.Server, h.Do)
	}
	return nil
}

// happen does what is to be done at its time, until the context ends.
func (s *Server) happen(ctx context.Context, h Happening) {
	for at := seconds(h.AtS); s.pace.wait(ctx, at-s.pace.now()) == nil; at += seconds(h.EveryS) {
		s.log.Debug("something is done to a server", "server", s.Name(), "do", string(h.Do))
		switch h.Do {
		case DoRestart:
			s.Restart(seconds(h.DownS))
		case DoClearQueue:
			s.ClearQueue()
		case DoClearHistory:
			s.ClearHistory()
		case DoInterrupt:
			s.Interrupt()
		case DoDropSockets:
			s.DropSockets()
		case DoFaults:
			s.SetFaults(func(f *Faults) { *f = h.Faults })
		}
		if h.EveryS <= 0 {
			return
		}
	}
}
