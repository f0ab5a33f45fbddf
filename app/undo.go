package app

import (
	"slices"
	"time"

	"reckoner/assets/text"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

const (
	// oneAct is how far apart commands may be that are one act, such as the
	// cancelling of a batch.
	oneAct = 500 * time.Millisecond
	// undoShown is how long the status bar offers to take the last act back. The
	// menu does for as long as nothing else was done.
	undoShown = 10 * time.Second
)

// act is the last thing that was done in the queue and can be taken back.
type act struct {
	jobs []job.ID
	did  string // "Cancelled" or "Dismissed"
	name string // of the last job
	at   time.Time
}

// note takes in a command, when it takes a job off the queue or off the list: what
// ran and is told to stop cannot be taken back.
func (a *act) note(c scheduler.Command, s *scheduler.Snapshot, now time.Time) {
	var id job.ID
	var did string
	var among []scheduler.JobView
	switch c := c.(type) {
	case scheduler.Cancel:
		id, did, among = c.Job, "Cancelled", s.Waiting
	case scheduler.Dismiss:
		id, did, among = c.Job, "Dismissed", slices.Concat(s.Done, s.NeedsYou)
	default:
		return
	}
	i := slices.IndexFunc(among, func(v scheduler.JobView) bool { return v.Job.ID == id })
	if i < 0 {
		return
	}
	if did != a.did || now.Sub(a.at) > oneAct {
		a.jobs = nil
	}
	a.jobs, a.did, a.name, a.at = append(a.jobs, id), did, text.Plain(among[i].Job.Name), now
}

// says names the act, "" when there is none.
func (a *act) says() string {
	switch len(a.jobs) {
	case 0:
		return ""
	case 1:
		return a.did + " " + a.name
	}
	return a.did + " " + number(len(a.jobs), "job", "jobs")
}

// command carries out what the user wants in the queue, and remembers what can be
// taken back.
func (w *window) command(c scheduler.Command) {
	if s := w.o.Farm.Snapshot(); s != nil {
		w.last.note(c, s, time.Now())
	}
	w.o.Farm.Do(c)
}

// undo takes the last act back.
func (w *window) undo() {
	jobs := w.last.jobs
	w.last = act{}
	w.each(jobs, func(id job.ID) scheduler.Command { return scheduler.Restore{Job: id} })
}

// offerUndo keeps the menu's item and the status bar up to date with the last act.
func (w *window) offerUndo(now time.Time) {
	label, offer := "Undo", ""
	if says := w.last.says(); says != "" {
		label = "Undo: " + says
		if now.Sub(w.last.at) < undoShown {
			offer = says + ". Ctrl+Z takes it back"
		}
	}
	w.shell.offer = offer
	if off := len(w.last.jobs) == 0; w.undoItem.Label != label || w.undoItem.Disabled != off {
		w.undoItem.Label, w.undoItem.Disabled = label, off
		w.win.MainMenu().Refresh()
	}
}
