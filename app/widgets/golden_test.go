package widgets_test

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"

	"reckoner/app/goldentest"
	"reckoner/app/theme"
	"reckoner/app/widgets"
)

// compare takes the picture of an object on the window's ground.
func compare(t *testing.T, name string, o fyne.CanvasObject, w, h float32) {
	t.Helper()
	a := fyne.CurrentApp()
	ground := canvas.NewRectangle(a.Settings().Theme().Color(theme.ColorCard, a.Settings().ThemeVariant()))
	win := test.NewTempWindow(t, container.NewStack(ground, container.NewPadded(o)))
	win.SetPadded(false)
	win.Resize(fyne.NewSize(w, h))
	goldentest.Compare(t, name, win.Canvas().Capture())
}

func useTheme(t *testing.T) {
	t.Helper()
	test.NewTempApp(t).Settings().SetTheme(theme.New(theme.Dark, 1))
}

func TestBarsShowWhatIsKnown(t *testing.T) {
	useTheme(t)
	column := widgets.NewColumn(6)
	var bars []fyne.CanvasObject
	for _, s := range []widgets.BarState{
		{Kind: widgets.BarEstimate, Fraction: 0.39, UsualFrom: 0.88, Caption: "Estimate: about 1 min 50 s left (18 past runs)"},
		{Kind: widgets.BarEstimate, Fraction: 0.02, UsualFrom: 0.6, Caption: "Estimate: 2 past runs took 4 to 6 min"},
		{Kind: widgets.BarEstimate, Fraction: 1, UsualFrom: 0.88, Caption: "Estimate: longer than half of 18 past runs"},
		{Kind: widgets.BarOver, Caption: "29 min 50 s: longer than all 41 past runs, so no estimate of what is left"},
		{Kind: widgets.BarEmpty, Caption: "First of its kind, so no estimate yet: 12 s so far"},
		{Kind: widgets.BarEstimate, Fraction: 0.5, Caption: "A caption that is much too long for its bar has to be cut " +
			"somewhere, and the cut has to show"},
	} {
		b := widgets.NewBar()
		b.Set(s)
		bars = append(bars, b)
	}
	column.SetObjects(bars...)
	compare(t, "bars", column, 520, 190)
}

func TestGaugesTellOddOldAndUnknownApart(t *testing.T) {
	useTheme(t)
	down := []widgets.Point{{X: 0, Y: 0.6}, {X: 0.2, Y: 0.62}, {X: 0.35, Y: 0.25}, {X: 1, Y: 0.24}}
	gap := []widgets.Point{{X: 0, Y: 0.1}, {X: 0.3, Y: 0.2}, {X: 0.5, Y: -1}, {X: 0.6, Y: 0.9}, {X: 1, Y: 0.8}}
	row := container.NewGridWithColumns(4)
	for _, s := range []widgets.GaugeState{
		{Title: "Utilisation", Figure: "100", Unit: "%", Fraction: 1, Recent: gap},
		{Title: "Power against limit", Figure: "43", Unit: "of 180 W", Fraction: 0.24, Recent: down, Odd: true},
		{Title: "Memory", Figure: "15.2", Unit: "of 15.9 GiB", Fraction: 0.95, Old: true},
		{Title: "Power against limit", Unit: "not known", Fraction: -1},
	} {
		g := widgets.NewGauge()
		g.Set(s)
		row.Add(g)
	}
	compare(t, "gauges", row, 640, 110)
}

func TestTallRows(t *testing.T) {
	useTheme(t)
	running, needs := widgets.NewTallRow(), widgets.NewTallRow()
	running.Set(widgets.TallState{
		Name: "beach-walk", Kind: "Image to video · 640 × 640 · 161 frames · 20 steps", HasBar: true,
		Bar:  widgets.BarState{Kind: widgets.BarEstimate, Fraction: 0.39, UsualFrom: 0.88, Caption: "Estimate: about 2 min left"},
		Fact: []widgets.Span{widgets.Small("Server reports step 9 of 20")}, StepsDone: 9, StepsOf: 20,
		State: "Running", Where: "on attic", Selected: true,
	})
	needs.Set(widgets.TallState{
		Name: "old-town", Kind: "Text to image", Text: "The server lacks the node class LoadVideo.",
		Fact:    []widgets.Span{widgets.Small("Install it there, then run the job again.")},
		Actions: []widgets.Action{{Key: "again", Label: "Run again"}, {Key: "dismiss", Label: "Dismiss"}},
	})
	compare(t, "tall_rows", widgets.NewColumn(0, running, needs), 820, 180)
}

