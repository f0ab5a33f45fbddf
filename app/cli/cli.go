package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	escape "reckoner/assets/text"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// Env is what the process gives to the command line.
type Env struct {
	Stdout io.Writer
	Stderr io.Writer
	Getenv func(string) string
	// Window opens the window and returns when it was closed. Nil in a build
	// without one.
	Window  WindowFunc
	Version string
}

// WindowFunc shows the window on a running engine until the user closes it. It
// must not stop the engine; the command line does that after it returns.
type WindowFunc func(ctx context.Context, w Window) error

// Window is what a window is opened on.
type Window struct {
	Engine *scheduler.Engine
	// Data is the data folder, OutDir where results go unless a job says
	// otherwise.
	Data, OutDir string
	Version      string
	// Demo says that everything shown is simulated, at Speed story seconds a
	// real second.
	Demo  bool
	Speed float64
	// SetAside is where a damaged database was moved to at this start, which then
	// began with an empty queue and history; "" when nothing was damaged.
	SetAside string
	// Asked is what was asked to be added, the files of the command line, and Added
	// what became of it.
	Asked scheduler.AddRequest
	Added scheduler.Added
	// Show receives when the program was started once more: bring the window to
	// the front.
	Show <-chan struct{}
	// NewID makes ids for what is added in the window.
	NewID func() job.ID
	// Enter takes an address apart that the user typed for a server with this id:
	// what opens the server, and key where it is not empty (a token or
	// user:password), goes to the keyring, or to a file where there is none. Forget
	// removes it again. Both may wait for a person who unlocks the keyring.
	Enter  func(ctx context.Context, server job.ID, address, key string) (Entered, error)
	Forget func(ctx context.Context, server job.ID) error
	// AcceptHostKey makes a computer known to ssh by the key that the user was
	// shown: address is that of a render server or a source of readings behind ssh.
	AcceptHostKey func(ctx context.Context, address, fingerprint string) error
	Log           *slog.Logger
}

// The exit statuses of INTERFACES.md.
const (
	exitDone    = 0
	exitFailed  = 1 // a job did not end well, or a command could not do its work
	exitUsage   = 2 // bad usage, or a file that is no job
	exitNoPeer  = 3 // no server or source answered
	exitStopped = 130
)

// exitError ends a command with a status of its own. An empty text means that
// everything was said already.
type exitError struct {
	status int
	text   string
}

func (e *exitError) Error() string { return e.text }

// exitf makes an exitError.
func exitf(status int, format string, args ...any) error {
	return &exitError{status: status, text: fmt.Sprintf(format, args...)}
}

// Run carries out a command line, args being without the program's name, and
// returns the exit status. The context ends it early, as a SIGTERM does: what
// runs on servers goes on there.
func Run(ctx context.Context, args []string, env Env) int {
	return (&shell{env: env, parts: realParts(), signals: processSignals}).run(ctx, args)
}

// shell is a command line with the parts it works with; tests bring their own.
type shell struct {
	env     Env
	parts   parts
	signals func() (<-chan stopSignal, func())
	flags   globalFlags
}

func (s *shell) run(ctx context.Context, args []string) int {
	root := s.rootCommand()
	root.SetArgs(args)
	root.SetOut(s.env.Stdout)
	root.SetErr(s.env.Stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitDone
	}
	status := exitFailed
	if e, ok := errors.AsType[*exitError](err); ok {
		status = e.status
	}
	if text := strings.TrimSpace(err.Error()); text != "" {
		fmt.Fprintln(s.env.Stderr, "reckoner: "+escape.PlainLines(text))
	}
	return status
}

// usage marks a mistake in flags or arguments, and says where help is.
func usage(cmd *cobra.Command, err error) error {
	if err == nil {
		return nil
	}
	return exitf(exitUsage, "%v\nSee: %s --help", err, cmd.CommandPath())
}

// args makes the mistakes that cobra finds in arguments ours.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, given []string) error { return usage(cmd, check(cmd, given)) }
}
