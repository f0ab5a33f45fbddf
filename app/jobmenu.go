package app

import (
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"reckoner/assets/text"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// jobMenu opens the menu of some jobs: one, or those of a batch.
func (w *window) jobMenu(jobs []*scheduler.JobView, at fyne.Position) {
	menu := fyne.NewMenu("", w.jobItems(jobs, w.o.Farm.Snapshot())...)
	widget.ShowPopUpMenuAtPosition(menu, w.win.Canvas(), at)
}

// jobItems are what can be done to jobs beyond what their rows offer.
func (w *window) jobItems(jobs []*scheduler.JobView, s *scheduler.Snapshot) []*fyne.MenuItem {
	in := func(states ...job.JobState) []job.ID {
		var ids []job.ID
		for _, v := range jobs {
			if slices.Contains(states, v.Job.State) {
				ids = append(ids, v.Job.ID)
			}
		}
		return ids
	}
	waiting, open := in(job.JobWaiting), in(job.JobWaiting, job.JobRunning)
	var items []*fyne.MenuItem
	if len(open) > 0 {
		items = append(items, submenu("Time limit", w.limitItems(open)))
	}
	if len(waiting) > 0 && s != nil {
		items = append(
			items, submenu("Run on", w.placeItems(waiting, s)), submenu("Priority", w.priorityItems(waiting)),
			fyne.NewMenuItem("First in the queue", func() { w.toHead(waiting) }),
			fyne.NewMenuItem("Last in the queue", func() {
				w.each(waiting, func(id job.ID) scheduler.Command { return scheduler.Move{Job: id} })
			}),
			fyne.NewMenuItem("Send anyway", func() {
				w.each(waiting, func(id job.ID) scheduler.Command { return scheduler.SendAnyway{Job: id} })
			}),
		)
	}
	if len(jobs) == 1 {
		v := jobs[0].Job
		if v.State == job.JobWaiting {
			items = append(items, fyne.NewMenuItem("Change its values…", func() { w.changeValues(v) }))
		}
		items = append(items, submenu("Again with new seeds", w.repeatItems(v)))
	}
	return items
}

func submenu(label string, items []*fyne.MenuItem) *fyne.MenuItem {
	m := fyne.NewMenuItem(label, nil)
	m.ChildMenu = fyne.NewMenu("", items...)
	return m
}

// each sends a command for each job, in the queue's order.
func (w *window) each(ids []job.ID, command func(job.ID) scheduler.Command) {
	for _, id := range ids {
		w.o.Farm.Do(command(id))
	}
	w.bridge.Changed()
}

// toHead moves jobs before the one that is first now, in their order.
func (w *window) toHead(ids []job.ID) {
	s := w.o.Farm.Snapshot()
	first := slices.IndexFunc(s.Waiting, func(v scheduler.JobView) bool { return !slices.Contains(ids, v.Job.ID) })
	if first < 0 {
		return // there are no others
	}
	before := s.Waiting[first].Job.ID
	w.each(ids, func(id job.ID) scheduler.Command { return scheduler.Move{Job: id, Before: before} })
}

// limitItems offer time limits.
func (w *window) limitItems(ids []job.ID) []*fyne.MenuItem {
	set := func(label string, l job.Limit) *fyne.MenuItem {
		return fyne.NewMenuItem(label, func() {
			w.each(ids, func(id job.ID) scheduler.Command { return scheduler.SetLimit{Job: id, Limit: l} })
		})
	}
	items := []*fyne.MenuItem{set("as in the settings", job.Limit{Kind: job.LimitDefault})}
	for _, minutes := range []int{10, 30, 60, 2 * 60, 4 * 60, 8 * 60} {
		d := time.Duration(minutes) * time.Minute
		items = append(items, set(w.o.Words.Duration(d.Seconds()), job.Limit{Kind: job.LimitSet, For: d}))
	}
	return append(items, set("none", job.Limit{Kind: job.LimitOff}))
}

// priorityItems offer the priorities.
func (w *window) priorityItems(ids []job.ID) []*fyne.MenuItem {
	var items []*fyne.MenuItem
	for _, p := range job.Priorities() {
		items = append(items, fyne.NewMenuItem(w.o.Words.Priority(p), func() {
			w.each(ids, func(id job.ID) scheduler.Command { return scheduler.Prioritize{Job: id, Priority: p} })
		}))
	}
	return items
}

// placeItems offer the machines that take jobs.
func (w *window) placeItems(ids []job.ID, s *scheduler.Snapshot) []*fyne.MenuItem {
	set := func(label string, machine job.ID) *fyne.MenuItem {
		return fyne.NewMenuItem(label, func() {
			w.each(ids, func(id job.ID) scheduler.Command { return scheduler.MoveTo{Job: id, Machine: machine} })
		})
	}
	items := []*fyne.MenuItem{set("any machine", "")}
	for _, m := range s.Machines {
		if slices.ContainsFunc(m.Servers, func(v scheduler.ServerView) bool { return !v.Server.WatchOnly }) {
			items = append(items, set(text.Plain(m.Machine.Name), m.Machine.ID))
		}
	}
	return items
}

// repeatItems offer how often a job is queued again with new seeds.
func (w *window) repeatItems(j *job.Job) []*fyne.MenuItem {
	var items []*fyne.MenuItem
	for _, n := range []int{1, 4, 10, 50} {
		items = append(items, fyne.NewMenuItem(number(n, "time", "times"), func() { w.repeat(j, n) }))
	}
	return items
}

// repeat queues a job again, each time with other seeds.
func (w *window) repeat(j *job.Job, times int) {
	w.goes(func() {
		_, err := w.o.Farm.Repeat(w.ctx, j.ID, times)
		w.do(func() {
			if err != nil {
				w.tell(text.Plain(j.Name)+" was not repeated", w.sentence(err), nil)
			}
			w.bridge.Changed()
		})
	})
}

// ignoreFor is how long a reason to wait is ignored on a machine.
const ignoreFor = time.Hour

// machineMenu opens the menu of a machine's card.
func (w *window) machineMenu(m scheduler.MachineView, at fyne.Position) {
	widget.ShowPopUpMenuAtPosition(fyne.NewMenu("", w.machineItems(m)...), w.win.Canvas(), at)
}

func (w *window) machineItems(m scheduler.MachineView) []*fyne.MenuItem {
	label := "Pause " + text.Plain(m.Machine.Name)
	if m.Machine.Paused {
		label = "Resume " + text.Plain(m.Machine.Name)
	}
	items := []*fyne.MenuItem{fyne.NewMenuItem(label, func() {
		w.o.Farm.Do(scheduler.PauseMachine{Machine: m.Machine.ID, On: !m.Machine.Paused})
	})}
	others := []job.HoldCode{job.HoldForeign, job.HoldForeignProc, job.HoldBusyUnnamed, job.HoldMemoryShort}
	now := time.Now()
	ignored := slices.ContainsFunc(others, func(c job.HoldCode) bool { return m.Machine.Ignored[c].After(now) })
	set := func(until time.Time) func() {
		return func() {
			for _, code := range others {
				w.o.Farm.Do(scheduler.Ignore{Machine: m.Machine.ID, Code: code, Until: until})
			}
		}
	}
	if ignored {
		items = append(items, fyne.NewMenuItem("Wait for other work again", set(time.Time{})))
	} else {
		long := w.o.Words.Duration(ignoreFor.Seconds())
		items = append(items, fyne.NewMenuItem("Ignore other work for "+long, set(now.Add(ignoreFor))))
	}
	return append(items, fyne.NewMenuItem("Cancel all of mine here…", func() {
		w.confirm("Cancel all on "+text.Plain(m.Machine.Name)+"?", "What of yours runs there is told to stop, and jobs that "+
			"may run only there are taken off the queue. Other people's work is not touched.", "Cancel them",
			"Keep them", func() {
				w.o.Farm.Do(scheduler.CancelOn{Machine: m.Machine.ID})
			})
	}))
}
