package gpu

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"reckoner/scheduler/job"
	"reckoner/scheduler/remote"
)

// smi reads NVIDIA GPUs through nvidia-smi, on this machine or through ssh. For
// a stream it keeps one long-lived process: without persistence every start
// brings the driver up again, which costs time and makes false first readings.
type smi struct {
	name string // as in job.Reading.Source
	opt  Options
	// through makes the command line that runs words on another computer; nil on
	// this one.
	through func(words ...string) (name string, args []string)

	mu     sync.Mutex
	fields []string        // still asked for; a tool that is too old does not know all
	tools  []string        // the first is used, the others are where else it may be
	stuck  <-chan struct{} // of a process that could not be ended; nil when there is none
	uuids  map[int]string  // of GPUs by index, as they were last read
}

// queryFields are asked for. The throttle spelling is understood by old and new
// drivers; persistence_mode tells whether the question may have woken the GPU.
func queryFields() []string {
	return []string{
		"index", "uuid", "name", "driver_version", "pstate", "persistence_mode", "utilization.gpu", "utilization.memory",
		"power.draw",
		"enforced.power.limit", "power.limit", "power.default_limit", "memory.total", "memory.used",
		"temperature.gpu", "clocks_throttle_reasons.active", "clocks.sm", "clocks.max.sm", "pcie.link.gen.current",
		"pcie.link.width.current",
	}
}

// Where the tool may be when it is not in the path.
const (
	toolOfWSL        = "/usr/lib/wsl/lib/nvidia-smi"
	toolOfOldWindows = `C:\Program Files\NVIDIA Corporation\NVSMI\nvidia-smi.exe`
)

func newLocal(opt Options) *smi {
	elsewhere := toolOfWSL
	if runtime.GOOS == "windows" {
		elsewhere = toolOfOldWindows
	}
	return &smi{name: "nvidia-smi", opt: opt, fields: queryFields(), tools: []string{"nvidia-smi", elsewhere}}
}

// newRemote reads HOST through the system's ssh. The words hold no quotes, as
// the remote shell may be Windows' cmd. No LC_ALL=C before them for the same
// reason: numbers with decimal commas are read anyway.
func newRemote(name string, host remote.Host, opt Options) *smi {
	return &smi{
		name: name, opt: opt, fields: queryFields(), tools: []string{"nvidia-smi", toolOfWSL}, through: host.Command,
	}
}

// Times of the tool. Bringing a driver up takes some seconds without
// persistence; a tick's rows come together.
const (
	firstRow  = 20 * time.Second
	tickPause = 100 * time.Millisecond
	onceTime  = 20 * time.Second
	startTime = 5 * time.Second // in which a woken driver's figures are false
)

// Stream implements Source. Periods are whole seconds, at least one.
func (s *smi) Stream(ctx context.Context, period time.Duration, out func([]job.Reading)) error {
	seconds := max(1, int(math.Ceil(period.Seconds())))
	silence := 3*time.Duration(seconds)*time.Second + 2*time.Second
	return s.attempts(ctx, func(p plan) error {
		err := s.follow(ctx, p, p.query("-l", strconv.Itoa(seconds)), silence, out)
		if err == nil {
			err = sourceError(job.ErrToolFailed, s.name, "the tool ended by itself", nil)
		}
		return err
	})
}

// Once implements Source.
func (s *smi) Once(caller context.Context) ([]job.Reading, []job.Process, error) {
	ctx, cancel := context.WithTimeout(caller, onceTime)
	defer cancel()
	var readings []job.Reading
	err := s.attempts(ctx, func(p plan) error {
		readings = nil
		return s.follow(ctx, p, p.query(), onceTime, func(r []job.Reading) { readings = append(readings, r...) })
	})
	if caller.Err() != nil {
		return readings, nil, caller.Err()
	}
	if err == nil && ctx.Err() != nil {
		err = sourceError(job.ErrToolHung, s.name, "", context.Cause(ctx))
	}
	if err != nil {
		return readings, nil, err
	}
	if len(readings) == 0 {
		return nil, nil, sourceError(job.ErrNoGPU, s.name, "the tool listed no GPU", nil)
	}
	processes, err := s.processes(ctx)
	if err == nil {
		processes = s.withShares(ctx, processes)
	}
	return readings, processes, err
}

// plan is how the tool is asked this time.
type plan struct {
	tool   string
	fields []string
	awake  []string // addresses to ask for; empty means all
}

func (p plan) query(more ...string) []string {
	args := []string{"--query-gpu=" + strings.Join(p.fields, ","), "--format=csv"}
	if len(p.awake) > 0 {
		args = append(args, "-i", strings.Join(p.awake, ","))
	}
	return append(args, more...)
}

// attempts asks the tool, and again when there is a better way to ask: without
// a field that it does not know, or in another place. It returns nil when ctx
// ended.
func (s *smi) attempts(ctx context.Context, ask func(plan) error) error {
	for {
		p, err := s.plan()
		if err != nil {
			return err
		}
		err = ask(p)
		if ended(ctx) {
			return nil
		}
		if err == nil || !s.improve(p, err) {
			return err
		}
		s.opt.Log.Debug("asking the tool in another way", "source", s.name, "err", err)
	}
}

