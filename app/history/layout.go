package history

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/theme"
)

// pageLayout places the page's parts: what is chosen on top, then the chart, then
// the runs.
type pageLayout struct {
	page *Page
	back *canvas.Rectangle
}

func newPageLayout(p *Page) *pageLayout {
	return &pageLayout{page: p, back: canvas.NewRectangle(color.Transparent)}
}

const (
	marginX, marginY = 16, 14
	inset            = 14
	chartHeight      = 170
)

// MinSize implements fyne.Layout.
func (l *pageLayout) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(320, 240) }

// Layout implements fyne.Layout.
func (l *pageLayout) Layout(_ []fyne.CanvasObject, s fyne.Size) {
	p := l.page
	wide := max(0, s.Width-2*marginX)
	put := func(o fyne.CanvasObject, x, y, w, h float32) {
		o.Move(fyne.NewPos(x, y))
		o.Resize(fyne.NewSize(max(0, w), max(0, h)))
	}
	y := float32(marginY)
	h := p.head.flow.HeightFor(wide)
	put(p.head.flow, marginX, y, wide, h)
	y += h + 10
	if p.usual.Visible() {
		h = min(p.usual.HeightFor(wide), s.Height/2)
		put(p.usual, marginX, y, wide, h)
		y += h + 10
	}
	if p.details.Visible() {
		h = min(p.details.HeightFor(wide), s.Height/2)
		put(p.details, marginX, y, wide, h)
		y += h + 10
	}
	put(l.back, marginX, y, wide, s.Height-y-marginY)
	y += 10
	h = p.hint.HeightFor(wide - 2*inset)
	put(p.hint, marginX+inset, y, wide-2*inset, h)
	y += h + 10
	if p.chart.Visible() {
		put(p.chart, marginX+inset, y, wide-2*inset, chartHeight)
		y += chartHeight + 12
	}
	for _, o := range []fyne.CanvasObject{p.lines, p.grid.wrap} {
		put(o, marginX+1, y, wide-2, s.Height-y-marginY-8)
	}
}

// CreateRenderer implements fyne.Widget.
func (p *Page) CreateRenderer() fyne.WidgetRenderer {
	p.colour()
	return widget.NewSimpleRenderer(container.New(p.view, p.view.back, p.head.flow, p.usual, p.details, p.hint, p.chart,
		p.lines, p.grid.wrap))
}

// Refresh takes the colours of the theme.
func (p *Page) Refresh() {
	p.colour()
	p.BaseWidget.Refresh()
}

func (p *Page) colour() {
	v := fyne.CurrentApp().Settings().ThemeVariant()
	back := p.view.back
	back.FillColor, back.StrokeColor = p.Theme().Color(theme.ColorPanel, v), p.Theme().Color(theme.ColorLine, v)
	back.StrokeWidth, back.CornerRadius = 1, 9
}
