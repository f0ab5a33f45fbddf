package widgets

import (
	"image/color"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/theme"
)

// Span is a piece of a line of text in one style. The zero Color and Size are
// those of plain text.
type Span struct {
	Text  string
	Color fyne.ThemeColorName
	Size  fyne.ThemeSizeName
	Bold  bool
}

// Plain makes a span of plain text.
func Plain(s string) Span { return Span{Text: s} }

// Muted makes a span of text that steps back.
func Muted(s string) Span { return Span{Text: s, Color: theme.ColorMuted} }

// Strong makes a bold span.
func Strong(s string) Span { return Span{Text: s, Bold: true} }

// Small makes a span of small text that steps back.
func Small(s string) Span { return Span{Text: s, Color: theme.ColorMuted, Size: theme.SizeSmall} }

// Line is text in one or more styles. It is one line that is cut with an
// ellipsis where it does not fit, or wraps at words when it was made by
// NewParagraph.
type Line struct {
	widget.BaseWidget
	spans    []Span
	wrap     bool
	trailing bool
	rigid    bool // never narrower than its text
	render   *parts
}

// NewLine makes a line that is cut where it does not fit.
func NewLine(spans ...Span) *Line {
	l := &Line{spans: spans}
	l.ExtendBaseWidget(l)
	return l
}

// NewTrailing makes a line that ends at its right edge.
func NewTrailing(spans ...Span) *Line {
	l := NewLine(spans...)
	l.trailing = true
	return l
}

// NewRigid makes a line that asks for the whole width of its text.
func NewRigid(spans ...Span) *Line {
	l := NewLine(spans...)
	l.rigid = true
	return l
}

// NewParagraph makes text that wraps.
func NewParagraph(spans ...Span) *Line {
	l := NewLine(spans...)
	l.wrap = true
	return l
}

// Set changes the text. Nothing is drawn again when it is the same.
func (l *Line) Set(spans ...Span) {
	if slices.Equal(l.spans, spans) {
		return
	}
	l.spans = spans
	l.Refresh()
}

// Text gives what the line says, without its styles.
func (l *Line) Text() string {
	var b strings.Builder
	for _, s := range l.spans {
		b.WriteString(s.Text)
	}
	return b.String()
}

// AccessibilityLabel gives the line's text to screen readers.
func (l *Line) AccessibilityLabel() string { return l.Text() }

// AccessibilityRole says that this is text.
func (l *Line) AccessibilityRole() fyne.AccessibleRole { return fyne.AccessibleRoleText }

// NaturalWidth is the width of the whole text on one line.
func (l *Line) NaturalWidth() float32 {
	w := float32(0)
	for _, s := range l.spans {
		w += l.measure(s, s.Text).Width
	}
	return w
}

// HeightFor is the height of the text at a width.
func (l *Line) HeightFor(width float32) float32 {
	if !l.wrap {
		return l.lineHeight()
	}
	return float32(max(1, len(l.lines(width)))) * l.lineHeight()
}

// CreateRenderer implements fyne.Widget.
func (l *Line) CreateRenderer() fyne.WidgetRenderer {
	l.ExtendBaseWidget(l)
	r := &parts{of: l, layout: l.layout, min: l.min, refresh: func() {}}
	l.render = r
	l.layout(l.Size())
	return r
}

func (l *Line) min() fyne.Size {
	switch {
	case l.wrap:
		return fyne.NewSize(0, l.HeightFor(l.Size().Width))
	case l.rigid:
		return fyne.NewSize(l.NaturalWidth(), l.lineHeight())
	}
	return fyne.NewSize(0, l.lineHeight())
}

// layout puts one text object for every piece of a span on a line.
func (l *Line) layout(size fyne.Size) {
	if l.render == nil {
		return
	}
	var lines [][]Span
	if l.wrap {
		lines = l.lines(size.Width)
	} else {
		lines = [][]Span{l.cut(size.Width)}
	}
	height, n := l.lineHeight(), 0
	top := float32(0)
	if !l.wrap {
		top = max(0, (size.Height-height)/2)
	}
	for i, spans := range lines {
		x := float32(0)
		if l.trailing {
			x = size.Width - l.width(spans)
		}
		baseline := l.baseline(spans)
		for _, s := range spans {
			t := l.text(n)
			n++
			t.Text, t.TextSize = s.Text, l.size(s)
			t.TextStyle, t.Color = fyne.TextStyle{Bold: s.Bold}, l.color(s)
			box, own := fyne.CurrentApp().Driver().RenderedTextSize(s.Text, t.TextSize, t.TextStyle, nil)
			place(t, x, top+float32(i)*height+baseline-own, box.Width, box.Height)
			t.Refresh()
			x += box.Width
		}
	}
	l.render.objects = l.render.objects[:n]
}

