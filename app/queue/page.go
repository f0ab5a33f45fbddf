package queue

import (
	"image"
	"image/color"
	"strconv"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/away"
	"reckoner/app/widgets"
	"reckoner/assets/text"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// Pictures are small pictures of results and inputs. Get gives one when it is
// ready, and nil otherwise, with the reason once it is known that there is none;
// whoever implements it has the page applied again when that changed. It never
// waits.
type Pictures interface {
	Get(of job.Picture, width, height int) (image.Image, *job.Error)
}

// Page is the Queue page. Its methods and callbacks belong to the goroutine of
// the user interface.
type Page struct {
	widget.BaseWidget
	OnCommand func(scheduler.Command)
	OnOpen    func(file string) // a file, or a folder
	OnAdd     func()
	OnResults func() // a wish to see the results
	// OnActive is called when somebody does something on the page.
	OnActive func()
	// OnLocal is a wish to add a render server of this computer that was offered.
	OnLocal func(url string)
	// OnAddMachine is a wish to add a machine.
	OnAddMachine func()
	// OnStop asks whether a running job shall be stopped, and stops it on yes.
	OnStop func(name string, yes func())
	// OnCancelAll asks whether n waiting jobs shall be cancelled, and does on yes.
	OnCancelAll func(name string, n int, yes func())
	// OnMenu is a wish for the menu of a job, or of all jobs of a batch.
	OnMenu func(jobs []*scheduler.JobView, at fyne.Position)
	// OnMachineMenu is a wish for a machine's menu.
	OnMachineMenu func(m scheduler.MachineView, at fyne.Position)

	words    text.Language
	pictures Pictures
	snapshot *scheduler.Snapshot
	chosen   job.ID // by the user; "" lets the details follow what runs
	byHand   bool
	keyboard bool            // the list has it
	since    *away.Report    // shown on top; nil when there is none
	open     map[job.ID]bool // batches that show their jobs

	lonely  *widgets.Notice // jobs wait, and there is no machine
	grid    *widgets.Grid
	cards   []*widgets.Card
	machine *widgets.Scroller
	panel   *canvas.Rectangle
	tall    *tallRows
	list    *jobList
	flat    fyne.CanvasObject
	empty   *emptyState
	details *detailPane
	layout  *pageLayout
}

// New makes an empty page.
func New(words text.Language, pictures Pictures) *Page {
	p := &Page{words: words, pictures: pictures, open: map[job.ID]bool{}, grid: widgets.NewGrid(12, 390)}
	p.machine = widgets.NewScroller(widgets.NewColumn(0, p.grid))
	p.panel = canvas.NewRectangle(color.Transparent)
	p.tall = newTallRows(p)
	p.list = newJobList(p.fillLine)
	p.list.onKey, p.list.onFocus = p.key, p.focused
	p.flat = widgets.NewFlat(p.list)
	p.empty = newEmptyState(func() { call(p.OnAdd) }, func() { call(p.OnAddMachine) }, func(url string) {
		if p.OnLocal != nil {
			p.OnLocal(url)
		}
	})
	p.lonely = widgets.NewNotice()
	p.lonely.OnAction = p.helpLonely
	p.lonely.Hide()
	p.details = newDetailPane(pictures, words)
	p.details.onAction = func(key string) { p.act(p.details.state.ID, key) }
	p.layout = &pageLayout{page: p}
	p.ExtendBaseWidget(p)
	return p
}

func call(f func()) {
	if f != nil {
		f()
	}
}

// Offer shows that render servers answer on this computer, as long as there is no
// machine.
func (p *Page) Offer(urls []string) {
	p.empty.url = ""
	if len(urls) > 0 {
		p.empty.url = urls[0]
	}
	if p.snapshot != nil {
		p.Apply(p.snapshot)
		p.empty.Refresh()
	}
}

// Relayout places everything again, after the size of the text changed.
func (p *Page) Relayout() {
	p.tall.again = true
	if p.snapshot != nil {
		p.Apply(p.snapshot)
	}
	p.layout.Layout(nil, p.Size())
	p.machine.Relayout()
	p.tall.scroll.Relayout()
	p.details.scroll.Relayout()
}

// Focusable is what has the keyboard on this page.
func (p *Page) Focusable() fyne.Focusable { return p.list }

// Apply shows a snapshot.
func (p *Page) Apply(s *scheduler.Snapshot) {
	p.snapshot = s
	p.applyCards(s)
	p.tall.apply(s)
	p.list.apply(newLong(s, p.open))
	p.applyDetails()
	taller := p.empty.apply(s)
	if taller || p.layout.stale() {
		p.layout.Layout(nil, p.Size())
	}
}

func (p *Page) applyCards(s *scheduler.Snapshot) {
	taller := p.applyLonely(s) || len(p.cards) != len(s.Machines)
	for i, m := range s.Machines {
		if i == len(p.cards) {
			p.cards = append(p.cards, widgets.NewCard())
			p.cards[i].OnTaller = p.placeCards
		}
		taller = p.cards[i].Set(CardState(s, m, p.words)) || taller
		p.cards[i].OnMenu = func(at fyne.Position) {
			if p.OnMachineMenu != nil {
				p.OnMachineMenu(m, at)
			}
		}
	}
	p.cards = p.cards[:len(s.Machines)]
	if taller {
		p.placeCards()
	}
}

// placeCards gives the cards their room again.
func (p *Page) placeCards() {
	objects := make([]fyne.CanvasObject, 0, len(p.cards)+1)
	for _, c := range p.cards {
		objects = append(objects, c)
	}
	if p.lonely.Visible() {
		objects = append(objects, p.lonely)
	}
	p.grid.SetCards(objects)
	p.layout.Layout(nil, p.Size())
	p.machine.Relayout()
}

// Selected gives the job whose details are shown, nil when there is none.
func (p *Page) Selected() *scheduler.JobView {
	if p.snapshot == nil {
		return nil
	}
	if v := find(p.snapshot, p.chosen); v != nil {
		return v
	}
	if p.byHand && p.chosen == "" || p.chosenBatch() != nil {
		return nil
	}
	return foremost(p.snapshot)
}

// foremost is the job that the details show as long as the user chose none.
func foremost(s *scheduler.Snapshot) *scheduler.JobView {
	for i := range s.Running {
		if stopping(&s.Running[i]) {
			return &s.Running[i]
		}
	}
	for _, views := range [][]scheduler.JobView{s.Running, s.NeedsYou} {
		if len(views) > 0 {
			return &views[0]
		}
	}
	return nil
}

// chosenBatch gives the batch whose details are shown, nil when there is none.
func (p *Page) chosenBatch() *batch { return p.list.rows.batch(p.chosen) }

func (p *Page) selectedID() job.ID {
	if b := p.chosenBatch(); b != nil {
		return b.key
	}
	if v := p.Selected(); v != nil {
		return v.Job.ID
	}
	return ""
}

// Select chooses a job for the details.
func (p *Page) Select(id job.ID) {
	p.chosen, p.byHand = id, true
	p.focus(p.list)
	if p.snapshot != nil {
		p.tall.apply(p.snapshot)
		p.list.apply(newLong(p.snapshot, p.open))
		p.applyDetails()
	}
}

func (p *Page) focus(o fyne.Focusable) {
	if c := fyne.CurrentApp().Driver().CanvasForObject(p); c != nil {
		c.Focus(o)
	}
}

// FocusList gives the keyboard to the jobs.
func (p *Page) FocusList(on fyne.Canvas) { on.Focus(p.list) }

// FocusQuestion gives the keyboard to the first answer of the first question. It
// does nothing when nothing is asked.
func (p *Page) FocusQuestion() {
	if p.snapshot == nil || len(p.snapshot.Questions) == 0 {
		return
	}
	if first := p.tall.asks[0].First(); first != nil {
		p.focus(first)
	}
}

func (p *Page) applyDetails() {
	if b := p.chosenBatch(); b != nil {
		d := b.details(p.words)
		p.details.apply(&d)
		return
	}
	v := p.Selected()
	if v == nil {
		p.details.apply(nil)
		return
	}
	d := Details(p.snapshot, v, p.words)
	p.details.apply(&d)
}

// fillLine brings a row of the long list up to date.
func (p *Page) fillLine(row *widgets.LineRow, i int) {
	e := p.list.rows.at(i)
	if e.batch != nil {
		p.fillBatch(row, e)
		return
	}
	if e.view == nil {
		row.OnTapped, row.OnAction = nil, nil
		row.SetPicture(nil)
		row.Set(widgets.LineState{Heading: e.heading, Count: e.count})
		return
	}
	id := e.view.Job.ID
	row.OnTapped = func() { p.Select(id) }
	row.OnAction = func(key string) { p.act(id, key) }
	state := DoneRow(e.view, p.words)
	if e.waiting {
		state = WaitingRow(p.snapshot, e.view, e.next, p.words)
	}
	state.Selected, state.Inner = id == p.selectedID(), e.inner
	row.SetPicture(thumb(p.pictures, picture(e.view), 52, 44))
	row.Set(state)
}

func (p *Page) fillBatch(row *widgets.LineRow, e entry) {
	key := e.batch.key
	row.OnTapped = func() {
		p.unfold(key, !p.open[key])
		p.Select(key)
	}
	row.OnAction = func(action string) { p.actOnBatch(key, action) }
	row.SetPicture(thumb(p.pictures, e.batch.picture(), 52, 44))
	state := e.batch.row(p.snapshot, e.next, p.words)
	state.Selected = key == p.selectedID()
	row.Set(state)
}

// unfold shows or hides the jobs of a batch.
func (p *Page) unfold(key job.ID, on bool) {
	if on {
		p.open[key] = true
	} else {
		delete(p.open, key)
	}
	if p.snapshot != nil {
		p.list.apply(newLong(p.snapshot, p.open))
	}
}

// focused shows whether the list has the keyboard.
func (p *Page) focused(on bool) {
	p.keyboard = on
	p.colour()
	p.panel.Refresh()
}

func more(n int) string { return "and " + strconv.Itoa(n) + " more" }
