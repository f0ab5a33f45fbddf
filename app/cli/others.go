package cli

import (
	"context"
	"fmt"
	"slices"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// noServer says that no job could ever be sent.
const noServer = "no render server is known: name one with --server URL, or add one in the window, on the page Machines"

// hasServer tells whether jobs can be sent anywhere at all.
func hasServer(s *scheduler.Snapshot) bool {
	return slices.ContainsFunc(s.Machines, func(m scheduler.MachineView) bool {
		return slices.ContainsFunc(m.Servers, func(v scheduler.ServerView) bool { return !v.Server.WatchOnly })
	})
}

// settleOpen fills an errand without files with what was open when the engine
// started. Where no server is known, jobs that only wait would do so for ever:
// they are given back as left, and when there is nothing else it is an error.
// Runs that are on a server are followed all the same: they are asked for where
// they were sent.
func (in *instance) settleOpen(e errand) (errand, []leftJob, error) {
	if len(e.Files) > 0 || len(in.before) == 0 {
		return e, nil, nil
	}
	wanted := e.Jobs
	if len(wanted) == 0 {
		e.Announce = true
		for _, j := range in.before {
			wanted = append(wanted, j.ID)
		}
	}
	if hasServer(in.engine.Snapshot()) {
		e.Jobs = wanted
		return e, nil, nil
	}
	e.Jobs = nil
	var left []leftJob
	for _, id := range wanted {
		i := slices.IndexFunc(in.before, func(j *job.Job) bool { return j.ID == id && j.State == job.JobWaiting })
		if i < 0 {
			e.Jobs = append(e.Jobs, id)
			continue
		}
		left = append(left, leftJob{Name: in.before[i].Name})
	}
	if len(e.Jobs) == 0 {
		return e, left, exitf(exitUsage, "%d of the jobs in the data folder wait, and %s", len(left), noServer)
	}
	return e, left, nil
}

// finishOthers goes on until the jobs are done that others handed to this engine
// while it had the data folder, so that none is left without one. A value on
// cancel leaves them; it tells whether that happened.
func (in *instance) finishOthers(
	ctx context.Context, cancel <-chan struct{}, mine map[job.ID]job.JobOutcome, out *printer,
) (left bool, err error) {
	known := map[job.ID]bool{}
	for _, j := range in.before {
		known[j.ID] = true
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	for {
		in.freshen(ctx)
		var others []job.ID
		for _, j := range openJobs(in.engine.Snapshot()) {
			if _, own := mine[j.ID]; !own && !known[j.ID] {
				others = append(others, j.ID)
			}
		}
		if len(others) == 0 || ctx.Err() != nil {
			return false, nil
		}
		out.note("This run's jobs have ended. %s handed over meanwhile; they are finished first. Ctrl-C leaves them.",
			countWere(len(others)))
		following, end := context.WithCancel(ctx)
		stopped := make(chan struct{})
		go func() {
			defer close(stopped)
			select {
			case <-cancel:
				left = true
				end()
			case <-following.Done():
			}
		}()
		quiet := func(said) error { return nil } // another run's lines are not this one's
		r, err := in.conduct(following, []errand{{Jobs: others}}, nil, quiet)
		end()
		<-stopped
		if left {
			for _, l := range r.Left {
				out.note("%s", l.sentence())
			}
		}
		if err != nil || left {
			return left, err
		}
	}
}

// tellOpen says what stays open that this run did not bring.
func (in *instance) tellOpen(mine map[job.ID]job.JobOutcome, left []leftJob, out *printer) {
	n := 0
	for _, j := range openJobs(in.engine.Snapshot()) {
		if _, own := mine[j.ID]; !own {
			n++
		}
	}
	if n -= len(left); n > 0 {
		out.note("%s open in the data folder; `reckoner run` goes on with that.", countStay(n))
	}
}

func countWere(n int) string {
	if n == 1 {
		return "1 job was"
	}
	return fmt.Sprintf("%d jobs were", n)
}

func countStay(n int) string {
	if n == 1 {
		return "1 other job stays"
	}
	return fmt.Sprintf("%d other jobs stay", n)
}
