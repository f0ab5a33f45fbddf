package core_test

import (
	"fmt"
	"testing"
	"time"

	"reckoner/scheduler/core"
	"reckoner/scheduler/job"
)

// fleet is many render servers that answer at once and run a prompt in a few
// minutes. It is as cheap as can be, so that a benchmark measures the core.
type fleet struct {
	s      *core.State
	now    job.Instant
	todo   []arrival // a heap by time, then number
	seq    int
	events int
	done   int
	on     map[job.ID]*job.Run // by server
	over   map[job.ID]job.Record
}

type arrival struct {
	at  time.Duration
	seq int
	ev  core.Event
	end *job.Run // not nil: this run ends
}

func newFleet(servers int) *fleet {
	f := &fleet{now: job.Instant{Wall: epoch}, on: map[job.ID]*job.Run{}, over: map[job.ID]job.Record{}}
	kept := job.Kept{App: "app"}
	for i := range servers {
		id := job.ID(fmt.Sprintf("server-%04d", i))
		kept.Machines = append(kept.Machines, job.Machine{ID: id, Name: string(id)})
		kept.Servers = append(kept.Servers, job.Server{ID: id, Machine: id, Name: string(id), ClientID: "c"})
	}
	// Progress is told for people, once a second of theirs: here once a minute.
	f.s = core.New(kept, nil, core.Options{App: "app", Speed: 60}, f.now)
	f.step(core.Tick{})
	return f
}

func (f *fleet) add(jobs int) {
	list := make([]job.Job, jobs)
	for i := range list {
		list[i] = job.Job{
			ID: job.UUIDFrom([16]byte{byte(i), byte(i >> 8), byte(i >> 16), 9}), Name: "x", Graph: "g",
			Type: job.Type{Key: "type"}, Limit: job.Limit{Kind: job.LimitDefault}, Nodes: 3,
		}
	}
	f.step(core.JobsAdded{Jobs: list})
}

func (f *fleet) step(ev core.Event) {
	f.events++
	for _, a := range f.s.Step(ev, f.now).Do {
		f.act(a)
	}
}

func (f *fleet) act(a core.Action) {
	const latency = 5 * time.Millisecond
	switch a := a.(type) {
	case core.Probe:
		f.push(arrival{at: latency, ev: core.Probed{Server: a.Server, Info: job.ServerInfo{
			Version: "0.3.64", Devices: []job.Device{{Name: "cuda:0 Card : native"}},
		}}})
	case core.LookAtQueue:
		var q job.Queue
		if r := f.on[a.Server]; r != nil {
			q.Running = []job.Prompt{{ID: string(r.ID), Tag: job.Tag{App: "app", Run: r.ID, Job: r.Job}}}
		}
		f.push(arrival{at: latency, ev: core.QueueSeen{Server: a.Server, Queue: q}})
	case core.LookAtRecord:
		rec, found := f.over[a.Run]
		delete(f.over, a.Run)
		f.push(arrival{at: latency, ev: core.RecordSeen{Server: a.Server, Run: a.Run, Record: rec, Found: found}})
	case core.Submit:
		f.on[a.Server] = a.Run
		id := string(a.Run.ID)
		f.push(arrival{at: latency, ev: core.Submitted{Run: a.Run.ID, Serial: a.Serial, Receipt: job.Receipt{PromptID: id}}})
		f.push(arrival{at: 2 * latency, ev: core.Heard{Server: a.Server, News: job.News{Kind: job.NewsStarted, PromptID: id}}})
		took := 200*time.Second + time.Duration(f.seq*7919%120)*time.Second
		for i := 1; i <= 20; i++ {
			f.push(arrival{at: took * time.Duration(i) / 21, ev: core.Heard{Server: a.Server, News: job.News{
				Kind: job.NewsStep, PromptID: id, Node: "3", Value: float64(i), Max: 20,
			}}})
		}
		f.push(arrival{at: took, end: a.Run, ev: core.Heard{Server: a.Server, News: job.News{Kind: job.NewsEnded, PromptID: id}}})
	case core.Fetch:
		f.done++
		f.push(arrival{at: latency, ev: core.Fetched{Run: a.Run, Outputs: []job.Output{{File: "x", Bytes: 1}}}})
	}
}

