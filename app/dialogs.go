package app

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"

	"reckoner/app/widgets"
	"reckoner/assets/text"
	"reckoner/scheduler/job"
)

// tell shows a few sentences. then, when not nil, is called once they are gone.
func (w *window) tell(title, text string, then func()) {
	w.present(title, widgets.NewColumn(0, widgets.NewParagraph(widgets.Plain(text))), then)
}

func (w *window) present(title string, c *widgets.Column, then func()) {
	w.raise(title, w.within(c), then, choice{label: "OK"})
}

// within puts a column into a box that fits into the window.
func (w *window) within(c *widgets.Column) fyne.CanvasObject {
	const wide = 460
	height := min(c.HeightFor(wide)+8, max(120, w.win.Canvas().Size().Height-240))
	return container.NewGridWrap(fyne.NewSize(wide, height), widgets.NewScroller(c))
}

// choice is a button of a dialog; it closes it first.
type choice struct {
	label string
	do    func()
}

// raise shows a dialog with its choices below. The last of them, which is to do
// nothing, has the keyboard, and Escape chooses it. then, when not nil, is called
// once the dialog is gone.
func (w *window) raise(title string, content fyne.CanvasObject, then func(), choices ...choice) {
	var d *dialog.CustomDialog
	last := choices[len(choices)-1]
	buttons := make([]fyne.CanvasObject, len(choices))
	for i, c := range choices {
		b := widgets.NewButton(c.label, func() { d.Hide(); call(c.do) })
		b.OnEscape = func() { d.Hide(); call(last.do) }
		buttons[i] = b
	}
	row := container.NewHBox(buttons...)
	if len(buttons) > 2 {
		row = container.NewVBox(buttons...)
	}
	low := container.NewCenter(row)
	d = dialog.NewCustomWithoutButtons(title, container.NewBorder(nil, low, nil, nil, content), w.win)
	d.SetOnClosed(func() { call(then) })
	d.Show()
	if first, ok := buttons[len(buttons)-1].(fyne.Focusable); ok {
		w.win.Canvas().Focus(first)
	}
}

// askInput asks which node of a job reads the pictures that came with it.
func (w *window) askInput(why *job.Error, answer func(node string)) {
	choices := make([]choice, 0, len(why.Args.Allowed)+1)
	for _, node := range why.Args.Allowed {
		choices = append(choices, choice{text.Plain(node), func() { answer(node) }})
	}
	w.raise("Which input?", w.within(widgets.NewColumn(0, widgets.NewParagraph(widgets.Plain(
		"The workflow reads several pictures. Those that came with it go, one job each, to one of these.")))),
		nil, append(choices, choice{label: "Cancel"})...)
}

// askStop asks whether a running job shall be stopped.
func (w *window) askStop(name string, yes func()) {
	w.confirm("Stop "+name+"?",
		"Its server is told to stop this job and only this job. What it has computed so far is lost.",
		"Stop it", "Let it run", yes)
}

// askCancelAll asks whether the waiting jobs of a batch shall be cancelled.
func (w *window) askCancelAll(name string, n int, yes func()) {
	w.confirm("Cancel "+name+"?", "Its "+number(n, "waiting job is", "waiting jobs are")+" taken off the queue. "+
		"Those that run or are done stay.", "Cancel them", "Keep them", yes)
}

// askWithdraw asks whether a note shall be withdrawn.
func (w *window) askWithdraw(claim string, yes func()) {
	w.confirm("Withdraw this note?", claim+" The note stays on its page, with all that was seen, as withdrawn by you.",
		"Withdraw it", "Keep it open", yes)
}

// confirm asks before something that cannot be taken back.
func (w *window) confirm(title, text, yes, no string, then func()) {
	w.raise(title, w.within(widgets.NewColumn(0, widgets.NewParagraph(widgets.Plain(text)))), nil,
		choice{yes, then}, choice{label: no})
}
