package cli

import (
	"crypto/sha256"
	"fmt"
	"net"
	"net/url"
	"strings"

	"reckoner/scheduler/job"
	"reckoner/scheduler/remote"
)

// park is the machines that a command line names. They are used, not saved.
type park struct {
	machines []job.Machine
	servers  []job.Server
	// use are the servers that jobs may go to, in the order of the flags.
	use  []job.Server
	keys keyring // what was written into the addresses
}

// buildPark makes machines of --server, --watch and --gpu. Servers on one host
// are one machine. Ids come from the addresses, so that the same command line
// means the same servers after a crash.
func buildPark(use, watch, sources []string) (park, error) {
	p := park{keys: keyring{}}
	for _, list := range []struct {
		flag      string
		addresses []string
		watchOnly bool
	}{{"--server", use, false}, {"--watch", watch, true}} {
		for _, address := range list.addresses {
			if err := p.addServer(address, list.watchOnly); err != nil {
				return park{}, fmt.Errorf("%s: %w", list.flag, err)
			}
		}
	}
	for _, s := range sources {
		if err := p.addSource(s); err != nil {
			return park{}, err
		}
	}
	return p, nil
}

func (p *park) addServer(address string, watchOnly bool) error {
	bare, secret, err := splitServerURL(address)
	if err != nil {
		return err
	}
	for _, known := range p.servers {
		if known.URL == bare && known.WatchOnly == watchOnly {
			return nil
		}
		if known.URL == bare {
			return fmt.Errorf("%s is named with --server already", bare)
		}
	}
	if !secret.none() {
		p.keys[bare] = secret
	}
	host, name, err := namesOf(bare)
	if err != nil {
		return err
	}
	s := job.Server{ID: idFrom("server", bare), Machine: p.machine(host), Name: name, URL: bare, WatchOnly: watchOnly}
	p.servers = append(p.servers, s)
	if !watchOnly {
		p.use = append(p.use, s)
	}
	return nil
}

// namesOf gives the host of a server's bare URL, and the server's name.
func namesOf(bare string) (host, name string, err error) {
	if remote.Is(bare) {
		a, err := remote.ParseAddress(bare)
		return a.Host.Name(), strings.TrimPrefix(bare, "ssh:"), err
	}
	u, err := url.Parse(bare)
	if err != nil {
		return "", "", err
	}
	return u.Hostname(), u.Host, nil
}

// machine gives the id of the machine of a host, and makes it when it is new.
func (p *park) machine(host string) job.ID {
	host = sameHost(host)
	id := idFrom("machine", host)
	for _, m := range p.machines {
		if m.ID == id {
			return id
		}
	}
	p.machines = append(p.machines, job.Machine{ID: id, Name: host})
	return id
}

// addSource attaches a telemetry source to a machine: [HOST=]SOURCE.
func (p *park) addSource(arg string) error {
	host, source := splitSource(arg)
	if source == "" {
		return fmt.Errorf("--gpu %s: say [HOST=]SOURCE", arg)
	}
	if host == "" {
		host = sourceHost(source)
		switch {
		case p.has(host):
		case len(p.machines) == 1:
			host = p.machines[0].Name
		default:
			return fmt.Errorf("--gpu %s: which machine is it? Say --gpu HOST=%s", arg, source)
		}
	}
	id := p.machine(host)
	for i := range p.machines {
		if p.machines[i].ID == id {
			p.machines[i].Sources = append(p.machines[i].Sources, source)
		}
	}
	return nil
}

func (p *park) has(host string) bool {
	id := idFrom("machine", sameHost(host))
	for _, m := range p.machines {
		if m.ID == id {
			return true
		}
	}
	return false
}

// of gives the servers of a machine.
func (p *park) of(machine job.ID) []job.Server {
	var out []job.Server
	for _, s := range p.servers {
		if s.Machine == machine {
			out = append(out, s)
		}
	}
	return out
}

// sourceKinds begin a source that has an address.
var sourceKinds = []string{"prom:", "comfy:", "ssh:", "file:"}

// splitSource takes HOST= off a source. A source's own address may hold "=".
func splitSource(arg string) (host, source string) {
	for _, kind := range sourceKinds {
		if strings.HasPrefix(arg, kind) {
			return "", arg
		}
	}
	if host, source, ok := strings.Cut(arg, "="); ok {
		return host, source
	}
	return "", arg
}

// sourceHost gives the host that a source is on, as far as it says: this
// computer for a tool that runs here.
func sourceHost(source string) string {
	kind, address, ok := strings.Cut(source, ":")
	if !ok {
		return "127.0.0.1"
	}
	switch kind {
	case "prom", "comfy":
		if u, err := url.Parse(address); err == nil {
			return u.Hostname()
		}
	case "ssh":
		if host, err := remote.ParseHost(address); err == nil {
			return host.Name()
		}
	}
	return ""
}

// sameHost gives one name to the names of this computer's loopback, so that
// http://localhost and http://127.0.0.1 are one machine.
func sameHost(host string) string {
	host = strings.ToLower(host)
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		return "localhost"
	}
	return host
}

// idFrom derives an id from what it names.
func idFrom(kind, name string) job.ID {
	sum := sha256.Sum256([]byte("reckoner " + kind + " " + name))
	return job.UUIDFrom([16]byte(sum[:16]))
}
