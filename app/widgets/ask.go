package widgets

import (
	"image/color"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/theme"
)

// AskState is a question to the user.
type AskState struct {
	Text    string
	Default string // what happens without an answer, and when
	Answers []Action
}

// Ask is a bar with a question and its answers as buttons. Its edge is in the
// colour of what a person should look at; the words say it too.
type Ask struct {
	widget.BaseWidget
	OnAnswer func(key string)

	state            AskState
	back, edge, rule *canvas.Rectangle
	text, unanswered *Line
	buttons          []*Button
	render           *parts
}

const (
	askEdge = 4
	askGap  = 6 // between buttons
)

// NewAsk makes an empty bar.
func NewAsk() *Ask {
	a := &Ask{
		back: canvas.NewRectangle(color.Transparent), edge: canvas.NewRectangle(color.Transparent),
		rule: canvas.NewRectangle(color.Transparent), text: NewParagraph(), unanswered: NewParagraph(),
	}
	a.ExtendBaseWidget(a)
	return a
}

// Set changes the question and tells whether the bar's height may have changed.
func (a *Ask) Set(s AskState) (taller bool) {
	if s.Text == a.state.Text && s.Default == a.state.Default && slices.Equal(s.Answers, a.state.Answers) {
		return false
	}
	if !slices.Equal(s.Answers, a.state.Answers) {
		// A button that has the keyboard keeps it as long as its answer is there.
		a.buttons = a.buttons[:0:0]
		for _, answer := range s.Answers {
			a.buttons = append(a.buttons, NewButton(answer.Label, func() {
				if a.OnAnswer != nil {
					a.OnAnswer(answer.Key)
				}
			}))
		}
	}
	a.state = s
	a.text.Set(Strong(s.Text))
	a.unanswered.Set(Small(s.Default))
	a.Refresh()
	return true
}

// First is the button of the first answer, nil without one: where the keyboard
// goes to answer.
func (a *Ask) First() fyne.Focusable {
	if len(a.buttons) == 0 {
		return nil
	}
	return a.buttons[0]
}

// AccessibilityLabel gives the question to screen readers.
func (a *Ask) AccessibilityLabel() string { return a.state.Text + " " + a.state.Default }

// AccessibilityRole says that this is text; its buttons speak for themselves.
func (a *Ask) AccessibilityRole() fyne.AccessibleRole { return fyne.AccessibleRoleText }

// HeightFor is the height at a width.
func (a *Ask) HeightFor(width float32) float32 { return a.place(width, false) }

// CreateRenderer implements fyne.Widget.
func (a *Ask) CreateRenderer() fyne.WidgetRenderer {
	a.render = &parts{
		of: a, layout: func(s fyne.Size) {
			place(a.back, 0, 0, s.Width, s.Height)
			place(a.edge, 0, 0, askEdge, s.Height)
			place(a.rule, 0, s.Height-1, s.Width, 1)
			a.place(s.Width, true)
		},
		min:     func() fyne.Size { return fyne.NewSize(260, a.HeightFor(max(a.Size().Width, 260))) },
		refresh: a.refresh,
	}
	a.refresh()
	return a.render
}

// place puts the question at the left of its buttons where both have room, and
// the buttons below it otherwise. It returns the height that this takes, and
// moves nothing unless told to.
func (a *Ask) place(width float32, move bool) float32 {
	const top, leastText = 11, 300
	wide := max(0, width-askEdge-2*rowInset)
	buttons, high := float32(0), float32(0)
	for _, b := range a.buttons {
		m := b.MinSize()
		buttons, high = buttons+m.Width+askGap, max(high, m.Height)
	}
	beside := wide-buttons-14 >= leastText
	textWide := wide
	if beside {
		textWide = wide - buttons - 14
	}
	left, y := float32(askEdge+rowInset), float32(top)
	put := func(o fyne.CanvasObject, x, y, w, h float32) {
		if move {
			place(o, x, y, w, h)
		}
	}
	for _, l := range []*Line{a.text, a.unanswered} {
		h := l.HeightFor(textWide)
		put(l, left, y, textWide, h)
		y += h + 3
	}
	x, by := left, y+4
	if beside {
		x, by = width-rowInset-buttons+askGap, max(top, (y+top-3-high)/2)
	} else if len(a.buttons) > 0 {
		y = a.flow(left, by, left+wide, put)
		return y + top
	}
	for _, b := range a.buttons {
		m := b.MinSize()
		put(b, x, by, m.Width, m.Height)
		x += m.Width + askGap
	}
	return max(y-3, top+high) + top
}

// flow puts the buttons into as many rows as they need.
func (a *Ask) flow(left, y, right float32, put func(o fyne.CanvasObject, x, y, w, h float32)) float32 {
	x, high := left, float32(0)
	for _, b := range a.buttons {
		m := b.MinSize()
		if x > left && x+m.Width > right {
			x, y = left, y+high+askGap
		}
		put(b, x, y, min(m.Width, right-left), m.Height)
		x, high = x+m.Width+askGap, m.Height
	}
	return y + high
}

func (a *Ask) refresh() {
	a.back.FillColor, a.edge.FillColor = colorOf(a, theme.ColorCard), colorOf(a, theme.ColorOdd)
	a.rule.FillColor = colorOf(a, theme.ColorLine)
	if a.render == nil {
		return
	}
	a.render.objects = append(a.render.objects[:0:0], a.back, a.edge, a.rule, a.text, a.unanswered)
	for _, b := range a.buttons {
		a.render.objects = append(a.render.objects, b)
	}
	for _, o := range a.render.objects {
		o.Refresh()
	}
}
