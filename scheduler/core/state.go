package core

import (
	"cmp"
	"slices"
	"time"

	"reckoner/scheduler/estimate"
	"reckoner/scheduler/job"
)

// Options are what the core needs to know of its surroundings.
type Options struct {
	// App is this data folder's id; it is in the tag of every submission.
	App job.ID
	// Speed is how many seconds of the story pass in a real one; 0 means 1. It
	// only spaces out what is told for people to watch.
	Speed float64
	// StopWait and UnansweredAfter stand before the kept settings when they are
	// positive: a command line set them for this start.
	StopWait, UnansweredAfter time.Duration
	// Client gives the clientId of a websocket on a server.
	Client func(server job.ID) string
}

// State is the core: everything known and decided. Its owner feeds it events
// one at a time with Step.
type State struct {
	opts     Options
	settings job.Settings

	jobs    map[job.ID]*job.Job
	waiting queue
	ended   []job.ID // as they ended, oldest first
	newest  map[job.ID]*job.Run
	open    map[job.ID]*openRun    // by run
	fetches map[job.ID]*fetch      // by run
	ends    map[job.Priority]int64 // the largest place in use of each band

	lastStep  job.Maybe[job.Instant]
	machines  []*machine
	servers   map[job.ID]*server
	order     []*server        // as added
	sites     map[job.ID]*site // by machine
	deadlines heap[*site]
	ranks     int // given to sites and servers, as added
	past      map[string][]estimate.Run
	questions []*question
	failures  map[failure]int
	settled   map[subject]bool // asked about, and given up
	host      job.HostReading

	// unwritable is why the last write failed; everything is written again
	// at retryWrite.
	unwritable *job.Error
	retryWrite job.Instant
	// leaving says that nothing is sent any more in this start; see Leave.
	leaving bool
	notes   notebook
	idle    idlePowers

	// since is since when each reason that holds every job is there.
	since map[job.HoldCode]job.Instant
	// held is what was last told of each waiting job's holds, and heldAll of
	// those that hold every job.
	held    map[job.ID]string
	heldAll string
	// heldServers counts the servers that take jobs and are held, for jobs that
	// wait for other people's work and for those that do not; takers counts all.
	heldServers [2]int
	takers      int
	// cutTypes counts the machines on which each job type was cut.
	cutTypes map[string]int
	// trials counts the machines on which batches try a type.
	trials map[trial]int
	// passed is what waiting jobs lost by others that went before them.
	passed map[job.ID]time.Duration
	// shortTypes counts the servers on which each job type lacks memory; rooms is
	// what job types need of it on GPUs.
	shortTypes map[string]int
	rooms      map[[2]string]room

	// free are the servers that a job could be sent to now, if it ignored other
	// people's work, and fleets all that may take one now or after a run of ours.
	free   heap[*server]
	fleets fleets
	// replan says that something changed that may let a job go; replanAt, that
	// jobs wait for a better server and are placed again then.
	replan   bool
	replanAt job.Maybe[job.Instant]

	serial int // of the last submission of all

	// rows are the lists of the last snapshot.
	rows rows
	// book is what all past runs say; estimates are what it says of a type on a
	// GPU, until a run ends.
	book      *estimate.Book
	estimates map[[2]string]said
	// logs are what was kept of baselines' logs; logged is how many lines of each
	// are on disk or on the way there, by type and GPU.
	logs   []job.BaselineLog
	logged map[[2]string]int
	// conversions are the waiting jobs that are not converted yet; convertAt is
	// when servers are asked again.
	conversions map[job.ID]*conversion
	convertAt   job.Maybe[job.Instant]
	// needs is what waiting jobs need of servers, by Job.Needs; checkAt is when a
	// server is asked again, and checkNow that it may be time. refusals counts
	// the submissions that servers turned away for what they lack.
	needs    map[string]*needed
	checkAt  job.Maybe[job.Instant]
	checkNow bool
	refusals map[refusal]int
	// dots are the strips of past runs of a type on a GPU, as they are shown.
	dots map[[2]string][]PastRun
	// noRoom counts the fetches that found no room on this computer.
	noRoom int
}

