package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// engine is a running scheduler.Engine as the commands use it.
type engine interface {
	Snapshot() *scheduler.Snapshot
	Changed() (changes <-chan struct{}, cancel func())
	Follow() follower
	Add(ctx context.Context, r scheduler.AddRequest) (scheduler.Added, error)
	Do(c scheduler.Command)
	AddMachine(ctx context.Context, m job.Machine, servers []job.Server) error
	History(ctx context.Context, q job.HistoryQuery) ([]job.HistoryRow, error)
	Stop(ctx context.Context) error
}

// follower hands over the engine's events from the moment it was made.
type follower interface {
	Next(ctx context.Context) (job.Event, error)
	Close()
}

// errand is what one `run` wants of an engine, in this process or in another
// one. It travels over the socket as JSON.
type errand struct {
	// Jobs are followed when an engine had them before: those of an errand whose
	// engine went away. Nothing is added then.
	Jobs []job.ID `json:"jobs,omitempty"`
	// Announce says that Jobs have not been told of yet.
	Announce bool `json:"announce,omitempty"`
	// Files are absolute paths. None means: what is open in the data folder.
	Files []string `json:"files,omitempty"`
	// Servers are bare URLs that the engine must know; none means any server.
	Servers    []string  `json:"servers,omitempty"`
	Limit      job.Limit `json:"limit"`
	OutDir     string    `json:"out_dir,omitempty"`
	Repeat     int       `json:"repeat,omitempty"`
	SendAnyway bool      `json:"send_anyway,omitempty"`
	// Input names the node that reads pictures which no job names.
	Input       string `json:"input,omitempty"`
	UseWorkflow bool   `json:"use_workflow,omitempty"`
}

// result is what became of an errand.
type result struct {
	Ended map[job.ID]job.JobOutcome `json:"ended"`
	// Left are jobs that had not ended when the errand did.
	Left []leftJob `json:"left,omitempty"`
	// Stopped says that the user stopped the errand.
	Stopped bool `json:"stopped,omitempty"`
}

// leftJob is a job that was left open, and the prompt that goes on somewhere.
type leftJob struct {
	Name     string    `json:"name"`
	Server   string    `json:"server,omitempty"` // bare URL; "" when nothing was sent
	PromptID string    `json:"prompt_id,omitempty"`
	Stands   leftState `json:"stands,omitempty"`
}

// leftState is how far a job was known to be when it was left.
type leftState string

// How far a job was. "" is: queued here, or with a Server taken there.
const (
	leftUnsure     leftState = "unsure"     // being sent: the server may or may not have it
	leftCollecting leftState = "collecting" // the run has ended; its results are not all here
	leftToOther    leftState = "to_other"   // the engine of another process goes on with it
)

// sentence says what is known of a job that was left.
func (l leftJob) sentence() string {
	prompt := ""
	if l.PromptID != "" {
		prompt = " as prompt " + l.PromptID
	}
	switch {
	case l.Stands == leftToOther && l.Server != "":
		return fmt.Sprintf("%s was at %s%s when last heard of; the running Reckoner goes on with it.",
			l.Name, l.Server, prompt)
	case l.Stands == leftToOther:
		return l.Name + " is left to the running Reckoner, which goes on with it."
	case l.Stands == leftCollecting:
		return fmt.Sprintf("%s has run on %s, but its results are not all here. The same command fetches them.",
			l.Name, l.Server)
	case l.Stands == leftUnsure:
		return fmt.Sprintf("%s was being sent to %s, which may or may not have taken it. "+
			"The same command looks for it there before it is sent again.", l.Name, l.Server)
	case l.Server != "":
		return fmt.Sprintf("%s goes on at %s%s. The same command picks it up again.", l.Name, l.Server, prompt)
	}
	return l.Name + " stays queued in the data folder."
}

// status gives the exit status that INTERFACES.md promises.
func (r result) status() int {
	switch {
	case r.Stopped:
		return exitStopped
	case len(r.Left) > 0:
		return exitFailed
	}
	for _, outcome := range r.Ended {
		if outcome != job.JobDone {
			return exitFailed
		}
	}
	return exitDone
}

// conductor carries errands out on an engine.
type conductor struct {
	engine  engine
	encoder encoder
	log     *slog.Logger
}

// conduct adds the errands' files, tells every event of their jobs as a JSON line,
// and returns once all of them have ended. A value on cancel cancels these jobs,
// which then end by themselves. When ctx ends the jobs go on without us, and
// the result says what is left.
//
// The error is an *exitError when the errand was refused; nothing was queued
// then.
func (c conductor) conduct(
	ctx context.Context, es []errand, cancel <-chan struct{}, tell func(said) error,
) (result, error) {
	// From before the jobs exist, so that no event of theirs is missed.
	events := c.engine.Follow()
	defer events.Close()

	w := &watch{conductor: c, open: map[job.ID]string{}, result: result{Ended: map[job.ID]job.JobOutcome{}}, tell: tell}
	for _, e := range es {
		mine, err := c.begin(ctx, e, tell)
		if err != nil {
			return result{}, err
		}
		for _, j := range mine {
			w.open[j.ID] = j.Name
			if j.State != job.JobEnded {
				continue
			}
			ended := job.Event{At: c.engine.Snapshot().At, Kind: job.EventJobEnded, Job: j}
			if err := w.handle(ended); err != nil {
				return result{}, err
			}
		}
	}
	return w.follow(ctx, events, cancel)
}

