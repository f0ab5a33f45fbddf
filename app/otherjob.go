package app

import (
	"slices"

	"reckoner/app/widgets"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// otherJob offers the other one of two jobs that a file carries.
func (w *window) otherJob(file string, queued []*job.Job) *widgets.Button {
	var b *widgets.Button
	b = widgets.NewButton(runOther, func() {
		if b.Text() != runOther {
			return
		}
		b.SetText(otherRead)
		w.runOther(file, queued, func(added bool) {
			if added {
				b.SetText(otherQueued)
			} else {
				b.SetText(runOther)
			}
		})
	})
	return b
}

// What the button says.
const (
	runOther    = "Run the page's workflow instead"
	otherRead   = "Reading the page's workflow"
	otherQueued = "The page's workflow is queued instead"
)

// runOther queues the page's workflow of a file with what its jobs read, and
// takes these off the queue once it is there: what is refused replaces nothing.
func (w *window) runOther(file string, queued []*job.Job, then func(added bool)) {
	files := []string{file}
	var instead []job.ID
	for _, j := range queued {
		if j.File != file {
			continue
		}
		instead = append(instead, j.ID)
		for _, in := range j.Inputs {
			if in.Path != "" && !slices.Contains(files, in.Path) {
				files = append(files, in.Path)
			}
		}
	}
	r := scheduler.AddRequest{Files: files, UseWorkflow: true}
	w.addAs(r, func(added scheduler.Added) {
		then(len(added.Jobs) > 0)
		if len(added.Jobs) == 0 {
			return
		}
		for _, id := range instead {
			w.o.Farm.Do(scheduler.Cancel{Job: id})
		}
	})
}
