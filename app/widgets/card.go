package widgets

import (
	"image/color"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/theme"
)

// GPUState is a GPU on a machine's card.
type GPUState struct {
	Gauges [3]GaugeState // utilisation, power against limit, memory
	Source string        // what the figures mean together, their age and source
	// Finding is what they add up to with the work on it, and what that rests on.
	Finding FindingState
}

// CardState is what a machine's card shows.
type CardState struct {
	Name, Model string
	Badge       string
	Tone        Tone
	GPUs        []GPUState
	// Missing says why there are no gauges, when there are none.
	Missing string
	// Other is what else is on the machine: Lead in the tone of a thing to look
	// at, then the rest.
	OtherLead, Other string
}

// Card shows a machine.
type Card struct {
	widget.BaseWidget
	OnMenu func(at fyne.Position) // asked for with the secondary button
	// OnTaller is called when the card's height changed by what the user did.
	OnTaller func()

	state   CardState
	edge    *canvas.Rectangle // a border that does not reach beyond the card
	box     *canvas.Rectangle
	rule    *canvas.Rectangle
	heading *Line
	badge   *Badge
	gauges  []*Gauge   // three a GPU
	sources []*Line    // one a GPU
	finds   []*Finding // one a GPU
	missing *Line
	other   *Line
	render  *parts
}

const (
	cardInset = 14
	cardGap   = 13 // between gauges
)

var _ fyne.SecondaryTappable = (*Card)(nil)

// NewCard makes an empty card.
func NewCard() *Card {
	c := &Card{
		edge: canvas.NewRectangle(color.Transparent), box: canvas.NewRectangle(color.Transparent),
		rule:    canvas.NewRectangle(color.Transparent),
		heading: NewLine(), badge: NewBadge(), missing: NewParagraph(), other: NewParagraph(),
	}
	c.ExtendBaseWidget(c)
	return c
}

// Set changes what the card shows and tells whether its height may have
// changed.
func (c *Card) Set(s CardState) (taller bool) {
	old := c.state
	c.state = s
	taller = len(old.GPUs) != len(s.GPUs) || old.Missing != s.Missing || old.Other != s.Other ||
		old.OtherLead != s.OtherLead
	for i, g := range s.GPUs {
		if i*3 == len(c.gauges) {
			c.gauges = append(c.gauges, NewGauge(), NewGauge(), NewGauge())
			c.sources, c.finds = append(c.sources, NewParagraph()), append(c.finds, c.newFinding())
		}
		for k := range g.Gauges {
			c.gauges[i*3+k].Set(g.Gauges[k])
		}
		if c.sources[i].Text() != g.Source {
			taller = true
			c.sources[i].Set(Small(g.Source))
		}
		taller = c.finds[i].Set(g.Finding) || taller
	}
	c.gauges, c.sources, c.finds = c.gauges[:len(s.GPUs)*3], c.sources[:len(s.GPUs)], c.finds[:len(s.GPUs)]
	c.heading.Set(Span{Text: s.Name, Size: theme.SizeTitle, Bold: true}, Muted("  "+s.Model))
	c.badge.Set(s.Badge, s.Tone)
	c.missing.Set(Muted(s.Missing))
	c.other.Set(c.otherSpans()...)
	if taller || old.Badge != s.Badge {
		c.Refresh()
	}
	return taller
}

func (c *Card) newFinding() *Finding {
	f := NewFinding()
	f.OnTaller = func() {
		c.Refresh()
		if c.OnTaller != nil {
			c.OnTaller()
		}
	}
	return f
}

func (c *Card) otherSpans() []Span {
	if c.state.OtherLead == "" {
		return []Span{Muted(c.state.Other)}
	}
	return []Span{{Text: c.state.OtherLead + " ", Bold: true, Color: theme.ColorOdd}, Plain(c.state.Other)}
}

