package widgets

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"reckoner/app/theme"
)

func TestALineIsCutWhereItDoesNotFit(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(theme.New(theme.Dark, 1))
	l := NewLine(Strong("harbour-night"), Muted(" · waiting for other work on gpu-1 to end"))
	whole := l.NaturalWidth()
	for _, width := range []float32{whole + 1, whole / 2, 60, 8, 0} {
		spans := l.cut(width)
		text, wide := "", float32(0)
		for _, s := range spans {
			text += s.Text
			wide += l.measure(s, s.Text).Width
		}
		if wide > width+1 {
			t.Errorf("at %.0f the line is %.0f wide: %q", width, wide, text)
		}
		if width < whole && text != "" && !strings.HasSuffix(text, "…") {
			t.Errorf("at %.0f the line does not say that it was cut: %q", width, text)
		}
	}
}

func TestAParagraphKeepsItsWordsWhateverTheWidth(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(theme.New(theme.Dark, 1))
	l := NewParagraph(Plain("Usual: "), Strong("4.7 min"), Muted(", from 41 runs with the GPU to itself."))
	for _, width := range []float32{1000, 120, 40, 1} {
		var b strings.Builder
		lines := l.lines(width)
		for _, line := range lines {
			for _, s := range line {
				b.WriteString(s.Text)
			}
		}
		if b.String() != l.Text() {
			t.Errorf("at %.0f the text became %q", width, b.String())
		}
		if want := float32(len(lines)) * l.lineHeight(); l.HeightFor(width) != want {
			t.Errorf("at %.0f the height is %.0f, want %.0f", width, l.HeightFor(width), want)
		}
	}
}

func TestSettingTheSameDrawsNothingAgain(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(theme.New(theme.Dark, 1))
	r := NewLineRow()
	state := LineState{Name: "forest-loop", Text: "next about 21:16", Right: "attic"}
	r.Set(state)
	allocs := testing.AllocsPerRun(100, func() { r.Set(state) })
	if allocs > 0 {
		t.Errorf("setting the same state allocates %.0f times, so it did something", allocs)
	}
}

func TestAHeadingIsNoJob(t *testing.T) {
	test.NewTempApp(t)
	r, tapped := NewLineRow(), 0
	r.OnTapped = func() { tapped++ }
	r.Set(LineState{Heading: "WAITING", Count: "3"})
	r.Tapped(&fyne.PointEvent{})
	r.Set(LineState{Name: "forest-loop"})
	r.Tapped(&fyne.PointEvent{})
	if tapped != 1 {
		t.Errorf("a heading and a job were tapped: %d taps came through, want 1", tapped)
	}
}
