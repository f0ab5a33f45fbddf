// Package machines is the Machines page: the machines and their render servers,
// and the way to add, change and remove one.
//
// It owns how a machine reads, how what was found at an address is explained,
// and what is asked of a new one. It hands everything on through callbacks and
// must never reach out to a machine by itself.
package machines

import (
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/widgets"
	"reckoner/assets/text"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// Wish is a machine that the user wants to add or change, as it was typed.
type Wish struct {
	Name    string
	Address string // of ComfyUI: a URL, or a host with or without its port
	Source  string // of GPU readings, as `reckoner gpu` names them; may be empty
	// Machine is the one that gets another server, or with Change is changed; ""
	// adds one.
	Machine job.ID
	Change  bool
	// WatchOnly servers are looked at and never sent to.
	WatchOnly bool
	// Others and OthersFor are the machine's of these names.
	Others    job.OthersPolicy
	OthersFor time.Duration
	// Key opens the server, where it asks for something: a token, or
	// user:password. It may also stand in the address.
	Key string
	// Pins are the certificates that the user accepted at this address.
	Pins []string
}

// Page is the Machines page. Its methods and callbacks belong to the goroutine
// of the user interface.
type Page struct {
	widget.BaseWidget
	OnCommand func(scheduler.Command)
	// OnAdd wants a machine added or changed; done is to be called with what was
	// wrong, or "".
	OnAdd func(w Wish, done func(problem string))
	// OnRemove wants a machine removed, after asking.
	OnRemove func(m job.Machine)
	// OnProbe wants to know what is at an address. It may be called with every
	// letter that is typed; answers to older ones are ignored.
	// pins are certificates that the user accepted for that address.
	OnProbe func(address string, pins []string, done func(Found))
	// OnCheck wants a tiny job run on a server.
	OnCheck func(server job.ID, done func(Checked))
	// OnTrust wants a server's certificate accepted, OnKnown the key of the computer
	// of a server or source behind ssh; both after asking.
	OnTrust func(server job.Server, fingerprint string)
	OnKnown func(address, fingerprint string)
	// OnTest wants a source of readings read once.
	OnTest func(source string, done func(Tested))
	// OnLook wants a machine's hosts asked for other render servers.
	OnLook func(machine job.ID, done func(Looked))
	// OnLocal wants a render server of this computer added that was offered.
	OnLocal func(url string)

	words    text.Language
	machines []scheduler.MachineView
	rows     []*widgets.Notice
	checks   map[job.ID]Checked // by server
	looks    map[job.ID]Looked  // by machine

	list   *widgets.Column
	local  *widgets.Notice
	form   *form
	column *widgets.Column
	scroll *widgets.Scroller
}

// New makes an empty page.
func New(words text.Language) *Page {
	p := &Page{
		words: words, list: widgets.NewColumn(0), local: widgets.NewNotice(), checks: map[job.ID]Checked{},
		looks: map[job.ID]Looked{},
	}
	p.form = newForm(p)
	p.local.OnAction = func(url string) {
		if p.OnLocal != nil {
			p.OnLocal(url)
		}
	}
	p.local.Hide()
	p.column = widgets.NewColumn(10,
		append([]fyne.CanvasObject{
			p.local, widgets.NewHeading("MACHINES"), p.list, widgets.NewGap(8),
		}, p.form.objects()...)...)
	p.scroll = widgets.NewScroller(p.column)
	p.ExtendBaseWidget(p)
	return p
}

// Offer shows render servers that were found on this computer, until they are
// among the machines.
func (p *Page) Offer(urls []string) {
	n := widgets.NoticeState{Title: "ComfyUI runs on this computer"}
	for _, u := range urls {
		n.Lines = append(n.Lines, widgets.NoticeLine{
			Tone: widgets.Mine, Text: u, Action: widgets.Action{Key: u, Label: "Add this computer"},
		})
	}
	p.local.Set(n)
	if len(urls) == 0 {
		p.local.Hide()
	} else {
		p.local.Show()
	}
	p.scroll.Relayout()
}

// Apply shows a snapshot's machines.
func (p *Page) Apply(s *scheduler.Snapshot) {
	p.machines = s.Machines
	p.form.apply(s.Machines)
	p.fill()
}

// fill makes the rows of the machines.
func (p *Page) fill() {
	before, high := len(p.rows), p.list.HeightFor(p.list.Size().Width)
	for i, m := range p.machines {
		if i == len(p.rows) {
			p.rows = append(p.rows, widgets.NewNotice())
		}
		p.rows[i].OnAction = func(key string) { p.act(m, key) }
		p.rows[i].Set(p.row(i))
	}
	p.rows = p.rows[:len(p.machines)]
	if before == len(p.rows) && before > 0 {
		if p.list.HeightFor(p.list.Size().Width) != high {
			p.list.Refresh()
			p.scroll.Relayout()
		}
		return
	}
	objects := make([]fyne.CanvasObject, 0, len(p.rows)+1)
	for _, r := range p.rows {
		objects = append(objects, r)
	}
	if len(objects) == 0 {
		objects = append(objects, widgets.NewParagraph(widgets.Muted("No machine yet.")))
	}
	p.list.SetObjects(objects...)
	p.scroll.Relayout()
}

// row is what the row of a machine shows.
func (p *Page) row(i int) widgets.NoticeState {
	m := p.machines[i]
	return Row(m, p.checks, p.looks[m.Machine.ID], p.words)
}

func (p *Page) act(m scheduler.MachineView, key string) {
	switch what, about, _ := strings.Cut(key, ":"); what + ":" {
	case doCheck:
		p.check(job.ID(about))
	case doTrust:
		p.trust(m, job.ID(about))
	case doKnow:
		p.know(m, about)
	case doWatch:
		p.watch(m, about)
	}
	switch key {
	case doPause:
		if p.OnCommand != nil {
			p.OnCommand(scheduler.PauseMachine{Machine: m.Machine.ID, On: !m.Machine.Paused})
		}
	case doLook:
		p.look(m.Machine.ID)
	case doEdit:
		p.form.edit(m)
		p.scroll.Relayout()
	case doRemove:
		if p.OnRemove != nil {
			p.OnRemove(m.Machine)
		}
	}
}

// check has a server checked, one check at a time.
func (p *Page) check(server job.ID) {
	if p.OnCheck == nil || p.checks[server].Running {
		return
	}
	p.checked(server, Checked{Running: true})
	p.OnCheck(server, func(c Checked) { p.checked(server, c) })
}

func (p *Page) checked(server job.ID, c Checked) {
	p.checks[server] = c
	p.fill()
}

// trust hands on which certificate of a server is to be accepted: the one that is
// shown.
func (p *Page) trust(m scheduler.MachineView, server job.ID) {
	for _, v := range m.Servers {
		if v.Server.ID == server && v.Err != nil && v.Err.Args.Fingerprint != "" && p.OnTrust != nil {
			p.OnTrust(v.Server, v.Err.Args.Fingerprint)
		}
	}
}

// know hands on which key of a computer is to be accepted: the one that is shown.
func (p *Page) know(m scheduler.MachineView, address string) {
	var shown *job.Error
	for _, v := range m.Servers {
		if v.Server.URL == address {
			shown = v.Err
		}
	}
	for _, e := range m.SourceErr {
		if shown == nil && e.Source == address {
			shown = e.Err
		}
	}
	if shown != nil && shown.Args.Fingerprint != "" && p.OnKnown != nil {
		p.OnKnown(address, shown.Args.Fingerprint)
	}
}

// CreateRenderer implements fyne.Widget.
func (p *Page) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(container.New(layout.NewCustomPaddedLayout(14, 8, 16, 16), p.scroll))
}