func (f *fleet) push(a arrival) {
	f.seq++
	a.at, a.seq = a.at+f.now.Mono, f.seq
	f.todo = append(f.todo, a)
	for i := len(f.todo) - 1; i > 0; {
		p := (i - 1) / 2
		if !f.todo[i].before(f.todo[p]) {
			return
		}
		f.todo[i], f.todo[p] = f.todo[p], f.todo[i]
		i = p
	}
}

func (a arrival) before(b arrival) bool { return a.at < b.at || a.at == b.at && a.seq < b.seq }

func (f *fleet) pop() arrival {
	first, last := f.todo[0], len(f.todo)-1
	f.todo[0] = f.todo[last]
	f.todo[last] = arrival{}
	f.todo = f.todo[:last]
	for i := 0; ; {
		c := 2*i + 1
		if c >= last {
			return first
		}
		if c+1 < last && f.todo[c+1].before(f.todo[c]) {
			c++
		}
		if !f.todo[c].before(f.todo[i]) {
			return first
		}
		f.todo[i], f.todo[c] = f.todo[c], f.todo[i]
		i = c
	}
}

// once lets the next thing happen.
func (f *fleet) once() {
	wake, wanted := f.s.NextWake()
	if len(f.todo) > 0 && (!wanted || f.todo[0].at <= wake) {
		a := f.pop()
		f.now = f.now.Add(a.at - f.now.Mono)
		if a.end != nil {
			delete(f.on, a.end.Server)
			f.over[a.end.ID] = job.Record{
				PromptID: string(a.end.ID), Outcome: job.RunSucceeded,
				Started: f.now.Wall.Add(-200 * time.Second), Ended: f.now.Wall,
				Outputs: []job.OutputRef{{Filename: "x.png", Type: "output"}},
			}
		}
		f.step(a.ev)
		return
	}
	f.now = f.now.Add(max(time.Millisecond, wake-f.now.Mono))
	f.step(core.Tick{})
}

// BenchmarkToTheEnd simulates 1,000 servers and 100,000 jobs to the end, and a
// tenth of the jobs.
func BenchmarkToTheEnd(b *testing.B) {
	for _, jobs := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(jobs), func(b *testing.B) {
			events := 0
			for b.Loop() {
				f := newFleet(1000)
				f.add(jobs)
				for f.done < jobs {
					f.once()
				}
				events += f.events
			}
			b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// BenchmarkEvent is the cost of one event while so many jobs wait for 100 servers.
func BenchmarkEvent(b *testing.B) {
	for _, jobs := range []int{1000, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(jobs), func(b *testing.B) {
			f := newFleet(100)
			f.add(jobs)
			for f.events < 20_000 {
				f.once()
			}
			for b.Loop() {
				f.once()
			}
		})
	}
}

// BenchmarkSnapshot is the cost of a snapshot at 10,000 waiting jobs: after an
// event that changed nothing in the list, and after one that did.
func BenchmarkSnapshot(b *testing.B) {
	f := newFleet(4)
	f.add(10_000)
	for range 2000 {
		f.once()
	}
	b.Run("alike", func(b *testing.B) {
		for b.Loop() {
			f.s.Snapshot(f.now)
		}
	})
	b.Run("changed", func(b *testing.B) {
		for b.Loop() {
			f.s.Step(core.Pause{}, f.now)
			f.s.Snapshot(f.now)
		}
	})
}

// TestAFleetComesToItsEnd holds the simulation of the benchmarks to its result.
func TestAFleetComesToItsEnd(t *testing.T) {
	f := newFleet(300)
	f.add(1500)
	for f.done < 1500 && f.events < 1_000_000 {
		f.once()
	}
	if f.done != 1500 {
		t.Errorf("%d of 1500 jobs are done after %d events", f.done, f.events)
	}
}