// begin gives the jobs of the errand, new or found again.
func (c conductor) begin(ctx context.Context, e errand, tell func(said) error) ([]*job.Job, error) {
	if len(e.Jobs) > 0 {
		jobs, err := c.taken(e.Jobs)
		if err == nil && e.Announce {
			err = c.announce(jobs, tell)
		}
		return jobs, err
	}
	if len(e.Files) == 0 {
		open := openJobs(c.engine.Snapshot())
		return open, c.announce(open, tell)
	}
	servers, err := c.serverIDs(e.Servers)
	if err != nil {
		return nil, err
	}
	if !hasServer(c.engine.Snapshot()) {
		return nil, exitf(exitUsage, "%s\nNothing was queued.", noServer)
	}
	added, err := c.engine.Add(ctx, scheduler.AddRequest{
		Files: e.Files, Servers: servers, Limit: e.Limit, OutDir: e.OutDir, Repeat: e.Repeat,
		SendAnyway: e.SendAnyway, Input: e.Input, UseWorkflow: e.UseWorkflow, Resume: true,
	})
	if err != nil {
		return nil, fmt.Errorf("queue the files: %w", err)
	}
	if len(added.Refused) > 0 {
		// They were read before: a file has changed in this very moment. What
		// was queued with it is taken back, so that nothing is.
		for _, j := range added.Jobs {
			c.engine.Do(scheduler.Cancel{Job: j.ID})
		}
		return nil, &exitError{status: exitUsage, text: c.refusals(added.Refused)}
	}
	return slices.Concat(added.Jobs, added.Resumed), c.announce(added.Resumed, tell)
}

// taken finds the jobs of an errand whose engine went away. Some may have ended
// in the meantime.
func (c conductor) taken(ids []job.ID) ([]*job.Job, error) {
	s := c.engine.Snapshot()
	var jobs []*job.Job
	for _, section := range [][]scheduler.JobView{s.Running, s.NeedsYou, s.Waiting, s.Done} {
		for _, v := range section {
			if slices.Contains(ids, v.Job.ID) {
				jobs = append(jobs, v.Job)
			}
		}
	}
	if len(jobs) < len(ids) {
		return nil, exitf(exitFailed, "%d of the jobs are not in the data folder any more", len(ids)-len(jobs))
	}
	return jobs, nil
}

// announce tells of jobs that were there before, as if they were added now:
// every job that is followed has a job_added line.
func (c conductor) announce(jobs []*job.Job, tell func(said) error) error {
	at := c.engine.Snapshot().At
	for _, j := range jobs {
		if err := c.tell(job.Event{At: at, Kind: job.EventJobAdded, Job: j}, tell); err != nil {
			return err
		}
	}
	return nil
}

// tell tells of one event.
func (c conductor) tell(ev job.Event, tell func(said) error) error {
	s, err := c.encoder.said(ev)
	switch {
	case errors.Is(err, errNoLine):
		// A job goes on although nobody can be told of all that happens to it.
		c.log.Warn("not told", "event", ev.Kind)
		return nil
	case err != nil:
		return err
	}
	return tell(s)
}

func (c conductor) serverIDs(urls []string) ([]job.ID, error) {
	var ids []job.ID
	snapshot := c.engine.Snapshot()
	for _, url := range urls {
		s, ok := findServer(snapshot, url)
		switch {
		case !ok:
			return nil, exitf(exitUsage, "--server %s: the running Reckoner does not know this server", url)
		case s.WatchOnly:
			return nil, exitf(exitUsage, "--server %s: the running Reckoner only watches this server", url)
		}
		ids = append(ids, s.ID)
	}
	return ids, nil
}

func (c conductor) refusals(refused []scheduler.Refusal) string {
	var lines []string
	for _, r := range refused {
		lines = append(lines, c.encoder.about(filepath.Base(r.File), r.Err))
	}
	return strings.Join(lines, "\n")
}

func findServer(s *scheduler.Snapshot, bareURL string) (job.Server, bool) {
	for _, m := range s.Machines {
		for _, v := range m.Servers {
			if v.Server.URL == bareURL {
				return v.Server, true
			}
		}
	}
	return job.Server{}, false
}

// openJobs gives the jobs that have not ended, in the order of the list.
func openJobs(s *scheduler.Snapshot) []*job.Job {
	var open []*job.Job
	for _, section := range [][]scheduler.JobView{s.Running, s.NeedsYou, s.Waiting} {
		for _, v := range section {
			if v.Job.State != job.JobEnded {
				open = append(open, v.Job)
			}
		}
	}
	return open
}
