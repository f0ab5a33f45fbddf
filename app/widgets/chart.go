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

// ChartPoint is a past run at a moment.
type ChartPoint struct {
	At      float64 // from the left edge, 0, to the right one, 1
	Seconds float64
	Kind    DotKind
}

// ChartLabel is a word beside a height or a moment of the chart.
type ChartLabel struct {
	At   float64 // seconds, or from 0 to 1
	Text string
}

// ChartState is what a chart of durations over time shows.
type ChartState struct {
	Points []ChartPoint
	// Usual is the usual time as it was at each moment; a step where it changed.
	Usual []ChartPoint
	// Top is the duration at the upper edge; Heights and Moments are the labels
	// of the two axes.
	Top              float64
	Heights, Moments []ChartLabel
}

func (a ChartState) equal(b ChartState) bool {
	return a.Top == b.Top && slices.Equal(a.Points, b.Points) && slices.Equal(a.Usual, b.Usual) &&
		slices.Equal(a.Heights, b.Heights) && slices.Equal(a.Moments, b.Moments)
}

// Chart shows durations over time: a dot a run, told apart as on a DotStrip, and
// the usual time as a line.
type Chart struct {
	widget.BaseWidget
	state  ChartState
	field  *canvas.Raster
	labels []*canvas.Text
	render *parts
}

// NewChart makes an empty chart.
func NewChart() *Chart {
	c := &Chart{}
	c.field = canvas.NewRaster(c.paint)
	c.ExtendBaseWidget(c)
	return c
}

// Set changes what the chart shows.
func (c *Chart) Set(s ChartState) {
	if c.state.equal(s) {
		return
	}
	c.state = s
	c.Refresh()
}

// CreateRenderer implements fyne.Widget.
func (c *Chart) CreateRenderer() fyne.WidgetRenderer {
	c.render = &parts{of: c, layout: c.layout, refresh: c.refresh, min: func() fyne.Size { return fyne.NewSize(240, 130) }}
	c.refresh()
	return c.render
}

func (c *Chart) textHeight() float32 {
	return fyne.MeasureText("0", sizeOf(c, theme.SizeSmall), fyne.TextStyle{}).Height
}

// left is the room for the labels of the heights.
func (c *Chart) left() float32 {
	w := float32(0)
	for _, l := range c.state.Heights {
		w = max(w, fyne.MeasureText(l.Text, sizeOf(c, theme.SizeSmall), fyne.TextStyle{}).Width)
	}
	return w + 8
}

func (c *Chart) layout(size fyne.Size) {
	low, left := c.textHeight(), c.left()
	wide, high := max(1, size.Width-left), max(1, size.Height-low-4)
	place(c.field, left, 0, wide, high)
	n := 0
	for _, l := range c.state.Heights {
		t := c.labels[n]
		n++
		m := t.MinSize()
		y := high - float32(l.At/max(c.state.Top, 1e-9))*high
		place(t, left-8-m.Width, max(0, min(y-m.Height/2, high-m.Height/2)), m.Width, m.Height)
	}
	for _, l := range c.state.Moments {
		t := c.labels[n]
		n++
		m := t.MinSize()
		x := left + float32(l.At)*wide - m.Width/2
		place(t, max(left, min(x, size.Width-m.Width)), high+4, m.Width, m.Height)
	}
}

func (c *Chart) refresh() {
	all := append(slices.Clone(c.state.Heights), c.state.Moments...)
	for len(c.labels) < len(all) {
		c.labels = append(c.labels, canvas.NewText("", color.Transparent))
	}
	c.labels = c.labels[:len(all)]
	objects := []fyne.CanvasObject{c.field}
	for i, l := range all {
		t := c.labels[i]
		t.Text, t.TextSize, t.Color = l.Text, sizeOf(c, theme.SizeSmall), colorOf(c, theme.ColorMuted)
		t.Refresh()
		objects = append(objects, t)
	}
	if c.render != nil {
		c.render.objects = objects
	}
	c.field.Refresh()
}

// paint draws lines and dots in device pixels.
func (c *Chart) paint(w, h int) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	scale := 1.0
	if width := c.field.Size().Width; width > 0 {
		scale = float64(w) / float64(width)
	}
	const edge = 5 // so that no dot is cut
	x := func(at float64) float64 { return edge*scale + at*(float64(w)-2*edge*scale) }
	y := func(seconds float64) float64 { return float64(h) * (1 - seconds/max(c.state.Top, 1e-9)) }
	line := colorOf(c, theme.ColorLine)
	for _, l := range c.state.Heights {
		at := min(int(y(l.At)), h-1)
		for px := range w {
			for dy := range max(1, int(scale+0.5)) {
				blend(img, px, at-dy, line, 1)
			}
		}
	}
	if len(c.state.Usual) > 1 {
		points := make([][2]float64, 0, 2*len(c.state.Usual))
		for i, p := range c.state.Usual {
			if i > 0 {
				points = append(points, [2]float64{x(p.At), y(c.state.Usual[i-1].Seconds)})
			}
			points = append(points, [2]float64{x(p.At), y(p.Seconds)})
		}
		over(img, polylines(w, h, [][][2]float64{points}, 1.4*scale, colorOf(c, theme.ColorStripe)))
	}
	for _, p := range c.state.Points {
		tone, radius := colorOf(c, theme.ColorMeasured), 2.6*scale
		switch p.Kind {
		case DotUnknown:
			tone = colorOf(c, theme.ColorMuted)
		case DotShared:
			tone, radius = colorOf(c, theme.ColorShared), 3.4*scale
		case DotClean:
		}
		disc(img, x(p.At), min(max(y(p.Seconds), radius), float64(h)-radius), radius, p.Kind != DotClean, tone)
	}
	return img
}

// over lays a picture of the same size over another.
func over(img, top *image.RGBA) {
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			if c := top.RGBAAt(x, y); c.A > 0 {
				blend(img, x, y, c, 1)
			}
		}
	}
}
