package widgets

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"
)

// Flow places objects beside each other, in as many rows as they need.
type Flow struct {
	widget.BaseWidget
	gap     float32
	objects []fyne.CanvasObject
	render  *parts
}

// NewFlow makes a flow with a gap between its objects.
func NewFlow(gap float32, objects ...fyne.CanvasObject) *Flow {
	f := &Flow{gap: gap, objects: objects}
	f.ExtendBaseWidget(f)
	return f
}

// SetObjects replaces what is in the flow.
func (f *Flow) SetObjects(objects ...fyne.CanvasObject) {
	f.objects = objects
	f.Refresh()
}

// HeightFor is the height at a width.
func (f *Flow) HeightFor(width float32) float32 { return f.each(width, nil) }

// each hands out the place of every object and returns the height of all.
func (f *Flow) each(width float32, put func(o fyne.CanvasObject, x, y, w, h float32)) float32 {
	x, y, high := float32(0), float32(0), float32(0)
	for _, o := range f.objects {
		if !o.Visible() {
			continue
		}
		m := o.MinSize()
		if x > 0 && x+m.Width > width {
			x, y, high = 0, y+high+f.gap, 0
		}
		if put != nil {
			put(o, x, y, min(m.Width, max(width, 1)), m.Height)
		}
		x, high = x+m.Width+f.gap, max(high, m.Height)
	}
	return y + high
}

// CreateRenderer implements fyne.Widget.
func (f *Flow) CreateRenderer() fyne.WidgetRenderer {
	f.render = &parts{
		of: f, objects: f.objects, layout: func(s fyne.Size) { f.each(s.Width, place) },
		min: func() fyne.Size {
			w := float32(0)
			for _, o := range f.objects {
				w = max(w, o.MinSize().Width)
			}
			return fyne.NewSize(w, f.HeightFor(max(f.Size().Width, w)))
		},
		refresh: func() {
			f.render.objects = f.objects
			for _, o := range f.objects {
				o.Refresh()
			}
		},
	}
	return f.render
}
