package core

import (
	"time"

	"reckoner/scheduler/job"
)

// silentAtMost is how long a run of a kind that is not known here may go without a
// sign of life, a step or another node, before its default limit passes.
const silentAtMost = 15 * time.Minute

// sign notes a sign of life, and the longest silence before one: a stop lands
// between two of them.
func (o *openRun) sign(now job.Instant) {
	if o.started.Known() {
		o.silence = max(o.silence, now.Since(o.lastSign))
	}
	o.lastSign = now
}

// silentAt is when a run's default limit passes because nothing was heard of it;
// false when that says nothing: past runs know how long it may take, the user has
// set a limit, or signs do not come live.
func (s *State) silentAt(o *openRun) (job.Instant, bool) {
	srv, j := s.servers[o.rec.Server], s.jobs[o.rec.Job]
	if srv == nil || !srv.live || j == nil || o.rec.Forecast.N > 0 || s.limitIn(j.Limit).Kind != job.LimitDefault {
		return job.Instant{}, false
	}
	since := o.lastSign
	if srv.liveSince.Mono > since.Mono {
		since = srv.liveSince // before that a sign could not be heard
	}
	return since.Add(silentAtMost), true
}

// live tells whether a run's news came live from its start on.
func (s *State) live(o *openRun) bool {
	srv := s.servers[o.rec.Server]
	started, ok := o.started.Get()
	return srv != nil && srv.live && ok && !o.recovered && srv.liveSince.Mono <= started.Mono
}

// afterSteps is how long a run that ends now went on after its last step, 0 when
// it had none or they did not come live all along.
func (s *State) afterSteps(o *openRun, now job.Instant) time.Duration {
	if !o.step.Known() || !s.live(o) {
		return 0
	}
	return now.Since(o.sampling.last)
}

// silenceOf is the longest silence of a run that ends now, 0 when its signs did not
// come live all along.
func (s *State) silenceOf(o *openRun, now job.Instant) time.Duration {
	if !s.live(o) {
		return 0
	}
	return max(o.silence, now.Since(o.lastSign))
}

// pastSilence is the longest silence in past runs of a job type.
func (s *State) pastSilence(typeKey string) time.Duration {
	longest := 0.0
	for _, r := range s.past[typeKey] {
		longest = max(longest, r.SilenceS)
	}
	return seconds(longest)
}
