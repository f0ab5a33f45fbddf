package core_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/estimate"
	"reckoner/scheduler/job"
)

// world is everything around the core, in virtual time: a disk that keeps what
// was written, and render servers that behave as ComfyUI does. It fails the test
// when the core breaks a rule that holds always.
type world struct {
	t    tb
	s    *core.State
	life int // counts starts: what was under way for an earlier one never answers
	now  job.Instant
	disk disk
	// synced is the disk as a power cut would leave it: without the lazy writes
	// since the last one that was not.
	synced disk
	hosts  []*host
	todo   []delivery
	seq    int
	told   []job.Event
	// latency is between an action and its event.
	latency time.Duration
	speed   float64
	// noRoom makes every fetch fail; fetched counts the tries.
	noRoom  *job.Error
	fetched int
	// checking holds what the core keeps from step to step against its state.
	checking bool
	// again is so many events that come twice, the second time after a while.
	again      int
	twice      int // likewise answers to actions
	againAfter time.Duration
	// broken makes every write fail.
	broken bool
	past   map[string][]estimate.Run
	clock  int // makes ids
}

// tb is what a test and a random history have in common.
type tb interface {
	Helper()
	Fatalf(format string, args ...any)
	Logf(format string, args ...any)
}

type disk struct {
	jobs map[job.ID]job.Job
	runs map[job.ID]job.Run

	notes map[job.ID]job.Note

	settings job.Settings
	idle     []job.IdlePower
}

func (d disk) clone() disk {
	return disk{jobs: maps.Clone(d.jobs), runs: maps.Clone(d.runs), notes: maps.Clone(d.notes), settings: d.settings, idle: d.idle}
}

type delivery struct {
	at  time.Duration
	seq int
	do  func()
}

// host is a render server with one worker.
type host struct {
	w       *world
	rec     job.Server
	queue   []*prompt // pending
	running *prompt
	history map[string]job.Record
	up      bool
	deaf    bool // its websocket says nothing
	// loseReply takes the next submission and loses the reply; dropNext does not
	// even receive it.
	loseReply, dropNext bool
	refuse              *job.Error
	turnedAway          func()
	noWord              bool // its history does not say how a prompt ended
	stubborn            bool // ignores interrupts until the work ends
	seconds             float64
	cachedAll           bool
	fail                *job.Error
	noOutput            bool
	received            []string // ids of our submissions, each time they arrive
	stepping            bool     // reports ten steps
	freed               int      // times it was asked to free its memory
	memory              int64
	classes             told     // what comes of asking for its node classes
	fills               bool     // the card, on purpose
	lacks               []string // needs of jobs that it cannot meet
	old                 bool     // an interrupt stops whatever runs there
	says                bool     // that it has everything, whatever it lacks
	checked             int      // times it was asked for what jobs need
	turned              int      // submissions that it turned away for that
}

type prompt struct {
	id      string
	tag     job.Tag
	client  string
	started time.Duration
	ends    time.Duration
	cut     bool
}

var epoch = time.Date(2026, 11, 30, 20, 0, 0, 0, time.UTC)

func newWorld(t tb, servers ...string) *world {
	w := &world{
		t: t, latency: 10 * time.Millisecond, past: map[string][]estimate.Run{},
		disk: disk{jobs: map[job.ID]job.Job{}, runs: map[job.ID]job.Run{}, notes: map[job.ID]job.Note{}},
		now:  job.Instant{Wall: epoch},
	}
	w.synced = w.disk.clone()
	for _, name := range servers {
		machine, _, _ := strings.Cut(name, "/")
		w.hosts = append(w.hosts, &host{
			w: w, up: true, history: map[string]job.Record{}, seconds: 282,
			rec: job.Server{
				ID: job.ID(name), Machine: job.ID(machine), Name: name, URL: "http://" + name,
				WatchOnly: strings.HasSuffix(name, "/watched"),
			},
		})
	}
	w.boot()
	return w
}

// boot starts the core from what is on disk.
func (w *world) boot() {
	kept := job.Kept{App: "app", Settings: w.disk.settings}
	for _, id := range sorted(w.disk.jobs) {
		kept.Jobs = append(kept.Jobs, w.disk.jobs[id])
	}
	for _, id := range sorted(w.disk.runs) {
		kept.Runs = append(kept.Runs, w.disk.runs[id])
	}
	for _, id := range sorted(w.disk.notes) {
		kept.Notes = append(kept.Notes, w.disk.notes[id])
	}
	kept.IdlePower = w.disk.idle
	seen := map[job.ID]bool{}
	for _, h := range w.hosts {
		if !seen[h.rec.Machine] {
			seen[h.rec.Machine] = true
			kept.Machines = append(kept.Machines, job.Machine{ID: h.rec.Machine, Name: string(h.rec.Machine)})
		}
		h.rec.ClientID = fmt.Sprint("client-", w.clock)
		kept.Servers = append(kept.Servers, h.rec)
	}
	w.s = core.New(kept, w.past, core.Options{App: "app", Speed: w.speed}, w.now)
	w.step(core.Tick{})
}