// openRun is a run that is not known to have ended, with what is known of it
// beyond its record.
type openRun struct {
	rec  *job.Run
	site *site
	sent job.Instant
	// checking says that it is not known whether the server has it: its reply
	// was lost, or Reckoner started again. It is looked for before it is sent.
	checking   bool
	submitting bool
	sends      int // of the submission
	serial     int // of the last of them
	sendErr    *job.Error
	recovered  bool // it is from before this start

	started    job.Maybe[job.Instant] // the server's start, on our clock
	step       job.Maybe[job.Step]
	said       *estimate.Estimate // what the forecast is from; nil before the start
	sampling   sampling
	course     course
	frames     int           // previews that its server sent
	trial      bool          // it is the first of its batch of its type on its machine
	memory     int64         // bytes that its server took of the GPU's at most, 0 when not seen
	lastSign   job.Instant   // of life: a start, a node, a step
	silence    time.Duration // the longest between two of them
	nextTold   job.Instant   // when progress is told next
	longTold   string        // the newest of its lines about being long
	running    bool          // the server's queue listed it as running
	listed     bool          // in its last queue at all
	unlisted   bool          // its last queue, read since the record was asked for, lacked it
	asking     bool          // for its record
	askAt      job.Maybe[job.Instant]
	askFails   int            // in a row
	askNot     job.Instant    // before this it is not asked for
	asks       int            // since there was a reason to expect a record
	absences   int            // absent from queue, then from history, so many times in a row
	confirming bool           // the look that ends a round of absence is under way
	heardEnd   job.RunOutcome // by its terminal message
	stopping   bool           // a stop request is under way
	stopNext   job.Instant
	stopTries  int
	askNext    job.Instant // before this the user is not asked about the stop
	excused    bool        // its stop's question took its default: the server is out of use
}

// fetch is the fetching of a run's results.
type fetch struct {
	rec     *job.Run
	site    *site
	at      job.Maybe[job.Instant] // when it is tried next; unknown while under way
	tries   int
	started job.Instant
	err     *job.Error // of the last try
}

// New makes the core from what a store kept. Past are the finished runs of the
// job types of the jobs in kept.
func New(kept job.Kept, past map[string][]estimate.Run, opts Options, now job.Instant) *State {
	if opts.Speed <= 0 {
		opts.Speed = 1
	}
	s := &State{
		opts:     opts,
		settings: kept.Settings,
		jobs:     map[job.ID]*job.Job{},
		newest:   map[job.ID]*job.Run{},
		open:     map[job.ID]*openRun{},
		fetches:  map[job.ID]*fetch{},
		servers:  map[job.ID]*server{},
		sites:    map[job.ID]*site{},
		waiting:  newQueue(),
		ends:     map[job.Priority]int64{}, cutTypes: map[string]int{},
		shortTypes: map[string]int{}, rooms: map[[2]string]room{},
		trials: map[trial]int{}, passed: map[job.ID]time.Duration{},
		replan:    true,
		past:      map[string][]estimate.Run{},
		failures:  map[failure]int{},
		settled:   map[subject]bool{},
		since:     map[job.HoldCode]job.Instant{},
		held:      map[job.ID]string{},
		book:      estimate.NewBook(),
		estimates: map[[2]string]said{},
		dots:      map[[2]string][]PastRun{},
		logs:      kept.Baselines,
		logged:    loggedIn(kept.Baselines),

		conversions: map[job.ID]*conversion{},
		needs:       map[string]*needed{},
		refusals:    map[refusal]int{},
	}
	s.learn(typesOf(kept.Jobs), past)
	for _, m := range kept.Machines {
		m.Saved = true
		s.addMachine(m)
	}
	for _, srv := range kept.Servers {
		s.addServer(srv, now)
	}
	runs := map[job.ID][]job.Run{}
	for _, r := range kept.Runs {
		runs[r.Job] = append(runs[r.Job], r)
	}
	for i := range kept.Jobs {
		s.recover(kept.Jobs[i], runs[kept.Jobs[i].ID], now)
	}
	slices.SortFunc(s.ended, func(a, b job.ID) int { return s.jobs[a].Ended.Compare(s.jobs[b].Ended) })
	s.recallNotes(kept.Notes)
	s.idle.recall(kept.IdlePower)
	for _, at := range s.sites {
		s.deadlines.put(&at.wake, int64(now.Mono)) // everything is due
	}
	return s
}

