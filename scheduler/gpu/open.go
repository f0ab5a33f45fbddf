package gpu

import (
	"context"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"reckoner/scheduler/job"
	"reckoner/scheduler/remote"
)

// Source is where readings come from. Its methods may be called from any
// goroutine.
type Source interface {
	// Stream hands over readings, all GPUs of a tick together in index order,
	// about once every period of real time, from one goroutine. It returns nil
	// when ctx ended, else a *job.Error that says why the source failed. It may
	// be called again.
	Stream(ctx context.Context, period time.Duration, out func([]job.Reading)) error
	// Once reads each GPU once, and the processes that hold a GPU where the
	// source knows them. What was read is returned also when there is an error.
	Once(ctx context.Context) ([]job.Reading, []job.Process, error)
}

// Options are what a Source needs from outside. The zero Options are usable.
type Options struct {
	// Log is nil to say nothing.
	Log *slog.Logger
	// Client asks exporters and render servers; nil means one of the package's
	// own. Deadlines are the package's in any case.
	Client *http.Client
	// Now stamps readings; nil means the wall clock. Sources are read at the
	// moment that they are stamped with: a remote clock is never believed.
	Now func() time.Time
	// Command makes the command of a tool; nil means exec.CommandContext.
	Command func(ctx context.Context, name string, args ...string) *exec.Cmd
	// Sys is the tree at /sys; nil means the real one.
	Sys fs.FS

	started func(pid int) // told of each tool that was started
}

func (o Options) filled() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Client == nil {
		o.Client = &http.Client{CheckRedirect: fewRedirects}
	}
	if o.Now == nil {
		o.Now = func() time.Time { return time.Now().UTC().Round(0) }
	}
	if o.Command == nil {
		o.Command = exec.CommandContext
	}
	if o.Sys == nil {
		o.Sys = os.DirFS("/sys")
	}
	return o
}

// Open gives the source that SOURCE of the command line names: nvidia-smi,
// ssh:[USER@]HOST[:PORT], prom:URL, comfy:URL, amd or file:PATH. It reads nothing yet. The
// error is a *job.Error with job.ErrBadSource.
func Open(source string, opt Options) (Source, error) {
	opt = opt.filled()
	kind, rest, _ := strings.Cut(source, ":")
	switch {
	case source == "nvidia-smi":
		return newLocal(opt), nil
	case source == "amd":
		return &amd{opt: opt}, nil
	case kind == "ssh":
		host, err := remote.ParseHost(rest)
		if err != nil {
			return nil, badSource(source, "", err)
		}
		return newRemote(source, host, opt), nil
	case kind == "prom":
		u, err := sourceURL(rest)
		if err != nil {
			return nil, badSource(source, "", err)
		}
		if u.Path == "" || u.Path == "/" {
			u.Path = "/metrics"
		}
		return &prom{name: "prom:" + u.String(), url: u.String(), opt: opt}, nil
	case kind == "comfy":
		u, err := sourceURL(rest)
		if err != nil {
			return nil, badSource(source, "", err)
		}
		return &comfy{name: "comfy:" + u.String(), url: u.JoinPath("system_stats").String(), opt: opt}, nil
	case kind == "file" && rest != "":
		return &recording{name: source, path: rest, opt: opt}, nil
	}
	return nil, badSource(source, "use nvidia-smi, ssh:HOST, prom:URL, comfy:URL, amd or file:PATH", nil)
}

// badSource never repeats what may be a password.
func badSource(source, detail string, cause error) error {
	if kind, _, ok := strings.Cut(source, ":"); ok && strings.Contains(source, "@") && kind != "ssh" {
		source = kind + ":…"
	}
	return sourceError(job.ErrBadSource, source, detail, cause)
}

// poll reads a source now and then every period, for those that do not speak by
// themselves.
func poll(
	ctx context.Context, period time.Duration,
	read func(context.Context) ([]job.Reading, []job.Process, error), out func([]job.Reading),
) error {
	tick := time.NewTicker(max(period, minPeriod))
	defer tick.Stop()
	for {
		readings, _, err := read(ctx)
		if ended(ctx) {
			return nil
		}
		if err != nil {
			return err
		}
		out(readings)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// ended tells whether nobody wants to know any more: whatever a source then says
// is not a failure of it.
func ended(ctx context.Context) bool { return ctx.Err() != nil }

// minPeriod keeps a mistaken period from asking without a pause.
const minPeriod = 100 * time.Millisecond
