package app

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"

	"reckoner/app/widgets"
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

// askStop asks whether a running job shall be stopped.
func (w *window) askStop(name string, yes func()) {
	text := widgets.NewColumn(0, widgets.NewParagraph(widgets.Plain(
		"Its server is told to stop this job and only this job. What it has computed so far is lost.")))
	d := dialog.NewCustomConfirm("Stop "+name+"?", "Stop it", "Let it run",
		container.NewGridWrap(fyne.NewSize(400, text.HeightFor(400)+8), text), func(ok bool) {
			if ok {
				yes()
			}
		}, w.win)
	d.Show()
}