// text gives the n-th text object, an earlier one where there is one.
func (l *Line) text(n int) *canvas.Text {
	r := l.render
	if n < cap(r.objects) {
		r.objects = r.objects[:cap(r.objects)]
		if t, ok := r.objects[n].(*canvas.Text); ok && t != nil {
			return t
		}
		r.objects = r.objects[:n]
	}
	t := canvas.NewText("", color.Transparent)
	r.objects = append(r.objects[:n], t)
	return t
}

// cut gives the spans that fit on one line, the last one with an ellipsis if
// there are more.
func (l *Line) cut(width float32) []Span {
	x := float32(0)
	for i, s := range l.spans {
		w := l.measure(s, s.Text).Width
		if x+w <= width+0.5 {
			x += w
			continue
		}
		out := slices.Clone(l.spans[:i])
		if t := l.shorten(s, width-x); t != "" {
			s.Text = t
			out = append(out, s)
		}
		return out
	}
	return l.spans
}

// shorten gives the longest start of a span that fits with an ellipsis, or "".
func (l *Line) shorten(s Span, width float32) string {
	runes := []rune(s.Text)
	low, high := 0, len(runes)
	for low < high {
		mid := (low + high + 1) / 2
		if l.measure(s, strings.TrimRight(string(runes[:mid]), " ")+"…").Width <= width {
			low = mid
		} else {
			high = mid - 1
		}
	}
	if low == 0 {
		return ""
	}
	return strings.TrimRight(string(runes[:low]), " ") + "…"
}

// lines wraps the spans at spaces.
func (l *Line) lines(width float32) [][]Span {
	var out [][]Span
	var line []Span
	x := float32(0)
	for _, s := range l.spans {
		for _, word := range strings.SplitAfter(s.Text, " ") {
			if word == "" {
				continue
			}
			w := l.measure(s, word).Width
			if x > 0 && x+l.measure(s, strings.TrimRight(word, " ")).Width > width {
				out, line, x = append(out, line), nil, 0
			}
			if n := len(line); n > 0 && sameStyle(line[n-1], s) {
				line[n-1].Text += word
			} else {
				part := s
				part.Text = word
				line = append(line, part)
			}
			x += w
		}
	}
	return append(out, line)
}

func sameStyle(a, b Span) bool { return a.Color == b.Color && a.Size == b.Size && a.Bold == b.Bold }

func (l *Line) size(s Span) float32 {
	if s.Size == "" {
		return sizeOf(l, theme.SizeBody)
	}
	return sizeOf(l, s.Size)
}

func (l *Line) measure(s Span, text string) fyne.Size {
	return fyne.MeasureText(text, l.size(s), fyne.TextStyle{Bold: s.Bold})
}

func (l *Line) width(spans []Span) float32 {
	w := float32(0)
	for _, s := range spans {
		w += l.measure(s, s.Text).Width
	}
	return w
}

func (l *Line) lineHeight() float32 {
	h := float32(0)
	for _, s := range l.spans {
		h = max(h, l.measure(s, "A").Height)
	}
	if h == 0 {
		h = l.measure(Span{}, "A").Height
	}
	return h
}

// baseline is how far below the top of a line its letters stand, the same for
// all its sizes.
func (l *Line) baseline(spans []Span) float32 {
	b := float32(0)
	for _, s := range spans {
		_, own := fyne.CurrentApp().Driver().RenderedTextSize("A", l.size(s), fyne.TextStyle{Bold: s.Bold}, nil)
		b = max(b, own)
	}
	return b
}

func (l *Line) color(s Span) color.Color {
	if s.Color == "" {
		return colorOf(l, theme.ColorText)
	}
	return colorOf(l, s.Color)
}
