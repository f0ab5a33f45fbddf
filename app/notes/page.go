package notes

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/widgets"
	"reckoner/assets/text"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// What else the page offers of a note.
const (
	reword   = "reword_note" // opens a field for other words
	withdraw = "withdraw_note"
)

// Page is the Notes page. Its methods and callbacks belong to the goroutine of the
// user interface.
type Page struct {
	widget.BaseWidget
	OnCommand func(scheduler.Command)
	// OnWithdraw asks whether a note shall be withdrawn, and does on yes.
	OnWithdraw func(claim string, yes func())
	// NewID makes the id of a note that is written by hand.
	NewID func() job.ID

	words  text.Language
	shown  []section // what the boxes were made of
	opened string    // what is open in a note: see Box; reword with its id for its words
	ids    []job.ID  // of machine's options

	boxes    *widgets.Column
	machine  *widget.Select
	claim    *widget.Entry
	write    *widgets.Button
	byHand   []fyne.CanvasObject
	scroll   *widgets.Scroller
	noMatter *widgets.Line // nothing was noted yet
}

// section is a part of the page.
type section struct {
	Heading string
	Notes   []entry
}

// entry is a note with what only this page shows of it.
type entry struct {
	State
	Open bool
	// Machine has it, and Text is what it asks now.
	Machine, Text string
}

// New makes an empty page.
func New(words text.Language) *Page {
	p := &Page{
		words: words, boxes: widgets.NewColumn(8), machine: widget.NewSelect(nil, nil), claim: widget.NewEntry(),
		noMatter: widgets.NewParagraph(widgets.Muted("No note yet. When a job takes longer than usual while other work is " +
			"on its GPU, a note opens by itself: it asks whether that is why, gathers what was seen, and says which " +
			"test would settle it. You can also write one.")),
	}
	p.claim.SetPlaceHolder("What do you suspect? For example: Does the new driver slow gpu-1?")
	p.claim.OnSubmitted = func(string) { p.writeNote() }
	p.write = widgets.NewButton("Write the note", p.writeNote)
	p.byHand = []fyne.CanvasObject{
		widgets.NewGap(8), widgets.NewHeading("WRITE A NOTE"), container.NewHBox(widgets.NewFixed(p.machine, 180)),
		container.NewHBox(widgets.NewFixed(p.claim, 440)), widgets.NewFlow(0, p.write),
	}
	column := append([]fyne.CanvasObject{p.noMatter, p.boxes}, p.byHand...)
	p.scroll = widgets.NewScroller(widgets.NewColumn(8, column...))
	p.ExtendBaseWidget(p)
	return p
}

// Open counts the notes that ask something now.
func Open(s *scheduler.Snapshot) int {
	n := 0
	for _, of := range s.Notes {
		if of.Open() && !of.Quiet {
			n++
		}
	}
	return n
}

// Apply shows a snapshot's notes.
func (p *Page) Apply(s *scheduler.Snapshot) {
	p.offer(s.Machines)
	sections := p.sections(s)
	if p.shown != nil && reflect.DeepEqual(still(sections), still(p.shown)) {
		return
	}
	p.shown = sections
	p.build()
}

// sections puts the notes by where they stand, the newest first.
func (p *Page) sections(s *scheduler.Snapshot) []section {
	all := []section{
		{Heading: "OPEN"}, {Heading: "OPEN, NOTHING SEEN LATELY"}, {Heading: "SETTLED"}, {Heading: "WITHDRAWN"},
	}
	for _, n := range slices.Backward(s.Notes) {
		at := 0
		switch {
		case n.Open() && n.Quiet:
			at = 1
		case n.Status == job.NoteWithdrawn:
			at = 3
		case !n.Open():
			at = 2
		}
		machine := machineName(s, n.Machine)
		e := entry{State: StateOf(n, machine, p.words), Open: n.Open(), Machine: machine, Text: p.words.NoteClaim(n)}
		e.Title += ", since " + p.words.Clock(n.Opened)
		all[at].Notes = append(all[at].Notes, e)
	}
	return slices.DeleteFunc(all, func(s section) bool { return len(s.Notes) == 0 })
}

// still leaves out what changes with every look: the boxes are not made anew for
// it, so that no button goes away under a finger.
func still(all []section) []section {
	all = slices.Clone(all)
	for i := range all {
		all[i].Notes = slices.Clone(all[i].Notes)
		for j := range all[i].Notes {
			all[i].Notes[j].Evidence = nil
		}
	}
	return all
}

