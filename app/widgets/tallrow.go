package widgets

import (
	"image"
	"image/color"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/theme"
)

// Action is something a row offers to do.
type Action struct{ Key, Label string }

// TallState is a row of a job that runs, or that needs its user.
type TallState struct {
	Name, Kind string
	NoPicture  bool // the row is of something that has none
	// Bar is shown when HasBar is set; otherwise Text stands in its place.
	HasBar bool
	Bar    BarState
	Text   string
	Fact   []Span // small, below the bar
	// StepsDone of StepsOf are shown beside the fact.
	StepsDone, StepsOf int
	State, Where       string // at the right
	Tone               Tone
	Actions            []Action // at the right, in place of State and Where
	Selected           bool
}

func (a TallState) equal(b TallState) bool {
	return a.Name == b.Name && a.NoPicture == b.NoPicture && a.Kind == b.Kind &&
		a.HasBar == b.HasBar && a.Bar == b.Bar && a.Text == b.Text &&
		a.StepsDone == b.StepsDone && a.StepsOf == b.StepsOf && a.State == b.State && a.Where == b.Where &&
		a.Tone == b.Tone && a.Selected == b.Selected && slices.Equal(a.Fact, b.Fact) && slices.Equal(a.Actions, b.Actions)
}

// TallRow shows a job on three lines.
type TallRow struct {
	widget.BaseWidget
	OnTapped func()
	OnAction func(key string)

	state        TallState
	back, rule   *canvas.Rectangle
	thumb        *Thumb
	title, text  *Line
	bar          *Bar
	fact         *Line
	steps        *Steps
	says, where  *Line
	buttons      []*Button
	render       *parts
	buttonsWidth float32
}

const (
	rowInset  = 14
	rowRight  = 96 // what stands at the right of a tall row
	tallThumb = 52
)

var _ fyne.Tappable = (*TallRow)(nil)

// NewTallRow makes an empty row.
func NewTallRow() *TallRow {
	r := &TallRow{
		back: canvas.NewRectangle(color.Transparent), rule: canvas.NewRectangle(color.Transparent),
		thumb: NewThumb(fyne.NewSize(tallThumb, 40)), title: NewLine(), text: NewLine(), bar: NewBar(),
		fact: NewLine(), steps: NewSteps(), says: NewTrailing(), where: NewTrailing(),
	}
	r.ExtendBaseWidget(r)
	return r
}

// SetPicture shows a picture of the job; nil shows none.
func (r *TallRow) SetPicture(p image.Image) { r.thumb.Set(p) }

// Set changes what the row shows.
func (r *TallRow) Set(s TallState) {
	if s.equal(r.state) {
		return
	}
	r.state = s
	r.title.Set(Span{Text: s.Name, Size: theme.SizeName, Bold: true}, Muted("   "+s.Kind))
	r.text.Set(Plain(s.Text))
	r.bar.Set(s.Bar)
	r.fact.Set(s.Fact...)
	r.steps.Set(s.StepsDone, s.StepsOf)
	r.says.Set(Span{Text: s.State, Color: toneColor(s.Tone)})
	r.where.Set(Small(s.Where))
	r.setButtons(s.Actions)
	r.Refresh()
}

func toneColor(t Tone) fyne.ThemeColorName {
	switch t {
	case Odd:
		return theme.ColorOdd
	case Bad:
		return theme.ColorBad
	case Quiet, Mine:
	}
	return theme.ColorText
}

func (r *TallRow) setButtons(actions []Action) {
	r.buttons, r.buttonsWidth = r.buttons[:0:0], 0
	for _, a := range actions {
		b := NewButton(a.Label, func() {
			if r.OnAction != nil {
				r.OnAction(a.Key)
			}
		})
		r.buttons = append(r.buttons, b)
		r.buttonsWidth += b.MinSize().Width + 6
	}
}

// Tapped implements fyne.Tappable.
func (r *TallRow) Tapped(*fyne.PointEvent) {
	if r.OnTapped != nil {
		r.OnTapped()
	}
}

// CreateRenderer implements fyne.Widget.
func (r *TallRow) CreateRenderer() fyne.WidgetRenderer {
	r.render = &parts{of: r, layout: r.layout, min: r.min, refresh: r.refresh}
	r.refresh()
	return r.render
}

func (r *TallRow) min() fyne.Size {
	h := r.title.MinSize().Height + r.bar.MinSize().Height + r.fact.MinSize().Height + 4 + 22
	return fyne.NewSize(260, h)
}

func (r *TallRow) layout(size fyne.Size) {
	place(r.back, 0, 0, size.Width, size.Height)
	place(r.rule, 0, size.Height-1, size.Width, 1)
	place(r.thumb, rowInset, (size.Height-40)/2, tallThumb, 40)
	left := float32(rowInset + tallThumb + 12)
	if r.state.NoPicture {
		left = rowInset
	}
	right := max(rowRight, r.buttonsWidth, r.says.NaturalWidth(), r.where.NaturalWidth())
	wide := max(0, size.Width-left-rowInset-right-28)
	y, h := float32(8), r.title.MinSize().Height
	place(r.title, left, y, wide, h)
	y += h + 4
	h = r.bar.MinSize().Height
	place(r.bar, left, y, wide, h)
	place(r.text, left, y, wide, h)
	y += h + 3
	h = r.fact.MinSize().Height
	place(r.fact, left, y, wide, h)
	place(r.steps, left+min(r.fact.NaturalWidth()+10, wide), y, r.steps.MinSize().Width, h)
	x := size.Width - rowInset - right
	both := r.says.MinSize().Height + r.where.MinSize().Height
	y = (size.Height - both) / 2
	place(r.says, x, y, right, r.says.MinSize().Height)
	place(r.where, x, y+r.says.MinSize().Height, right, r.where.MinSize().Height)
	x = size.Width - rowInset
	for _, b := range slices.Backward(r.buttons) {
		m := b.MinSize()
		x -= m.Width
		place(b, x, (size.Height-m.Height)/2, m.Width, m.Height)
		x -= 6
	}
}

func (r *TallRow) refresh() {
	r.back.FillColor = colorOf(r, theme.ColorCard)
	if r.state.Selected {
		r.back.FillColor = colorOf(r, theme.ColorSelected)
	}
	r.rule.FillColor = colorOf(r, theme.ColorLine)
	show(r.thumb, !r.state.NoPicture)
	show(r.bar, r.state.HasBar)
	show(r.text, !r.state.HasBar)
	plain := len(r.state.Actions) == 0
	show(r.says, plain)
	show(r.where, plain)
	show(r.steps, r.state.StepsOf > 0)
	if r.render == nil {
		return
	}
	r.render.objects = append(r.render.objects[:0], r.back, r.rule, r.thumb, r.title, r.text, r.bar, r.fact, r.steps,
		r.says, r.where)
	for _, b := range r.buttons {
		r.render.objects = append(r.render.objects, b)
	}
	for _, o := range r.render.objects {
		o.Refresh()
	}
}
