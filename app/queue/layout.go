package queue

import (
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/theme"
)

const (
	margin = 16
	// narrow is the width below which there is no room for the details.
	narrow = 760
)

// pageLayout places the parts of the page: machines on top of the list, the
// details at the right.
type pageLayout struct {
	page  *Page
	dirty bool // the tall rows changed their number
}

func (l *pageLayout) stale() bool { return l.dirty }

// MinSize implements fyne.Layout.
func (l *pageLayout) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(420, 360) }

// Layout implements fyne.Layout.
func (l *pageLayout) Layout(_ []fyne.CanvasObject, s fyne.Size) {
	p := l.page
	l.dirty = false
	left := s.Width
	// Larger text wants wider cards and details.
	larger := p.Theme().Size(theme.SizeBody) / 13
	p.grid.SetNarrowest(390 * larger)
	if s.Width >= narrow {
		p.details.Show()
		wide := min(detailWidth*larger, s.Width*0.35)
		left -= wide
		place(p.details, left, 0, wide, s.Height)
	} else {
		p.details.Hide()
	}
	wide := max(0, left-2*margin)
	y := float32(margin - 2)
	// Whole units: a part of one would cut the cards' lowest line off.
	if h := float32(math.Ceil(float64(min(p.machine.HeightFor(wide), s.Height*0.5)))); h > 0 {
		place(p.machine, margin, y, wide, h)
		y += h + 12
	}
	height := max(0, s.Height-y-margin+2)
	place(p.panel, margin, y, wide, height)
	inner := fyne.NewSize(max(0, wide-2), max(0, height-8))
	tall := p.tall.scroll.HeightFor(inner.Width)
	if rows := p.list.rows.length(); rows > 0 {
		// The list keeps room for some rows of its own.
		tall = min(tall, max(inner.Height-200, inner.Height/2))
	}
	tall = min(tall, inner.Height)
	place(p.tall.scroll, margin+1, y+1, inner.Width, tall)
	place(p.flat, margin+1, y+1+tall, inner.Width, inner.Height-tall)
	place(p.empty, margin+1, y+1+tall, inner.Width, inner.Height-tall)
}

func place(o fyne.CanvasObject, x, y, w, h float32) {
	o.Move(fyne.NewPos(x, y))
	o.Resize(fyne.NewSize(w, h))
}

// CreateRenderer implements fyne.Widget.
func (p *Page) CreateRenderer() fyne.WidgetRenderer {
	p.colour()
	return widget.NewSimpleRenderer(container.New(p.layout, p.machine, p.panel, p.tall.scroll, p.flat, p.empty, p.details))
}

// Refresh takes the colours of the theme.
func (p *Page) Refresh() {
	p.colour()
	p.BaseWidget.Refresh()
}

func (p *Page) colour() {
	v := fyne.CurrentApp().Settings().ThemeVariant()
	p.panel.FillColor = p.Theme().Color(theme.ColorPanel, v)
	edge := theme.ColorLine
	if p.keyboard {
		edge = theme.ColorMuted
	}
	p.panel.StrokeColor, p.panel.StrokeWidth = p.Theme().Color(edge, v), 1
	p.panel.CornerRadius = 9
}