// TappedSecondary implements fyne.SecondaryTappable.
func (c *Card) TappedSecondary(e *fyne.PointEvent) {
	if c.OnMenu != nil {
		c.OnMenu(e.AbsolutePosition)
	}
}

// HeightFor is the card's height at a width.
func (c *Card) HeightFor(width float32) float32 {
	inner := width - 2*cardInset
	y := cardInset - 2 + c.headingHeight() + 10
	for i, l := range c.sources {
		y += c.gaugeHeight() + 5 + l.HeightFor(inner) + 8
		if h := c.finds[i].HeightFor(inner); h > 0 {
			y += h + 8
		}
	}
	if len(c.sources) == 0 && c.state.Missing != "" {
		y += c.missing.HeightFor(inner) + 8
	}
	if c.other.Text() != "" {
		y += 1 + 8 + c.other.HeightFor(inner)
	}
	return y + cardInset - 2
}

// CreateRenderer implements fyne.Widget.
func (c *Card) CreateRenderer() fyne.WidgetRenderer {
	c.render = &parts{
		of: c, layout: c.layout, refresh: c.refresh,
		min: func() fyne.Size { return fyne.NewSize(320, c.HeightFor(max(c.Size().Width, 320))) },
	}
	c.refresh()
	return c.render
}

func (c *Card) headingHeight() float32 {
	return max(c.heading.MinSize().Height, c.badge.MinSize().Height)
}

func (c *Card) gaugeHeight() float32 {
	if len(c.gauges) == 0 {
		return 0
	}
	return c.gauges[0].MinSize().Height
}

func (c *Card) layout(size fyne.Size) {
	place(c.edge, 0, 0, size.Width, size.Height)
	place(c.box, 1, 1, max(0, size.Width-2), max(0, size.Height-2))
	inner := size.Width - 2*cardInset
	y, h := float32(cardInset-2), c.headingHeight()
	badge := min(c.badge.width(), inner*0.66)
	bh := c.badge.MinSize().Height
	place(c.badge, size.Width-cardInset-badge, y+(h-bh)/2, badge, bh)
	place(c.heading, cardInset, y, max(0, inner-badge-8), h)
	y += h + 10
	wide := (inner - 2*cardGap) / 3
	for i, l := range c.sources {
		for k, g := range c.gauges[i*3 : i*3+3] {
			place(g, cardInset+float32(k)*(wide+cardGap), y, wide, c.gaugeHeight())
		}
		y += c.gaugeHeight() + 5
		h = l.HeightFor(inner)
		place(l, cardInset, y, inner, h)
		y += h + 8
		h = c.finds[i].HeightFor(inner)
		place(c.finds[i], cardInset, y, inner, h)
		if h > 0 {
			y += h + 8
		}
	}
	if len(c.sources) == 0 && c.state.Missing != "" {
		h = c.missing.HeightFor(inner)
		place(c.missing, cardInset, y, inner, h)
		y += h + 8
	}
	place(c.rule, cardInset, y, inner, 1)
	place(c.other, cardInset, y+8, inner, c.other.HeightFor(inner))
}

func (c *Card) refresh() {
	c.edge.FillColor, c.box.FillColor = colorOf(c, theme.ColorLine), colorOf(c, theme.ColorCard)
	c.edge.CornerRadius, c.box.CornerRadius = 9, 8
	c.rule.FillColor = colorOf(c, theme.ColorLine)
	show(c.rule, c.other.Text() != "")
	show(c.missing, len(c.sources) == 0)
	if c.render == nil {
		return
	}
	objects := []fyne.CanvasObject{c.edge, c.box, c.rule, c.heading, c.badge, c.missing, c.other}
	for _, g := range c.gauges {
		objects = append(objects, g)
	}
	for i, l := range c.sources {
		objects = append(objects, l, c.finds[i])
	}
	if !slices.Equal(c.render.objects, objects) {
		c.render.objects = objects
	}
	for _, o := range objects {
		o.Refresh()
	}
}
