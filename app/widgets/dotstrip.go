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

// DotKind tells what is known about a past run.
type DotKind int

// The kinds of dot.
const (
	DotClean   DotKind = iota // had the GPU to itself: solid
	DotUnknown                // not known: a grey ring
	DotShared                 // shared the GPU: a ring in another colour
)

// Dot is a past run.
type Dot struct {
	Seconds float64
	Kind    DotKind
}

// Mark is a label below a place of the strip.
type Mark struct {
	Seconds float64
	Text    string
	Color   fyne.ThemeColorName
}

// StripState is what a strip of dots shows. Times are in seconds from the
// start of a run.
type StripState struct {
	Dots           []Dot
	Low, Mid, High float64 // the usual range; 0 when not known
	Now            float64 // how long the run goes on; 0 when it does not
	Marks          []Mark  // the most important first: later ones give way
}

// DotStrip shows past runs as dots on a line of time, with the usual range and
// how far the run is now.
type DotStrip struct {
	widget.BaseWidget
	state  StripState
	dots   *canvas.Raster
	labels []*canvas.Text
	render *parts
}

const (
	stripDots  = 58 // the height of the dots' field, its line at the bottom
	stripBelow = 10 // of it below the line
)

// NewDotStrip makes an empty strip.
func NewDotStrip() *DotStrip {
	d := &DotStrip{}
	d.dots = canvas.NewRaster(d.paint)
	d.ExtendBaseWidget(d)
	return d
}

// Set changes what the strip shows.
func (d *DotStrip) Set(s StripState) {
	o := d.state
	if o.Low == s.Low && o.Mid == s.Mid && o.High == s.High && o.Now == s.Now &&
		slices.Equal(o.Dots, s.Dots) && slices.Equal(o.Marks, s.Marks) {
		return
	}
	d.state = s
	d.Refresh()
}

// CreateRenderer implements fyne.Widget.
func (d *DotStrip) CreateRenderer() fyne.WidgetRenderer {
	d.render = &parts{of: d, layout: d.layout, refresh: d.refresh, min: func() fyne.Size {
		return fyne.NewSize(120, stripDots+fyne.MeasureText("A", sizeOf(d, theme.SizeSmall), fyne.TextStyle{}).Height)
	}}
	d.refresh()
	return d.render
}

// end is the time at the right edge.
func (s StripState) end() float64 {
	end := max(s.High, s.Now)
	for _, dot := range s.Dots {
		end = max(end, dot.Seconds)
	}
	return max(end*1.04, 1)
}

func (d *DotStrip) layout(size fyne.Size) {
	place(d.dots, 0, 0, size.Width, stripDots)
	type taken struct{ from, to float32 }
	var used []taken
	for i, m := range d.state.Marks {
		t := d.labels[i]
		w := t.MinSize()
		x := float32(m.Seconds/d.state.end())*size.Width - w.Width/2
		x = max(0, min(x, size.Width-w.Width))
		free := !slices.ContainsFunc(used, func(u taken) bool { return x < u.to+6 && u.from < x+w.Width+6 })
		show(t, free)
		if free {
			used = append(used, taken{x, x + w.Width})
		}
		place(t, x, stripDots-2, w.Width, w.Height)
	}
}

func (d *DotStrip) refresh() {
	for len(d.labels) < len(d.state.Marks) {
		d.labels = append(d.labels, canvas.NewText("", color.Transparent))
	}
	d.labels = d.labels[:len(d.state.Marks)]
	objects := []fyne.CanvasObject{d.dots}
	for i, m := range d.state.Marks {
		t := d.labels[i]
		t.Text, t.TextSize, t.Color = m.Text, sizeOf(d, theme.SizeSmall)-1, colorOf(d, m.Color)
		t.Refresh()
		objects = append(objects, t)
	}
	if d.render != nil {
		d.render.objects = objects
	}
	d.dots.Refresh()
}

// paint draws everything but the labels, in device pixels.
func (d *DotStrip) paint(w, h int) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	scale := 1.0
	if width := d.Size().Width; width > 0 {
		scale = float64(w) / float64(width)
	}
	s, base := d.state, h-int(stripBelow*scale)
	x := func(seconds float64) float64 { return seconds / s.end() * float64(w) }
	measured := colorOf(d, theme.ColorMeasured)
	column := func(from, to float64, top int, cover float64, c color.Color, dashed bool) {
		for px := int(from); px < max(int(to), int(from)+1); px++ {
			for y := top; y < base+int(2*scale); y++ {
				if !dashed || y/int(3*scale+0.5)%2 == 0 {
					blend(img, px, y, c, cover)
				}
			}
		}
	}
	if s.High > 0 {
		column(x(s.Low)-2*scale, x(s.High)+2*scale, int(14*scale), 0.16, measured, false)
	}
	for px := range w {
		for y := base; y < base+int(scale+0.5); y++ {
			blend(img, px, y, colorOf(d, theme.ColorLine), 1)
		}
	}
	d.paintDots(img, x, float64(base), scale)
	if s.High > 0 {
		column(x(s.Mid), x(s.Mid)+scale, int(6*scale), 1, measured, false)
	}
	if s.Now > 0 {
		column(x(s.Now), x(s.Now)+scale, int(10*scale), 1, colorOf(d, theme.ColorText), true)
	}
	return img
}

// paintDots piles up the dots that would cover each other. Where a pile is as
// high as there is room for, the next dot goes beside it.
func (d *DotStrip) paintDots(img *image.RGBA, x func(float64) float64, base, scale float64) {
	across := 4.4 * scale
	room, piled := max(1, int((base-10*scale)/across)), map[int]int{}
	for _, dot := range d.state.Dots {
		at := int(x(dot.Seconds) / across)
		for off := 0; piled[at] >= room; off++ {
			at += off * (1 - off%2*2) // one to the right, one to the left of it, ...
		}
		cx, cy := (float64(at)+0.5)*across, base-(float64(piled[at])+0.6)*across
		piled[at]++
		c, radius := colorOf(d, theme.ColorMeasured), across/2
		switch dot.Kind {
		case DotUnknown:
			c = colorOf(d, theme.ColorMuted)
		case DotShared:
			c, radius = colorOf(d, theme.ColorShared), 3.6*scale
			cy = min(cy, base-4*scale)
		case DotClean:
			// As it was made.
		}
		disc(img, cx, cy, radius, dot.Kind != DotClean, c)
	}
}
