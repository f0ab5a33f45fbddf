package widgets

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/theme"
)

// NoteBox frames what belongs to one note. Its edge is in the colour of what a
// person should look at; the words in it say so too.
type NoteBox struct {
	widget.BaseWidget
	column     *Column
	back, edge *canvas.Rectangle
}

const (
	noteInset = 12
	noteEdge  = 3
)

// NewNoteBox makes a box around objects that stand one below the other.
func NewNoteBox(objects ...fyne.CanvasObject) *NoteBox {
	b := &NoteBox{
		column: NewColumn(8, objects...),
		back:   canvas.NewRectangle(color.Transparent), edge: canvas.NewRectangle(color.Transparent),
	}
	b.back.CornerRadius, b.back.StrokeWidth = 8, 1
	b.ExtendBaseWidget(b)
	return b
}

// HeightFor is its height at a width.
func (b *NoteBox) HeightFor(width float32) float32 {
	return b.column.HeightFor(max(0, width-2*noteInset)) + 2*noteInset
}

// CreateRenderer implements fyne.Widget.
func (b *NoteBox) CreateRenderer() fyne.WidgetRenderer {
	b.colour()
	return &parts{
		of: b, objects: []fyne.CanvasObject{b.back, b.edge, b.column},
		refresh: func() {
			b.colour()
			b.back.Refresh()
			b.edge.Refresh()
			b.column.Refresh()
		},
		layout: func(z fyne.Size) {
			place(b.back, 0, 0, max(0, z.Width-1), z.Height) // its line is within the column
			place(b.edge, 0, 1, noteEdge, max(0, z.Height-2))
			place(b.column, noteInset, noteInset, max(0, z.Width-2*noteInset), max(0, z.Height-2*noteInset))
		},
		min: func() fyne.Size {
			width := b.Size().Width
			if width <= 0 {
				width = 200
			}
			return fyne.NewSize(0, b.HeightFor(width))
		},
	}
}

func (b *NoteBox) colour() {
	b.back.FillColor, b.back.StrokeColor = colorOf(b, theme.ColorCard), colorOf(b, theme.ColorLine)
	b.edge.FillColor = colorOf(b, theme.ColorOdd)
}
