package app

import (
	"errors"
	"net/url"
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
	address, ok := serverURL(wish.Address)
	if !ok {
		done("“" + wish.Address + "” is no address. It looks like http://gpu-1:8188.")
		return
	}
	if wish.Name == "" {
		wish.Name = hostOf(address)
	}
	m, servers, moved := w.wanted(wish, address)
	w.goes(func() {
		var err error
		if moved {
			// A server that changes its address is another one; its machine keeps
			// its id, and with that what jobs were told about it.
			err = w.o.Farm.RemoveMachine(w.ctx, m.ID)
		}
		if err == nil {
			err = w.o.Farm.AddMachine(w.ctx, m, servers)
		}
		w.do(func() {
			if err != nil {
				done(w.sentence(err))
				return
			}
			done("")
			w.offer(nil)
			w.bridge.Changed()
		})
	})
}

// wanted makes the records of a wish. moved says that a server of a machine that
// is there changes its address.
func (w *window) wanted(wish machines.Wish, address *url.URL) (m job.Machine, servers []job.Server, moved bool) {
	m = job.Machine{ID: w.o.NewID(), Name: wish.Name, Saved: true}
	server := job.Server{
		ID: w.o.NewID(), Name: wish.Name, URL: address.String(), ClientID: string(w.o.NewID()), WatchOnly: wish.WatchOnly,
	}
	if v := w.machine(wish.Machine); v != nil {
		m = v.Machine
		m.Saved = true
		for _, s := range v.Servers {
			servers = append(servers, s.Server)
		}
		if !wish.Change {
			server.Name, server.Machine = wish.Name, m.ID
			return m, append(servers, server), false
		}
		m.Name = wish.Name
		m.Sources = sources(wish.Source)
		if i := changed(servers); i >= 0 {
			moved = servers[i].URL != server.URL
			servers[i].Name, servers[i].URL, servers[i].WatchOnly = wish.Name, server.URL, wish.WatchOnly
			return m, servers, moved
		}
	}
	m.Sources = sources(wish.Source)
	server.Machine = m.ID
	return m, append(servers, server), false
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
func (w *window) probe(address string, done func(machines.Found)) {
	n := w.probes.Add(1)
	found := machines.Found{Address: address}
	u, ok := serverURL(address)
	if !ok {
		done(found)
		return
	}
	found.URL = u.String()
	if u.Scheme == behindSSH {
		found.Later = true // a tunnel is not dug for every letter
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
		info, err := w.o.Farm.Probe(w.ctx, found.URL)
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
			err := w.o.Farm.RemoveMachine(w.ctx, m.ID)
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

// serverURL reads an address as people type it: with or without its scheme and
// port. An address with a name and a password in it is refused, because records
// hold the bare URL only.
func serverURL(s string) (*url.URL, bool) {
	if way, ok := strings.CutPrefix(s, behindSSH+":"); ok {
		u := &url.URL{Scheme: behindSSH, Opaque: way}
		return u, hostOf(u) != "" && !strings.ContainsAny(way, " \t") && !strings.HasPrefix(way, "-")
	}
	bare := !strings.Contains(s, "://")
	if bare {
		s = "http://" + s
	}
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" ||
		u.User != nil || u.RawQuery != "" {
		return nil, false
	}
	if u.Port() == "" && bare {
		u.Host += ":8188"
	}
	u.Path, u.Fragment = strings.TrimRight(u.Path, "/"), ""
	return u, true
}

// behindSSH begins the address of a server that is reached through ssh:
// ssh:USER@HOST, with ssh's own port after a colon and ComfyUI's after a slash.
const behindSSH = "ssh"

// hostOf names the computer of an address.
func hostOf(u *url.URL) string {
	if u.Scheme != behindSSH {
		return u.Hostname()
	}
	host, _, _ := strings.Cut(u.Opaque, "/")
	if _, after, ok := strings.Cut(host, "@"); ok {
		host = after
	}
	host, _, _ = strings.Cut(host, ":")
	return host
}
