package core

import (
	"slices"

	"reckoner/scheduler/job"
)

// addJobs puts new jobs at the end of the queue.
func (t *turn) addJobs(e JobsAdded) {
	t.learn(typesOf(e.Jobs), e.Past)
	for _, j := range e.Jobs {
		if _, known := t.jobs[j.ID]; known {
			continue
		}
		t.place++
		j.Place = t.place
		j.State = job.JobWaiting
		j.Added = t.now.Wall
		t.jobs[j.ID] = &j
		t.jobsOut[j.ID] = &j
		t.waiting = append(t.waiting, j.ID)
		t.toConvert(&j)
		t.trust(j.Type.Key)
		t.urgent = true
		t.say(job.Event{Kind: job.EventJobAdded, Job: &j})
	}
}

// addMachine adds a machine, or changes one that is there.
func (t *turn) addMachine(e MachineAdded) {
	if m := t.machine(e.Machine.ID); m != nil {
		if !slices.Equal(m.rec.Sources, e.Machine.Sources) {
			clear(m.sources) // why the old ones failed
		}
		m.rec = e.Machine
	} else {
		t.State.machines = append(t.State.machines, newMachine(e.Machine))
	}
	if e.Machine.Saved {
		t.outMachines = append(t.outMachines, e.Machine)
		t.urgent = true
	}
	for _, rec := range e.Servers {
		srv := t.State.servers[rec.ID]
		if srv == nil {
			srv = t.addServer(rec, t.now)
			t.claim(srv)
		} else {
			t.rename(srv, rec)
		}
		if e.Machine.Saved {
			t.outServers = append(t.outServers, srv.rec)
		}
	}
}

// InUse tells whether a run of ours is open on a machine, or its results are
// being fetched.
func (s *State) InUse(machine job.ID) bool {
	on := func(id job.ID) bool {
		srv := s.servers[id]
		return srv != nil && srv.rec.Machine == machine
	}
	for _, o := range s.open {
		if on(o.rec.Server) {
			return true
		}
	}
	for _, f := range s.fetches {
		if on(f.rec.Server) {
			return true
		}
	}
	return false
}

// ServersOf gives the servers of a machine.
func (s *State) ServersOf(machine job.ID) []job.ID {
	var of []job.ID
	for _, srv := range s.order {
		if srv.rec.Machine == machine {
			of = append(of, srv.rec.ID)
		}
	}
	return of
}

// removeMachine takes a machine and its servers away. Jobs that may run only
// there wait, and say so.
func (t *turn) removeMachine(id job.ID) {
	m := t.machine(id)
	if m == nil || t.InUse(id) {
		return
	}
	gone := func(srv *server) bool { return srv.rec.Machine == id }
	for _, srv := range t.order {
		if gone(srv) {
			delete(t.State.servers, srv.rec.ID)
		}
	}
	t.State.order = slices.DeleteFunc(slices.Clone(t.order), gone)
	t.State.machines = slices.DeleteFunc(slices.Clone(t.machines), func(x *machine) bool { return x == m })
	if m.rec.Saved {
		t.outRemoved = append(t.outRemoved, id)
		t.urgent = true
	}
}

// rename takes in a changed record of a server. Its websocket goes on under the
// same id, unless it comes to another machine: then it was only known by the
// record of a run, and is connected to anew.
func (t *turn) rename(srv *server, rec job.Server) {
	old := srv.rec.Machine
	if old == rec.Machine {
		rec.ClientID = srv.rec.ClientID
	}
	srv.rec = rec
	if m := t.machine(old); m != nil && !m.rec.Saved && old != rec.Machine {
		for _, other := range t.order {
			if other.rec.Machine == old {
				return
			}
		}
		t.State.machines = slices.DeleteFunc(slices.Clone(t.State.machines), func(x *machine) bool { return x == m })
	}
}

// claim gives a server that was just added the open run from before this start
// that is on it: the machines of a command line are not kept, their runs are.
func (t *turn) claim(srv *server) {
	for _, o := range t.openInOrder() {
		if o.rec.Server == srv.rec.ID && srv.run == "" {
			srv.run = o.rec.ID
			srv.outOfUse = o.excused
		}
	}
}
