package app

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/widgets"
)

// legend says what striped and solid mean.
type legend struct {
	widget.BaseWidget
	striped, solid *widgets.Swatch
	estimate, fact *widgets.Line
}

func newLegend() *legend {
	l := &legend{
		striped: widgets.NewSwatch(true), solid: widgets.NewSwatch(false),
		estimate: widgets.NewRigid(widgets.Small("striped = estimate")),
		fact:     widgets.NewRigid(widgets.Small("solid = measured")),
	}
	l.ExtendBaseWidget(l)
	return l
}

// CreateRenderer implements fyne.Widget.
func (l *legend) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(&fyne.Container{
		Layout:  legendLayout{l},
		Objects: []fyne.CanvasObject{l.striped, l.estimate, l.solid, l.fact},
	})
}

type legendLayout struct{ l *legend }

func (g legendLayout) MinSize([]fyne.CanvasObject) fyne.Size {
	a, b := g.l.estimate.MinSize(), g.l.fact.MinSize()
	return fyne.NewSize(a.Width+b.Width+2*15+18, max(a.Height, b.Height))
}

func (g legendLayout) Layout(_ []fyne.CanvasObject, s fyne.Size) {
	const side = 9
	x, y := float32(0), (s.Height-side)/2
	put(g.l.striped, x, y, side, side)
	x += 15
	w := g.l.estimate.MinSize().Width
	put(g.l.estimate, x, 0, w, s.Height)
	x += w + 18
	put(g.l.solid, x, y, side, side)
	x += 15
	put(g.l.fact, x, 0, g.l.fact.MinSize().Width, s.Height)
}
