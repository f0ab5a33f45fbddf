// Package history is the History page: the runs that ended, newest first.
//
// It owns how a past run reads. It asks for a page of history through a callback
// and must never wait for it.
package history

import (
	"image/color"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/theme"
	"reckoner/app/widgets"
	"reckoner/assets/text"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

const (
	pageRows = 100
	openKey  = "open"
)

// Page is the History page. Its methods and callbacks belong to the goroutine of
// the user interface.
type Page struct {
	widget.BaseWidget
	// OnLoad asks for rows; Loaded brings them.
	OnLoad func(q job.HistoryQuery)
	OnOpen func(file string)

	words   text.Language
	rows    []job.HistoryRow
	newest  job.ID // of the ended jobs when the rows were asked for
	loading bool
	asked   bool // at least once
	whole   bool // nothing older is there

	back  *canvas.Rectangle
	title *widgets.Line
	hint  *widgets.Line
	list  *widget.List
	older *widgets.Button
}

// New makes an empty page.
func New(words text.Language) *Page {
	p := &Page{
		words: words, back: canvas.NewRectangle(color.Transparent),
		title: widgets.NewLine(widgets.Span{Text: "PAST RUNS", Size: theme.SizeSmall, Bold: true, Color: theme.ColorMuted}),
		hint:  widgets.NewLine(widgets.Muted("No run has ended yet. What a job took is kept here.")),
	}
	p.older = widgets.NewButton("Show older", func() { p.load(true) })
	p.older.Hide()
	p.list = widget.NewList(func() int { return len(p.rows) },
		func() fyne.CanvasObject { return widgets.NewLineRow() }, p.fill)
	p.list.HideSeparators = true
	p.ExtendBaseWidget(p)
	return p
}

// Apply asks for rows when a run ended since they were read.
func (p *Page) Apply(s *scheduler.Snapshot) {
	newest := job.ID("")
	if len(s.Done) > 0 && s.Done[0].Run != nil {
		newest = s.Done[0].Run.ID
	}
	if !p.loading && (!p.asked || newest != p.newest) {
		p.newest = newest
		p.load(false)
	}
}

// load asks for the newest rows, or for those older than the last one.
func (p *Page) load(older bool) {
	if p.loading || p.OnLoad == nil {
		return
	}
	q := job.HistoryQuery{Limit: pageRows}
	if n := len(p.rows); older && n > 0 {
		q.Before, q.BeforeRun = p.rows[n-1].Run.Ended, p.rows[n-1].Run.ID
	}
	p.loading, p.asked = true, true
	p.OnLoad(q)
}

// Loaded brings rows that were asked for. problem is said in their place when it
// is not "".
func (p *Page) Loaded(q job.HistoryQuery, rows []job.HistoryRow, problem string) {
	p.loading = false
	switch {
	case problem != "":
		p.hint.Set(widgets.Span{Text: problem, Color: theme.ColorBad})
	case q.Before.IsZero():
		p.rows, p.whole = rows, len(rows) < pageRows
	default:
		p.rows, p.whole = append(p.rows, rows...), len(rows) < pageRows
	}
	if p.whole {
		p.older.Hide()
	} else {
		p.older.Show()
	}
	if len(p.rows) > 0 && problem == "" {
		p.hint.Hide()
	} else {
		p.hint.Show()
	}
	p.list.Refresh()
}

func (p *Page) fill(i int, o fyne.CanvasObject) {
	row, ok := o.(*widgets.LineRow)
	if !ok || i >= len(p.rows) {
		return
	}
	h := p.rows[i]
	row.OnAction = func(string) {
		if file := result(h); file != "" && p.OnOpen != nil {
			p.OnOpen(file)
		}
	}
	row.Set(Row(h, p.words))
}

// Row makes the line of a past run.
func Row(h job.HistoryRow, w text.Language) widgets.LineState {
	says := []string{when(h.Run.Ended), w.RunOutcome(h.Run.Outcome)}
	if s, ok := h.Run.Seconds.Get(); ok {
		says = append(says, "took "+w.Duration(s))
	}
	says = append(says, w.Type(h.Job.Type))
	for _, more := range []string{w.Label(h.Run.Label), w.Start(h.Run.Start)} {
		if more != "" {
			says = append(says, more)
		}
	}
	l := widgets.LineState{Name: h.Job.Name, Text: strings.Join(says, " · ")}
	if result(h) != "" {
		l.Action = widgets.Action{Key: openKey, Label: "Open"}
	}
	return l
}

// when is a day and a time of day in the user's zone.
func when(t time.Time) string { return t.Local().Format("2 Jan 2006, 15:04") }

func result(h job.HistoryRow) string {
	for _, o := range h.Run.Outputs {
		if !o.Preview {
			return o.File
		}
	}
	return ""
}

// CreateRenderer implements fyne.Widget.
func (p *Page) CreateRenderer() fyne.WidgetRenderer {
	v := fyne.CurrentApp().Settings().ThemeVariant()
	p.back.FillColor, p.back.StrokeColor = p.Theme().Color(theme.ColorPanel, v), p.Theme().Color(theme.ColorLine, v)
	p.back.StrokeWidth, p.back.CornerRadius = 1, 9
	head := container.New(layout.NewCustomPaddedLayout(8, 8, 14, 14), container.NewBorder(nil, nil, nil, p.older, p.title))
	rows := container.New(layout.NewCustomPaddedLayout(0, 8, 1, 1),
		container.NewStack(container.NewCenter(container.NewGridWrap(fyne.NewSize(420, p.hint.MinSize().Height), p.hint)),
			widgets.NewFlat(p.list)))
	return widget.NewSimpleRenderer(container.New(layout.NewCustomPaddedLayout(14, 14, 16, 16),
		container.NewStack(p.back, container.NewBorder(head, nil, nil, nil, rows))))
}
