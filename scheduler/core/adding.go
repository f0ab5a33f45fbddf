package core

import "reckoner/scheduler/job"

// addJobs puts new jobs at the end of the queue.
func (t *turn) addJobs(e JobsAdded) {
	for key, runs := range e.Past {
		if _, known := t.past[key]; !known {
			t.past[key] = append(t.past[key], runs...)
			t.forecasts = map[[2]string]job.Forecast{}
		}
	}
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
		t.trust(j.Type.Key)
		t.urgent = true
		t.say(job.Event{Kind: job.EventJobAdded, Job: &j})
	}
}

// addMachine adds a machine, or changes one that is there.
func (t *turn) addMachine(e MachineAdded) {
	if m := t.machine(e.Machine.ID); m != nil {
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
			rec.ClientID = srv.rec.ClientID
			srv.rec = rec
		}
		if e.Machine.Saved {
			t.outServers = append(t.outServers, srv.rec)
		}
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

// command carries out what the user wants.
func (t *turn) command(c Command) {
	switch c := c.(type) {
	case Cancel:
		t.cancel(c.Job)
	case Move:
		t.move(c)
	case Pause:
		t.State.settings.Paused = c.On
		t.outSettings, t.urgent = true, true
	case PauseMachine:
		if m := t.machine(c.Machine); m != nil {
			m.rec.Paused = c.On
			if m.rec.Saved {
				t.outMachines = append(t.outMachines, m.rec)
				t.urgent = true
			}
		}
	case SendAnyway:
		if j := t.jobs[c.Job]; j != nil && j.State == job.JobWaiting {
			t.editJob(c.Job).SendAnyway = true
			t.urgent = true
		}
	case MoveTo:
		t.moveTo(c)
	case Again:
		t.again(c.Job)
	case Dismiss:
		t.dismiss(c.Job)
	case Reply:
		t.reply(c)
	}
}

func (t *turn) cancel(id job.ID) {
	j := t.jobs[id]
	if j == nil {
		return
	}
	switch j.State {
	case job.JobWaiting:
		t.endJob(id, job.JobCancelled, nil)
	case job.JobRunning:
		if o := t.open[job.RunID(j.ID, j.Attempt)]; o != nil {
			t.wantStop(o, job.StopCancel)
		}
	case job.JobCollecting, job.JobEnded:
		// The work is done; there is nothing to stop.
	}
}

// move puts a waiting job before another one. Places keep their gaps: the jobs
// between the two move up by one.
func (t *turn) move(c Move) {
	from, to := index(t.waiting, c.Job), len(t.waiting)
	if from < 0 || c.Job == c.Before {
		return
	}
	if c.Before != "" {
		if to = index(t.waiting, c.Before); to < 0 {
			return
		}
	}
	order := make([]job.ID, 0, len(t.waiting))
	for i, id := range t.waiting {
		if i == to {
			order = append(order, c.Job)
		}
		if i != from {
			order = append(order, id)
		}
	}
	if to == len(t.waiting) {
		order = append(order, c.Job)
	}
	places := make([]int64, len(t.waiting))
	for i, id := range t.waiting {
		places[i] = t.jobs[id].Place
	}
	for i, id := range order {
		if t.jobs[id].Place != places[i] {
			t.editJob(id).Place = places[i]
		}
	}
	t.waiting = order
	t.urgent = true
}

func (t *turn) moveTo(c MoveTo) {
	j := t.jobs[c.Job]
	if j == nil || j.State != job.JobWaiting {
		return
	}
	var servers []job.ID
	for _, srv := range t.order {
		if c.Machine != "" && srv.rec.Machine == c.Machine && !srv.rec.WatchOnly {
			servers = append(servers, srv.rec.ID)
		}
	}
	if c.Machine != "" && len(servers) == 0 {
		return
	}
	t.editJob(c.Job).Servers = servers
	t.urgent = true
}

// again puts an ended job back into the queue, last.
func (t *turn) again(id job.ID) {
	j := t.jobs[id]
	if j == nil || j.State != job.JobEnded || t.open[job.RunID(j.ID, j.Attempt)] != nil {
		return
	}
	j = t.editJob(id)
	t.place++
	j.Place = t.place
	j.State, j.Outcome, j.Why, j.FinishedLate, j.Hidden = job.JobWaiting, "", nil, false, false
	j.Tries = job.Tries{}
	t.trust(j.Type.Key)
	t.ended = without(t.ended, id)
	t.waiting = append(t.waiting, id)
	t.urgent = true
	t.say(job.Event{Kind: job.EventJobAdded, Job: j})
}

// dismiss takes an ended job off the list.
func (t *turn) dismiss(id job.ID) {
	if j := t.jobs[id]; j == nil || j.State != job.JobEnded {
		return
	}
	t.editJob(id).Hidden = true
	t.urgent = true
}

func index(list []job.ID, id job.ID) int {
	for i, x := range list {
		if x == id {
			return i
		}
	}
	return -1
}

func without(list []job.ID, id job.ID) []job.ID {
	kept := make([]job.ID, 0, len(list))
	for _, x := range list {
		if x != id {
			kept = append(kept, x)
		}
	}
	return kept
}
