package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

func (s *shell) runCommand() *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:   "run [flags] [FILE...]",
		Short: "Run files, or what is open in the data folder, to their end",
		Long: `Run the files to their end and leave. Without FILE: what is open in the data
folder. With a Reckoner running on the data folder, hand the files to it.

A file whose path and content equal an open job of an earlier run is that job:
after a crash the same command goes on, it does not start again.

A FILE may be a folder. Pictures, videos and sounds without a workflow are inputs
of the job beside them: under the names in it, or one job for each.

Ctrl-C cancels this run's jobs: what runs is interrupted, and the end is
confirmed. A second Ctrl-C leaves at once and says what is left running.

Exit status: 0 every job done; 1 a job failed, timed out, was lost, or needs
you; 2 bad usage or a file that is no job; 3 no --server answered; 130 stopped.
With 2 and 3 nothing was queued.`,
		RunE: func(cmd *cobra.Command, files []string) error {
			if err := o.check(cmd); err != nil {
				return usage(cmd, err)
			}
			if o.demo {
				return s.runDemo(cmd.Context(), o, files)
			}
			return s.runFiles(cmd, o, files)
		},
	}
	o.register(cmd)
	return cmd
}

// runFiles is `run` on real machines.
func (s *shell) runFiles(cmd *cobra.Command, o runOptions, files []string) error {
	ctx := cmd.Context()
	p, err := buildPark(o.servers, o.watched, o.gpus)
	if err != nil {
		return usage(cmd, err)
	}
	keys, err := readKeyring(o.authFile, s.env.Getenv("RECKONER_AUTH"))
	if err != nil {
		return usage(cmd, err)
	}
	e, err := s.errandOf(o, p, files)
	if err != nil {
		return err
	}
	if err := s.readable(e.Files); err != nil {
		return err
	}
	data, err := dataFolder(s.flags.data)
	if err != nil {
		return err
	}
	a := attempt{
		data: data, errand: e, wait: o.serverWait, out: s.printerFor(o.json),
		set: setup{
			park: p, keys: keys.with(p.keys), clock: job.NewClock(1), stopWait: o.stopWait, unanswered: o.unanswered,
		},
	}
	return s.carryOut(ctx, a.out, func(ctx context.Context, cancel <-chan struct{}) (result, error) {
		return s.attempt(ctx, a, cancel)
	})
}

// attempt is a run on a data folder, whoever has its engine.
type attempt struct {
	data   string
	errand errand
	wait   time.Duration // for the first answer of a --server
	set    setup
	out    *printer
}

// attempt carries an errand out on the engine of the data folder: of another
// process, else of this one. When the other process ends before the jobs do,
// this one takes them on.
func (s *shell) attempt(ctx context.Context, a attempt, cancel <-chan struct{}) (result, error) {
	for {
		h, err := s.openOrReach(ctx, a.data, a.set.clock)
		if err != nil {
			return result{}, err
		}
		if h.folder != nil {
			return s.runHere(ctx, h.folder, a, cancel)
		}
		a.out.note("A Reckoner is running on %s; it takes the jobs.", a.data)
		r, err := h.peer.run(ctx, a.errand, cancel, a.out.show)
		open := a.out.openJobs()
		if !errors.Is(err, errPeerGone) || len(open) == 0 {
			return r, err
		}
		a.out.note("That Reckoner has ended; this one goes on with the jobs.")
		a.errand = errand{Jobs: open}
	}
}

// runHere carries an errand out on an engine of this process.
func (s *shell) runHere(ctx context.Context, f *folder, a attempt, cancel <-chan struct{}) (r result, err error) {
	defer func() { err = f.shut(err) }()
	if err := s.awaitServers(ctx, a.set, a.wait); err != nil {
		return r, err
	}
	in, err := s.startInstance(ctx, f, a.set)
	if err != nil {
		return r, err
	}
	defer func() { err = in.stop(err) }()
	e, idle, err := in.settleOpen(a.errand)
	if err != nil {
		return r, err
	}
	r, err = in.conduct(ctx, []errand{e}, cancel, a.out.show)
	if err == nil && ctx.Err() == nil && !r.Stopped {
		r.Stopped, err = in.finishOthers(ctx, cancel, r.Ended, a.out)
	}
	r.Left = append(r.Left, idle...)
	if err == nil {
		in.tellOpen(r.Ended, r.Left, a.out)
	}
	return r, err
}