func machineName(s *scheduler.Snapshot, id job.ID) string {
	for _, m := range s.Machines {
		if m.Machine.ID == id {
			return text.Plain(m.Machine.Name)
		}
	}
	return "a machine that was removed"
}

// build makes the boxes.
func (p *Page) build() {
	var objects []fyne.CanvasObject
	for _, s := range p.shown {
		objects = append(objects, widgets.NewHeading(s.Heading))
		for _, n := range s.Notes {
			objects = append(objects, p.box(n))
		}
	}
	p.boxes.SetObjects(objects...)
	if len(objects) == 0 {
		p.noMatter.Show()
	} else {
		p.noMatter.Hide()
	}
	p.scroll.Relayout()
}

func (p *Page) box(n entry) fyne.CanvasObject {
	id := " " + string(n.ID)
	more := []fyne.CanvasObject{
		widgets.NewLine(widgets.Small(n.Title)),
	}
	if n.Open {
		more = append(more, widgets.NewParagraph(widgets.Small(fmt.Sprintf(
			"Decided without it: a job that passes your limit is stopped, and jobs wait here while %s is busy.", n.Machine))))
		button := func(key, label string) fyne.CanvasObject { return widgets.NewButton(label, func() { p.act(key) }) }
		if p.opened == reword+id {
			words := widget.NewEntry()
			words.SetText(n.Text)
			words.OnSubmitted = func(s string) { p.reworded(n.ID, s) }
			more = append(more, container.NewHBox(widgets.NewFixed(words, 440)), widgets.NewFlow(6,
				widgets.NewButton("Keep these words", func() { p.reworded(n.ID, words.Text) }), button(reword+id, "Leave it")))
		} else {
			more = append(more, widgets.NewFlow(6, button(reword+id, "Other words…"), button(withdraw+id, "Withdraw…")))
		}
	}
	return Box(n.State, p.opened, p.act, more...)
}

// act carries out what was asked of a note.
func (p *Page) act(key string) {
	verb, id, _ := strings.Cut(key, " ")
	note := job.ID(id)
	switch verb {
	case Test, ShowEvidence, reword:
		p.toggle(key)
	case BeginTest:
		p.toggle(Test + " " + id)
		p.send(scheduler.StartTest{Note: note})
	case EndTest:
		p.send(scheduler.EndTest{Note: note})
	case withdraw:
		if p.OnWithdraw != nil {
			p.OnWithdraw(p.claimOf(note), func() { p.send(scheduler.WithdrawNote{Note: note}) })
		}
	}
}

func (p *Page) claimOf(id job.ID) string {
	for _, s := range p.shown {
		for _, n := range s.Notes {
			if n.ID == id {
				return n.Text
			}
		}
	}
	return ""
}

func (p *Page) toggle(key string) {
	if p.opened == key {
		key = ""
	}
	p.opened = key
	p.build()
}

func (p *Page) reworded(id job.ID, words string) {
	p.opened = ""
	if words = strings.TrimSpace(words); words != "" && words != p.claimOf(id) {
		p.send(scheduler.RewordNote{Note: id, Text: words})
	}
	p.build()
}

// offer has the machines that a note may be about.
func (p *Page) offer(machines []scheduler.MachineView) {
	names, ids := make([]string, 0, len(machines)), make([]job.ID, 0, len(machines))
	for _, m := range machines {
		names, ids = append(names, text.Plain(m.Machine.Name)), append(ids, m.Machine.ID)
	}
	if slices.Equal(ids, p.ids) && slices.Equal(names, p.machine.Options) {
		return
	}
	p.ids = ids
	p.machine.SetOptions(names)
	if p.machine.SelectedIndex() < 0 && len(names) > 0 {
		p.machine.SetSelectedIndex(0)
	}
	for _, o := range p.byHand {
		if len(names) > 0 {
			o.Show()
		} else {
			o.Hide()
		}
	}
	p.scroll.Relayout()
}

func (p *Page) writeNote() {
	at, words := p.machine.SelectedIndex(), strings.TrimSpace(p.claim.Text)
	if words == "" || at < 0 || at >= len(p.ids) || p.NewID == nil {
		return
	}
	p.send(scheduler.WriteNote{Note: p.NewID(), Machine: p.ids[at], Text: words})
	p.claim.SetText("")
}

func (p *Page) send(c scheduler.Command) {
	if p.OnCommand != nil {
		p.OnCommand(c)
	}
}

// CreateRenderer implements fyne.Widget.
func (p *Page) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(container.New(layout.NewCustomPaddedLayout(14, 8, 16, 16), p.scroll))
}
