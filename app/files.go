package app

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/storage"

	"reckoner/app/widgets"
	"reckoner/assets/text"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// dropped takes files that were dropped anywhere on the window.
func (w *window) dropped(_ fyne.Position, uris []fyne.URI) {
	var files []string
	for _, u := range uris {
		if u.Scheme() == "file" {
			files = append(files, u.Path())
		}
	}
	w.consider(files)
}

// choose asks for a file to add.
func (w *window) choose() {
	if w.dialog {
		return
	}
	d := dialog.NewFileOpen(func(r fyne.URIReadCloser, err error) {
		switch {
		case err != nil:
			w.tell("The file could not be opened", err.Error(), nil)
		case r != nil:
			if err := r.Close(); err != nil {
				w.o.Log.DebugContext(w.ctx, "close a chosen file", "error", err)
			}
			w.add([]string{r.URI().Path()})
		}
	}, w.win)
	d.SetTitleText("Add a job")
	d.SetConfirmText("Add")
	d.SetFilter(storage.NewExtensionFileFilter([]string{
		".json", ".png", ".webp", ".mp4", ".mov", ".webm", ".mkv", ".flac", ".mp3",
	}))
	if home, err := os.UserHomeDir(); err == nil {
		if dir, err := storage.ListerForURI(storage.NewFileURI(home)); err == nil {
			d.SetLocation(dir)
		}
	}
	w.dialog = true
	d.SetOnClosed(func() { w.dialog = false })
	size := w.win.Canvas().Size()
	d.Resize(fyne.NewSize(min(900, size.Width-60), min(620, size.Height-60)))
	d.Show()
}

// add hands files to the farm, which reads them; what it refuses is shown.
func (w *window) add(files []string) {
	if len(files) > 0 {
		w.addAs(scheduler.AddRequest{Files: files}, nil)
	}
}

// addAs adds files as a request says. then, when not nil, is told what was added.
func (w *window) addAs(r scheduler.AddRequest, then func(scheduler.Added)) {
	w.goes(func() {
		added, err := w.o.Farm.Add(w.ctx, r)
		if w.ctx.Err() != nil {
			return
		}
		w.bridge.Changed()
		w.do(func() {
			if then != nil {
				then(added)
			}
			w.received(r, added, err, then)
		})
	})
}

// received shows what became of a request. Where several nodes could read the
// pictures that no job names, and nothing was queued, it is asked which.
func (w *window) received(r scheduler.AddRequest, added scheduler.Added, err error, then func(scheduler.Added)) {
	if err == nil && len(added.Jobs) == 0 && len(added.Refused) == 1 {
		if why := added.Refused[0].Err; why.Code == job.ErrWhichInput && len(why.Args.Allowed) > 0 {
			w.askInput(why, func(node string) {
				r.Input = node
				w.addAs(r, then)
			})
			return
		}
	}
	w.showAdded(added, err)
}

// greet says what this start found: records that were damaged, and after that
// what became of files that it was given.
func (w *window) greet() {
	given := func() { w.received(w.o.Asked, w.o.Added, nil, nil) }
	if w.o.SetAside == "" {
		given()
		return
	}
	w.tell("The records were damaged", "They were set aside as "+text.Plain(w.o.SetAside)+", "+
		"and a new, empty queue and history were begun. Results that were fetched are not touched. "+
		"Nothing is known any more of jobs that were under way: they may still run on their servers.", given)
}

// showAdded says which files are no jobs, what they are and what would help, and
// what is worth a thought before the others run.
func (w *window) showAdded(added scheduler.Added, err error) {
	if err != nil {
		w.tell("Nothing was added", w.sentence(err), nil)
		return
	}
	var lines []fyne.CanvasObject
	say := func(file, what, next string) {
		lines = append(lines, widgets.NewParagraph(widgets.Strong(text.Plain(filepath.Base(file)))),
			widgets.NewParagraph(widgets.Plain(what)))
		if next != "" {
			lines = append(lines, widgets.NewParagraph(widgets.Muted(next)))
		}
		lines = append(lines, widgets.NewGap(8))
	}
	for _, r := range added.Refused {
		what, next := w.o.Words.Error(r.Err)
		say(r.File, what, next)
	}
	for _, warned := range added.Warned {
		if warned.Loud() {
			say(warned.File, w.o.Words.Say(warned.Say)+".", "It is queued all the same.")
			if warned.Say.Code == job.WarnOtherJob {
				at := len(lines) - 1 // before the gap
				lines = slices.Insert(lines, at, fyne.CanvasObject(container.NewHBox(w.otherJob(warned.File, added.Jobs))))
			}
		}
	}
	if len(lines) == 0 {
		return
	}
	title := "This file was not added"
	switch queued := len(added.Jobs) + len(added.Resumed); {
	case len(added.Refused) == 0:
		title = "Added, with a word of warning"
	case queued > 0:
		title = "Some files were not added; the others were"
	case len(added.Refused) > 1:
		title = "These files were not added"
	}
	w.present(title, widgets.NewColumn(3, lines...), nil)
}

// sentence gives an error in words, with what would help.
func (w *window) sentence(err error) string {
	e, ok := errors.AsType[*job.Error](err)
	switch {
	case ok:
	case errors.Is(err, scheduler.ErrInUse):
		return "A job of yours is still there, or its results are being fetched. Cancel it first, or wait for its end."
	default:
		return err.Error()
	}
	what, next := w.o.Words.Error(e)
	if next != "" {
		what += " " + next
	}
	return what
}

// open opens a file or a folder with the desktop's program for it.
func (w *window) open(file string) {
	u := &url.URL{Scheme: "file", Path: filepath.ToSlash(file)}
	w.goes(func() {
		if _, err := os.Stat(file); err != nil {
			w.do(func() {
				w.tell("It is not there any more", file+" was moved or deleted after Reckoner had fetched it.", nil)
			})
			return
		}
		if err := w.app.OpenURL(u); err != nil {
			w.o.Log.WarnContext(w.ctx, "open a result", "file", file, "error", err)
			w.do(func() { w.tell("No program opened it", file+" is there, but no program opened it.", nil) })
		}
	})
}

// openResults opens the folder of the newest results.
func (w *window) openResults() {
	if s := w.o.Farm.Snapshot(); s != nil {
		for i := range s.Done {
			if r := s.Done[i].Run; r != nil && len(r.Outputs) > 0 {
				w.open(filepath.Dir(r.Outputs[0].File))
				return
			}
		}
	}
	if w.o.OutDir == "" {
		w.tell("No results yet", "When a job is done, its pictures and videos are here.", nil)
		return
	}
	w.open(w.o.OutDir)
}