// errandOf makes an errand of flags and files. Its paths are absolute: another
// process may read them.
func (s *shell) errandOf(o runOptions, p park, files []string) (errand, error) {
	e := errand{
		Limit: o.limit.get(), Repeat: o.repeat, SendAnyway: o.sendAnyway, Input: o.input, UseWorkflow: o.useWorkflow,
	}
	for _, f := range files {
		path, err := filepath.Abs(f)
		if err != nil {
			return errand{}, fmt.Errorf("%s: %w", f, err)
		}
		e.Files = append(e.Files, path)
	}
	for _, srv := range p.use {
		e.Servers = append(e.Servers, srv.URL)
	}
	if o.out != "" {
		dir, err := filepath.Abs(o.out)
		if err != nil {
			return errand{}, fmt.Errorf("--out %s: %w", o.out, err)
		}
		if err := checkOutDir(dir); err != nil {
			return errand{}, exitf(exitUsage, "results cannot be kept in --out: %v\n"+
				"Nothing was queued. Name a folder that can be written.", err)
		}
		e.OutDir = dir
	}
	return e, nil
}

// printerFor gives text to standard output, or with --json to standard error.
func (s *shell) printerFor(asJSON bool) *printer {
	var lines io.Writer
	people := s.env.Stdout
	if asJSON {
		lines, people = s.env.Stdout, s.env.Stderr
	}
	return newPrinter(lines, people)
}

// carryOut runs an errand under the rules of Ctrl-C and makes its exit status.
// The first Ctrl-C cancels the errand's jobs, the second leaves at once; a
// SIGTERM leaves at once, unasked.
func (s *shell) carryOut(
	ctx context.Context, out *printer, do func(context.Context, <-chan struct{}) (result, error),
) error {
	ctx, leave := context.WithCancel(ctx)
	cancel := make(chan struct{}, 1)
	signals, release := s.signals()
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		obey(ctx, signals, cancel, leave, out)
	}()
	defer func() { leave(); <-watched; release() }()

	r, err := do(ctx, cancel)
	if err != nil && ctx.Err() == nil {
		return err
	}
	if ctx.Err() != nil {
		r.Stopped = true
		if len(r.Left) == 0 {
			r.Left = out.left() // another process has the jobs; we know of them what we printed
		}
	}
	out.summary(r)
	if status := r.status(); status != exitDone {
		return &exitError{status: status}
	}
	return nil
}

// obey turns signals into what the user wants.
func obey(ctx context.Context, signals <-chan stopSignal, cancel chan<- struct{}, leave func(), out *printer) {
	for asked := false; ; {
		select {
		case <-ctx.Done():
			return
		case sig := <-signals:
			if asked || sig == signalTerminate {
				leave()
				return
			}
			asked = true
			out.note("Stopping: the jobs of this run are cancelled, and each end is confirmed. Ctrl-C again leaves at once.")
			cancel <- struct{}{}
		}
	}
}

// readable reads every file once before anything is opened or asked, so that a
// file that is no job queues nothing at all. Beside a job, a picture without a
// workflow is an input of it; what lies in a folder is sorted by the engine.
func (s *shell) readable(files []string) error {
	var refused, media []string
	jobs := 0
	for _, path := range files {
		f, err := readJobFile(path)
		switch {
		case err == nil:
			jobs++
			s.warn(path, f.Warnings)
		case err.Code == job.ErrFolder:
			jobs++
		case (err.Code == job.ErrPicture || err.Code == job.ErrA1111) && err.Args.Count == 0 && err.Args.Value != "text":
			media = append(media, s.encoder().about(path, err))
		default:
			refused = append(refused, s.encoder().about(path, err))
		}
	}
	if jobs == 0 {
		refused = append(refused, media...)
	}
	if len(refused) == 0 {
		return nil
	}
	for _, text := range refused {
		fmt.Fprintln(s.env.Stderr, "reckoner: "+text)
	}
	fmt.Fprintln(s.env.Stderr, "reckoner: nothing was queued")
	return &exitError{status: exitUsage}
}

// warn says what is worth a thought before a file runs.
func (s *shell) warn(path string, warnings []job.Say) {
	for _, w := range warnings {
		if !(scheduler.Warning{File: path, Say: w}).Loud() {
			continue
		}
		way := ""
		if w.Code == job.WarnOtherJob {
			way = " (--use-workflow: run that one)"
		}
		fmt.Fprintf(s.env.Stderr, "reckoner: %s: %s%s\n", path, s.encoder().words.Say(w), way)
	}
}

// summary says how everything ended.
func (p *printer) summary(r result) {
	counts := map[job.JobOutcome]int{}
	for _, outcome := range r.Ended {
		counts[outcome]++
	}
	var parts []string
	for _, outcome := range []job.JobOutcome{
		job.JobDone, job.JobFailed, job.JobTimedOut, job.JobCancelled, job.JobLost, job.JobNoOutput, job.JobNeedsYou,
	} {
		if n := counts[outcome]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, spaced(string(outcome))))
		}
	}
	switch {
	case len(parts) > 0:
		p.note("%s.", strings.Join(parts, ", "))
	case len(r.Left) == 0 && !r.Stopped:
		p.note("Nothing is open in the data folder.")
	}
	for _, left := range r.Left {
		p.note("%s", left.sentence())
	}
}

// stopSignal is what a signal to this process means.
type stopSignal int

const (
	signalInterrupt stopSignal = iota
	signalTerminate
)