// recover takes up a job from before this start, with its runs.
func (s *State) recover(j job.Job, runs []job.Run, now job.Instant) {
	s.jobs[j.ID] = &j
	s.taken(j.Place)
	for i := range runs {
		r := &runs[i]
		// A run of a later attempt than the job knows of was never sent: the job
		// went back to the queue.
		if r.Attempt > j.Attempt {
			continue
		}
		if newest := s.newest[j.ID]; newest == nil || r.Attempt > newest.Attempt {
			s.newest[j.ID] = r
		}
		if r.State != job.RunEnded {
			s.reopen(j, r, now)
		}
	}
	if r := s.newest[j.ID]; r != nil && s.open[r.ID] != nil && j.State == job.JobWaiting {
		// The run's end was not written, as on a full disk, but what became of the
		// job after it was. The run is looked for before the job goes again.
		j.State = job.JobRunning
	}
	switch j.State {
	case job.JobWaiting:
		s.waiting.add(&j, s.placementOf(&j))
		s.toConvert(&j)
		s.toCheck(&j)
	case job.JobEnded:
		s.ended = append(s.ended, j.ID)
	case job.JobCollecting:
		if r := s.newest[j.ID]; r != nil {
			f := &fetch{rec: r, at: job.Known(now), started: now}
			s.fetches[r.ID] = f
			s.siteOf(r.Server).fetch(f)
		}
	case job.JobRunning:
	}
}

// reopen takes up a run that is not known to have ended. It is looked for on its
// server before anything else is sent there.
func (s *State) reopen(j job.Job, r *job.Run, now job.Instant) {
	o := &openRun{rec: r, checking: true, recovered: true, sent: now, lastSign: now, nextTold: now}
	if !r.Started.IsZero() {
		o.started = job.Known(now.Add(min(0, r.Started.Sub(now.Wall))))
	}
	if o.started.Known() {
		o.said = s.book.Estimate(j.Type, r.GPU)
	}
	o.excused = r.Stop != nil && j.State == job.JobEnded
	s.open[r.ID] = o
	s.siteOf(r.Server).join(o)
	if srv := s.servers[r.Server]; srv != nil {
		s.queueUp(srv, o)
	}
}

// Settings gives the settings in force.
func (s *State) Settings() job.Settings { return s.settings }

// Job gives a job as it is, or nil.
func (s *State) Job(id job.ID) *job.Job { return s.jobs[id] }

// Batch gives the rows of a batch's jobs, as far as only their records say, in the
// order of the queue.
func (s *State) Batch(id job.ID) []JobView {
	var rows []JobView
	for _, j := range s.jobs {
		if j.Batch == id {
			rows = append(rows, s.rowOf(j))
		}
	}
	slices.SortFunc(rows, func(a, b JobView) int { return cmp.Compare(a.Job.Place, b.Job.Place) })
	return rows
}

// OpenJobs gives the jobs that have not ended, in no order.
func (s *State) OpenJobs() []*job.Job {
	var open []*job.Job
	for _, j := range s.jobs {
		if j.State != job.JobEnded {
			open = append(open, j)
		}
	}
	return open
}

// seconds turns a number of seconds into a duration.
func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
