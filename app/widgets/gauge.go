package widgets

import (
	"image"
	"image/color"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/theme"
)

// GaugeState is one figure of a GPU: what it is now and how it went.
type GaugeState struct {
	Title  string
	Figure string // "43", or "" when it could not be read
	Unit   string // "of 180 W"; beside Figure, or in its place
	// Fraction fills the bar. Below 0 it is not known.
	Fraction float64
	// Mark is where on the bar the figure is known to rest; 0 for no mark.
	Mark float64
	// Recent is how it went, oldest first.
	Recent []Point
	Odd    bool // the figure to look at
	Old    bool // the reading is old: nothing is shown as current
}

// Point is a place on a sparkline, both ways from 0 to 1. A Y below 0 is a gap
// in the line: nothing was known there.
type Point struct{ X, Y float64 }

func (g GaugeState) equal(h GaugeState) bool {
	return g.Title == h.Title && g.Figure == h.Figure && g.Unit == h.Unit && g.Fraction == h.Fraction &&
		g.Mark == h.Mark && g.Odd == h.Odd && g.Old == h.Old && slices.Equal(g.Recent, h.Recent)
}

// Gauge shows a measured figure, solid.
type Gauge struct {
	widget.BaseWidget
	state       GaugeState
	title       *Line
	figure      *Line
	track, fill *canvas.Rectangle
	mark        *canvas.Rectangle // where it rests
	spark       *canvas.Raster
}

const (
	gaugeBar   = 6
	gaugeSpark = 24
	gaugeMark  = 2 // as wide, and reaching as far beyond the bar
)

// NewGauge makes an empty gauge.
func NewGauge() *Gauge {
	g := &Gauge{
		title: NewLine(), figure: NewLine(),
		track: canvas.NewRectangle(color.Transparent), fill: canvas.NewRectangle(color.Transparent),
		mark: canvas.NewRectangle(color.Transparent),
	}
	g.spark = canvas.NewRaster(g.paint)
	g.ExtendBaseWidget(g)
	return g
}

// Set changes what the gauge shows.
func (g *Gauge) Set(s GaugeState) {
	if s.equal(g.state) {
		return
	}
	g.state = s
	g.title.Set(Small(s.Title))
	g.figure.Set(g.figureSpans()...)
	g.Refresh()
}

func (g *Gauge) figureSpans() []Span {
	if g.state.Figure == "" {
		// The figure's size keeps the gauge as high as its neighbours.
		return []Span{{Text: "– ", Color: theme.ColorMuted, Size: theme.SizeBig}, Small(g.state.Unit)}
	}
	return []Span{
		{Text: g.state.Figure, Color: g.ink(theme.ColorText), Size: theme.SizeBig, Bold: true},
		{Text: " " + g.state.Unit, Color: theme.ColorMuted},
	}
}

// ink is the colour of the figure, or of the bar, by what it means.
func (g *Gauge) ink(usual fyne.ThemeColorName) fyne.ThemeColorName {
	switch {
	case g.state.Old:
		return theme.ColorMuted
	case g.state.Odd:
		return theme.ColorOdd
	}
	return usual
}

// CreateRenderer implements fyne.Widget.
func (g *Gauge) CreateRenderer() fyne.WidgetRenderer {
	r := &parts{
		of: g, objects: []fyne.CanvasObject{g.title, g.figure, g.track, g.fill, g.mark, g.spark},
		layout: g.layout, min: g.min, refresh: g.refresh,
	}
	g.refresh()
	return r
}

func (g *Gauge) min() fyne.Size {
	return fyne.NewSize(96, g.title.MinSize().Height+g.figure.MinSize().Height+gaugeBar+gaugeSpark+10)
}

func (g *Gauge) layout(size fyne.Size) {
	y := float32(0)
	h := g.title.MinSize().Height
	place(g.title, 0, y, size.Width, h)
	y += h + 2
	h = g.figure.MinSize().Height
	place(g.figure, 0, y, size.Width, h)
	y += h + 3
	place(g.track, 0, y, size.Width, gaugeBar)
	place(g.fill, 0, y, size.Width*float32(min(max(g.state.Fraction, 0), 1)), gaugeBar)
	mark := min(size.Width*float32(g.state.Mark), size.Width-gaugeMark)
	place(g.mark, mark, y-gaugeMark, gaugeMark, gaugeBar+2*gaugeMark)
	y += gaugeBar + 3
	place(g.spark, 0, y, size.Width, gaugeSpark)
}

func (g *Gauge) refresh() {
	g.track.FillColor, g.track.CornerRadius = colorOf(g, theme.ColorRaised), gaugeBar/2
	g.fill.FillColor, g.fill.CornerRadius = colorOf(g, g.ink(theme.ColorMeasured)), gaugeBar/2
	show(g.fill, g.state.Fraction > 0)
	g.mark.FillColor = colorOf(g, theme.ColorText)
	show(g.mark, g.state.Mark > 0 && g.state.Mark <= 1)
	g.title.Refresh()
	g.figure.Refresh()
	g.track.Refresh()
	g.fill.Refresh()
	g.mark.Refresh()
	g.spark.Refresh()
}

// paint draws the last minutes in device pixels, with a gap where there was no
// reading.
func (g *Gauge) paint(w, h int) image.Image {
	scale := 1.0
	if width := g.Size().Width; width > 0 {
		scale = float64(w) / float64(width)
	}
	return sparkline(w, h, g.state.Recent, 1.4*scale, colorOf(g, g.ink(theme.ColorMeasured)))
}

// sparkline paints a line through points, in pieces between gaps.
func sparkline(w, h int, points []Point, width float64, c color.Color) *image.RGBA {
	var piece [][2]float64
	var pieces [][][2]float64
	for _, p := range points {
		if p.Y < 0 {
			pieces, piece = append(pieces, piece), nil
			continue
		}
		y := width + (float64(h)-2*width)*(1-min(p.Y, 1))
		piece = append(piece, [2]float64{float64(w) * p.X, y})
	}
	return polylines(w, h, append(pieces, piece), width, c)
}
