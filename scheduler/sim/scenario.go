package sim

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Scenario says what a World is made of and what happens in it. It is read from
// JSON with the names given here; unknown names are errors. Times are seconds
// of the world's time.
type Scenario struct {
	Name     string    `json:"name"`
	About    string    `json:"about"` // for people
	Machines []Machine `json:"machines"`
}

// Machine is a host with GPUs and render servers. It has one metrics page.
type Machine struct {
	Name    string       `json:"name"`
	GPUs    []GPU        `json:"gpus"`
	Servers []ServerSpec `json:"servers"`
	// Happenings are done to the servers in the course of time.
	Happenings []Happening `json:"happenings,omitempty"`
}

// GPU is a card.
type GPU struct {
	UUID      string  `json:"uuid"` // lower case, without "GPU-"
	Name      string  `json:"name"`
	LimitW    float64 `json:"limit_w"`
	IdleW     float64 `json:"idle_w"`
	MemoryMiB int64   `json:"memory_mib"`
	Speed     float64 `json:"speed"` // 1 is an RTX 5060 Ti
}

// ServerSpec is a render server.
type ServerSpec struct {
	Name string `json:"name"`
	GPU  int    `json:"gpu"` // index into the machine's GPUs
	// Watch says that the server is another person's: to be looked at only.
	Watch bool `json:"watch,omitempty"`
	// MemoryMiB is what its prompts hold on the card; 0 works it out from each.
	MemoryMiB int64 `json:"memory_mib,omitempty"`
	// SpillRate is its share of full speed while the card's memory does not
	// suffice for all who compute; 0 means a fifth.
	SpillRate float64 `json:"spill_rate,omitempty"`
	// KeepsS is how long its models stay in the card's memory after its work, as
	// ComfyUI keeps them until somebody needs the room; 0 means that they leave
	// with it.
	KeepsS float64 `json:"keeps_s,omitempty"`
	// Seconds are fixed durations by node class, in place of the work model's.
	Seconds map[string]float64 `json:"seconds,omitempty"`
	// Models are the model files by folder ("checkpoints", "vae", ...). Where
	// given, only listed files are accepted; else every name with a model's
	// ending is.
	Models map[string][]string `json:"models,omitempty"`
	// Uploads are names of pictures in the input folder from the start.
	Uploads []string `json:"uploads,omitempty"`
	// Protocol is the version that this server speaks; "" means the world's.
	Protocol string `json:"protocol,omitempty"`
	// Windows writes paths with the other separator.
	Windows bool `json:"windows,omitempty"`
	// MonitorEveryS is how often ComfyUI-Crystools' monitor tells everybody of
	// the machine's cards; 0 means that it is not installed.
	MonitorEveryS float64 `json:"monitor_every_s,omitempty"`
	// Results are what nodes of a class report in place of what they saved: an
	// object such as {"text": ["a"]}, or null for nodes that report nothing.
	Results map[string]json.RawMessage `json:"results,omitempty"`
	Client  *Client                    `json:"client,omitempty"`
	Faults  Faults                     `json:"faults,omitzero"`
}

// Client is somebody else who sends prompts to the server.
type Client struct {
	ID string `json:"id"`
	// Anonymous sends prompts without a client_id, whose progress everybody gets.
	Anonymous bool    `json:"anonymous,omitempty"`
	EveryS    float64 `json:"every_s"`
	// JitterS is how far from EveryS a pause may be.
	JitterS float64 `json:"jitter_s"`
	// MaxWaiting is how many prompts may wait before the client holds back; 0
	// means 3.
	MaxWaiting int `json:"max_waiting"`
	// Prompt is what it sends: a graph in API format. Every input named seed or
	// noise_seed is changed each time. Empty means a short video.
	Prompt json.RawMessage `json:"prompt,omitempty"`
	When   When            `json:"when"`
}

