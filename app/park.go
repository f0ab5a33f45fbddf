package app

import (
	"errors"
	"slices"
	"strings"
	"time"

	"reckoner/app/machines"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// addMachine adds a machine with one render server, a server to a machine that is
// there, or changes one.
func (w *window) addMachine(wish machines.Wish, done func(problem string)) {
	at, ok := serverURL(wish.Address)
	if !ok {
		done("This is no address. It looks like http://gpu-1:8188.")
		return
	}
	if wish.Name == "" {
		wish.Name = hostOf(at.bare)
	}
	if (at.opens || wish.Key != "") && w.o.Enter == nil {
		done("Nothing can keep a password or a token here, so the machine was not added.")
		return
	}
	p := w.wanted(wish, at)
	w.goes(func() {
		place, err := w.carryOut(p)
		w.do(func() {
			if err != nil {
				done(w.sentence(err))
				return
			}
			done("")
			if place == placeFile {
				w.tell("It is kept in a file", "No keyring of this computer took it. What opens "+p.server().Name+
					" is in a file in Reckoner's data folder that only you can read.", nil)
			}
			w.offer(nil)
			w.bridge.Changed()
		})
	})
}

// placeFile is where Options.Enter keeps what opens a server when there is no
// keyring.
const placeFile = "file"

// plan is what a wish comes to.
type plan struct {
	machine job.Machine
	servers []job.Server
	at      int // of the server that was wished
	// before are its machine's records, when the server of a machine that is there
	// changes its address or what opens it: it is then connected to anew.
	before []job.Server
	// typed and key are what opens the server; both "" when nothing was typed that
	// does.
	typed, key string
}

func (p *plan) server() *job.Server { return &p.servers[p.at] }

// carryOut makes the records of a plan, and says where what opens the server is
// kept. When it fails, everything is as it was before.
func (w *window) carryOut(p plan) (place string, err error) {
	again := len(p.before) > 0
	if again {
		if err := w.o.Farm.RemoveMachine(w.ctx, p.machine.ID); err != nil {
			return "", err
		}
	}
	place, err = w.enter(p, again)
	if err == nil {
		err = w.o.Farm.AddMachine(w.ctx, p.machine, p.servers)
	}
	if err != nil && again {
		err = errors.Join(err, w.o.Farm.AddMachine(w.ctx, p.machine, p.before))
	}
	return place, err
}

// enter keeps what opens a server. What opened it at an address before is
// forgotten with that address: another computer must not get it.
func (w *window) enter(p plan, again bool) (place string, err error) {
	srv := p.server()
	if p.typed != "" {
		srv.URL, place, err = w.o.Enter(w.ctx, srv.ID, p.typed, p.key)
		return place, err
	}
	if again && w.o.Forget != nil && p.before[p.at].URL != srv.URL {
		return "", w.o.Forget(w.ctx, srv.ID)
	}
	return "", nil
}

// wanted makes the plan of a wish.
func (w *window) wanted(wish machines.Wish, at address) plan {
	p := plan{machine: job.Machine{ID: w.o.NewID(), Name: wish.Name, Saved: true}}
	if at.opens || wish.Key != "" {
		p.typed, p.key = at.full(wish.Address), wish.Key
	}
	server := job.Server{
		ID: w.o.NewID(), Name: wish.Name, URL: at.bare.String(), ClientID: string(w.o.NewID()), WatchOnly: wish.WatchOnly,
		Pins: wish.Pins,
	}
	if v := w.machine(wish.Machine); v != nil {
		p.machine = v.Machine
		p.machine.Saved = true
		for _, s := range v.Servers {
			p.servers = append(p.servers, s.Server)
		}
		if !wish.Change {
			server.Machine, p.at = p.machine.ID, len(p.servers)
			p.servers = append(p.servers, server)
			return p
		}
		p.machine.Name, p.machine.Others, p.machine.OthersFor = wish.Name, wish.Others, wish.OthersFor
		p.machine.Sources = sources(wish.Source)
		if i := changed(p.servers); i >= 0 {
			// A server that changes its address is another one; its machine keeps its
			// id, and with that what jobs were told about it.
			p.at = i
			old := p.servers[i]
			if old.URL != server.URL || p.typed != "" {
				p.before = slices.Clone(p.servers)
			}
			if old.URL != server.URL {
				p.servers[i].Pins = wish.Pins
			}
			p.servers[i].Name, p.servers[i].URL, p.servers[i].WatchOnly = wish.Name, server.URL, wish.WatchOnly
			return p
		}
	}
	p.machine.Others, p.machine.OthersFor = wish.Others, wish.OthersFor
	p.machine.Sources = sources(wish.Source)
	server.Machine, p.at = p.machine.ID, len(p.servers)
	p.servers = append(p.servers, server)
	return p
}

// changed is the server that a change of its machine is about: the first that
// takes jobs, else the first. -1 without any.
func changed(servers []job.Server) int {
	i := slices.IndexFunc(servers, func(s job.Server) bool { return !s.WatchOnly })
	if i < 0 && len(servers) > 0 {
		return 0
	}
	return i
}

// sources reads a list of sources as it is typed.
func sources(s string) []string {
	var all []string
	for source := range strings.SplitSeq(s, ",") {
		if source = strings.TrimSpace(source); source != "" {
			all = append(all, source)
		}
	}
	return all
}

// records are those of a machine and its servers.
func (w *window) records(machine job.ID) (job.Machine, []job.Server) {
	v := w.machine(machine)
	if v == nil {
		return job.Machine{}, nil
	}
	servers := make([]job.Server, 0, len(v.Servers))
	for _, s := range v.Servers {
		servers = append(servers, s.Server)
	}
	return v.Machine, servers
}

func (w *window) machine(id job.ID) *scheduler.MachineView {
	s := w.o.Farm.Snapshot()
	if s == nil || id == "" {
		return nil
	}
	for i := range s.Machines {
		if s.Machines[i].Machine.ID == id {
			return &s.Machines[i]
		}
	}
	return nil
}

// typingPause is how long the address has to stay as it is before it is looked
// at.
const typingPause = 500 * time.Millisecond

// probe finds out what is at an address that is being typed.
func (w *window) probe(typed string, pins []string, done func(machines.Found)) {
	n := w.probes.Add(1)
	found := machines.Found{Address: typed}
	at, ok := serverURL(typed)
	if !ok {
		done(found)
		return
	}
	found.URL = at.bare.String()
	// A tunnel is not dug for every letter, and a password not sent.
	if found.Behind, found.Opens = at.bare.Scheme == behindSSH, at.opens; found.Behind || found.Opens {
		done(found)
		return
	}
	w.goes(func() {
		select {
		case <-w.ctx.Done():
			return
		case <-time.After(w.typing):
		}
		if w.probes.Load() != n {
			return // typed on
		}
		info, err := w.o.Farm.Probe(w.ctx, found.URL, pins...)
		found.Info, found.Err = info, coded(err, job.ErrUnreachable)
		w.do(func() { done(found) })
	})
}

// testSource reads a source of GPU readings once.
func (w *window) testSource(source string, done func(machines.Tested)) {
	w.goes(func() {
		readings, err := w.o.Farm.TestSource(w.ctx, source)
		w.do(func() {
			done(machines.Tested{Source: source, Readings: readings, Err: coded(err, job.ErrToolFailed)})
		})
	})
}

// coded gives an error as one with words, nil for nil.
func coded(err error, code string) *job.Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*job.Error](err); ok {
		return e
	}
	return job.Errorf(code, job.Args{Detail: err.Error()}, err)
}

