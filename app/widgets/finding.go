package widgets

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/theme"
)

// FindingState is a sentence and what it rests on.
type FindingState struct {
	Says string // "" shows nothing
	// Evidence opens with the button; without any there is no button.
	Evidence []string
}

// Finding shows a sentence, and what it rests on once somebody asks.
type Finding struct {
	widget.BaseWidget
	// OnTaller is called when its height changed by what the user did.
	OnTaller func()

	state  FindingState
	open   bool
	says   *Line
	toggle *Button
	lines  []*Line
	render *parts
}

const findingGap = 8

// NewFinding makes a finding that says nothing yet.
func NewFinding() *Finding {
	f := &Finding{says: NewParagraph()}
	f.toggle = NewButton("Evidence", f.flip)
	f.ExtendBaseWidget(f)
	return f
}

// Set changes what is said and tells whether the height may have changed.
func (f *Finding) Set(s FindingState) (taller bool) {
	if s.Says == f.state.Says && slices.Equal(s.Evidence, f.state.Evidence) {
		return false
	}
	taller = s.Says != f.state.Says || f.open || len(s.Evidence) == 0 != (len(f.state.Evidence) == 0)
	f.state = s
	f.says.Set(Plain(s.Says))
	for len(f.lines) < len(s.Evidence) {
		f.lines = append(f.lines, NewParagraph())
	}
	f.lines = f.lines[:len(s.Evidence)]
	for i, text := range s.Evidence {
		f.lines[i].Set(Span{Text: "· " + text, Size: theme.SizeSmall, Color: theme.ColorMuted})
	}
	f.Refresh()
	return taller
}

// Open tells whether what it rests on is shown.
func (f *Finding) Open() bool { return f.open }

func (f *Finding) flip() {
	f.open = !f.open
	if f.open {
		f.toggle.SetText("Hide")
	} else {
		f.toggle.SetText("Evidence")
	}
	f.Refresh()
	if f.OnTaller != nil {
		f.OnTaller()
	}
}

// HeightFor is its height at a width, 0 when it says nothing.
func (f *Finding) HeightFor(width float32) float32 {
	if f.state.Says == "" {
		return 0
	}
	return f.each(width, func(fyne.CanvasObject, float32, float32, float32, float32) {})
}

// each hands out the place of every part and gives the height of all.
func (f *Finding) each(width float32, put func(o fyne.CanvasObject, x, y, w, h float32)) float32 {
	words, button := width, fyne.Size{}
	if len(f.state.Evidence) > 0 {
		button = f.toggle.MinSize()
		words = max(0, width-button.Width-findingGap)
	}
	y := max(f.says.HeightFor(words), button.Height)
	put(f.says, 0, (y-f.says.HeightFor(words))/2, words, f.says.HeightFor(words))
	put(f.toggle, width-button.Width, 0, button.Width, button.Height)
	if !f.open {
		return y
	}
	y += 3
	for _, l := range f.lines {
		h := l.HeightFor(width)
		put(l, 0, y, width, h)
		y += h
	}
	return y
}

// CreateRenderer implements fyne.Widget.
func (f *Finding) CreateRenderer() fyne.WidgetRenderer {
	f.render = &parts{
		of: f, refresh: f.refresh,
		layout: func(s fyne.Size) { f.each(s.Width, place) },
		min:    func() fyne.Size { return fyne.NewSize(0, f.HeightFor(max(f.Size().Width, 200))) },
	}
	f.refresh()
	return f.render
}

func (f *Finding) refresh() {
	show(f.says, f.state.Says != "")
	show(f.toggle, f.state.Says != "" && len(f.state.Evidence) > 0)
	if f.render == nil {
		return
	}
	objects := []fyne.CanvasObject{f.says, f.toggle}
	if f.open && f.state.Says != "" {
		for _, l := range f.lines {
			objects = append(objects, l)
		}
	}
	f.render.objects = objects
	for _, o := range objects {
		o.Refresh()
	}
}
