package widgets

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"
)

// Grid places cards in as many columns as there is room for, all cards of a row
// equally high.
type Grid struct {
	widget.BaseWidget
	gap, narrowest float32
	cards          []fyne.CanvasObject
	render         *parts
}

// NewGrid makes an empty grid of cards that are never narrower than this,
// unless the window is.
func NewGrid(gap, narrowest float32) *Grid {
	g := &Grid{gap: gap, narrowest: narrowest}
	g.ExtendBaseWidget(g)
	return g
}

// SetNarrowest says how narrow a card may be. The grid is laid out again by
// whoever knows its width.
func (g *Grid) SetNarrowest(width float32) { g.narrowest = width }

// SetCards replaces the cards.
func (g *Grid) SetCards(cards []fyne.CanvasObject) {
	g.cards = cards
	g.Refresh()
}

// HeightFor is the grid's height at a width.
func (g *Grid) HeightFor(width float32) float32 { return g.each(width, nil) }

// CreateRenderer implements fyne.Widget.
func (g *Grid) CreateRenderer() fyne.WidgetRenderer {
	g.render = &parts{
		of: g, objects: g.cards, layout: func(s fyne.Size) {
			g.each(s.Width, func(i int, x, y, w, h float32) { place(g.cards[i], x, y, w, h) })
		},
		min: func() fyne.Size { return fyne.NewSize(g.narrowest, g.HeightFor(max(g.Size().Width, g.narrowest))) },
		refresh: func() {
			g.render.objects = g.cards
			for _, c := range g.cards {
				c.Refresh()
			}
		},
	}
	return g.render
}

// each works out where every card goes and gives the height of them all.
func (g *Grid) each(width float32, put func(i int, x, y, w, h float32)) float32 {
	n := len(g.cards)
	if n == 0 {
		return 0
	}
	columns := max(1, min(n, int((width+g.gap)/(g.narrowest+g.gap))))
	w := (width - float32(columns-1)*g.gap) / float32(columns)
	y := float32(0)
	for first := 0; first < n; first += columns {
		last, h := min(first+columns, n), float32(0)
		for _, c := range g.cards[first:last] {
			h = max(h, heightFor(c, w))
		}
		if put != nil {
			for i := first; i < last; i++ {
				put(i, float32(i-first)*(w+g.gap), y, w, h)
			}
		}
		y += h + g.gap
	}
	return y - g.gap
}
