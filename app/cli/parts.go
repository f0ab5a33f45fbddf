package cli

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"reckoner/scheduler"
	"reckoner/scheduler/gpu"
	"reckoner/scheduler/job"
	"reckoner/scheduler/transfer"
	"reckoner/store/secret"
)

// storage is an open data folder.
type storage interface {
	scheduler.Store
	Close() error
}

// meter is a source of readings that can also be read once, with the processes
// that hold a GPU where the source knows them.
type meter interface {
	scheduler.Meter
	Once(ctx context.Context) ([]job.Reading, []job.Process, error)
}

// parts are the constructors of what an engine is wired from. Tests bring
// others.
type parts struct {
	// openStore opens a data folder for the one engine that may have it; the
	// error is store.ErrLocked when another process has it.
	openStore func(dir string, clock *job.Clock, log *slog.Logger) (storage, error)
	// readStore opens it for reading while no engine has it.
	readStore func(dir string, log *slog.Logger) (storage, error)
	// secrets gives what opens the saved servers of a data folder; nil for none.
	secrets func(dir string, log *slog.Logger) *secret.Store
	// connect makes a connection to a render server. One that has a Close is
	// closed when it is of no more use.
	connect func(s job.Server, c credentials, log *slog.Logger) (scheduler.RenderServer, error)
	// meter opens a source of readings. via, when not nil, is the way to the render
	// server that is the source.
	meter func(source string, clock *job.Clock, log *slog.Logger, via *http.Client) (meter, error)
	// cost measures what looking at sources costs; nil where that is not done.
	cost    func(ctx context.Context, sources []string) []gpu.Cost
	host    func(clock *job.Clock, log *slog.Logger) scheduler.HostMeter
	fetcher func(viewer func(job.ID) (transfer.Viewer, bool), log *slog.Logger) scheduler.Fetcher
	// results gives the folder for results where nobody chose one.
	results func() (string, error)
	start   func(ctx context.Context, c scheduler.Config) (engine, error)
}

// realEngine is a scheduler.Engine as the commands use it.
type realEngine struct{ *scheduler.Engine }

// Follow gives a follower of the engine's events.
func (e realEngine) Follow() follower { return e.Engine.Follow() }

// processSignals hears what the terminal and the system tell this process. The
// second value stops hearing.
func processSignals() (<-chan stopSignal, func()) {
	raw := make(chan os.Signal, 2)
	signal.Notify(raw, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP) // HUP: the terminal closed
	means := make(chan stopSignal, 2)
	ended := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case sig := <-raw:
				s := signalInterrupt
				if sig != os.Interrupt {
					s = signalTerminate
				}
				select {
				case means <- s:
				default: // two are waiting already, and say enough
				}
			case <-ended:
				return
			}
		}
	}()
	return means, func() {
		signal.Stop(raw)
		close(ended)
		<-done
	}
}

// untilSignal gives a context that any stop signal ends, for commands that only
// look.
func (s *shell) untilSignal(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	signals, release := s.signals()
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-signals:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(); <-done; release() }
}
