package gpu

import (
	"context"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"reckoner/scheduler/job"
)

// Lister is a Source that also knows which programs hold its GPUs.
type Lister interface {
	// Programs hands over which programs hold the GPUs, about once every period of
	// real time, from one goroutine. It returns nil when ctx ended, else why it
	// cannot tell. It may be called again.
	Programs(ctx context.Context, period time.Duration, out func(job.Programs)) error
}

var _ Lister = (*smi)(nil)

// How often programs are looked at. Each start of the tool costs this computer
// and the GPU's, so one that stays is better than one a look, and names are asked
// for only when somebody new came.
const (
	mostDelay  = 10 * time.Second // of pmon and dmon
	namesEvery = 30 * time.Second
	pollEvery  = 15 * time.Second // where the tool does not go on by itself
	trafficFor = 30 * time.Second // how long a figure of the bus stands for now
)

// Programs implements Lister. It follows pmon, which tells who computes how much,
// and dmon, which tells what goes over the bus. Where pmon says nothing, such as
// on a card that it does not support, it asks for the list of programs now and
// then.
func (s *smi) Programs(ctx context.Context, period time.Duration, out func(job.Programs)) error {
	ctx, stop := context.WithCancel(ctx)
	traffic := &traffic{now: s.opt.Now, figures: map[int]busFigure{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.followTraffic(ctx, period, traffic)
	}()
	defer func() { stop(); <-done }()

	look := &look{smi: s, traffic: traffic, out: out}
	err := s.followPrograms(ctx, period, look)
	if ended(ctx) {
		return nil
	}
	switch job.CodeOf(err) {
	case job.ErrToolFailed, job.ErrToolHung: // it is there, and cannot do this
		if look.said > 0 {
			return err
		}
		s.opt.Log.Debug("programs are asked for one by one", "source", s.name, "err", err)
		return s.pollPrograms(ctx, max(period, pollEvery), look)
	}
	return err
}

// followPrograms runs pmon until it ends.
func (s *smi) followPrograms(ctx context.Context, period time.Duration, look *look) error {
	p, err := s.plan()
	if err != nil {
		return err
	}
	columns := monitor{}
	var tick []job.Process
	began, said := false, words{}
	silence := 3*delay(period) + 2*time.Second
	err = s.run(ctx, p.tool, monitorArgs("pmon", "um", p, period), handler{
		first: firstRow,
		line: func(line string) time.Duration {
			if columns.header(line) {
				return silence
			}
			cells, ok := columns.row(line)
			if !ok {
				said.add(line)
				return silence
			}
			began = true
			if proc, held := programRow(cells); held {
				tick = append(tick, proc)
			}
			return tickPause
		},
		silent: func() time.Duration {
			if !began {
				return 0
			}
			began = false
			look.tell(ctx, tick)
			tick = nil
			return silence
		},
		said:  said.String,
		found: func() bool { return look.said > 0 },
	})
	if err == nil {
		err = sourceError(job.ErrToolFailed, s.name, "pmon ended by itself", nil)
	}
	return err
}

// shareTime is how long pmon may take for one look: it measures for a second.
const shareTime = 5 * time.Second

// withShares adds to a list of programs who computes how much, and who pmon knows
// besides, where it works.
func (s *smi) withShares(ctx context.Context, list []job.Process) []job.Process {
	ctx, cancel := context.WithTimeout(ctx, shareTime)
	defer cancel()
	p, err := s.plan()
	if err != nil {
		return list
	}
	columns := monitor{}
	err = s.run(ctx, p.tool, []string{"pmon", "-c", "1", "-s", "um"}, handler{
		first: shareTime,
		line: func(line string) time.Duration {
			if columns.header(line) {
				return shareTime
			}
			cells, ok := columns.row(line)
			if !ok {
				return shareTime
			}
			proc, held := programRow(cells)
			if !held {
				return shareTime
			}
			proc.GPU = s.uuidOf(proc)
			for i := range list {
				if list[i].PID == proc.PID && (proc.GPU == "" || list[i].GPU == proc.GPU) {
					list[i].SM, held = proc.SM, false
				}
			}
			if held {
				list = append(list, proc)
			}
			return shareTime
		},
		silent: func() time.Duration { return 0 },
		said:   func() string { return "" },
		found:  func() bool { return true },
	})
	if err != nil {
		s.opt.Log.Debug("who computes is not known", "source", s.name, "err", err)
	}
	return list
}

// pollPrograms asks for the list of programs every period.
func (s *smi) pollPrograms(ctx context.Context, period time.Duration, look *look) error {
	return poll(ctx, period, func(ctx context.Context) ([]job.Reading, []job.Process, error) {
		one, cancel := context.WithTimeout(ctx, onceTime)
		defer cancel()
		list, err := s.processes(one)
		if err == nil {
			look.names, look.namedAt = list, time.Now()
			look.tell(ctx, list)
		}
		return nil, nil, err
	}, func([]job.Reading) {})
}

// followTraffic runs dmon until ctx ends. Where it fails the traffic is unknown.
func (s *smi) followTraffic(ctx context.Context, period time.Duration, to *traffic) {
	p, err := s.plan()
	if err != nil {
		return
	}
	columns, silence := monitor{}, 3*delay(period)+2*time.Second
	err = s.run(ctx, p.tool, monitorArgs("dmon", "t", p, period), handler{
		first: firstRow,
		line: func(line string) time.Duration {
			if columns.header(line) {
				return silence
			}
			if cells, ok := columns.row(line); ok {
				if index, in, ok := trafficRow(cells); ok {
					to.see(index, in)
				}
			}
			return silence
		},
		silent: func() time.Duration { return 0 },
		said:   func() string { return "" },
		found:  func() bool { return true },
	})
	if !ended(ctx) {
		s.opt.Log.Debug("the bus's traffic is not known", "source", s.name, "err", err)
	}
}

// monitorArgs are the arguments of pmon or dmon.
func monitorArgs(tool, what string, p plan, period time.Duration) []string {
	args := []string{tool, "-s", what, "-d", strconv.Itoa(int(delay(period) / time.Second))}
	if len(p.awake) > 0 {
		args = append(args, "-i", strings.Join(p.awake, ","))
	}
	return args
}

// delay is a period as pmon and dmon take it: whole seconds, from 1 to 10.
func delay(period time.Duration) time.Duration {
	return min(max(time.Second, time.Duration(math.Ceil(period.Seconds()))*time.Second), mostDelay)
}

// look gathers what is told of one moment.
type look struct {
	smi     *smi
	traffic *traffic
	out     func(job.Programs)

	said    int // times
	names   []job.Process
	namedAt time.Time
	kin     kin
}

// tell hands over the programs of one moment. Their whole names, who listens and
// who started whom are asked for when somebody new is there.
func (l *look) tell(ctx context.Context, list []job.Process) {
	if l.news(list) && time.Since(l.namedAt) >= namesEvery {
		l.ask(ctx, list)
	}
	if ended(ctx) {
		return
	}
	full := make([]job.Process, 0, len(list))
	for _, p := range list {
		p.GPU = l.smi.uuidOf(p)
		if i := slices.IndexFunc(l.names, func(n job.Process) bool { return n.PID == p.PID }); i >= 0 {
			if l.names[i].Name != "" {
				p.Name = l.names[i].Name
			}
			if !p.Mem.Known() {
				p.Mem = l.names[i].Mem
			}
		}
		full = append(full, p)
	}
	l.said++
	l.out(job.Programs{
		At: l.smi.opt.Now(), Source: l.smi.name, List: full,
		Listeners: l.kin.listeners, Parents: l.kin.parents, BusIn: l.traffic.lately(),
	})
}

// news tells whether somebody is there of whom nothing was asked yet.
func (l *look) news(list []job.Process) bool {
	return slices.ContainsFunc(list, func(p job.Process) bool {
		return !slices.ContainsFunc(l.names, func(n job.Process) bool { return n.PID == p.PID })
	})
}

func (l *look) ask(ctx context.Context, list []job.Process) {
	ctx, cancel := context.WithTimeout(ctx, onceTime)
	defer cancel()
	l.namedAt = time.Now()
	names, err := l.smi.processes(ctx)
	if err != nil {
		l.smi.opt.Log.Debug("the names of programs are not known", "source", l.smi.name, "err", err)
	}
	// Those that only pmon knows, such as a desktop's, are not asked for again.
	for _, p := range list {
		if !slices.ContainsFunc(names, func(n job.Process) bool { return n.PID == p.PID }) {
			names = append(names, p)
		}
	}
	l.names = names
	if found, err := l.smi.kin(ctx); err == nil {
		l.kin = found
	} else {
		l.smi.opt.Log.Debug("who listens where is not known", "source", l.smi.name, "err", err)
	}
}

// traffic keeps the newest figures of the bus. It is used by two goroutines.
type traffic struct {
	now     func() time.Time
	mu      sync.Mutex
	figures map[int]busFigure
}

type busFigure struct {
	in float64
	at time.Time
}

func (t *traffic) see(index int, in float64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.figures[index] = busFigure{in: in, at: t.now()}
}

// lately gives the figures that are not old.
func (t *traffic) lately() map[int]float64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.figures, func(_ int, f busFigure) bool { return t.now().Sub(f.at) > trafficFor })
	if len(t.figures) == 0 {
		return nil
	}
	in := make(map[int]float64, len(t.figures))
	for index, f := range t.figures {
		in[index] = f.in
	}
	return in
}
