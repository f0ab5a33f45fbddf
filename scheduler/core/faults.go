package core

import "reckoner/scheduler/job"

// faultsPoison is how many GPU faults in a row mean that a server's process is
// of no use any more: after one, everything that it asks of the GPU fails until
// it is restarted.
const faultsPoison = 2

// countFaults notes what a run's end says of its server's GPU and of its
// machine's disk.
func (t *turn) countFaults(r *job.Run, srv *server, m *machine) {
	code := ""
	if r.Outcome == job.RunFailed && r.Err != nil {
		code = r.Err.Code
	}
	switch {
	case r.Outcome == job.RunSucceeded:
		srv.faults, srv.poisoned = 0, job.Maybe[job.Instant]{}
		m.full = job.Maybe[job.Instant]{}
	case code == job.ErrServerDisk:
		m.full = job.Known(t.now)
	case code == job.ErrGPUFault:
		if srv.restartedSince(srv.faultAt) {
			srv.faults = 0
		}
		srv.faults++
		srv.faultAt = t.now
		if srv.faults >= faultsPoison {
			srv.poisoned = job.Known(t.now)
		}
	}
}

// faultHolds are the holds for a server whose process is of no use, and for a
// machine whose disk is full. They end with the server's restart or, as no hold
// may go on for ever, when one job tries it.
func (s *State) faultHolds(srv *server, m *machine, now job.Instant) []job.Hold {
	var holds []job.Hold
	add := func(since job.Maybe[job.Instant], code job.HoldCode, say string, count int) {
		at, ok := since.Get()
		if ok && now.Mono < at.Add(tripFor).Mono {
			holds = append(holds, job.Hold{Code: code, Server: srv.rec.ID, Since: at.Wall, Say: job.Say{
				Code: say, Args: job.Args{Server: srv.rec.Name, Count: count, At: at.Add(tripFor).Wall},
			}})
		}
	}
	if at, ok := srv.poisoned.Get(); ok && !srv.restartedSince(at) {
		add(srv.poisoned, job.HoldOutOfUse, job.SayPoisoned, srv.faults)
	}
	if m != nil {
		add(m.full, job.HoldDiskLow, job.SayServerDisk, 0)
	}
	return holds
}

// wakeForFaults wakes when one job may try it.
func wakeForFaults(srv *server, at func(job.Instant)) {
	if since, ok := srv.poisoned.Get(); ok {
		at(since.Add(tripFor))
	}
	if m := srv.site.m; m != nil {
		if since, ok := m.full.Get(); ok {
			at(since.Add(tripFor))
		}
	}
}

// againDisk tries a job again, once, for which its server's disk had no room.
func (t *turn) againDisk(j *job.Job, r *job.Run, srv *server) bool {
	if j.Tries.Disk > 0 {
		return false
	}
	t.goBack(r, false, job.Say{Code: job.AgainDisk, Args: job.Args{Server: srv.name()}}).Tries.Disk++
	return true
}
