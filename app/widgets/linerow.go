package widgets

import (
	"image"
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/theme"
)

// LineState is a row of a job on one line, or the heading of a section when
// Heading is set.
type LineState struct {
	Heading string // "" for a job
	Count   string // of the section, at the right

	Name, Text string
	Tone       Tone   // of Text
	Right      string // at the right, unless there is an action
	Action     Action
	Selected   bool
	Fold       Fold // of a row that opens
	Inner      bool // the row belongs to the open one above
}

// Fold says whether a row opens, and is open.
type Fold uint8

// The kinds of Fold.
const (
	FoldNone Fold = iota
	FoldClosed
	FoldOpen
)

// LineRow shows a job on one line. All are equally high, headings too, so that
// one list can hold ten thousand of them.
type LineRow struct {
	widget.BaseWidget
	OnTapped func()
	OnAction func(key string)

	state       LineState
	back, rule  *canvas.Rectangle
	thumb       *Thumb
	line, right *Line
	button      *Button
	fold        *canvas.Raster
}

const (
	foldSide   = 9
	innerInset = 24
)

var _ fyne.Tappable = (*LineRow)(nil)

// NewLineRow makes an empty row.
func NewLineRow() *LineRow {
	r := &LineRow{
		back: canvas.NewRectangle(color.Transparent), rule: canvas.NewRectangle(color.Transparent),
		thumb: NewThumb(fyne.NewSize(26, 22)), line: NewLine(), right: NewTrailing(),
	}
	r.button = NewButton("", func() {
		if r.OnAction != nil {
			r.OnAction(r.state.Action.Key)
		}
	})
	r.button.Hide()
	r.fold = canvas.NewRaster(func(w, h int) image.Image {
		return triangle(w, h, r.state.Fold == FoldOpen, colorOf(r, theme.ColorMuted))
	})
	r.fold.Hide()
	r.ExtendBaseWidget(r)
	return r
}

// SetPicture shows a picture of the job; nil shows none.
func (r *LineRow) SetPicture(p image.Image) { r.thumb.Set(p) }

// State gives what the row shows.
func (r *LineRow) State() LineState { return r.state }

// Set changes what the row shows.
func (r *LineRow) Set(s LineState) {
	if s == r.state {
		return
	}
	r.state = s
	if s.Heading != "" {
		r.line.Set(Span{Text: s.Heading, Size: theme.SizeSmall, Bold: true, Color: theme.ColorMuted})
		r.right.Set(Span{Text: s.Count, Size: theme.SizeSmall, Bold: true, Color: theme.ColorMuted})
	} else {
		text := theme.ColorMuted
		if s.Tone == Odd || s.Tone == Bad {
			text = toneColor(s.Tone)
		}
		r.line.Set(Span{Text: s.Name, Size: theme.SizeName, Bold: true}, Span{Text: separated(s.Text), Color: text})
		r.right.Set(Plain(s.Right))
	}
	r.button.SetText(s.Action.Label)
	r.Refresh()
}

func separated(text string) string {
	if text == "" {
		return ""
	}
	return " · " + text
}

// Tapped implements fyne.Tappable.
func (r *LineRow) Tapped(*fyne.PointEvent) {
	if r.OnTapped != nil && r.state.Heading == "" {
		r.OnTapped()
	}
}

// CreateRenderer implements fyne.Widget.
func (r *LineRow) CreateRenderer() fyne.WidgetRenderer {
	p := &parts{
		of: r, objects: []fyne.CanvasObject{r.back, r.rule, r.thumb, r.line, r.right, r.button, r.fold},
		layout: r.layout, refresh: r.refresh,
		min: func() fyne.Size {
			return fyne.NewSize(200, max(r.button.MinSize().Height, r.line.MinSize().Height+6)+10)
		},
	}
	r.refresh()
	return p
}

func (r *LineRow) layout(size fyne.Size) {
	place(r.back, 0, 0, size.Width, size.Height)
	place(r.rule, 0, size.Height-1, size.Width, 1)
	inset := float32(rowInset)
	if r.state.Inner {
		inset += innerInset
	}
	place(r.fold, 3, (size.Height-foldSide)/2, foldSide, foldSide)
	place(r.thumb, inset, (size.Height-22)/2, 26, 22)
	right := r.right.NaturalWidth()
	if r.state.Action.Label != "" {
		m := r.button.MinSize()
		right = m.Width
		place(r.button, size.Width-rowInset-m.Width, (size.Height-m.Height)/2, m.Width, m.Height)
	}
	left := inset
	if r.state.Heading == "" {
		left += 26 + 12
	}
	place(r.right, size.Width-rowInset-right, 0, right, size.Height)
	place(r.line, left, 0, max(0, size.Width-left-rowInset-right-14), size.Height)
}

func (r *LineRow) refresh() {
	heading, action := r.state.Heading != "", r.state.Action.Label != ""
	r.back.FillColor = color.Transparent
	switch {
	case r.state.Selected:
		r.back.FillColor = colorOf(r, theme.ColorSelected)
	case !heading:
		r.back.FillColor = colorOf(r, theme.ColorCard)
	}
	r.rule.FillColor = colorOf(r, theme.ColorLine)
	show(r.thumb, !heading)
	show(r.right, !action)
	show(r.button, action)
	show(r.fold, r.state.Fold != FoldNone)
	for _, o := range []fyne.CanvasObject{r.back, r.rule, r.thumb, r.line, r.right, r.button, r.fold} {
		o.Refresh()
	}
}
