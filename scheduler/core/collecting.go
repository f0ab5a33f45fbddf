package core

import (
	"slices"
	"time"

	"reckoner/scheduler/job"
)

// How often the results of a run are fetched again after a failure, and how long
// that may go on before the job needs the user.
const (
	fetchFirst   = 2 * time.Second
	fetchAtMost  = time.Minute
	fetchGiveUp  = 30 * time.Minute
	fetchMissing = 3 // tries for a file that the server says is not there
)

// collect begins to fetch what a run made. The server is free meanwhile.
func (t *turn) collect(r *job.Run) {
	j := t.editJob(r.Job)
	if j.State != job.JobCollecting {
		if j.State == job.JobEnded {
			t.State.ended = without(t.State.ended, j.ID)
		}
		j.State = job.JobCollecting
	}
	f := &fetch{rec: r, started: t.now}
	t.fetches[r.ID] = f
	at := t.siteOf(r.Server)
	at.fetch(f)
	t.touch(at)
	t.fetchNow(f)
}

func (t *turn) fetchNow(f *fetch) {
	f.at = job.Maybe[job.Instant]{}
	f.tries++
	j := t.jobs[f.rec.Job]
	to := job.Destination{
		Dir: j.OutDir, Names: j.Names, Temp: t.settings.Temp, Date: j.Added, Batch: j.BatchName, Job: j.Name,
	}
	if srv := t.servers[f.rec.Server]; srv != nil {
		to.Machine = t.machineName(srv)
	}
	t.act(Fetch{Server: f.rec.Server, Run: f.rec.ID, Refs: f.rec.Listed, To: to, Graph: j.Graph})
}

func (t *turn) fetchIfDue(f *fetch) {
	if at, ok := f.at.Get(); ok && t.now.Mono >= at.Mono {
		t.fetchNow(f)
	}
}

// fetched takes in what arrived of a run's results.
func (t *turn) fetched(e Fetched) {
	f := t.fetches[e.Run]
	if f == nil || f.at.Known() { // it answers an earlier try
		return
	}
	if e.Err != nil && t.fetchAgain(f, e.Err) {
		return
	}
	t.dropFetch(f)
	r := *f.rec
	t.writeRun(&r)
	t.newest[r.Job] = &r
	r.Outputs = e.Outputs
	if len(e.Outputs) > 0 {
		r.Story = append(slices.Clip(r.Story), job.Happening{At: t.now.Wall, Say: job.Say{
			Code: job.StoryFetched, Args: job.Args{Count: len(e.Outputs)},
		}})
	}
	if e.Err != nil {
		r.Err = e.Err
	}
	t.sayEnded(&r)
	switch {
	case e.Err != nil:
		t.endJobOf(&r, job.JobNeedsYou, e.Err)
	case len(e.Outputs) == 0:
		t.endJobOf(&r, job.JobNoOutput, r.Err)
	default:
		t.endJobOf(&r, job.JobDone, r.Err)
	}
}

// fetchAgain plans another try, unless there is no point in one.
func (t *turn) fetchAgain(f *fetch, err *job.Error) bool {
	if t.now.Since(f.started) > fetchGiveUp || err.Code == job.ErrNoSuchFile && f.tries >= fetchMissing {
		return false
	}
	again := t.now.Add(min(fetchFirst<<min(f.tries-1, 6), fetchAtMost))
	f.at = job.Known(again)
	if f.err == nil || f.err.Code != err.Code {
		t.say(job.Event{Kind: job.EventFetch, Run: f.rec, Err: err, AgainAt: again.Wall})
	}
	t.fetchErr(f, err)
	return true
}

// fetchErr notes why the last try failed.
func (t *turn) fetchErr(f *fetch, err *job.Error) {
	full := func(err *job.Error) bool { return err != nil && err.Code == job.ErrDisk }
	if full(f.err) {
		t.noRoom--
	}
	if full(err) {
		t.noRoom++
	}
	f.err = err
}

// dropFetch ends the fetching of a run's results.
func (t *turn) dropFetch(f *fetch) {
	t.fetchErr(f, nil)
	delete(t.fetches, f.rec.ID)
	f.site.unfetch(f)
	t.touch(f.site)
}

// leaveResults ends a job whose results cannot be fetched, because the user
// does not want to wait for them. The server still has them.
func (t *turn) leaveResults(id job.ID) {
	for _, f := range t.fetchesInOrder() {
		if f.rec.Job != id {
			continue
		}
		why := f.err
		t.dropFetch(f)
		t.sayEnded(f.rec)
		t.endJobOf(f.rec, job.JobCancelled, why)
	}
}

// fetchTrouble is why results cannot be kept on this computer, nil when they
// can: then nothing more is sent, since its results could not be kept either.
func (s *State) fetchTrouble() *job.Error {
	if s.noRoom == 0 {
		return nil
	}
	for _, f := range s.fetchesInOrder() {
		if f.err != nil && f.err.Code == job.ErrDisk {
			return f.err
		}
	}
	return nil
}
