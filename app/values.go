package app

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/widgets"
	"reckoner/assets/text"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// valuesShown bounds how many values of a job are offered to be changed.
const valuesShown = 200

// changeValues reads what a waiting job's nodes have set, and lets it be changed.
func (w *window) changeValues(j *job.Job) {
	w.goes(func() {
		values, err := w.o.Farm.Values(w.ctx, j.ID)
		w.do(func() {
			if err != nil {
				w.tell("The values of "+text.Plain(j.Name)+" cannot be changed", w.sentence(err), nil)
				return
			}
			w.askValues(j, values[:min(len(values), valuesShown)])
		})
	})
}

// askValues shows the values of a job, each in a field of its own.
func (w *window) askValues(j *job.Job, values []scheduler.NodeValue) {
	const wide = 560
	var objects []fyne.CanvasObject
	fields := make([]*widget.Entry, len(values))
	for i, v := range values {
		e := widget.NewEntry()
		if v.Long {
			e = widget.NewMultiLineEntry()
			e.Wrapping = fyne.TextWrapWord
			e.SetMinRowsVisible(longRows)
		}
		e.SetText(v.Text)
		fields[i] = e
		of := v.Title
		if of == "" {
			of = v.Class
		}
		label := widgets.NewLine(widgets.Small(text.Plain(v.Input+" · "+of)), widgets.Muted(" "+text.Plain(v.Node)))
		objects = append(objects, widgets.NewColumn(2, label, e))
	}
	size := w.win.Canvas().Size()
	scroll := container.NewVScroll(widgets.NewColumn(8, objects...))
	d := dialog.NewCustomConfirm("Change "+text.Plain(j.Name), "Change it", "Leave it as it is",
		container.NewGridWrap(fyne.NewSize(min(wide, size.Width-80), max(160, size.Height-220)), scroll), func(ok bool) {
			if ok {
				w.revise(j, edited(values, fields))
			}
		}, w.win)
	d.Show()
	if len(fields) > 0 {
		w.win.Canvas().Focus(fields[0])
	}
}

// longRows is how many lines of a long text are shown.
const longRows = 3

// edited gives the values that were changed.
func edited(values []scheduler.NodeValue, fields []*widget.Entry) []scheduler.NodeValue {
	var list []scheduler.NodeValue
	for i, v := range values {
		if fields[i].Text != v.Text {
			v.Text = fields[i].Text
			list = append(list, v)
		}
	}
	return list
}

// revise gives a waiting job other values, and says what is wrong with them.
func (w *window) revise(j *job.Job, values []scheduler.NodeValue) {
	if len(values) == 0 {
		return
	}
	w.goes(func() {
		err := w.o.Farm.Revise(w.ctx, j.ID, values)
		w.do(func() {
			if err != nil {
				w.tell(text.Plain(j.Name)+" was not changed", w.sentence(err), nil)
			}
			w.bridge.Changed()
		})
	})
}
