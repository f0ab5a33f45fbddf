// Package history is the History page: the runs that ended, newest first, how long
// they took over time, and what they made.
//
// It owns how past runs read, and which of them are shown. It asks for pages of
// history through a callback and must never wait for them.
package history

import (
	"fmt"
	"image"
	"strconv"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/theme"
	"reckoner/app/widgets"
	"reckoner/assets/text"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

const (
	pageRows = 100
	// searchRows is how many are asked for at once when few of them are shown.
	searchRows = 1000
	// mostSearched is how many rows a search goes through by itself; the button
	// lets it go on.
	mostSearched = 5000
	// enoughShown is how many rows a search stops at.
	enoughShown = 50
	openKey     = "open"
)

// Pictures are small pictures of files, as the Queue page has them.
type Pictures interface {
	Get(of job.Picture, width, height int) (image.Image, *job.Error)
}

// Page is the History page. Its methods and callbacks belong to the goroutine of
// the user interface.
type Page struct {
	widget.BaseWidget
	// OnLoad asks for rows; Loaded brings them.
	OnLoad func(q job.HistoryQuery)
	OnOpen func(file string)
	// OnUsual asks what is known of a job type; LoadedUsual brings it.
	OnUsual   func(typeKey string)
	OnCommand func(scheduler.Command)
	// OnCorrect takes the user's word about a past run; Corrected brings the record
	// as it is since then.
	OnCorrect func(scheduler.Correction)
	// OnExport wants all past runs written that match says are chosen, with the
	// name of the machine of each.
	OnExport func(match func(job.HistoryRow) (machine string, chosen bool))

	words    text.Language
	pictures Pictures
	now      func() time.Time

	snapshot *scheduler.Snapshot
	rows     []job.HistoryRow
	chosen   []int // of rows, by the filter
	filter   Filter
	newest   job.ID // of the ended jobs when the rows were asked for
	loading  bool
	asked    bool // at least once
	whole    bool // nothing older is there
	problem  string
	known    []scheduler.UsualTime // of the chosen kind
	asking   string                // which proposals were shown

	head  *header
	list  *runList
	lines fyne.CanvasObject
	grid  *grid
	chart *widgets.Chart
	hint  *widgets.Line
	usual *widgets.Notice
	// details are of the selected run; hidden without one.
	details  *widgets.Notice
	selected job.ID
	view     *pageLayout
}

// New makes an empty page.
func New(words text.Language, pictures Pictures) *Page {
	p := &Page{
		words: words, pictures: pictures, now: time.Now,
		hint: widgets.NewParagraph(), chart: widgets.NewChart(), usual: widgets.NewNotice(),
		details: widgets.NewNotice(),
	}
	p.details.OnAction = p.correct
	p.details.Hide()
	p.usual.OnAction = p.answered
	p.usual.Hide()
	p.head = newHeader(p)
	p.list = newRunList(p)
	p.lines = widgets.NewFlat(p.list)
	p.grid = newGrid(p)
	p.grid.wrap.Hide()
	p.chart.Hide()
	p.view = newPageLayout(p)
	p.ExtendBaseWidget(p)
	p.say()
	return p
}

// Apply asks for rows when a run ended since they were read.
func (p *Page) Apply(s *scheduler.Snapshot) {
	p.snapshot = s
	newest := job.ID("")
	if len(s.Done) > 0 && s.Done[0].Run != nil {
		newest = s.Done[0].Run.ID
	}
	if !p.loading && (!p.asked || newest != p.newest) {
		p.newest = newest
		p.load(false)
	}
	if asking := waiting(s.Proposals); asking != p.asking {
		p.asking = asking
		p.askUsual()
	}
	p.grid.pictures()
}

// load asks for the newest rows, or for those older than the last one.
func (p *Page) load(older bool) {
	if p.loading || p.OnLoad == nil {
		return
	}
	q := job.HistoryQuery{Limit: pageRows}
	if p.filter.narrows() {
		q.Limit = searchRows
	}
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
	p.problem = problem
	switch {
	case problem != "":
	case q.Before.IsZero():
		p.rows, p.whole = rows, len(rows) < q.Limit
	default:
		p.rows, p.whole = append(p.rows, rows...), len(rows) < q.Limit
	}
	p.head.options()
	p.apply()
	p.searchOn()
}

// searchOn goes on to older rows while few of those that were read are chosen.
func (p *Page) searchOn() {
	if p.problem != "" || !p.filter.narrows() || p.whole || len(p.chosen) >= enoughShown || len(p.rows) >= mostSearched {
		return
	}
	if n := len(p.rows); n > 0 && !p.filter.Since.IsZero() && p.rows[n-1].Run.Ended.Before(p.filter.Since) {
		return // all that is older is left out
	}
	p.load(true)
}

// setFilter shows other rows.
func (p *Page) setFilter(f Filter) {
	if f == p.filter {
		return
	}
	other := f.TypeKey != p.filter.TypeKey
	p.filter = f
	p.apply()
	if other {
		p.askUsual()
	}
	p.list.ScrollToTop()
	p.searchOn()
}

func (p *Page) machine(h job.HistoryRow) string { return machineOf(p.snapshot, h) }

// apply shows the chosen rows.
func (p *Page) apply() {
	p.chosen = p.filter.choose(p.rows, p.machine, p.words)
	p.plot()
	p.say()
	p.sayDetails()
	p.list.Refresh()
	p.grid.apply()
	p.view.Layout(nil, p.Size())
}

// plot shows how long runs took, once one kind on one machine is chosen: other
// durations cannot be compared.
func (p *Page) plot() {
	p.chart.Hide()
	if p.filter.TypeKey == "" {
		return
	}
	rows := make([]job.HistoryRow, 0, len(p.chosen))
	for _, i := range p.chosen {
		if len(rows) > 0 && p.rows[i].Run.GPU != rows[0].Run.GPU {
			return
		}
		rows = append(rows, p.rows[i])
	}
	if c, ok := Plot(rows, p.words); ok {
		p.chart.Set(c)
		p.chart.Show()
	}
}

// say says how many runs are shown, and of how many, or why there are none.
func (p *Page) say() {
	switch n := len(p.chosen); {
	case p.problem != "":
		p.hint.Set(widgets.Span{Text: p.problem, Color: theme.ColorBad})
	case len(p.rows) == 0:
		p.hint.Set(widgets.Muted("No run has ended yet. What a job took is kept here."))
	case !p.filter.narrows() && p.whole:
		p.hint.Set(widgets.Small(fmt.Sprintf("%d runs", n)))
	case !p.filter.narrows():
		p.hint.Set(widgets.Small(fmt.Sprintf("the newest %d runs", n)))
	case p.whole:
		p.hint.Set(widgets.Small(fmt.Sprintf("%d of all %d runs", n, len(p.rows))))
	default:
		p.hint.Set(widgets.Small(fmt.Sprintf("%d of the newest %d runs", n, len(p.rows))))
	}
	if p.chart.Visible() && p.problem == "" {
		p.hint.Set(widgets.Small(p.hint.Text() +
			". A dot had the GPU to itself, a ring shared it (or that is not known: grey). The line is the usual time: " +
			"the middle of the newest runs that had the GPU to themselves, " + strconv.Itoa(usualOf) + " at most."))
	}
	p.head.older(!p.whole && len(p.rows) > 0)
}

func (p *Page) fill(i int, o fyne.CanvasObject) {
	row, ok := o.(*widgets.LineRow)
	if !ok || i >= len(p.chosen) {
		return
	}
	h := p.rows[p.chosen[i]]
	row.OnAction = func(string) { p.open(h) }
	row.OnTapped = func() { p.tap(i) }
	small, _ := p.pictures.Get(job.PictureOfResults(h.Run.Outputs), 52, 44)
	row.SetPicture(small)
	line := Row(h, p.machine(h), p.words)
	line.Selected = h.Run.ID == p.selected
	row.Set(line)
}

// tap chooses a row and gives the list the keyboard.
func (p *Page) tap(i int) {
	p.choose(i)
	if c := fyne.CurrentApp().Driver().CanvasForObject(p.list); c != nil {
		c.Focus(p.list)
	}
}

func (p *Page) open(h job.HistoryRow) {
	if file := result(h); file != "" && p.OnOpen != nil {
		p.OnOpen(file)
	}
}

// export wants the chosen runs written, also those that were not read yet.
func (p *Page) export() {
	if p.OnExport == nil {
		return
	}
	f, snap := p.filter, p.snapshot
	p.OnExport(func(h job.HistoryRow) (string, bool) {
		machine := machineOf(snap, h)
		return machine, f.Match(h, machine, p.words)
	})
}

// Row makes the line of a past run.
func Row(h job.HistoryRow, machine string, w text.Language) widgets.LineState {
	says := []string{when(h.Run.Ended), w.RunOutcome(h.Run.Outcome)}
	if s, ok := h.Run.Seconds.Get(); ok {
		says = append(says, "took "+w.Duration(s))
	}
	if machine != "" {
		says = append(says, "on "+machine)
	}
	says = append(says, w.Type(h.Job.Type))
	for _, more := range []string{w.Label(h.Run.Judged()), w.Start(h.Run.Start)} {
		if more != "" {
			says = append(says, more)
		}
	}
	if h.Run.Aside() {
		says = append(says, "set aside")
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
