package widgets

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
)

// parts is a renderer for widgets that keep their objects themselves and only
// need to say how these are sized, placed and brought up to date.
type parts struct {
	of      fyne.Widget
	objects []fyne.CanvasObject
	layout  func(fyne.Size)
	min     func() fyne.Size
	refresh func()
}

func (p *parts) Layout(s fyne.Size)           { p.layout(s) }
func (p *parts) MinSize() fyne.Size           { return p.min() }
func (p *parts) Objects() []fyne.CanvasObject { return p.objects }
func (p *parts) Destroy()                     {}

func (p *parts) Refresh() {
	p.refresh()
	p.layout(p.of.Size())
	canvas.Refresh(p.of)
}

// themed is what a widget has to offer for its colours to be looked up.
type themed interface{ Theme() fyne.Theme }

func colorOf(w themed, name fyne.ThemeColorName) color.Color {
	return w.Theme().Color(name, fyne.CurrentApp().Settings().ThemeVariant())
}

func sizeOf(w themed, name fyne.ThemeSizeName) float32 { return w.Theme().Size(name) }

// place moves and resizes an object in one go.
func place(o fyne.CanvasObject, x, y, w, h float32) {
	o.Move(fyne.NewPos(x, y))
	o.Resize(fyne.NewSize(w, h))
}

// show makes an object visible or not.
func show(o fyne.CanvasObject, on bool) {
	if on == o.Visible() {
		return
	}
	if on {
		o.Show()
		return
	}
	o.Hide()
}

// Tall is an object whose height depends on the width that it is given, as that
// of wrapped text does.
type Tall interface {
	HeightFor(width float32) float32
}

func heightFor(o fyne.CanvasObject, width float32) float32 {
	if t, ok := o.(Tall); ok {
		return t.HeightFor(width)
	}
	return o.MinSize().Height
}
