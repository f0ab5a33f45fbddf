// Package machines is the Machines page: the machines and their render servers,
// and the way to add, change and remove one.
//
// It owns how a machine reads, how what was found at an address is explained,
// and what is asked of a new one. It hands everything on through callbacks and
// must never reach out to a machine by itself.
package machines

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/theme"
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
	OnProbe func(address string, done func(Found))
	// OnTest wants a source of readings read once.
	OnTest func(source string, done func(Tested))
	// OnLocal wants a render server of this computer added that was offered.
	OnLocal func(url string)

	words    text.Language
	machines []scheduler.MachineView
	rows     []*widgets.TallRow

	list   *widgets.Column
	local  *widgets.Notice
	form   *form
	column *widgets.Column
	scroll *widgets.Scroller
}

// What the row of a machine offers.
const (
	doPause  = "pause"
	doEdit   = "edit"
	doRemove = "remove"
)

// New makes an empty page.
func New(words text.Language) *Page {
	p := &Page{words: words, list: widgets.NewColumn(0), local: widgets.NewNotice()}
	p.form = newForm(p)
	p.local.OnAction = func(url string) {
		if p.OnLocal != nil {
			p.OnLocal(url)
		}
	}
	p.local.Hide()
	p.column = widgets.NewColumn(10,
		append([]fyne.CanvasObject{p.local, heading("MACHINES"), p.list, widgets.NewGap(8)}, p.form.objects()...)...)
	p.scroll = widgets.NewScroller(p.column)
	p.ExtendBaseWidget(p)
	return p
}

func heading(s string) *widgets.Line {
	return widgets.NewLine(headingSpan(s))
}

func headingSpan(s string) widgets.Span {
	return widgets.Span{Text: s, Size: theme.SizeSmall, Bold: true, Color: theme.ColorMuted}
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
	changed := len(p.rows) != len(s.Machines)
	p.machines = s.Machines
	for i, m := range s.Machines {
		if i == len(p.rows) {
			p.rows = append(p.rows, widgets.NewTallRow())
		}
		p.rows[i].OnAction = func(key string) { p.act(m, key) }
		p.rows[i].Set(Row(m, p.words))
	}
	p.rows = p.rows[:len(s.Machines)]
	p.form.apply(s.Machines)
	if !changed {
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

func (p *Page) act(m scheduler.MachineView, key string) {
	switch key {
	case doPause:
		if p.OnCommand != nil {
			p.OnCommand(scheduler.PauseMachine{Machine: m.Machine.ID, On: !m.Machine.Paused})
		}
	case doEdit:
		p.form.edit(m)
		p.scroll.Relayout()
	case doRemove:
		if p.OnRemove != nil {
			p.OnRemove(m.Machine)
		}
	}
}

// Row makes the row of a machine.
func Row(m scheduler.MachineView, w text.Language) widgets.TallState {
	t := widgets.TallState{Name: m.Machine.Name, NoPicture: true, Actions: []widgets.Action{
		{Key: doPause, Label: "Pause"}, {Key: doEdit, Label: "Change"},
	}}
	if m.Mine == scheduler.MineNone {
		t.Actions = append(t.Actions, widgets.Action{Key: doRemove, Label: "Remove…"})
	}
	if m.Machine.Paused {
		t.Actions[0].Label = "Resume"
		t.Kind = "paused by you"
	}
	var servers []string
	for _, v := range m.Servers {
		says := v.Server.URL
		if info, ok := v.Info.Get(); ok && info.Version != "" {
			says += ", ComfyUI " + info.Version
		}
		switch {
		case v.Err != nil:
			what, _ := w.Error(v.Err)
			says += ": " + what
		case v.Seen.IsZero():
			says += ", has not answered yet"
		}
		if v.Server.WatchOnly {
			says += " (watched only)"
		}
		servers = append(servers, says)
	}
	t.Text = strings.Join(servers, " · ")
	sources := "no source of GPU readings but its render server"
	if len(m.Machine.Sources) > 0 {
		sources = "GPU readings from " + strings.Join(m.Machine.Sources, ", ")
	}
	for _, e := range m.SourceErr {
		what, _ := w.Error(e.Err)
		sources += ": " + what
	}
	t.Fact = []widgets.Span{widgets.Small(sources)}
	return t
}

// CreateRenderer implements fyne.Widget.
func (p *Page) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(container.New(layout.NewCustomPaddedLayout(14, 8, 16, 16), p.scroll))
}