// removeMachine removes a machine, after asking.
func (w *window) removeMachine(m job.Machine) {
	w.confirm("Remove "+m.Name+"?", "Reckoner forgets its address. Its past runs stay in the history; jobs that may run "+
		"only there wait until they are moved.", "Remove it", "Keep it", func() {
		w.goes(func() {
			_, servers := w.records(m.ID)
			err := w.o.Farm.RemoveMachine(w.ctx, m.ID)
			for _, srv := range servers {
				if err == nil && w.o.Forget != nil {
					err = w.o.Forget(w.ctx, srv.ID)
				}
			}
			w.do(func() {
				if err != nil {
					w.tell(m.Name+" was not removed", w.sentence(err), nil)
				}
				w.bridge.Changed()
			})
		})
	})
}

// lookForLocal offers a ComfyUI that runs on this computer, when no machine is
// set up yet.
func (w *window) lookForLocal() {
	s := w.o.Farm.Snapshot()
	if w.o.Demo || s == nil || len(s.Machines) > 0 {
		return
	}
	w.goes(func() {
		urls := w.o.Farm.LookForLocal(w.ctx)
		w.do(func() { w.offer(urls) })
	})
}

// offer shows render servers of this computer that can be added.
func (w *window) offer(urls []string) {
	w.farm.Offer(urls)
	w.queue.Offer(urls)
}

// addLocal adds a render server of this computer, with the readings of its GPU
// where nvidia-smi gives them.
func (w *window) addLocal(url string) {
	w.goes(func() {
		wish := machines.Wish{Name: "this computer", Address: url}
		if _, err := w.o.Farm.TestSource(w.ctx, "nvidia-smi"); err == nil {
			wish.Source = "nvidia-smi"
		}
		w.do(func() {
			w.addMachine(wish, func(problem string) {
				if problem != "" {
					w.tell("It was not added", problem, nil)
				}
			})
		})
	})
}

// lookForOthers asks a machine's hosts for render servers that nobody named.
func (w *window) lookForOthers(machine job.ID, done func(machines.Looked)) {
	w.goes(func() {
		found, err := w.o.Farm.LookForOthers(w.ctx, machine)
		w.do(func() { done(machines.Looked{Found: found, Err: coded(err, job.ErrUnreachable)}) })
	})
}
