package core

import (
	"maps"
	"slices"

	"reckoner/scheduler/estimate"
	"reckoner/scheduler/job"
)

// learn takes in the past runs of job types that were not known yet.
func (s *State) learn(types []job.Type, past map[string][]estimate.Run) {
	fresh := make([]job.Type, 0, len(types))
	for _, t := range types {
		if _, known := s.past[t.Key]; known || t.Key == "" {
			continue
		}
		if runs, told := past[t.Key]; told {
			s.past[t.Key] = slices.Clone(runs)
			fresh = append(fresh, t)
		}
	}
	// Of types without a job here only the key is known, which is enough for the
	// same work.
	for _, key := range slices.Sorted(maps.Keys(past)) {
		if _, known := s.past[key]; !known {
			s.past[key] = slices.Clone(past[key])
			fresh = append(fresh, job.Type{Key: key})
		}
	}
	if len(fresh) == 0 {
		return
	}
	s.book.Learn(fresh, past, s.logs)
	clear(s.dots)
	clear(s.estimates)
	clear(s.rooms)
}

// typesOf gives the job types of jobs, in the jobs' order.
func typesOf(jobs []job.Job) []job.Type {
	types := make([]job.Type, 0, len(jobs))
	for i := range jobs {
		types = append(types, jobs[i].Type)
	}
	return types
}

// remember lets a run that ended count for the next forecast.
func (t *turn) remember(r *job.Run, of job.Type, said *estimate.Estimate) {
	run, ok := estimate.FromRun(r)
	if !ok || of.Key == "" {
		return
	}
	t.past[of.Key] = append(t.past[of.Key], run)
	delete(t.dots, [2]string{of.Key, r.GPU})
	t.book.Tell(of, run, said)
	clear(t.estimates)
	clear(t.rooms)
	t.logOf(of.Key, r.GPU)
}

// answerBaseline carries out the user's word about a usual time.
func (t *turn) answerBaseline(c AnswerBaseline) {
	t.book.Answer(c.TypeKey, c.GPU, job.BaselineAnswer{At: t.now.Wall, Kind: c.Kind, About: c.About})
	clear(t.estimates)
	clear(t.rooms)
	t.logOf(c.TypeKey, c.GPU)
}

// logOf writes the lines of a baseline's log that are not on disk yet.
func (t *turn) logOf(typeKey, gpu string) {
	of := [2]string{typeKey, gpu}
	all := t.book.Revisions(typeKey, gpu)
	if fresh := all[min(t.logged[of], len(all)):]; len(fresh) > 0 {
		t.outLogs = append(t.outLogs, job.BaselineLog{TypeKey: typeKey, GPU: gpu, Revisions: fresh})
		t.logged[of] = len(all)
		t.urgent = true
	}
}

// logsAgain writes every log again, after a write failed.
func (t *turn) logsAgain() {
	byName := func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }
	for _, of := range slices.SortedFunc(maps.Keys(t.logged), byName) {
		t.logged[of] = 0
		t.logOf(of[0], of[1])
	}
}

// loggedIn is how many lines of each baseline's log are on disk.
func loggedIn(logs []job.BaselineLog) map[[2]string]int {
	logged := map[[2]string]int{}
	for _, log := range logs {
		logged[[2]string{log.TypeKey, log.GPU}] = len(log.Revisions)
	}
	return logged
}

// said is what past runs say of a job type on a GPU, with its figures worked out:
// a plan asks for them for every waiting job.
type said struct {
	estimate *estimate.Estimate
	forecast job.Forecast
}

// said is what past runs say of a job type on a server's GPU.
func (s *State) said(of job.Type, srv *server) said {
	if srv == nil {
		return said{estimate: &estimate.Estimate{}}
	}
	return s.saidOn(of, s.gpuKey(srv))
}

// saidOn is what past runs say of a job type on a GPU.
func (s *State) saidOn(of job.Type, gpu string) said {
	at := [2]string{of.Key, gpu}
	known, ok := s.estimates[at]
	if !ok {
		known.estimate = s.book.Estimate(of, gpu)
		known.forecast = known.estimate.Forecast()
		s.estimates[at] = known
	}
	return known
}

// forecast is its figures.
func (s *State) forecast(of job.Type, srv *server) job.Forecast { return s.said(of, srv).forecast }

// forecastOn is its figures for a GPU.
func (s *State) forecastOn(of job.Type, gpu string) job.Forecast { return s.saidOn(of, gpu).forecast }

// progressBar is what a started run's bar shows.
func (o *openRun) progressBar(now job.Instant) job.Bar {
	if o.said == nil {
		return estimate.Bar(o.rec.Forecast, o.elapsed(now), now.Wall)
	}
	return o.said.Bar(o.rec.Forecast, o.elapsed(now), now.Wall)
}
