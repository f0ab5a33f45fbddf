package widgets

import (
	"image"
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/theme"
)

// BarKind says what a bar shows.
type BarKind int

// The kinds of bar.
const (
	BarEmpty    BarKind = iota // nothing is known: no fill
	BarEstimate                // a clock against past runs: striped
	BarOver                    // past all that is known: hollow
)

// BarState is what a bar shows. Its caption stands on it, because a bar that is
// driven by a clock has to say so itself.
type BarState struct {
	Kind     BarKind
	Fraction float64 // of the width, for BarEstimate
	// UsualFrom is where usual runs begin to end, as a fraction of the width,
	// whose right end is where they have ended. 0 when it is not known.
	UsualFrom float64
	Caption   string
}

// Bar is the progress of a run with its caption on it.
type Bar struct {
	widget.BaseWidget
	state              BarState
	track, usual, mark *canvas.Rectangle
	fill               *canvas.Raster
	caption            *Line
}

const barRadius = 5

// NewBar makes an empty bar.
func NewBar() *Bar {
	b := &Bar{
		track: canvas.NewRectangle(color.Transparent), usual: canvas.NewRectangle(color.Transparent),
		mark:    canvas.NewRectangle(color.Transparent),
		caption: NewLine(),
	}
	b.fill = canvas.NewRaster(b.paint)
	b.ExtendBaseWidget(b)
	return b
}

// Set changes what the bar shows.
func (b *Bar) Set(s BarState) {
	if s == b.state {
		return
	}
	b.state = s
	b.caption.Set(b.captionSpan())
	b.Refresh()
}

// AccessibilityLabel gives the caption to screen readers.
func (b *Bar) AccessibilityLabel() string { return b.state.Caption }

// AccessibilityRole says that this is text: what matters is on the caption.
func (b *Bar) AccessibilityRole() fyne.AccessibleRole { return fyne.AccessibleRoleText }

// CreateRenderer implements fyne.Widget.
func (b *Bar) CreateRenderer() fyne.WidgetRenderer {
	r := &parts{
		of: b, objects: []fyne.CanvasObject{b.track, b.usual, b.fill, b.mark, b.caption},
		layout: b.layout, min: b.min, refresh: b.refresh,
	}
	b.refresh()
	return r
}

func (b *Bar) captionSpan() Span { return Span{Text: b.state.Caption, Size: theme.SizeSmall} }

func (b *Bar) min() fyne.Size {
	return fyne.NewSize(60, max(22, b.caption.MinSize().Height+6))
}

func (b *Bar) layout(size fyne.Size) {
	place(b.track, 0, 0, size.Width, size.Height)
	from := size.Width * float32(min(max(b.state.UsualFrom, 0), 1))
	place(b.usual, from, 0, size.Width-from, size.Height)
	place(b.mark, from, 0, 1, size.Height)
	place(b.fill, 0, 0, size.Width, size.Height)
	place(b.caption, 10, 0, max(0, size.Width-20), size.Height)
}

func (b *Bar) refresh() {
	over := b.state.Kind == BarOver
	b.track.CornerRadius = barRadius
	b.track.FillColor, b.track.StrokeColor, b.track.StrokeWidth = colorOf(b, theme.ColorRaised), color.Transparent, 0
	if over {
		b.track.FillColor, b.track.StrokeColor, b.track.StrokeWidth = color.Transparent, colorOf(b, theme.ColorOdd), 1
	}
	estimate := b.state.Kind == BarEstimate
	b.usual.FillColor = colorOf(b, theme.ColorUsual)
	b.usual.TopRightCornerRadius, b.usual.BottomRightCornerRadius = barRadius, barRadius
	b.mark.FillColor = colorOf(b, theme.ColorTick)
	marked := estimate && b.state.UsualFrom > 0 && b.state.UsualFrom < 1
	show(b.usual, marked)
	show(b.mark, marked)
	show(b.fill, estimate)
	b.track.Refresh()
	b.usual.Refresh()
	b.mark.Refresh()
	b.fill.Refresh()
	b.caption.Refresh()
}

// paint draws the stripes in device pixels.
func (b *Bar) paint(w, h int) image.Image {
	scale := 1.0
	if width := b.Size().Width; width > 0 {
		scale = float64(w) / float64(width)
	}
	return stripes(w, h, b.state.Fraction*float64(w), 15.5*scale, barRadius*scale,
		colorOf(b, theme.ColorStripeDark), colorOf(b, theme.ColorStripe))
}
