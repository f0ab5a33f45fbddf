package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// windowFlags make the root command: the window, or a hand-over to the one that
// is open.
func (s *shell) windowFlags(root *cobra.Command) {
	demo := root.Flags().Bool("demo", false, "show the demonstration, on simulated machines")
	speed := root.Flags().Float64("speed", demoSpeed, "with --demo: seconds of the story in a real second")
	root.RunE = func(cmd *cobra.Command, files []string) error {
		o := runOptions{demo: *demo, demoSpeed: *speed, repeat: 1}
		if err := o.check(cmd); err != nil {
			return usage(cmd, err)
		}
		if !*demo {
			return s.openWindow(cmd.Context(), files)
		}
		if s.env.Window == nil {
			fmt.Fprintln(s.env.Stderr, "This build has no window; the demonstration plays in the terminal.")
			return s.runDemo(cmd.Context(), o, files)
		}
		return s.windowDemo(cmd.Context(), o, files)
	}
}

// openWindow opens the window on the data folder and adds the files. With a
// Reckoner running there, it gets the files, or shows its window.
func (s *shell) openWindow(ctx context.Context, files []string) error {
	paths := make([]string, len(files))
	for i, f := range files {
		path, err := filepath.Abs(f)
		if err != nil {
			return fmt.Errorf("%s: %w", f, err)
		}
		paths[i] = path
	}
	data, err := dataFolder(s.flags.data)
	if err != nil {
		return err
	}
	clock := job.NewClock(1)
	h, err := s.openOrReach(ctx, data, clock)
	if err != nil {
		return err
	}
	if h.peer != nil {
		return s.handOver(ctx, h.peer, paths)
	}
	if err := s.canShow(); err != nil {
		return h.folder.shut(err)
	}
	return s.window(ctx, h.folder, setup{clock: clock, frames: framesFolder()}, paths)
}

// handOver gives files to the running engine, or without any has its window
// shown, and leaves.
func (s *shell) handOver(ctx context.Context, p *peer, paths []string) error {
	q := request{Ask: askShow}
	if len(paths) > 0 {
		if err := s.readable(paths); err != nil {
			return err
		}
		q = request{Ask: askAdd, Errand: errand{Files: paths, Limit: job.Limit{Kind: job.LimitDefault}}}
	}
	out := s.printerFor(false)
	_, err := p.ask(ctx, q, nil, func(r reply) error { return out.show(r.said()) })
	return err
}

// canShow says why a window cannot be shown here.
func (s *shell) canShow() error {
	switch {
	case s.env.Window == nil:
		return exitf(exitUsage, "this build of Reckoner has no window; use: reckoner run FILE...")
	case runtime.GOOS == "linux" && s.env.Getenv("DISPLAY") == "" && s.env.Getenv("WAYLAND_DISPLAY") == "":
		return exitf(exitFailed, "no display (DISPLAY and WAYLAND_DISPLAY are not set); use: reckoner run FILE..., "+
			"or reckoner doctor to see what is missing")
	}
	return nil
}

// window shows the window on an engine of this process until it is closed.
func (s *shell) window(ctx context.Context, f *folder, set setup, paths []string) (err error) {
	defer func() { err = f.shut(err) }()
	var asked <-chan struct{}
	set.show, asked = showChannel()
	in, err := s.startInstance(ctx, f, set)
	if err != nil {
		return err
	}
	defer func() { err = in.stop(err) }()
	w := Window{Speed: 1, Show: asked}
	if err := in.queue(ctx, paths, &w); err != nil {
		return err
	}
	return s.showWindow(ctx, in, f, w)
}

// queue adds files for the window, which shows those that are no jobs, and what is
// worth a thought of the others.
func (c conductor) queue(ctx context.Context, paths []string, w *Window) (err error) {
	if len(paths) == 0 {
		return nil
	}
	w.Asked = scheduler.AddRequest{Files: paths, Limit: job.Limit{Kind: job.LimitDefault}}
	if w.Added, err = c.engine.Add(ctx, w.Asked); err != nil {
		return fmt.Errorf("queue the files: %w", err)
	}
	return nil
}

// showWindow opens the window and returns when it was closed or the process is
// told to end.
func (s *shell) showWindow(ctx context.Context, in *instance, f *folder, w Window) error {
	running, ok := in.engine.(realEngine)
	if !ok {
		return errors.New("the window needs the real engine")
	}
	ctx, release := s.untilSignal(ctx)
	defer release()
	w.Engine, w.Data, w.OutDir, w.Version = running.Engine, f.dir, in.results, s.env.Version
	w.NewID, w.Log, w.SetAside = newID, f.log, f.setAside
	w.AcceptHostKey = acceptHostKey
	if f.secrets != nil {
		w.Enter, w.Forget = enterer(f.secrets), f.secrets.Delete
	}
	return s.env.Window(ctx, w)
}

// showChannel gives a function that asks for the window to come to the front,
// and the channel that says so.
func showChannel() (func(), <-chan struct{}) {
	asked := make(chan struct{}, 1)
	return func() {
		select {
		case asked <- struct{}{}:
		default: // asked already
		}
	}, asked
}
