package widgets

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/theme"
)

// Button is a small button with a fine border, low enough to stand in a row of
// the list. A Primary one is the one thing to do on a page.
type Button struct {
	widget.BaseWidget
	Primary  bool
	OnTapped func()
	// OnEscape, when not nil, is called for the Escape key: the button stands in
	// something that can be closed.
	OnEscape func()

	text             string
	hovered, focused bool
	box              *canvas.Rectangle
	label            *canvas.Text
}

var (
	_ fyne.Tappable     = (*Button)(nil)
	_ fyne.Focusable    = (*Button)(nil)
	_ desktop.Hoverable = (*Button)(nil)
	_ fyne.Accessible   = (*Button)(nil)
)

// NewButton makes a button.
func NewButton(text string, tapped func()) *Button {
	b := &Button{
		text: text, OnTapped: tapped,
		box: canvas.NewRectangle(color.Transparent), label: canvas.NewText(text, color.Transparent),
	}
	b.ExtendBaseWidget(b)
	return b
}

// NewPrimary makes the button of the one thing to do.
func NewPrimary(text string, tapped func()) *Button {
	b := NewButton(text, tapped)
	b.Primary = true
	return b
}

// Text gives the button's words.
func (b *Button) Text() string { return b.text }

// SetText changes the button's words.
func (b *Button) SetText(text string) {
	if text == b.text {
		return
	}
	b.text = text
	b.Refresh()
}

// AccessibilityLabel gives the button's words to screen readers.
func (b *Button) AccessibilityLabel() string { return b.text }

// AccessibilityRole says that this is a button.
func (b *Button) AccessibilityRole() fyne.AccessibleRole { return fyne.AccessibleRoleButton }

// Tapped implements fyne.Tappable.
func (b *Button) Tapped(*fyne.PointEvent) {
	if b.OnTapped != nil {
		b.OnTapped()
	}
}

// FocusGained implements fyne.Focusable.
func (b *Button) FocusGained() { b.focused = true; b.Refresh() }

// FocusLost implements fyne.Focusable.
func (b *Button) FocusLost() { b.focused = false; b.Refresh() }

// TypedRune implements fyne.Focusable.
func (b *Button) TypedRune(rune) {}

// TypedKey presses the button with Space or Return, and leaves what it stands in
// with Escape.
func (b *Button) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter:
		b.Tapped(nil)
	case fyne.KeyEscape:
		if b.OnEscape != nil {
			b.OnEscape()
		}
	default:
		// Other keys are for others.
	}
}

// MouseIn implements desktop.Hoverable.
func (b *Button) MouseIn(*desktop.MouseEvent) { b.hovered = true; b.Refresh() }

// MouseMoved implements desktop.Hoverable.
func (b *Button) MouseMoved(*desktop.MouseEvent) {}

// MouseOut implements desktop.Hoverable.
func (b *Button) MouseOut() { b.hovered = false; b.Refresh() }

// CreateRenderer implements fyne.Widget.
func (b *Button) CreateRenderer() fyne.WidgetRenderer {
	r := &parts{of: b, objects: []fyne.CanvasObject{b.box, b.label}, layout: b.layout, min: b.min, refresh: b.refresh}
	b.refresh()
	return r
}

func (b *Button) min() fyne.Size {
	text := fyne.MeasureText(b.text, sizeOf(b, theme.SizeBody), fyne.TextStyle{Bold: b.Primary})
	return text.Add(fyne.NewSize(24, 10))
}

func (b *Button) layout(size fyne.Size) {
	place(b.box, 0, 0, size.Width, size.Height)
	text := b.label.MinSize()
	place(b.label, (size.Width-text.Width)/2, (size.Height-text.Height)/2, text.Width, text.Height)
}

func (b *Button) refresh() {
	b.label.Text, b.label.TextSize = b.text, sizeOf(b, theme.SizeBody)
	b.label.TextStyle = fyne.TextStyle{Bold: b.Primary}
	b.label.Color, b.box.FillColor, b.box.StrokeColor = colorOf(b, theme.ColorText), colorOf(b, theme.ColorRaised),
		colorOf(b, theme.ColorLine)
	if b.Primary {
		b.label.Color, b.box.FillColor, b.box.StrokeColor = colorOf(b, theme.ColorOnMeasured),
			colorOf(b, theme.ColorMeasured), colorOf(b, theme.ColorMeasured)
	}
	if b.hovered && !b.Primary {
		b.box.StrokeColor = colorOf(b, theme.ColorMuted)
	}
	b.box.StrokeWidth, b.box.CornerRadius = 1, 5
	if b.focused {
		b.box.StrokeColor, b.box.StrokeWidth = colorOf(b, theme.ColorText), 2
	}
	b.box.Refresh()
	b.label.Refresh()
}
