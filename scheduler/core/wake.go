package core

import (
	"time"

	"reckoner/scheduler/job"
)

// NextWake gives the instant at which the core wants a Tick, and whether it
// wants one at all. A wish that lies in the past means: now.
func (s *State) NextWake() (time.Duration, bool) {
	w := wake{}
	if first := s.deadlines.first(); first != nil {
		w.at(time.Duration(first.at))
	}
	if len(s.questions) > 0 {
		w.at(s.questions[0].Asked.Mono + s.patience()) // the oldest is the first
	}
	if at, ok := s.convertAt.Get(); ok {
		w.at(at.Mono)
	}
	if at, ok := s.checkAt.Get(); ok {
		w.at(at.Mono)
	}
	if s.unwritable != nil {
		w.at(s.retryWrite.Mono)
	}
	return w.next, w.any
}

// wakeForRun wakes for what becomes due in an open run.
func (s *State) wakeForRun(w *wake, o *openRun) {
	if at, ok := o.askAt.Get(); ok && !o.asking {
		w.at(max(at.Mono, o.askNot.Mono))
	}
	if started, ok := o.started.Get(); ok {
		w.at(o.nextTold.Mono)
		if o.rec.Stop == nil && o.rec.LimitS > 0 {
			w.at(started.Mono + seconds(o.rec.LimitS))
			if silent, ok := s.silentAt(o); ok {
				w.at(silent.Mono)
			}
		}
	}
	if o.rec.Stop == nil {
		if queued, ok := s.queuedAt(o); ok {
			w.at(queued.Mono)
		}
		return
	}
	if srv := s.servers[o.rec.Server]; srv != nil && srv.err == nil && !o.stopping && !o.submitting && !o.checking &&
		(o.rec.PromptID != "" || o.started.Known()) {
		w.at(o.stopNext.Mono)
	}
}

// wakeForHolds wakes when a hold for other people's work may end by itself.
func (s *State) wakeForHolds(w *wake, srv *server, now job.Instant) {
	at := func(d time.Duration) {
		if d > now.Mono { // else that has been seen
			w.at(d)
		}
	}
	at(srv.send.after.Mono)
	wakeForFaults(srv, func(i job.Instant) { at(i.Mono) })
	s.wakeForShortage(func(i job.Instant) { at(i.Mono) }, srv)
	if since, ok := srv.since[job.HoldBusyUnnamed]; ok {
		at(since.Mono + busyAtMost + time.Second)
	}
	if behind, ok := srv.behind.Get(); ok && !srv.enough {
		at(behind.Mono + s.patienceFor(srv) + time.Second)
	}
	if when, ok := s.elsewhereAt(srv); ok {
		at(when.Mono)
	}
	if m := srv.site.m; m != nil {
		if until, tripped := m.trippedUntil(now); tripped {
			at(until.Mono)
		}
	}
	if last, ok := srv.foreign.lastPlain.Get(); ok && srv.foreign.ahead == srv.foreign.reckoners {
		if _, held := srv.since[job.HoldForeign]; !held {
			return
		}
		if gap, ok := srv.foreign.gap(); ok && len(srv.foreign.first) >= regularFrom {
			at(last.Mono + min(2*gap, quietAtMost))
		}
	}
}

// wake collects wishes and keeps the earliest.
type wake struct {
	next time.Duration
	any  bool
}

func (w *wake) at(d time.Duration) {
	if !w.any || d < w.next {
		w.next, w.any = d, true
	}
}

// bar is what a run's bar shows at an instant. Before it on the server named are
// so many prompts in its queue, and so many runs of ours.
func (o *openRun) bar(name string, queue, mine int, now job.Instant) job.Bar {
	caption := func(code string, args job.Args) job.Bar {
		args.Server = name
		return job.Bar{Kind: job.BarNone, Caption: job.Say{Code: code, Args: args}}
	}
	switch {
	case o.started.Known():
		return o.progressBar(now)
	case o.checking:
		return caption(job.CaptionChecking, job.Args{})
	case o.rec.State == job.RunIntended:
		return caption(job.CaptionSending, job.Args{})
	}
	if o.rec.Handed {
		return caption(job.CaptionHanded, job.Args{Count: mine})
	}
	return caption(job.CaptionQueued, job.Args{Count: queue})
}
