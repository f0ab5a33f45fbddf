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
		j.Place = t.lastPlace(job.PriorityNormal)
		j.State = job.JobWaiting
		j.Added = t.now.Wall
		t.jobs[j.ID] = &j
		t.writeJob(&j)
		t.enqueue(&j)
		t.toConvert(&j)
		t.trust(j.Type.Key)
		t.urgent = true
		t.say(job.Event{Kind: job.EventJobAdded, Job: &j})
		if j.Why != nil { // nothing of it could be sent anywhere
			t.endJob(j.ID, job.JobNeedsYou, j.Why)
		}
	}
}

// revise gives a waiting job other values.
func (t *turn) revise(e JobRevised) {
	if j := t.jobs[e.Job.ID]; j == nil || j.State != job.JobWaiting || j.Graph != e.Of {
		return
	}
	t.learn([]job.Type{e.Job.Type}, e.Past)
	t.askMissing(t.jobs[e.Job.ID].Needs)
	j := t.editJob(e.Job.ID)
	j.Graph, j.Workflow, j.Source, j.Type, j.Needs = e.Job.Graph, e.Job.Workflow, e.Job.Source, e.Job.Type, e.Job.Needs
	j.Samplers = e.Job.Samplers
	t.enqueue(j)
	t.trust(j.Type.Key)
	t.urgent = true
}

// inputsGiven takes in files that a job lacked.
func (t *turn) inputsGiven(e InputsGiven) {
	if j := t.jobs[e.Job]; j == nil || j.State != job.JobWaiting && j.State != job.JobEnded {
		return
	}
	t.editJob(e.Job).Inputs = e.Inputs
	t.urgent = true
	if why := t.jobs[e.Job].Why; why != nil && why.Code == job.ErrMissingInput {
		t.again(e.Job)
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
		t.State.addMachine(e.Machine)
	}
	t.touch(t.site(e.Machine.ID))
	if e.Machine.Saved {
		t.outMachines = append(t.outMachines, e.Machine)
		t.urgent = true
	}
	for _, rec := range e.Servers {
		srv := t.State.servers[rec.ID]
		if srv == nil {
			srv = t.addServer(rec, t.now)
			t.claim(srv)
			t.missing = append(t.missing, sortedStrings(t.needs)...) // it may have what others lack
		} else {
			t.rename(srv, rec)
		}
		t.touch(srv.site)
		t.holdsAnew()
		if e.Machine.Saved {
			t.outServers = append(t.outServers, srv.rec)
		}
	}
}

// InUse tells whether a run of ours is open on a machine, or its results are
// being fetched.
func (s *State) InUse(machine job.ID) bool {
	at := s.sites[machine]
	return at != nil && len(at.runs)+len(at.fetches) > 0
}

// ServersOf gives the servers of a machine.
func (s *State) ServersOf(machine job.ID) []job.ID {
	at := s.sites[machine]
	if at == nil {
		return nil
	}
	of := make([]job.ID, 0, len(at.servers))
	for _, srv := range at.servers {
		of = append(of, srv.rec.ID)
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
	at := t.site(id)
	for _, srv := range at.servers {
		delete(t.State.servers, srv.rec.ID)
		t.forgetFits(srv.rec.ID)
		t.retire(srv)
	}
	t.State.order = slices.DeleteFunc(slices.Clone(t.order), gone)
	t.forgetMachine(m)
	if m.rec.Saved {
		t.outRemoved = append(t.outRemoved, id)
		t.urgent = true
	}
}

// forgetMachine takes a machine that has no servers off the list.
func (t *turn) forgetMachine(m *machine) {
	for _, key := range sortedStrings(m.cuts) {
		t.setCuts(m, key, 0)
	}
	at := t.site(m.rec.ID)
	t.deadlines.remove(&at.wake)
	delete(t.sites, m.rec.ID)
	t.touched = without(t.touched, at)
	t.State.machines = without(t.State.machines, m)
	t.cut = true // jobs may have lost their other way
	t.holdsAnew()
}

// rename takes in a changed record of a server. Its websocket goes on under the
// same id, unless it comes to another machine: then it was only known by the
// record of a run, and is connected to anew.
func (t *turn) rename(srv *server, rec job.Server) {
	old, at := srv.rec.Machine, srv.site
	if old == rec.Machine {
		rec.ClientID = srv.rec.ClientID
	}
	if !slices.Equal(srv.rec.Pins, rec.Pins) {
		srv.probeAt, srv.lookAt = t.now, t.now // it may answer now
	}
	srv.rec = rec
	t.touch(at)
	t.State.settle(srv)
	if m := at.m; m != nil && !m.rec.Saved && len(at.servers) == 0 {
		t.forgetMachine(m)
	}
}

// claim gives a server that was just added the open run from before this start
// that is on it: the machines of a command line are not kept, their runs are.
func (t *turn) claim(srv *server) {
	for _, o := range srv.site.runs {
		if o.rec.Server == srv.rec.ID {
			t.queueUp(srv, o)
		}
	}
}
