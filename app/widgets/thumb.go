package widgets

import (
	"image"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/theme"
)

// Thumb is a small picture, or a quiet field where there is none yet. It is
// given ready pictures: reading and scaling them is not for the goroutine of
// the user interface.
type Thumb struct {
	widget.BaseWidget
	size    fyne.Size
	picture *canvas.Image
	field   *canvas.Raster
}

// NewThumb makes an empty thumb of a size.
func NewThumb(size fyne.Size) *Thumb {
	t := &Thumb{size: size, picture: canvas.NewImageFromImage(nil)}
	t.picture.FillMode, t.picture.ScaleMode, t.picture.CornerRadius = canvas.ImageFillCover, canvas.ImageScaleFastest, 4
	t.picture.Hide()
	t.field = canvas.NewRaster(func(w, h int) image.Image {
		return diagonal(w, h, 4, colorOf(t, theme.ColorThumbA), colorOf(t, theme.ColorThumbB))
	})
	t.ExtendBaseWidget(t)
	return t
}

// Set shows a picture; nil shows the field.
func (t *Thumb) Set(picture image.Image) {
	if t.picture.Image == picture {
		return
	}
	t.picture.Image = picture
	t.Refresh()
}

// CreateRenderer implements fyne.Widget.
func (t *Thumb) CreateRenderer() fyne.WidgetRenderer {
	return &parts{
		of: t, objects: []fyne.CanvasObject{t.field, t.picture},
		layout: func(s fyne.Size) {
			place(t.field, 0, 0, s.Width, s.Height)
			place(t.picture, 0, 0, s.Width, s.Height)
		},
		min: func() fyne.Size { return t.size },
		refresh: func() {
			show(t.picture, t.picture.Image != nil)
			show(t.field, t.picture.Image == nil)
			t.field.Refresh()
			if t.picture.Image != nil {
				t.picture.Refresh()
			}
		},
	}
}