// crash ends the core at this instant: what was under way never answers, and the
// next start, three seconds later, knows only the disk.
func (w *world) crash() {
	w.life++
	w.explained()
	w.now = w.now.Add(3 * time.Second)
	w.boot()
}

// powerCut is a crash that loses the lazy writes too.
func (w *world) powerCut() {
	w.disk = w.synced.clone()
	w.crash()
}

func sorted[V any](m map[job.ID]V) []job.ID {
	keys := make([]job.ID, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// step gives the core an event and does what it asks for.
func (w *world) step(ev core.Event) {
	w.t.Helper()
	eff := w.s.Step(ev, w.now)
	if w.broken && len(eff.Write.Jobs)+len(eff.Write.Runs) > 0 {
		var unsent []job.ID
		for _, a := range eff.Do {
			if s, ok := a.(core.Submit); ok {
				unsent = append(unsent, s.Run.ID)
			}
		}
		err := job.Errorf(job.ErrDisk, job.Args{Detail: "no space left"}, nil)
		w.tell(0, core.WriteFailed{Err: err, Unsent: unsent})
		eff.Do = slices.DeleteFunc(eff.Do, func(a core.Action) bool { _, ok := a.(core.Submit); return ok })
	} else {
		for _, j := range eff.Write.Jobs {
			w.disk.jobs[j.ID] = *j
		}
		for _, r := range eff.Write.Runs {
			w.disk.runs[r.ID] = *r
		}
		if len(eff.Write.IdlePower) > 0 {
			w.disk.idle = eff.Write.IdlePower // of the one GPU there is
		}
		for _, n := range eff.Write.Notes {
			w.disk.notes[n.ID] = *n
		}
		if eff.Write.Settings != nil {
			w.disk.settings = *eff.Write.Settings
		}
		if len(eff.Write.Jobs)+len(eff.Write.Runs) > 0 {
			if !eff.Write.Lazy {
				w.synced = w.disk.clone()
			}
			if eff.All {
				w.tell(0, core.Written{})
			}
		}
	}
	w.told = append(w.told, eff.Tell...)
	if astray := w.s.Astray(w.now); w.checking && astray != "" {
		w.t.Fatalf("after %T: %s", ev, astray)
	}
	for _, a := range eff.Do {
		w.act(a)
	}
}

func (w *world) later(d time.Duration, do func()) {
	w.seq++
	w.todo = append(w.todo, delivery{at: w.now.Mono + d, seq: w.seq, do: do})
}

// tell gives the core an event after a while, unless it has died by then.
func (w *world) tell(d time.Duration, ev core.Event) {
	life := w.life
	w.later(d, func() {
		if life == w.life {
			w.step(ev)
		}
	})
	if _, news := ev.(core.Heard); w.again > 0 && news {
		w.again--
		w.tell(d+w.againAfter, ev)
	}
}

// explained fails when a server has a prompt of ours that the disk knows nothing
// of (rule 6).
func (w *world) explained() {
	w.t.Helper()
	for _, h := range w.hosts {
		for _, p := range append([]*prompt{h.running}, h.queue...) {
			if p == nil || p.tag.App != "app" {
				continue
			}
			if _, known := w.disk.runs[p.tag.Run]; !known {
				w.t.Fatalf("rule 6: %s has %s, of which nothing is on disk", h.rec.ID, p.id)
			}
		}
	}
}

func (w *world) host(id job.ID) *host {
	for _, h := range w.hosts {
		if h.rec.ID == id {
			return h
		}
	}
	w.t.Fatalf("no server %s", id)
	return nil
}

var errDown = job.Errorf(job.ErrUnreachable, job.Args{Detail: "connection refused"}, nil)

// act carries out an action at the server's end after one latency, and delivers
// the answer after another.
func (w *world) act(a core.Action) {
	answer := func(f func() core.Event) {
		life := w.life
		w.later(w.latency, func() {
			if ev := f(); life == w.life {
				w.tell(w.latency, ev)
				if w.twice > 0 {
					w.twice--
					w.tell(w.latency+w.againAfter, ev)
				}
			}
		})
	}
	switch a := a.(type) {
	case core.Probe:
		h := w.host(a.Server)
		answer(func() core.Event {
			if !h.up {
				return core.Probed{Server: a.Server, Err: errDown}
			}
			return core.Probed{Server: a.Server, Info: job.ServerInfo{
				FillsCard: h.fills,
				Version:   "0.3.64", TargetedInterrupt: !h.old, Devices: []job.Device{{Name: "cuda:0 Test GPU : native", VRAMTotal: job.Known(h.memory)}},
			}}
		})
	case core.LookAtQueue:
		h := w.host(a.Server)
		answer(func() core.Event {
			if !h.up {
				return core.QueueSeen{Server: a.Server, Err: errDown}
			}
			return core.QueueSeen{Server: a.Server, Queue: h.list()}
		})
	case core.LookAtRecord:
		h := w.host(a.Server)
		answer(func() core.Event {
			if !h.up {
				return core.RecordSeen{Server: a.Server, Run: a.Run, Err: errDown}
			}
			rec, found := h.history[cmpOr(a.PromptID, string(a.Run))]
			return core.RecordSeen{Server: a.Server, Run: a.Run, Record: rec, Found: found}
		})
	case core.Submit:
		if _, onDisk := w.disk.runs[a.Run.ID]; !onDisk {
			w.t.Fatalf("run %s is sent before it is on disk", a.Run.ID)
		}
		h := w.host(a.Server)
		answer(func() core.Event { return h.submit(a) })
	case core.Free:
		w.host(a.Server).freed++
	case core.Convert:
		h := w.host(a.Server)
		answer(func() core.Event { return h.convert(a) })
	case core.Check:
		h := w.host(a.Server)
		answer(func() core.Event {
			h.checked++
			if !h.up {
				return core.Checked{Server: a.Server, Needs: a.Needs, Err: errDown}
			}
			return core.Checked{Server: a.Server, Needs: a.Needs, Lacks: h.lacking(a.Needs)}
		})
	case core.StopRun:
		h := w.host(a.Server)
		answer(func() core.Event { return h.stop(a) })
	case core.Fetch:
		outputs := make([]job.Output, 0, len(a.Refs))
		for _, ref := range a.Refs {
			outputs = append(outputs, job.Output{File: a.To.Dir + "/" + ref.Filename, ServerName: ref.Filename, Bytes: 1})
		}
		fetched := core.Fetched{Run: a.Run, Outputs: outputs}
		if w.noRoom != nil {
			fetched = core.Fetched{Run: a.Run, Err: w.noRoom}
		}
		w.fetched++
		w.tell(w.latency, fetched)
	}
}

func cmpOr(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func (h *host) list() job.Queue {
	var q job.Queue
	one := func(p *prompt) job.Prompt { return job.Prompt{ID: p.id, Tag: p.tag, Client: p.client} }
	if h.running != nil {
		q.Running = append(q.Running, one(h.running))
	}
	for _, p := range h.queue {
		q.Pending = append(q.Pending, one(p))
	}
	return q
}

// ours counts our prompts that are on the server now.
func (h *host) ours() int {
	n := 0
	for _, p := range append([]*prompt{h.running}, h.queue...) {
		if p != nil && p.tag.App == "app" {
			n++
		}
	}
	return n
}

func (h *host) submit(a core.Submit) core.Event {
	if !h.up || h.dropNext {
		h.dropNext = false
		return core.Submitted{Run: a.Run.ID, Serial: a.Serial, Err: errDown}
	}
	if h.refuse != nil {
		if h.turnedAway != nil {
			h.turnedAway()
		}
		return core.Submitted{Run: a.Run.ID, Serial: a.Serial, Err: h.refuse}
	}
	if needs := h.w.disk.jobs[a.Run.Job].Needs; slices.Contains(h.lacks, needs) {
		h.turned++
		err := job.Errorf(job.ErrMissingNode, job.Args{Class: needs}, nil)
		return core.Submitted{Run: a.Run.ID, Serial: a.Serial, Err: err}
	}
	// Rule 4: nothing is sent while an earlier run of ours there is not known to
	// have ended. So nothing of ours may be here, and nothing may run twice.
	// The one exception is what the user handed over.
	if n := h.ours(); n > 0 && !a.Run.Handed {
		h.w.t.Fatalf("%s is sent to %s, which has %d prompts of ours", a.Run.ID, h.rec.ID, n)
	}
	if _, done := h.history[string(a.Run.ID)]; done {
		h.w.t.Fatalf("%s is sent to %s again after it ran", a.Run.ID, h.rec.ID)
	}
	h.received = append(h.received, string(a.Run.ID))
	h.enqueue(&prompt{id: string(a.Run.ID), tag: job.Tag{Job: a.Run.Job, Run: a.Run.ID, App: "app"}, client: a.Run.ClientID})
	if h.loseReply {
		h.loseReply = false
		return core.Submitted{Run: a.Run.ID, Serial: a.Serial, Err: job.Errorf(job.ErrOutcomeUnknown, job.Args{}, nil)}
	}
	return core.Submitted{Run: a.Run.ID, Serial: a.Serial, Receipt: job.Receipt{PromptID: string(a.Run.ID)}}
}

func (h *host) enqueue(p *prompt) {
	h.queue = append(h.queue, p)
	h.say(job.News{Kind: job.NewsStatus})
	h.next()
}

// next lets the worker take a prompt.
func (h *host) next() {
	if h.running != nil || len(h.queue) == 0 || !h.up {
		return
	}
	p := h.queue[0]
	h.queue = h.queue[1:]
	h.running = p
	p.started = h.w.now.Mono
	took := seconds(h.seconds)
	if p.tag.App == "" {
		took = 20 * time.Second
	}
	p.ends = p.started + took
	h.say(job.News{Kind: job.NewsStarted, PromptID: p.id})
	if h.stepping {
		for i := range 10 {
			h.w.later(took*time.Duration(i+1)/11, func() {
				if h.running == p {
					h.say(job.News{Kind: job.NewsStep, PromptID: p.id, Node: "3", Value: float64(i + 1), Max: 10})
				}
			})
		}
	}
	h.w.later(took, func() { h.finish(p) })
}

func (h *host) finish(p *prompt) {
	if h.running != p || h.w.now.Mono < p.ends {
		return
	}
	rec := job.Record{
		PromptID: p.id, Tag: p.tag, Outcome: job.RunSucceeded,
		Started: h.w.wall(p.started), Ended: h.w.wall(h.w.now.Mono),
		Outputs: []job.OutputRef{{Node: "9", Kind: "images", Filename: "r_00001_.png", Type: "output"}},
	}
	switch {
	case p.cut:
		rec.Outcome, rec.Outputs = job.RunInterrupted, nil
	case h.fail != nil:
		rec.Outcome, rec.Outputs, rec.Err = job.RunFailed, nil, h.fail
	case h.noOutput:
		rec.Outputs = nil
	}
	if h.cachedAll {
		rec.Cached = []string{"1", "2", "3"}
	}
	h.say(job.News{Kind: job.NewsEnding, PromptID: p.id, Outcome: rec.Outcome})
	if h.noWord {
		rec.Outcome = ""
	}
	// History is written in the moment after.
	h.running = nil
	h.history[p.id] = rec
	h.say(job.News{Kind: job.NewsEnded, PromptID: p.id})
	h.next()
}

func (h *host) stop(a core.StopRun) core.Event {
	if !h.up {
		return core.StopSent{Run: a.Run, Err: errDown}
	}
	// Rule 5: never stop what is not ours.
	check := func(p *prompt) {
		if p.tag.App != "app" {
			h.w.t.Fatalf("%s is told to stop %s, which is not ours", h.rec.ID, p.id)
		}
	}
	if p := h.running; p != nil && p.id == a.PromptID && !a.OnlyWaiting {
		check(p)
		if !h.stubborn {
			p.cut = true
			p.ends = h.w.now.Mono + 2*time.Second
			h.w.later(2*time.Second, func() { h.finish(p) })
		}
	}
	h.queue = slices.DeleteFunc(h.queue, func(p *prompt) bool {
		if !a.Running && p.id == a.PromptID {
			check(p)
			return true
		}
		return false
	})
	return core.StopSent{Run: a.Run}
}

// restart loses everything, as ComfyUI does.
func (h *host) restart() {
	h.queue, h.running, h.history = nil, nil, map[string]job.Record{}
	h.say(job.News{Kind: job.NewsDown})
	h.say(job.News{Kind: job.NewsUp})
}

func (h *host) say(n job.News) {
	if h.deaf || !h.up {
		return
	}
	h.w.tell(h.w.latency, core.Heard{Server: h.rec.ID, News: n})
}

// foreign queues somebody else's prompt.
func (h *host) foreign() {
	h.w.clock++
	h.enqueue(&prompt{id: fmt.Sprint("foreign-", h.w.clock), client: "other-ui"})
}

func (w *world) wall(mono time.Duration) time.Time {
	return w.now.Wall.Add(mono - w.now.Mono)
}

// run lets time pass.
func (w *world) run(d time.Duration) {
	w.t.Helper()
	end := w.now.Mono + d
	for steps := 0; ; steps++ {
		if steps > 200_000 {
			w.t.Fatalf("the core does not come to rest at %v", w.now.Mono)
		}
		next, do := w.next()
		if next > end {
			w.to(end)
			return
		}
		w.to(next)
		do()
	}
}

// runUntil lets time pass until something holds.
func (w *world) runUntil(what string, limit time.Duration, holds func() bool) {
	w.t.Helper()
	end := w.now.Mono + limit
	for !holds() {
		next, do := w.next()
		if next > end {
			w.t.Fatalf("%s: not within %v; open:\n%stold:\n%s", what, limit, w.open(), w.story())
		}
		w.to(next)
		do()
	}
}

func (w *world) next() (time.Duration, func()) {
	best := -1
	for i := range w.todo {
		if best < 0 || w.todo[i].at < w.todo[best].at ||
			w.todo[i].at == w.todo[best].at && w.todo[i].seq < w.todo[best].seq {
			best = i
		}
	}
	wake, wanted := w.s.NextWake()
	if wanted && wake <= w.now.Mono {
		wake = w.now.Mono + time.Millisecond
	}
	if best >= 0 && (!wanted || w.todo[best].at <= wake) {
		d := w.todo[best]
		return d.at, func() {
			w.todo = slices.DeleteFunc(w.todo, func(x delivery) bool { return x.seq == d.seq })
			d.do()
		}
	}
	if !wanted {
		return 1 << 62, nil
	}
	return wake, func() { w.step(core.Tick{}) }
}

func (w *world) to(mono time.Duration) {
	if mono > w.now.Mono {
		w.now = w.now.Add(mono - w.now.Mono)
	}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// add queues a job.
func (w *world) add(name string, change ...func(*job.Job)) job.ID {
	w.clock++
	j := job.Job{
		ID: job.UUIDFrom([16]byte{byte(w.clock), byte(w.clock >> 8), 7}), Name: name, Graph: "graph",
		Type: job.Type{Key: "type"}, Limit: job.Limit{Kind: job.LimitDefault}, OutDir: "out", Nodes: 3, Loaders: []string{"1"},
	}
	for _, c := range change {
		c(&j)
	}
	w.step(core.JobsAdded{Jobs: []job.Job{j}})
	return j.ID
}

func limit(d time.Duration) func(*job.Job) {
	return func(j *job.Job) { j.Limit = job.Limit{Kind: job.LimitSet, For: d} }
}

func batch(id job.ID) func(*job.Job) { return func(j *job.Job) { j.Batch = id } }

func on(servers ...job.ID) func(*job.Job) {
	return func(j *job.Job) { j.Servers = servers }
}

func (w *world) job(id job.ID) *job.Job { return w.s.Job(id) }

func (w *world) ended(id job.ID) func() bool {
	return func() bool { return w.job(id).State == job.JobEnded }
}

// kinds gives what was told of a job, in order, without the progress.
func (w *world) kinds(id job.ID) []job.EventKind {
	var kinds []job.EventKind
	for _, ev := range w.told {
		if ev.Job != nil && ev.Job.ID == id && ev.Kind != job.EventProgress {
			kinds = append(kinds, ev.Kind)
		}
	}
	return kinds
}

// open lists what is not over yet, with the run on disk and what holds it.
func (w *world) open() string {
	var b strings.Builder
	for _, j := range w.s.OpenJobs() {
		r := w.disk.runs[job.RunID(j.ID, j.Attempt)]
		fmt.Fprintf(&b, "%s %s for %v, attempt %d: %s on %s, handed over %t, stop %+v, held by %v\n",
			j.Name, j.State, j.Servers, j.Attempt, r.State, r.Server, r.Handed, r.Stop, w.heldBy(j.ID))
	}
	return b.String()
}

func (w *world) story() string {
	var b strings.Builder
	for _, ev := range w.told {
		if ev.Kind == job.EventProgress || ev.Kind == job.EventReading {
			continue
		}
		fmt.Fprintf(&b, "%9.1f %s", ev.At.Mono.Seconds(), ev.Kind)
		if ev.Job != nil {
			fmt.Fprintf(&b, " %s %s %s", ev.Job.Name, ev.Job.State, ev.Job.Outcome)
		}
		for _, h := range ev.Holds {
			fmt.Fprintf(&b, " %s@%s", h.Code, h.Server)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// usual gives the world past runs of the jobs' type.
func (w *world) usual(n int) {
	for i := range n {
		w.past["type"] = append(w.past["type"], estimate.Run{
			At: epoch.Add(-time.Duration(n-i) * time.Hour), GPU: "Test GPU", Seconds: 270 + float64(i*17%41), Label: job.Clean,
		})
	}
	w.boot()
}