// When says when a client is there. With Server set it waits for a prompt to
// start there, once; else it comes at FromS and goes at ToS, and again every
// PeriodS.
type When struct {
	FromS   float64 `json:"from_s,omitempty"`
	ToS     float64 `json:"to_s,omitempty"` // 0 means it stays
	PeriodS float64 `json:"period_s,omitempty"`

	// Server is a server of the same machine. The client comes DelayS after the
	// start there of the first prompt that has Contains in it, or that would
	// take MinS or more by itself; and goes for good LeaveS after that prompt
	// ended.
	Server   string  `json:"server,omitempty"`
	Contains string  `json:"contains,omitempty"`
	MinS     float64 `json:"min_s,omitempty"`
	DelayS   float64 `json:"delay_s,omitempty"`
	LeaveS   float64 `json:"leave_s,omitempty"`
}

//go:embed scenarios/*.json
var scenarioFiles embed.FS

const maxScenarioBytes = 4 << 20

// Load finds a scenario: one of the built-in names ("default", "demo"), or a
// file.
func Load(nameOrFile string) (Scenario, error) {
	if nameOrFile == "" {
		nameOrFile = "default"
	}
	b, err := scenarioFiles.ReadFile("scenarios/" + nameOrFile + ".json")
	if err != nil {
		f, ferr := os.Open(nameOrFile)
		if ferr != nil {
			return Scenario{}, fmt.Errorf("find scenario %q (built in are %s): %w",
				nameOrFile, strings.Join(ScenarioNames(), ", "), ferr)
		}
		defer f.Close() // only read
		if b, err = io.ReadAll(io.LimitReader(f, maxScenarioBytes)); err != nil {
			return Scenario{}, fmt.Errorf("read scenario %s: %w", nameOrFile, err)
		}
	}
	s, err := ParseScenario(b)
	if err != nil {
		return Scenario{}, fmt.Errorf("scenario %s: %w", nameOrFile, err)
	}
	return s, nil
}

// ScenarioNames lists the built-in scenarios.
func ScenarioNames() []string {
	entries, err := scenarioFiles.ReadDir("scenarios")
	if err != nil { // cannot happen: the folder is part of the program
		return nil
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".json"))
	}
	return names
}

// ParseScenario reads a scenario and checks that it makes sense.
func ParseScenario(b []byte) (Scenario, error) {
	var s Scenario
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return Scenario{}, fmt.Errorf("read it as JSON: %w", err)
	}
	return s, s.check()
}

func (s *Scenario) check() error {
	if len(s.Machines) == 0 {
		return fmt.Errorf("it has no machines")
	}
	seen := map[string]bool{}
	for i := range s.Machines {
		m := &s.Machines[i]
		if err := m.check(); err != nil {
			return fmt.Errorf("machine %q: %w", m.Name, err)
		}
		if m.Name == "" || seen[m.Name] {
			return fmt.Errorf("machine %d needs a name of its own", i+1)
		}
		seen[m.Name] = true
	}
	return nil
}

func (m *Machine) check() error {
	for i := range m.GPUs {
		g := &m.GPUs[i]
		if g.Speed == 0 {
			g.Speed = 1
		}
		if g.UUID == "" || g.LimitW <= 0 || g.IdleW < 0 || g.MemoryMiB <= 2048 || g.Speed < 0 {
			return fmt.Errorf("GPU %d needs uuid, limit_w, memory_mib over 2048 and a speed over 0", i)
		}
	}
	names := map[string]bool{}
	for _, sv := range m.Servers {
		if sv.Name == "" || names[sv.Name] {
			return fmt.Errorf("every server needs a name of its own")
		}
		names[sv.Name] = true
		if sv.GPU < 0 || sv.GPU >= len(m.GPUs) {
			return fmt.Errorf("server %s: there is no GPU %d", sv.Name, sv.GPU)
		}
	}
	for i := range m.Happenings {
		if err := m.Happenings[i].check(names); err != nil {
			return err
		}
	}
	for _, sv := range m.Servers {
		if err := sv.Client.check(names); err != nil {
			return fmt.Errorf("server %s: its client %w", sv.Name, err)
		}
	}
	return nil
}

// check tells what is wrong with a client; there may be none.
func (c *Client) check(servers map[string]bool) error {
	switch {
	case c == nil:
		return nil
	case c.EveryS <= 0, c.JitterS < 0, c.JitterS >= c.EveryS:
		return errors.New("needs every_s over jitter_s, and jitter_s of at least 0")
	case c.When.Server != "" && !servers[c.When.Server]:
		return fmt.Errorf("waits for server %q, which is not there", c.When.Server)
	}
	return nil
}
