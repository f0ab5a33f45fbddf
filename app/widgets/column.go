package widgets

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/theme"
)

// Column stacks objects from top to bottom at its own width, so that wrapped
// text among them gets the height it needs. Hidden objects take no room.
type Column struct {
	widget.BaseWidget
	Gap     float32
	objects []fyne.CanvasObject
	width   float32
	render  *parts
}

// NewColumn makes a column with a gap between its objects.
func NewColumn(gap float32, objects ...fyne.CanvasObject) *Column {
	c := &Column{Gap: gap, objects: objects}
	c.ExtendBaseWidget(c)
	return c
}

// SetObjects replaces what is in the column.
func (c *Column) SetObjects(objects ...fyne.CanvasObject) {
	if slices.Equal(c.objects, objects) {
		return
	}
	c.objects = objects
	c.Refresh()
}

// Relayout places the objects again, after one of them changed its height or
// was shown or hidden.
func (c *Column) Relayout() { c.layout(c.Size()) }

// HeightFor is the height of all objects at a width.
func (c *Column) HeightFor(width float32) float32 {
	y := float32(0)
	for _, o := range c.objects {
		if o.Visible() {
			y += heightFor(o, width) + c.Gap
		}
	}
	return max(0, y-c.Gap)
}

// CreateRenderer implements fyne.Widget.
func (c *Column) CreateRenderer() fyne.WidgetRenderer {
	c.render = &parts{of: c, objects: c.objects, layout: c.layout, min: c.min, refresh: c.refresh}
	return c.render
}

func (c *Column) refresh() {
	c.render.objects = c.objects
	for _, o := range c.objects {
		o.Refresh()
	}
}

func (c *Column) min() fyne.Size {
	w := float32(0)
	for _, o := range c.objects {
		if o.Visible() {
			w = max(w, o.MinSize().Width)
		}
	}
	return fyne.NewSize(w, c.HeightFor(max(c.width, w)))
}

func (c *Column) layout(size fyne.Size) {
	c.width = size.Width
	y := float32(0)
	for _, o := range c.objects {
		if !o.Visible() {
			continue
		}
		h := heightFor(o, size.Width)
		place(o, 0, y, size.Width, h)
		y += h + c.Gap
	}
}

// Scroller shows a column that may be taller than the room there is.
type Scroller struct {
	widget.BaseWidget
	column *Column
	scroll *container.Scroll
}

// NewScroller makes a scroller of a column.
func NewScroller(c *Column) *Scroller {
	s := &Scroller{column: c, scroll: container.NewVScroll(c)}
	s.ExtendBaseWidget(s)
	return s
}

// HeightFor is the height at which nothing needs to scroll.
func (s *Scroller) HeightFor(width float32) float32 { return s.column.HeightFor(width) }

// Relayout places the column's objects again, after one of them changed its
// height.
func (s *Scroller) Relayout() {
	s.column.Relayout()
	s.layout(s.Size())
	s.scroll.Refresh()
}

// CreateRenderer implements fyne.Widget.
func (s *Scroller) CreateRenderer() fyne.WidgetRenderer {
	return &parts{
		of: s, objects: []fyne.CanvasObject{s.scroll}, layout: s.layout,
		min:     func() fyne.Size { return fyne.NewSize(s.column.MinSize().Width, 40) },
		refresh: func() { s.scroll.Refresh() },
	}
}

func (s *Scroller) layout(size fyne.Size) {
	s.column.width = size.Width
	place(s.scroll, 0, 0, size.Width, size.Height)
}

// Timed is a line with its time at the left.
type Timed struct {
	widget.BaseWidget
	at, text *Line
}

// NewTimed puts a time beside a text that wraps.
func NewTimed(at, text *Line) *Timed {
	t := &Timed{at: at, text: text}
	t.ExtendBaseWidget(t)
	return t
}

// timeWidth is the room of a time of day at the size of the text.
func (t *Timed) timeWidth() float32 {
	return fyne.MeasureText("00:00:00", sizeOf(t, theme.SizeSmall), fyne.TextStyle{}).Width + 16
}

// HeightFor is the height at a width.
func (t *Timed) HeightFor(width float32) float32 {
	return max(t.at.MinSize().Height, t.text.HeightFor(max(0, width-t.timeWidth())))
}

// CreateRenderer implements fyne.Widget.
func (t *Timed) CreateRenderer() fyne.WidgetRenderer {
	return &parts{
		of: t, objects: []fyne.CanvasObject{t.at, t.text},
		layout: func(s fyne.Size) {
			w := t.timeWidth()
			place(t.at, 0, 0, w, t.at.MinSize().Height)
			place(t.text, w, 0, max(0, s.Width-w), s.Height)
		},
		min:     func() fyne.Size { return fyne.NewSize(120, t.HeightFor(max(t.Size().Width, 120))) },
		refresh: func() { t.at.Refresh(); t.text.Refresh() },
	}
}

// Gap is empty room in a column.
type Gap struct {
	widget.BaseWidget
	height float32
}

// NewGap makes room of a height.
func NewGap(height float32) *Gap {
	g := &Gap{height: height}
	g.ExtendBaseWidget(g)
	return g
}

// CreateRenderer implements fyne.Widget.
func (g *Gap) CreateRenderer() fyne.WidgetRenderer {
	return &parts{
		of: g, layout: func(fyne.Size) {}, refresh: func() {},
		min: func() fyne.Size { return fyne.NewSize(0, g.height) },
	}
}