func TestAStripOfPastRuns(t *testing.T) {
	useTheme(t)
	d := widgets.NewDotStrip()
	s := widgets.StripState{Low: 268, Mid: 282, High: 300, Now: 1790, Marks: []widgets.Mark{
		{Seconds: 282, Text: "usual 4.7 min", Color: theme.ColorMeasured},
		{Seconds: 1790, Text: "now", Color: theme.ColorText},
		{Seconds: 300, Text: "gives way", Color: theme.ColorShared},
	}}
	for i := range 9 {
		s.Dots = append(s.Dots, widgets.Dot{Seconds: 270 + 3*float64(i)})
	}
	s.Dots = append(s.Dots, widgets.Dot{Seconds: 864, Kind: widgets.DotShared}, widgets.Dot{Seconds: 320, Kind: widgets.DotUnknown})
	d.Set(s)
	compare(t, "dot_strip", d, 310, 90)
}

func TestACardWithoutReadingsSaysWhy(t *testing.T) {
	useTheme(t)
	c := widgets.NewCard()
	c.Set(widgets.CardState{
		Name: "studio", Badge: "Does not answer", Tone: widgets.Bad,
		Missing: "nvidia-smi was not found on this computer. Install the driver's tools.",
		Other:   "No connection to http://studio:8188.",
	})
	compare(t, "card_missing", c, 460, 150)
}

// A card says what its readings add up to, marks where the power rests, and shows
// what the sentence rests on once it is asked.
func TestACardSaysWhatItsReadingsShow(t *testing.T) {
	for name, variant := range map[string]theme.Variant{"dark": theme.Dark, "light": theme.Light} {
		t.Run(name, func(t *testing.T) {
			test.NewTempApp(t).Settings().SetTheme(theme.New(variant, 1))
			closed, open := foundCard(), foundCard()
			find(t, open).Tapped(nil)
			compare(t, "card_finding_"+name, widgets.NewColumn(12, closed, open), 460, 510)
		})
	}
}

func foundCard() *widgets.Card {
	c := widgets.NewCard()
	gauge := func(title, figure, unit string, fraction float64) widgets.GaugeState {
		return widgets.GaugeState{
			Title: title, Figure: figure, Unit: unit, Fraction: fraction,
			Recent: []widgets.Point{{X: 0, Y: fraction}, {X: 1, Y: fraction}},
		}
	}
	power := gauge("Power against limit", "43", "of 180 W", 43.0/180)
	power.Odd, power.Mark = true, 11.0/180
	c.Set(widgets.CardState{
		Name: "gpu-1", Model: "RTX 5060 Ti", Badge: "Running your job", Tone: widgets.Mine,
		GPUs: []widgets.GPUState{{
			Gauges: [3]widgets.GaugeState{
				gauge("Utilisation", "100", "%", 1), power, gauge("Memory", "15.2", "of 15.9 GiB", .956),
			},
			Source: "Measured 1 s ago, nvidia-smi over ssh · last 10 min",
			Finding: widgets.FindingState{Says: "Its memory is probably swapped over the bus.", Evidence: []string{
				"100 % busy at 43 of 180 W.", "15.2 of 15.9 GiB of its memory in use.", "At rest it draws about 11 W, as learned here.",
			}},
		}},
		Other: "Only your jobs.",
	})
	return c
}

// find gives the card's button for what a sentence rests on.
func find(t *testing.T, c *widgets.Card) *widgets.Button {
	t.Helper()
	for _, o := range test.WidgetRenderer(c).Objects() {
		if f, ok := o.(*widgets.Finding); ok {
			for _, part := range test.WidgetRenderer(f).Objects() {
				if b, ok := part.(*widgets.Button); ok {
					return b
				}
			}
		}
	}
	t.Fatal("the card has no button for its evidence")
	return nil
}
