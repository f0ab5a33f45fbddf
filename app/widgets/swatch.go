package widgets

import (
	"image"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/theme"
)

// Swatch is a little square of the window's language, for its legend: striped,
// or solid.
type Swatch struct {
	widget.BaseWidget
	striped bool
	raster  *canvas.Raster
}

// NewSwatch makes a swatch.
func NewSwatch(striped bool) *Swatch {
	s := &Swatch{striped: striped}
	s.raster = canvas.NewRaster(func(w, h int) image.Image {
		a, b := colorOf(s, theme.ColorMuted), colorOf(s, theme.ColorMuted)
		if s.striped {
			b = colorOf(s, theme.ColorWindow)
		}
		return stripes(w, h, float64(w), float64(w)/2, 0, a, b)
	})
	s.ExtendBaseWidget(s)
	return s
}

// CreateRenderer implements fyne.Widget.
func (s *Swatch) CreateRenderer() fyne.WidgetRenderer {
	return &parts{
		of: s, objects: []fyne.CanvasObject{s.raster}, refresh: func() { s.raster.Refresh() },
		layout: func(z fyne.Size) { place(s.raster, 0, 0, z.Width, z.Height) },
		min:    func() fyne.Size { return fyne.NewSquareSize(9) },
	}
}
