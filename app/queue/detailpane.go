package queue

import (
	"image/color"
	"reflect"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/notes"
	"reckoner/app/theme"
	"reckoner/app/widgets"
	"reckoner/assets/text"
)

// detailPane shows the details of the selected job.
type detailPane struct {
	widget.BaseWidget
	onAction func(key string)
	pictures Pictures
	words    text.Language

	state   DetailState
	filled  bool
	opened  string // what is open in a note: see notes.Box
	back    *canvas.Rectangle
	edge    *canvas.Rectangle
	column  *widgets.Column
	scroll  *widgets.Scroller
	picture *widgets.Thumb
	strip   *widgets.DotStrip
	hint    *widgets.Line
}

const (
	detailWidth = 330
	pictureSide = 298
)

func newDetailPane(p Pictures, words text.Language) *detailPane {
	d := &detailPane{
		pictures: p, words: words,
		back: canvas.NewRectangle(color.Transparent), edge: canvas.NewRectangle(color.Transparent),
		column: widgets.NewColumn(10), picture: widgets.NewThumb(fyne.NewSize(pictureSide, 120)),
		strip: widgets.NewDotStrip(),
		hint:  widgets.NewParagraph(widgets.Muted("Choose a job to see what happened to it.")),
	}
	d.scroll = widgets.NewScroller(d.column)
	d.column.SetObjects(d.hint)
	d.ExtendBaseWidget(d)
	return d
}

// apply shows a job's details. What did not change is not built again.
func (d *detailPane) apply(s *DetailState) {
	if s == nil {
		if d.filled {
			d.filled, d.state = false, DetailState{}
			d.column.SetObjects(d.hint)
			d.scroll.Relayout()
		}
		return
	}
	picture, why := d.pictures.Get(s.Picture, 2*pictureSide, 240)
	d.picture.Set(picture)
	s.Picture.Frame = 0 // another frame is no other state
	if why != nil && !s.Live {
		s.NoPicture = said(d.words, why)
	}
	d.strip.Set(s.Strip)
	old := d.state
	d.state = *s
	old.Strip, s.Strip = widgets.StripState{}, widgets.StripState{}
	if d.filled && reflect.DeepEqual(withoutEvidence(old), withoutEvidence(*s)) {
		return
	}
	d.filled = true
	d.column.SetObjects(d.build(s)...)
	d.scroll.Relayout()
}

// toggle opens something in a note, or closes it again.
func (d *detailPane) toggle(key string) {
	if d.opened == key {
		key = ""
	}
	d.opened = key
	if d.filled {
		d.column.SetObjects(d.build(&d.state)...)
		d.scroll.Relayout()
	}
}

// build makes the objects of the details from top to bottom.
func (d *detailPane) build(s *DetailState) []fyne.CanvasObject {
	head := []fyne.CanvasObject{widgets.NewLine(widgets.Span{Text: s.Name, Size: theme.SizeName, Bold: true})}
	var buttons []fyne.CanvasObject
	for _, a := range s.Actions {
		buttons = append(buttons, widgets.NewButton(a.Label, func() { d.onAction(a.Key) }))
	}
	if len(buttons) == 1 {
		head = []fyne.CanvasObject{container.NewBorder(nil, nil, nil, buttons[0], head[0])}
	} else if len(buttons) > 1 {
		head = append(head, widgets.NewFlow(6, buttons...))
	}
	objects := append(slices.Clip(head), d.picture)
	if s.Live {
		objects = append(objects, widgets.NewParagraph(widgets.Small("What the server shows of its work, not the result")))
	}
	if s.NoPicture != "" {
		objects = append(objects, widgets.NewParagraph(widgets.Small(s.NoPicture)))
	}
	objects = append(objects, widgets.NewParagraph(widgets.Small(s.Kind)))
	if s.HowLong != "" {
		objects = append(objects, widgets.NewHeading(s.HowLong), d.strip)
	}
	if len(s.Usual) > 0 {
		objects = append(objects, widgets.NewParagraph(smaller(s.Usual)...))
	}
	for _, part := range []struct {
		title   string
		moments []Moment
	}{
		{"WHY IT WAITS", s.Waits},
		{"WHERE IT CANNOT RUN", s.NotOn},
		{"WHAT HAPPENED", s.Happened},
		{"HOW WE KNOW IT STOPPED", s.Stopped},
	} {
		if len(part.moments) > 0 {
			objects = append(objects, widgets.NewHeading(part.title), moments(part.moments))
		}
	}
	for _, n := range s.Notes {
		objects = append(objects, widgets.NewHeading(n.Title), notes.Box(n, d.opened, d.onAction))
	}
	if len(s.Batch) > 0 {
		objects = append(objects, widgets.NewHeading("ADDED TOGETHER"))
		lines := widgets.NewColumn(4)
		var all []fyne.CanvasObject
		for _, line := range s.Batch {
			all = append(all, widgets.NewParagraph(widgets.Span{Text: line, Size: theme.SizeSmall}))
		}
		lines.SetObjects(all...)
		objects = append(objects, lines)
	}
	if len(s.Results) > 0 {
		objects = append(objects, widgets.NewHeading("RESULTS"))
		for _, file := range s.Results {
			objects = append(objects, widgets.NewParagraph(widgets.Small(file)))
		}
	}
	return objects
}

func smaller(spans []widgets.Span) []widgets.Span {
	out := make([]widgets.Span, len(spans))
	for i, s := range spans {
		s.Size = theme.SizeSmall
		out[i] = s
	}
	return out
}

// moments lists lines with their times in a column of their own.
func moments(ms []Moment) fyne.CanvasObject {
	rows := make([]fyne.CanvasObject, 0, len(ms))
	for _, m := range ms {
		at := widgets.Span{Text: m.At, Size: theme.SizeSmall, Color: theme.ColorMuted}
		if m.Now {
			at.Color = theme.ColorOdd
		}
		rows = append(rows, widgets.NewTimed(widgets.NewLine(at),
			widgets.NewParagraph(widgets.Span{Text: m.Text, Size: theme.SizeSmall})))
	}
	return widgets.NewColumn(5, rows...)
}

// CreateRenderer implements fyne.Widget.
func (d *detailPane) CreateRenderer() fyne.WidgetRenderer {
	d.Refresh()
	return widget.NewSimpleRenderer(container.New(&detailLayout{d}, d.back, d.edge, d.scroll))
}

// Refresh takes the colours of the theme.
func (d *detailPane) Refresh() {
	v := fyne.CurrentApp().Settings().ThemeVariant()
	d.back.FillColor = d.Theme().Color(theme.ColorPanel, v)
	d.edge.FillColor = d.Theme().Color(theme.ColorLine, v)
	d.back.Refresh()
	d.edge.Refresh()
	d.column.Refresh()
}

type detailLayout struct{ d *detailPane }

func (l *detailLayout) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(detailWidth, 100) }

func (l *detailLayout) Layout(_ []fyne.CanvasObject, s fyne.Size) {
	l.d.back.Resize(s)
	l.d.edge.Resize(fyne.NewSize(1, s.Height))
	l.d.scroll.Move(fyne.NewPos(16, 14))
	l.d.scroll.Resize(fyne.NewSize(max(0, s.Width-32), max(0, s.Height-14)))
}
