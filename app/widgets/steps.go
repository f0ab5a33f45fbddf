package widgets

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/theme"
)

// Steps shows how many steps a server reported, as solid ticks: facts, apart
// from the striped estimate.
type Steps struct {
	widget.BaseWidget
	done, of int
	ticks    []fyne.CanvasObject
	render   *parts
}

// mostTicks is how many ticks are told apart; more steps share one.
const mostTicks = 20

// NewSteps makes ticks for no steps.
func NewSteps() *Steps {
	s := &Steps{}
	s.ExtendBaseWidget(s)
	return s
}

// Set says how many steps are done.
func (s *Steps) Set(done, of int) {
	if of > mostTicks {
		done, of = done*mostTicks/of, mostTicks
	}
	if s.done == done && s.of == of {
		return
	}
	s.done, s.of = done, of
	s.Refresh()
}

// CreateRenderer implements fyne.Widget.
func (s *Steps) CreateRenderer() fyne.WidgetRenderer {
	s.render = &parts{
		of: s, layout: s.layout, refresh: s.refresh,
		min: func() fyne.Size { return fyne.NewSize(float32(s.of)*5, 6) },
	}
	s.refresh()
	return s.render
}

func (s *Steps) layout(size fyne.Size) {
	for i, t := range s.ticks {
		place(t, float32(i)*5, (size.Height-6)/2, 3, 6)
	}
}

func (s *Steps) refresh() {
	for len(s.ticks) < s.of {
		s.ticks = append(s.ticks, canvas.NewRectangle(color.Transparent))
	}
	s.ticks = s.ticks[:s.of]
	for i, o := range s.ticks {
		if t, ok := o.(*canvas.Rectangle); ok {
			t.FillColor, t.CornerRadius = colorOf(s, theme.ColorUsual), 1
			if i < s.done {
				t.FillColor = colorOf(s, theme.ColorMeasured)
			}
			t.Refresh()
		}
	}
	if s.render != nil {
		s.render.objects = s.ticks
	}
}
