// Package machines is the Machines page: the machines and their render servers,
// and the way to add one.
//
// It owns how a machine reads, and what is asked of a new one. It hands both on
// through callbacks and must never reach out to a machine by itself.
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
)

// Wish is a machine that the user wants to add, as it was typed.
type Wish struct {
	Name    string
	Address string // of ComfyUI: a URL, or a host with or without its port
	Source  string // of GPU readings, as `reckoner gpu` names them; may be empty
}

// Page is the Machines page. Its methods and callbacks belong to the goroutine
// of the user interface.
type Page struct {
	widget.BaseWidget
	OnCommand func(scheduler.Command)
	// OnAdd wants a machine added; done is to be called with what was wrong, or
	// "".
	OnAdd func(w Wish, done func(problem string))

	words text.Language
	rows  []*widgets.TallRow

	list                  *widgets.Column
	name, address, source *widget.Entry
	problem               *widgets.Line
	add                   *widgets.Button
	scroll                *widgets.Scroller
}

// New makes an empty page.
func New(words text.Language) *Page {
	p := &Page{
		words: words, list: widgets.NewColumn(0),
		name: widget.NewEntry(), address: widget.NewEntry(), source: widget.NewEntry(),
		problem: widgets.NewParagraph(),
	}
	p.name.SetPlaceHolder("gpu-1")
	p.address.SetPlaceHolder("http://gpu-1:8188")
	p.source.SetPlaceHolder("nvidia-smi, prom:http://gpu-1:9835/metrics, or nothing")
	p.address.OnSubmitted = func(string) { p.submit() }
	p.source.OnSubmitted = func(string) { p.submit() }
	p.add = widgets.NewPrimary("Add this machine", p.submit)
	p.scroll = widgets.NewScroller(widgets.NewColumn(10,
		heading("MACHINES"), p.list, widgets.NewGap(8), heading("ADD A MACHINE"),
		field("Name", p.name), field("Address of ComfyUI", p.address), field("Source of GPU readings", p.source),
		p.problem, container.NewHBox(p.add),
	))
	p.ExtendBaseWidget(p)
	return p
}

func heading(s string) fyne.CanvasObject {
	return widgets.NewLine(widgets.Span{Text: s, Size: theme.SizeSmall, Bold: true, Color: theme.ColorMuted})
}

// field puts a label above an entry that is no wider than what is typed there.
func field(label string, e *widget.Entry) fyne.CanvasObject {
	const wide = 460
	return widgets.NewColumn(2, widgets.NewLine(widgets.Small(label)),
		container.NewHBox(container.NewGridWrap(fyne.NewSize(wide, e.MinSize().Height), e)))
}

func (p *Page) submit() {
	w := Wish{
		Name: strings.TrimSpace(p.name.Text), Address: strings.TrimSpace(p.address.Text),
		Source: strings.TrimSpace(p.source.Text),
	}
	if w.Address == "" {
		p.say("The address of ComfyUI on that machine is missing.")
		return
	}
	if p.OnAdd == nil {
		return
	}
	p.OnAdd(w, func(problem string) {
		p.say(problem)
		if problem == "" {
			p.name.SetText("")
			p.address.SetText("")
			p.source.SetText("")
		}
	})
}

func (p *Page) say(problem string) {
	p.problem.Set(widgets.Span{Text: problem, Color: theme.ColorBad})
	p.scroll.Relayout()
}

// Apply shows a snapshot's machines.
func (p *Page) Apply(s *scheduler.Snapshot) {
	changed := len(p.rows) != len(s.Machines)
	for i, m := range s.Machines {
		if i == len(p.rows) {
			p.rows = append(p.rows, widgets.NewTallRow())
		}
		p.rows[i].OnAction = func(string) {
			if p.OnCommand != nil {
				p.OnCommand(scheduler.PauseMachine{Machine: m.Machine.ID, On: !m.Machine.Paused})
			}
		}
		p.rows[i].Set(Row(m, p.words))
	}
	p.rows = p.rows[:len(s.Machines)]
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

// Row makes the row of a machine.
func Row(m scheduler.MachineView, w text.Language) widgets.TallState {
	t := widgets.TallState{Name: m.Machine.Name, NoPicture: true, Actions: []widgets.Action{{Key: "pause", Label: "Pause"}}}
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
	sources := "no source of GPU readings"
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
