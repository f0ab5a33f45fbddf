package core

import (
	"iter"
	"time"

	"reckoner/scheduler/job"
)

// How often a render server is looked at, in story time. A run's label needs
// each server of its GPU read at least every 15 s (estimation, 3.4), so looks
// are a third of that apart while a run is open.
const (
	lookIdle     = 10 * time.Second
	lookWatching = 5 * time.Second // a run is open on the GPU, or a job waits for it
	lookDeaf     = 2 * time.Second // a run is open and the websocket brings no news
	lookStopping = 2 * time.Second // a run was told to stop
	lookAtMost   = 1 * time.Second // apart, whatever the websocket says
	probeAgain   = 60 * time.Second
	firstRetry   = 1 * time.Second // of a server that does not answer, then doubling
	lastRetry    = 30 * time.Second
	// freshFor is how long a queue that was read stands for what is there now:
	// after that nothing is sent until it was read again.
	freshFor = 30 * time.Second
)

// server is a render server and what is known of it.
type server struct {
	rec     job.Server
	site    *site
	info    job.Maybe[job.ServerInfo]
	process job.Maybe[job.LocalProcess] // on this computer

	probing   bool
	probeAt   job.Instant
	looking   bool
	lookAt    job.Instant
	lookAgain bool // something happened while a look was under way

	// faults counts the GPU faults in a row, the last of them at faultAt; poisoned
	// is since when they mean that the server's process is of no use.
	faults   int
	faultAt  job.Instant
	poisoned job.Maybe[job.Instant]

	send refusals // of submissions
	told string   // the trouble that was told while a run is open

	seen    job.Maybe[job.Instant] // last answered
	err     *job.Error             // why it does not answer; nil while it does
	errAt   job.Instant
	fails   int
	queue   job.Queue
	queueAt job.Maybe[job.Instant]

	// refused is when it last refused a connection: it was down then. number is
	// the largest number that it gave a submission: its counter, which begins
	// again with the process.
	refused job.Maybe[job.Instant]
	number  float64

	live      bool
	liveSince job.Instant
	short     map[string]*shortage // by job type

	// run is our open run here, "" for none: at most one (rule 4), but for those
	// that were handed over, which wait behind it in this order.
	run    job.ID
	handed []job.ID
	// loaded are the model files that it has loaded, as far as is known.
	loaded   []string
	outOfUse bool
	// strays counts prompts of ours on its queue that are no open run: one given
	// up as lost that came back. Nothing is sent beside them.
	strays int
	// ours is when a run of ours was there last: what its GPU does until a
	// moment after is not other people's work.
	ours    job.Maybe[job.Instant]
	foreign foreign
	// behind is since when only other people's work keeps jobs from here.
	behind job.Maybe[job.Instant]
	enough bool                         // that is long enough
	since  map[job.HoldCode]job.Instant // since when each reason to hold is there

	// signs are its holds as they were last worked out: for jobs that wait for
	// other people's work, and for those that do not. counted says that it takes
	// jobs, and is among takers.
	signs  [2]string
	taker  bool
	isFree spot[*server] // in State.free
	turns  [2]turnAt     // in the plans of dispatch and of the view
}

func (s *State) addServer(rec job.Server, now job.Instant) *server {
	if rec.ClientID == "" && s.opts.Client != nil {
		rec.ClientID = s.opts.Client(rec.ID)
	}
	srv := &server{rec: rec, probeAt: now, lookAt: now, since: map[job.HoldCode]job.Instant{}, errAt: now}
	srv.foreign.told = now.Add(-time.Hour)
	s.servers[rec.ID] = srv
	s.order = append(s.order, srv)
	s.ranks++
	srv.isFree = spot[*server]{of: srv, rank: s.ranks}
	for i := range srv.turns {
		srv.turns[i].spot = spot[*server]{of: srv, rank: s.ranks}
	}
	s.settle(srv)
	return srv
}

// answers tells whether the server answered when it was last asked.
func (srv *server) answers() bool { return srv.seen.Known() && srv.err == nil }

// fresh tells whether its queue was read so lately that it stands for now.
func (srv *server) fresh(now job.Instant) bool {
	at, ok := srv.queueAt.Get()
	return ok && now.Since(at) <= freshFor
}

// refusals are submissions in a row that a server turned away although it
// answers otherwise: a proxy or a login in front of it. The pauses between them
// grow.
type refusals struct {
	n     int
	err   *job.Error
	since job.Instant
	after job.Instant // before this nothing is sent
}

// refuse notes a submission that was turned away.
func (r *refusals) refuse(err *job.Error, now job.Instant) {
	if r.n == 0 {
		r.since = now
	}
	r.err = err
	r.after = now.Add(min(2*firstRetry<<min(r.n, 6), 2*lastRetry))
	r.n++
}

// failed notes that the server did not answer, and when to ask again.
func (srv *server) failed(err *job.Error, now job.Instant) {
	if srv.err == nil || srv.err.Code != err.Code {
		srv.errAt = now
	}
	srv.err = err
	if err.Code == job.ErrUnreachable {
		srv.refused = job.Known(now)
		srv.forgets()
	}
	wait := firstRetry << min(srv.fails, 6)
	srv.fails++
	srv.lookAt = now.Add(min(wait, lastRetry))
}

func (srv *server) answered(now job.Instant) {
	srv.seen = job.Known(now)
	srv.err = nil
	srv.fails = 0
}

// gpuKey names the GPU of a server for its baselines: by telemetry where that
// knows it, else by what torch says of it. It never holds an address.
func (s *State) gpuKey(srv *server) string {
	if srv.rec.GPU != "" {
		return srv.rec.GPU
	}
	if m := s.machine(srv.rec.Machine); m != nil && len(m.gpus) == 1 {
		return m.gpus[0].gpu.Key()
	}
	if info, ok := srv.info.Get(); ok && len(info.Devices) > 0 {
		return deviceKey(info.Devices[0])
	}
	return ""
}

// sharesGPU tells whether two servers compute on one GPU, as far as is known:
// servers of one machine do unless they are known to be on different ones.
func (s *State) sharesGPU(a, b *server) bool {
	if a == b {
		return true
	}
	if a.rec.Machine != b.rec.Machine {
		return false
	}
	return a.rec.GPU == "" || b.rec.GPU == "" || a.rec.GPU == b.rec.GPU
}

// neighbours are the servers on a server's GPU, itself first.
func (s *State) neighbours(srv *server) iter.Seq[*server] {
	return func(yield func(*server) bool) {
		if !yield(srv) {
			return
		}
		for _, other := range srv.site.servers {
			if other != srv && s.sharesGPU(srv, other) && !yield(other) {
				return
			}
		}
	}
}
