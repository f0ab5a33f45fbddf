package widgets

import (
	"image/color"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/theme"
)

// NoticeLine is a line of a notice, with what can be done about it.
type NoticeLine struct {
	Text   string
	Tone   Tone // Quiet steps back
	Action Action
}

// NoticeState is what a notice says.
type NoticeState struct {
	Title   string
	Plain   bool     // without the edge of news
	Actions []Action // beside the title
	Lines   []NoticeLine
}

// Notice tells of several things at once, each with its own button, until it is
// dismissed.
type Notice struct {
	widget.BaseWidget
	OnAction func(key string)

	state            NoticeState
	back, edge, rule *canvas.Rectangle
	title            *Line
	buttons          []*Button
	lines            []*Line
	actions          []*Button // one a line; hidden where there is none
	render           *parts
}

// NewNotice makes an empty notice.
func NewNotice() *Notice {
	n := &Notice{
		back: canvas.NewRectangle(color.Transparent), edge: canvas.NewRectangle(color.Transparent),
		rule: canvas.NewRectangle(color.Transparent), title: NewParagraph(),
	}
	n.ExtendBaseWidget(n)
	return n
}

// Set changes what the notice says.
func (n *Notice) Set(s NoticeState) {
	if was := n.state; s.Title == was.Title && s.Plain == was.Plain && slices.Equal(s.Actions, was.Actions) &&
		slices.Equal(s.Lines, was.Lines) {
		return
	}
	n.state = s
	n.title.Set(Span{Text: s.Title, Bold: true, Size: theme.SizeName})
	n.buttons, n.lines, n.actions = n.buttons[:0:0], n.lines[:0:0], n.actions[:0:0]
	for _, a := range s.Actions {
		n.buttons = append(n.buttons, n.button(a))
	}
	for _, l := range s.Lines {
		span := Span{Text: l.Text}
		switch l.Tone {
		case Quiet:
			span.Color = theme.ColorMuted
		case Odd, Bad:
			span.Color = toneColor(l.Tone)
		case Mine:
		}
		n.lines = append(n.lines, NewParagraph(span))
		b := n.button(l.Action)
		show(b, l.Action.Label != "")
		n.actions = append(n.actions, b)
	}
	n.Refresh()
}

func (n *Notice) button(a Action) *Button {
	return NewButton(a.Label, func() {
		if n.OnAction != nil {
			n.OnAction(a.Key)
		}
	})
}

// HeightFor is the height at a width.
func (n *Notice) HeightFor(width float32) float32 { return n.each(width, nil) }

// CreateRenderer implements fyne.Widget.
func (n *Notice) CreateRenderer() fyne.WidgetRenderer {
	n.render = &parts{
		of: n, layout: func(s fyne.Size) {
			place(n.back, 0, 0, s.Width, s.Height)
			place(n.edge, 0, 0, askEdge, s.Height)
			place(n.rule, 0, s.Height-1, s.Width, 1)
			n.each(s.Width, place)
		},
		min:     func() fyne.Size { return fyne.NewSize(260, n.HeightFor(max(n.Size().Width, 260))) },
		refresh: n.refresh,
	}
	n.refresh()
	return n.render
}

// each hands out the place of every part and returns the height of all.
func (n *Notice) each(width float32, put func(o fyne.CanvasObject, x, y, w, h float32)) float32 {
	const inset = 11
	if put == nil {
		put = func(fyne.CanvasObject, float32, float32, float32, float32) {}
	}
	left, right, y := float32(askEdge+rowInset), width-rowInset, float32(inset)
	row := func(text *Line, buttons []*Button) {
		x, high := right, float32(0)
		for _, b := range slices.Backward(buttons) {
			m := b.MinSize()
			x -= m.Width
			put(b, x, y, m.Width, m.Height)
			x, high = x-askGap, max(high, m.Height)
		}
		wide := max(0, x-left)
		h := text.HeightFor(wide)
		put(text, left, y+max(0, (high-h)/2), wide, h)
		y += max(h, high) + 4
	}
	row(n.title, n.buttons)
	for i, l := range n.lines {
		var action []*Button
		if n.actions[i].Visible() {
			action = n.actions[i : i+1]
		}
		row(l, action)
	}
	return y - 4 + inset
}

func (n *Notice) refresh() {
	n.back.FillColor, n.edge.FillColor = colorOf(n, theme.ColorCard), colorOf(n, theme.ColorMeasured)
	n.rule.FillColor = colorOf(n, theme.ColorLine)
	show(n.edge, !n.state.Plain)
	if n.render == nil {
		return
	}
	n.render.objects = append(n.render.objects[:0:0], n.back, n.edge, n.rule, n.title)
	for _, b := range append(slices.Clone(n.buttons), n.actions...) {
		n.render.objects = append(n.render.objects, b)
	}
	for _, l := range n.lines {
		n.render.objects = append(n.render.objects, l)
	}
	for _, o := range n.render.objects {
		o.Refresh()
	}
}
