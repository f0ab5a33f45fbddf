package cli

import (
	"slices"

	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// statusEvents says what a snapshot shows in the events that a follower would
// have heard: the newest readings, what does not answer, every open job with its
// run and its holds, and the open questions.
func statusEvents(s *scheduler.Snapshot) []job.Event {
	var events []job.Event
	for _, m := range s.Machines {
		events = append(events, machineEvents(s.At, m)...)
	}
	for _, section := range [][]scheduler.JobView{s.Running, s.NeedsYou, s.Waiting} {
		for _, v := range section {
			for _, ev := range jobEvents(s.At, v) {
				events = append(events, named(s, v, ev))
			}
		}
	}
	for _, q := range s.Questions {
		events = append(events, job.Event{At: s.At, Kind: job.EventQuestion, Question: &q})
	}
	return events
}

func machineEvents(at job.Instant, m scheduler.MachineView) []job.Event {
	var events []job.Event
	for _, g := range m.GPUs {
		events = append(events, job.Event{At: at, Kind: job.EventReading, Machine: &m.Machine, Reading: &g.Last})
	}
	for _, e := range m.SourceErr {
		events = append(events, job.Event{
			At: at, Kind: job.EventSourceError, Machine: &m.Machine, Source: e.Source, Err: e.Err,
		})
	}
	for _, v := range m.Servers {
		if v.Foreign.Prompts > 0 {
			foreign := v.Foreign
			events = append(events, job.Event{
				At: at, Kind: job.EventForeign, Machine: &m.Machine, Server: &v.Server, Foreign: &foreign,
			})
		}
	}
	for _, n := range m.Notes {
		if n.Open() {
			events = append(events, job.Event{At: at, Kind: job.EventNote, Machine: &m.Machine, Note: n})
		}
	}
	return events
}

func jobEvents(at job.Instant, v scheduler.JobView) []job.Event {
	events := []job.Event{{At: at, Kind: job.EventJobAdded, Job: v.Job}}
	if v.Job.State == job.JobEnded {
		return append(events, job.Event{At: at, Kind: job.EventJobEnded, Job: v.Job})
	}
	if len(v.Holds) > 0 {
		events = append(events, job.Event{At: at, Kind: job.EventHeld, Job: v.Job, Holds: slices.Clone(v.Holds)})
	}
	if v.Run == nil || v.Run.State == job.RunEnded || v.Job.State == job.JobWaiting {
		return events
	}
	if v.Run.State == job.RunSubmitted || v.Run.State == job.RunStarted {
		events = append(events, job.Event{At: at, Kind: job.EventSubmitted, Run: v.Run})
	}
	if v.Run.State == job.RunStarted {
		events = append(
			events,
			job.Event{At: at, Kind: job.EventStarted, Run: v.Run},
			job.Event{At: at, Kind: job.EventProgress, Run: v.Run, ElapsedS: v.ElapsedS, Bar: v.Bar, Step: v.Step},
		)
	}
	return events
}

// named adds to an event of a run which job and which server it is about.
func named(s *scheduler.Snapshot, v scheduler.JobView, ev job.Event) job.Event {
	if ev.Run == nil {
		return ev
	}
	ev.Job = v.Job
	for _, m := range s.Machines {
		for _, srv := range m.Servers {
			if srv.Server.ID == v.Run.Server || srv.Server.URL == v.Run.URL {
				ev.Machine, ev.Server = &m.Machine, &srv.Server
				return ev
			}
		}
	}
	ev.Server = &job.Server{Name: v.Run.URL, URL: v.Run.URL}
	return ev
}
