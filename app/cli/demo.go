package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"

	"reckoner/assets"
	"reckoner/scheduler/job"
	"reckoner/scheduler/sim"
)

const (
	// demoSpeed is how many seconds of the story pass in a real one.
	demoSpeed    = 60
	maxDemoSpeed = 1000
	demoSeed     = 41
	// demoProgress is how often a run's progress is written where lines stay.
	demoProgress = 5 * time.Second
)

// demo is a demonstration: simulated machines on loopback, and a data folder
// with a past. Everything between them is what real machines get.
type demo struct {
	world  *sim.World
	park   park
	clock  *job.Clock
	data   string
	remove bool // the data folder, at the end
}

// openDemo starts the machines on one clock with the rest, and finds a data
// folder: a fresh one that goes at the end, unless one was asked for.
func (s *shell) openDemo(ctx context.Context, speed float64) (d *demo, err error) {
	d = &demo{clock: job.NewClock(speed)}
	defer func() {
		if err != nil {
			err = d.close(err)
		}
	}()
	if s.flags.data != "" {
		d.data, err = dataFolder(s.flags.data)
	} else {
		d.data, err = os.MkdirTemp("", "reckoner-demo-")
		d.remove = err == nil
	}
	if err != nil {
		return d, fmt.Errorf("make a data folder for the demo: %w", err)
	}
	scenario, err := sim.Load("demo")
	if err != nil {
		return d, err
	}
	world, err := sim.Open(scenario, sim.Options{Clock: d.clock, Seed: demoSeed})
	if err != nil {
		return d, fmt.Errorf("open the demo: %w", err)
	}
	ends, err := world.Start(ctx, func(string) (net.Listener, error) {
		return (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	})
	if err != nil {
		return d, fmt.Errorf("start the demo's machines: %w", err)
	}
	d.world, d.park = world, demoPark(ends)
	return d, nil
}

// close ends the machines and removes what was made for the demo only.
func (d *demo) close(err error) error {
	if d.world != nil {
		err = errors.Join(err, stopWorld(d.world))
	}
	if d.remove {
		err = errors.Join(err, os.RemoveAll(d.data))
	}
	return err
}

// demoPark names the simulated machines as a user would: by their own names, as
// all of them are on this computer. Ids come from the names, as ports change.
func demoPark(ends []sim.Endpoint) park {
	var p park
	index := map[string]int{}
	for _, e := range ends {
		at, known := index[e.Machine]
		if !known {
			at = len(p.machines)
			index[e.Machine] = at
			p.machines = append(p.machines, job.Machine{ID: idFrom("demo machine", e.Machine), Name: e.Machine})
		}
		if e.Kind == sim.KindMetrics {
			p.machines[at].Sources = append(p.machines[at].Sources, "prom:"+e.URL)
			continue
		}
		srv := job.Server{
			ID: idFrom("demo server", e.Name), Machine: p.machines[at].ID, Name: e.Name, URL: e.URL,
			WatchOnly: e.Kind == sim.KindWatch, GPU: job.GPU{UUID: e.GPUUUID, Name: e.GPUName}.Key(),
		}
		p.servers = append(p.servers, srv)
		if !srv.WatchOnly {
			p.use = append(p.use, srv)
		}
	}
	return p
}

// url gives the address of a server by its name.
func (d *demo) url(name string) string {
	for _, srv := range d.park.servers {
		if srv.Name == name {
			return srv.URL
		}
	}
	return ""
}

// demoLimit is the time limit of the story's long job.
const demoLimit = 1782 * time.Second // 29.7 min

// demoJobs are the story's jobs in queue order, the machine that each may run
// on, and its limit.
var demoJobs = []struct {
	name, machine string
	limit         job.Limit
}{
	{"harbour-night", "gpu-1", job.Limit{Kind: job.LimitSet, For: demoLimit}},
	{"beach-walk", "attic", job.Limit{Kind: job.LimitDefault}},
	{"old-town", "gpu-1", job.Limit{Kind: job.LimitDefault}},
	{"forest-loop", "attic", job.Limit{Kind: job.LimitDefault}},
	{"logo-spin", "attic", job.Limit{Kind: job.LimitDefault}},
	{"dune-sunrise", "attic", job.Limit{Kind: job.LimitDefault}},
	{"lighthouse", "attic", job.Limit{Kind: job.LimitDefault}},
}

// errands gives the story's jobs, their files laid into the data folder.
func (d *demo) errands() ([]errand, error) {
	dir := filepath.Join(d.data, "samples")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("lay out the demo's jobs: %w", err)
	}
	var es []errand
	for _, j := range demoJobs {
		content, err := fs.ReadFile(assets.Samples, "samples/"+j.name+".json")
		if err != nil {
			return nil, fmt.Errorf("read the sample job %s: %w", j.name, err)
		}
		path := filepath.Join(dir, j.name+".json")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			return nil, fmt.Errorf("lay out the demo's jobs: %w", err)
		}
		es = append(es, errand{Files: []string{path}, Servers: []string{d.url(j.machine)}, Limit: j.limit})
	}
	return es, nil
}

