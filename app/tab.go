package app

import (
	"fmt"
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/theme"
	"reckoner/app/widgets"
)

// tab names a page; the one that is shown is underlined.
type tab struct {
	widget.BaseWidget
	name     string // of the page
	title    string // the name, with a count where there is one
	onTapped func()
	on       bool
	focused  bool
	line     *widgets.Line
	mark     *canvas.Rectangle
}

var (
	_ fyne.Tappable  = (*tab)(nil)
	_ fyne.Focusable = (*tab)(nil)
)

func newTab(title string, tapped func()) *tab {
	t := &tab{
		name: title, title: title, onTapped: tapped, line: widgets.NewRigid(widgets.Muted(title)),
		mark: canvas.NewRectangle(color.Transparent),
	}
	t.ExtendBaseWidget(t)
	return t
}

// count shows how many things wait on the page, 0 for none. It tells whether that
// changed.
func (t *tab) count(n int) bool {
	title := t.name
	if n > 0 {
		title = fmt.Sprintf("%s (%d)", t.name, n)
	}
	if title == t.title {
		return false
	}
	t.title = title
	t.Refresh()
	return true
}

func (t *tab) set(on bool) {
	t.on = on
	t.Refresh()
}

// Tapped implements fyne.Tappable.
func (t *tab) Tapped(*fyne.PointEvent) { t.onTapped() }

// FocusGained implements fyne.Focusable.
func (t *tab) FocusGained() { t.focused = true; t.Refresh() }

// FocusLost implements fyne.Focusable.
func (t *tab) FocusLost() { t.focused = false; t.Refresh() }

// TypedRune implements fyne.Focusable.
func (t *tab) TypedRune(rune) {}

// TypedKey turns to the page with Space or Return.
func (t *tab) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter:
		t.onTapped()
	default:
		// Other keys are for others.
	}
}

// AccessibilityLabel gives the page's title to screen readers.
func (t *tab) AccessibilityLabel() string { return t.title }

// AccessibilityRole says that this is pressed like a button.
func (t *tab) AccessibilityRole() fyne.AccessibleRole { return fyne.AccessibleRoleButton }

// Refresh shows whether its page is shown.
func (t *tab) Refresh() {
	text, mark := widgets.Muted(t.title), theme.ColorMeasured
	if t.on {
		text = widgets.Plain(t.title)
	}
	if t.focused {
		text, mark = widgets.Plain(t.title), theme.ColorText
	}
	t.line.Set(text)
	t.mark.FillColor = t.Theme().Color(mark, fyne.CurrentApp().Settings().ThemeVariant())
	if t.on || t.focused {
		t.mark.Show()
	} else {
		t.mark.Hide()
	}
	t.mark.Refresh()
}

// CreateRenderer implements fyne.Widget.
func (t *tab) CreateRenderer() fyne.WidgetRenderer {
	t.Refresh()
	return widget.NewSimpleRenderer(container.New(tabLayout{t}, t.line, t.mark))
}

type tabLayout struct{ t *tab }

func (l tabLayout) MinSize([]fyne.CanvasObject) fyne.Size { return l.t.line.MinSize() }

func (l tabLayout) Layout(_ []fyne.CanvasObject, s fyne.Size) {
	put(l.t.line, 0, 0, s.Width, s.Height)
	put(l.t.mark, 0, s.Height-2, s.Width, 2)
}
