package app

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/widgets"
	"reckoner/assets"
)

// showGuide shows the user guide.
func (w *window) showGuide() { w.showChapters("User guide", assets.Guide()) }

// showChapters shows chapters at the left, and the chosen one at the right.
func (w *window) showChapters(title string, chapters []assets.Chapter) {
	text := widget.NewRichText()
	text.Wrapping = fyne.TextWrapWord
	scroll := container.NewVScroll(text)
	turn := func(i int) {
		text.ParseMarkdown("## " + chapters[i].Title + "\n\n" + chapters[i].Text)
		scroll.ScrollToTop()
	}
	buttons := make([]fyne.CanvasObject, 0, len(chapters))
	var d *dialog.CustomDialog
	var first fyne.Focusable
	for i, c := range chapters {
		b := widgets.NewButton(c.Title, func() { turn(i) })
		b.OnEscape = func() { d.Hide() }
		if first == nil {
			first = b
		}
		buttons = append(buttons, b)
	}
	size := w.win.Canvas().Size()
	turn(0)
	content := container.NewBorder(nil, nil, widgets.NewColumn(6, buttons...), nil, scroll)
	d = dialog.NewCustom(title, "Close", content, w.win)
	d.Resize(fyne.NewSize(min(980, size.Width-40), min(700, size.Height-40)))
	d.Show()
	w.win.Canvas().Focus(first)
}