// startDemo opens the data folder, writes the past into it, and starts the
// engine on the simulated machines.
func (s *shell) startDemo(ctx context.Context, d *demo, show func()) (*instance, *folder, error) {
	h, err := s.openOrReach(ctx, d.data, d.clock)
	if err != nil {
		return nil, nil, err
	}
	if h.peer != nil {
		return nil, nil, exitf(exitFailed, "a Reckoner is running on %s; the demo needs a folder of its own", d.data)
	}
	if err := d.writePast(ctx, h.folder.store); err != nil {
		return nil, nil, h.folder.shut(err)
	}
	in, err := s.startInstance(ctx, h.folder, setup{
		park: d.park, clock: d.clock, results: filepath.Join(d.data, "results"), show: show,
	})
	if err != nil {
		return nil, nil, h.folder.shut(err)
	}
	return in, h.folder, nil
}

// runDemo plays the story in the terminal, or runs files on its machines.
func (s *shell) runDemo(ctx context.Context, o runOptions, files []string) (err error) {
	given, err := s.errandOf(o, park{}, files)
	if err != nil {
		return err
	}
	if err := s.readable(given.Files); err != nil {
		return err
	}
	d, err := s.openDemo(ctx, o.demoSpeed)
	if err != nil {
		return err
	}
	defer func() { err = d.close(err) }()
	in, folder, err := s.startDemo(ctx, d, nil)
	if err != nil {
		return err
	}
	defer func() { err = folder.shut(in.stop(err)) }()

	out := s.printerFor(o.json)
	out.every = demoProgress
	if err := out.show(d.opening()); err != nil {
		return err
	}
	if len(given.Files) > 0 {
		return s.carryOut(ctx, out, func(ctx context.Context, cancel <-chan struct{}) (result, error) {
			return in.conduct(ctx, []errand{given}, cancel, out.show)
		})
	}
	story, err := d.errands()
	if err != nil {
		return err
	}
	told := newStory()
	err = s.carryOut(ctx, out, func(ctx context.Context, cancel <-chan struct{}) (result, error) {
		return in.conduct(ctx, story, cancel, func(s said) error { return errors.Join(told.hear(s), out.show(s)) })
	})
	return told.verdict(err, out)
}

// opening is the first line of a demo: nothing that follows is real time.
func (d *demo) opening() said {
	at, speed := d.clock.Now().Wall, d.clock.Speed()
	line, err := json.Marshal(demoLine{head: head{stamp(at), eventDemo}, Speed: speed})
	if err != nil { // cannot happen: it is a number and a time
		line = []byte("{}")
	}
	return said{Line: line, Text: fmt.Sprintf("Demo on simulated machines, ×%g: all times are the story's.", speed)}
}

// windowDemo shows the story in the window. Closing it ends the demo, unasked.
func (s *shell) windowDemo(ctx context.Context, o runOptions, files []string) (err error) {
	if err := s.canShow(); err != nil {
		return err
	}
	given, err := s.errandOf(o, park{}, files)
	if err != nil {
		return err
	}
	d, err := s.openDemo(ctx, o.demoSpeed)
	if err != nil {
		return err
	}
	defer func() { err = d.close(err) }()
	show, asked := showChannel()
	in, folder, err := s.startDemo(ctx, d, show)
	if err != nil {
		return err
	}
	defer func() { err = folder.shut(in.stop(err)) }()
	es, err := d.errands()
	if err != nil {
		return err
	}
	for _, e := range es {
		if _, err := in.begin(ctx, e, func(said) error { return nil }); err != nil {
			return err
		}
	}
	w := Window{Demo: true, Speed: d.clock.Speed(), Show: asked}
	if err := in.queue(ctx, given.Files, &w); err != nil {
		return err
	}
	return s.showWindow(ctx, in, folder, w)
}
