package widgets

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"reckoner/app/theme"
)

// bodySize is the size of plain text in the widths that are given for it.
const bodySize = 13

// NewFixed gives an object a width of its own at the text's normal size, and more
// with larger text. Its height is what it needs.
func NewFixed(o fyne.CanvasObject, width float32) fyne.CanvasObject {
	return container.New(fixedLayout{width}, o)
}

type fixedLayout struct{ width float32 }

// MinSize implements fyne.Layout.
func (l fixedLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	larger := fyne.CurrentApp().Settings().Theme().Size(theme.SizeBody) / bodySize
	return fyne.NewSize(l.width*larger, o[0].MinSize().Height)
}

// Layout implements fyne.Layout.
func (fixedLayout) Layout(o []fyne.CanvasObject, s fyne.Size) { o[0].Resize(s) }
