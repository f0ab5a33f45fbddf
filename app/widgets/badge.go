package widgets

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/theme"
)

// Tone is what a badge or a row means at a glance. The words say it too: colour
// is never the only signal.
type Tone int

// The tones.
const (
	Quiet Tone = iota
	Mine       // your job
	Odd        // to look at
	Bad        // does not work
)

// Badge is a few words on a pill.
type Badge struct {
	widget.BaseWidget
	text string
	tone Tone
	box  *canvas.Rectangle
	line *Line
}

// NewBadge makes an empty badge.
func NewBadge() *Badge {
	b := &Badge{box: canvas.NewRectangle(color.Transparent), line: NewLine()}
	b.ExtendBaseWidget(b)
	return b
}

// Set changes the badge.
func (b *Badge) Set(text string, tone Tone) {
	if b.text == text && b.tone == tone {
		return
	}
	b.text, b.tone = text, tone
	b.line.Set(b.span())
	b.Refresh()
}

func (b *Badge) span() Span {
	s := Span{Text: b.text, Size: theme.SizeSmall, Bold: true, Color: theme.ColorMuted}
	switch b.tone {
	case Mine:
		s.Color = theme.ColorMeasured
	case Odd:
		s.Color = theme.ColorOdd
	case Bad:
		s.Color = theme.ColorBad
	case Quiet:
		// As it was made.
	}
	return s
}

// width is what the whole text needs.
func (b *Badge) width() float32 { return b.line.NaturalWidth() + 16 }

// CreateRenderer implements fyne.Widget.
func (b *Badge) CreateRenderer() fyne.WidgetRenderer {
	b.refresh()
	return &parts{
		of: b, objects: []fyne.CanvasObject{b.box, b.line}, layout: b.layout, refresh: b.refresh,
		min: func() fyne.Size { return fyne.NewSize(40, b.line.MinSize().Height+4) },
	}
}

func (b *Badge) layout(size fyne.Size) {
	place(b.box, 0, 0, size.Width, size.Height)
	place(b.line, 8, 0, max(0, size.Width-16), size.Height)
}

func (b *Badge) refresh() {
	b.box.CornerRadius = canvas.RadiusMaximum
	switch b.tone {
	case Mine:
		b.box.FillColor = colorOf(b, theme.ColorMineBack)
	case Odd:
		b.box.FillColor = colorOf(b, theme.ColorOddBack)
	default:
		b.box.FillColor = colorOf(b, theme.ColorRaised)
	}
	show(b.box, b.text != "")
	b.box.Refresh()
	b.line.Refresh()
}