func (s *smi) plan() (plan, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stuck != nil {
		select {
		case <-s.stuck:
			s.stuck = nil
		default:
			return plan{}, sourceError(job.ErrToolHung, s.name, "the last one still hangs in the driver", nil)
		}
	}
	p := plan{tool: s.tools[0], fields: slices.Clone(s.fields)}
	if s.through != nil {
		return p, nil
	}
	awake, asleep := nvidiaPower(s.opt.Sys)
	if len(asleep) > 0 && len(awake) == 0 {
		return plan{}, sourceError(job.ErrGPUAsleep, s.name, strings.Join(asleep, ", "), nil)
	}
	if len(asleep) > 0 {
		p.awake = awake
	}
	return p, nil
}

// improve changes how the tool is asked after an error, and tells whether
// asking again makes sense.
func (s *smi) improve(p plan, err error) bool {
	e, ok := errors.AsType[*job.Error](err)
	if !ok {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if field, ok := badField(e.Args.Detail); ok {
		i := slices.Index(s.fields, field)
		if i < 0 || field == "index" {
			return false
		}
		s.fields = slices.Delete(s.fields, i, i+1)
		return true
	}
	if e.Code == job.ErrNoTool && len(s.tools) > 1 && s.tools[0] == p.tool {
		s.tools = s.tools[1:]
		return true
	}
	return false
}

// remember keeps which GPU has which index: pmon and dmon know only that.
func (s *smi) remember(readings []job.Reading) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.uuids == nil {
		s.uuids = map[int]string{}
	}
	for _, r := range readings {
		if i, ok := r.GPU.Index.Get(); ok {
			s.uuids[i] = r.GPU.UUID
		}
	}
}

// uuidOf gives the uuid of a program's GPU, "" while it is not known.
func (s *smi) uuidOf(p job.Process) string {
	i, ok := p.Index.Get()
	if p.GPU != "" || !ok {
		return p.GPU
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.uuids[i]
}

// command gives the program and the arguments that run the tool.
func (s *smi) command(tool string, args []string) (string, []string) {
	if s.through == nil {
		return tool, args
	}
	return s.through(append([]string{tool}, args...)...)
}

// run runs the tool and hands over its lines until it ends, h gives up, or ctx
// ends. The error is nil when the tool ended well.
func (s *smi) run(ctx context.Context, tool string, args []string, h handler) error {
	name, args := s.command(tool, args)
	c, err := start(ctx, s.opt, name, args...)
	if err != nil {
		return s.startError(err)
	}
	defer func() {
		if !c.end() {
			s.opt.Log.Warn("a tool cannot be ended", "source", s.name)
			s.mu.Lock()
			s.stuck = c.done
			s.mu.Unlock()
		}
	}()
	wait := time.NewTimer(h.first)
	defer wait.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-wait.C:
			next := h.silent()
			if next <= 0 {
				return s.fail(h, c.stderr.String(), killed)
			}
			wait.Reset(next)
		case line, ok := <-c.lines:
			if !ok {
				<-c.done
				h.silent()
				return s.fail(h, c.stderr.String(), c.status())
			}
			wait.Reset(h.line(line))
		}
	}
}

// handler is what is done with a tool's lines.
type handler struct {
	first  time.Duration                   // how long to wait for the first line
	line   func(line string) time.Duration // and how long to wait for the next
	silent func() time.Duration            // no line came; 0 gives up
	said   func() string                   // what was not data, since the last data
	found  func() bool                     // there was data
}

func (s *smi) startError(err error) error {
	code := job.ErrToolFailed
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		code = job.ErrNoTool
	}
	return sourceError(code, s.name, "", fmt.Errorf("start the tool: %w", err))
}

// fail gives the error that the tool's last words mean, or nil.
func (s *smi) fail(h handler, stderr string, exit int) error {
	stdout := h.said()
	f := faultOf(stdout, stderr, exit)
	if f == faultNone {
		return nil
	}
	if f == faultNoTool && h.found() {
		f = faultOther // it is there: it has just spoken
	}
	err := sourceError(f.code(), s.name, strings.TrimSpace(stdout+"\n"+stderr), nil)
	if exit > 0 {
		err.Args.Status = exit
	}
	return err
}

// processes asks for the programs that hold a GPU.
func (s *smi) processes(ctx context.Context) ([]job.Process, error) {
	p, err := s.plan()
	if err != nil {
		return nil, err
	}
	var list []job.Process
	said := words{}
	err = s.run(ctx, p.tool, []string{"--query-compute-apps=" + appFields, "--format=csv"}, handler{
		first: onceTime,
		line: func(line string) time.Duration {
			if proc, ok := appRow(line); ok {
				list = append(list, proc)
			} else if !isAppHeader(line) {
				said.add(line)
			}
			return onceTime
		},
		silent: func() time.Duration { return 0 },
		said:   said.String,
		found:  func() bool { return len(list) > 0 },
	})
	return list, err
}
