package history

import (
	"path/filepath"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/widgets"
	"reckoner/scheduler/job"
)

// The size of a picture in the grid.
const (
	cellWidth, cellHeight = 168, 126
)

// grid shows what the chosen runs made as pictures. Only those on screen exist.
type grid struct {
	page  *Page
	wrap  *widget.GridWrap
	files []made
	shown map[*cell]int
}

// made is a result and its run.
type made struct {
	file, name string
	picture    job.Picture
}

func newGrid(p *Page) *grid {
	g := &grid{page: p, shown: map[*cell]int{}}
	g.wrap = widget.NewGridWrap(func() int { return len(g.files) },
		func() fyne.CanvasObject { return newCell() },
		func(i int, o fyne.CanvasObject) {
			if c, ok := o.(*cell); ok && i < len(g.files) {
				g.shown[c] = i
				g.fill(c, i)
			}
		})
	return g
}

// apply shows the results of the chosen rows.
func (g *grid) apply() {
	if !g.wrap.Visible() {
		return
	}
	g.files = g.files[:0]
	for _, i := range g.page.chosen {
		h := &g.page.rows[i]
		for _, o := range h.Run.Outputs {
			if !o.Preview {
				g.files = append(g.files, made{o.File, h.Job.Name, job.PictureOfResult(o, h.Run.Outputs)})
			}
		}
	}
	clear(g.shown)
	g.wrap.Refresh()
}

// pictures shows those that became ready.
func (g *grid) pictures() {
	if !g.wrap.Visible() {
		return
	}
	for c, i := range g.shown {
		if i < len(g.files) {
			g.fill(c, i)
		}
	}
}

func (g *grid) fill(c *cell, i int) {
	m := g.files[i]
	c.onTapped = func() {
		if g.page.OnOpen != nil {
			g.page.OnOpen(m.file)
		}
	}
	c.name.Set(widgets.Small(m.name + filepath.Ext(m.file)))
	small, _ := g.page.pictures.Get(m.picture, 2*cellWidth, 2*cellHeight)
	c.thumb.Set(small)
}

// cell is a picture with the name of its job.
type cell struct {
	widget.BaseWidget
	onTapped func()
	thumb    *widgets.Thumb
	name     *widgets.Line
}

var _ fyne.Tappable = (*cell)(nil)

func newCell() *cell {
	c := &cell{thumb: widgets.NewThumb(fyne.NewSize(cellWidth, cellHeight)), name: widgets.NewLine()}
	c.ExtendBaseWidget(c)
	return c
}

// Tapped opens the result.
func (c *cell) Tapped(*fyne.PointEvent) {
	if c.onTapped != nil {
		c.onTapped()
	}
}

// CreateRenderer implements fyne.Widget.
func (c *cell) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(container.NewPadded(container.NewBorder(nil, c.name, nil, nil, c.thumb)))
}
