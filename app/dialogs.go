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
	const wide = 460
	size := w.win.Canvas().Size()
	height := min(c.HeightFor(wide)+8, max(120, size.Height-240))
	scroll := widgets.NewScroller(c)
	d := dialog.NewCustom(title, "OK", container.NewGridWrap(fyne.NewSize(wide, height), scroll), w.win)
	d.SetOnClosed(func() { call(then) })
	d.Show()
}

// askInput asks which node of a job reads the pictures that came with it.
func (w *window) askInput(why *job.Error, answer func(node string)) {
	lines := []fyne.CanvasObject{widgets.NewParagraph(widgets.Plain("The workflow reads several pictures. " +
		"Those that came with it go, one job each, to:"))}
	var d *dialog.CustomDialog
	for _, node := range why.Args.Allowed {
		lines = append(lines, widgets.NewButton(text.Plain(node), func() {
			d.Hide()
			answer(node)
		}))
	}
	c := widgets.NewColumn(6, lines...)
	const wide = 460
	size := w.win.Canvas().Size()
	height := min(c.HeightFor(wide)+8, max(120, size.Height-240))
	d = dialog.NewCustom("Which input?", "Cancel",
		container.NewGridWrap(fyne.NewSize(wide, height), widgets.NewScroller(c)), w.win)
	d.Show()
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
	c := widgets.NewColumn(0, widgets.NewParagraph(widgets.Plain(text)))
	d := dialog.NewCustomConfirm(title, yes, no,
		container.NewGridWrap(fyne.NewSize(400, c.HeightFor(400)+8), c), func(ok bool) {
			if ok {
				then()
			}
		}, w.win)
	d.Show()
}
