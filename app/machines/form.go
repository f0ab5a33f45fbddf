package machines

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/theme"
	"reckoner/app/widgets"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// form asks for a machine: a new one, another server of one that is there, or one
// to change.
type form struct {
	page *Page

	editing job.ID // the machine that is changed; "" when one is added
	before  string // its address before

	title                 *widgets.Line
	address, name, source *widget.Entry
	key                   *widget.Entry // what opens the server
	pins                  []string      // certificates that were accepted at the address
	belongs               *widget.Select
	ids                   []job.ID // of belongs' options
	watch                 *widget.Check
	others                *othersField
	found, tested         *widgets.Column
	problem               *widgets.Line
	add, cancel, test     *widgets.Button
	newMachine            []fyne.CanvasObject // what is asked of a new machine only
}

const newMachine = "a machine of its own"

func newForm(p *Page) *form {
	f := &form{
		page: p, title: widgets.NewHeading("ADD A MACHINE"),
		address: widget.NewEntry(), name: widget.NewEntry(), source: widget.NewEntry(), key: widget.NewPasswordEntry(),
		found: widgets.NewColumn(2), tested: widgets.NewColumn(2), problem: widgets.NewParagraph(),
	}
	f.address.SetPlaceHolder("http://gpu-1:8188")
	f.key.SetPlaceHolder("user:password, or a token; it goes to the keyring")
	f.key.OnSubmitted = func(string) { f.submit() }
	f.name.SetPlaceHolder("gpu-1")
	f.source.SetPlaceHolder("nvidia-smi, ssh:gpu-1, prom:http://gpu-1:9835/metrics, or nothing")
	f.address.OnChanged = f.typed
	f.address.OnSubmitted = func(string) { f.submit() }
	f.source.OnSubmitted = func(string) { f.try() }
	f.source.OnChanged = func(string) { f.show(f.tested, nil) }
	f.belongs = widget.NewSelect([]string{newMachine}, func(string) { f.arrange() })
	f.others = newOthersField(p.words)
	f.others.Changed = f.relayout
	f.watch = widget.NewCheck("Only watch this server: never send a job to it", nil)
	f.test = widgets.NewButton("Test", f.try)
	f.add = widgets.NewPrimary("Add this machine", f.submit)
	f.cancel = widgets.NewButton("Leave it as it is", f.clear)
	f.cancel.Hide()
	return f
}

func (f *form) objects() []fyne.CanvasObject {
	f.newMachine = []fyne.CanvasObject{
		field("Name", f.name, nil),
		field("Source of GPU readings (empty: what its render server tells)", f.source, f.test), f.tested,
		widgets.NewColumn(2, widgets.NewLine(widgets.Small("While other work is on its GPUs, jobs")), f.others.row),
	}
	objects := []fyne.CanvasObject{
		f.title, field("Address of ComfyUI", f.address, nil), f.found,
		field("What opens it (empty: nothing is asked for there)", f.key, nil), field("Belongs to", f.belongs, nil),
	}
	objects = append(objects, f.newMachine...)
	f.belongs.SetSelectedIndex(0)
	return append(objects, container.NewHBox(f.watch), f.problem, widgets.NewFlow(8, f.add, f.cancel))
}

// field puts a label above an entry that is no wider than what is typed there.
func field(label string, e fyne.CanvasObject, beside fyne.CanvasObject) fyne.CanvasObject {
	row := container.NewHBox(container.New(fieldLayout{}, e))
	if beside != nil {
		row.Add(container.NewCenter(beside))
	}
	return widgets.NewColumn(2, widgets.NewLine(widgets.Small(label)), row)
}

// fieldLayout makes an entry as wide as what is typed there, and as high as its
// text needs.
type fieldLayout struct{}

const fieldWidth = 460

func (fieldLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(fieldWidth, o[0].MinSize().Height)
}

func (fieldLayout) Layout(o []fyne.CanvasObject, s fyne.Size) { o[0].Resize(s) }

// apply offers the machines that a server may belong to.
func (f *form) apply(machines []scheduler.MachineView) {
	options, ids := []string{newMachine}, []job.ID{""}
	for _, m := range machines {
		options, ids = append(options, m.Machine.Name), append(ids, m.Machine.ID)
	}
	if slices.Equal(options, f.belongs.Options) && slices.Equal(ids, f.ids) {
		return
	}
	f.ids = ids
	f.belongs.SetOptions(options)
	if f.belongs.SelectedIndex() < 0 {
		f.belongs.SetSelectedIndex(0)
	}
}

// owner is the machine that the server belongs to, "" for one of its own.
func (f *form) owner() job.ID {
	if i := f.belongs.SelectedIndex(); i > 0 && i < len(f.ids) {
		return f.ids[i]
	}
	return ""
}

// arrange shows what is asked of a new machine, or hides it.
func (f *form) arrange() {
	for _, o := range f.newMachine {
		if f.owner() != "" && f.editing == "" {
			o.Hide()
		} else {
			o.Show()
		}
	}
	f.relayout()
}

func (f *form) relayout() {
	if f.page.scroll != nil {
		f.page.scroll.Relayout()
	}
}

// typed has the address looked at while it is typed.
func (f *form) typed(address string) {
	address = strings.TrimSpace(address)
	f.say("")
	f.pins = nil
	f.probe(address)
}

// probe has an address looked at.
func (f *form) probe(address string) {
	if address == "" || address == f.before || f.page.OnProbe == nil {
		f.show(f.found, nil)
		return
	}
	f.show(f.found, []widgets.NoticeLine{{Text: "Looking at it …"}})
	f.page.OnProbe(address, f.pins, func(found Found) {
		if strings.TrimSpace(f.address.Text) == found.Address {
			f.show(f.found, Explain(found, f.page.machines, f.page.words))
		}
	})
}

// try reads the source once.
func (f *form) try() {
	source := strings.TrimSpace(f.source.Text)
	if source == "" || f.page.OnTest == nil {
		return
	}
	f.show(f.tested, []widgets.NoticeLine{{Text: "Reading " + source + " …"}})
	f.page.OnTest(source, func(t Tested) {
		if strings.TrimSpace(f.source.Text) == t.Source {
			f.show(f.tested, ExplainSource(t, f.page.words))
		}
	})
}

// show puts lines below a field.
func (f *form) show(in *widgets.Column, lines []widgets.NoticeLine) {
	objects := make([]fyne.CanvasObject, 0, len(lines))
	for _, l := range lines {
		span := widgets.Span{Text: l.Text, Size: theme.SizeSmall}
		switch l.Tone {
		case widgets.Quiet:
			span.Color = theme.ColorMuted
		case widgets.Odd:
			span.Color = theme.ColorOdd
		case widgets.Bad:
			span.Color = theme.ColorBad
		case widgets.Mine:
		}
		objects = append(objects, widgets.NewParagraph(span))
		if pin, ok := strings.CutPrefix(l.Action.Key, doAccept); ok {
			objects = append(objects, widgets.NewFlow(0, widgets.NewButton(l.Action.Label, func() { f.accept(pin) })))
		}
	}
	in.SetObjects(objects...)
	f.relayout()
}

// accept takes a certificate for the address that is typed, and looks again.
func (f *form) accept(pin string) {
	f.pins = []string{pin}
	f.probe(strings.TrimSpace(f.address.Text))
}

// edit fills in a machine to change.
func (f *form) edit(m scheduler.MachineView) {
	f.editing, f.before = m.Machine.ID, ""
	for _, v := range m.Servers {
		if f.before == "" || !v.Server.WatchOnly {
			f.before = v.Server.URL
			f.watch.SetChecked(v.Server.WatchOnly)
		}
		if !v.Server.WatchOnly {
			break
		}
	}
	f.title.Set(widgets.Heading("CHANGE " + m.Machine.Name))
	f.add.SetText("Save")
	f.cancel.Show()
	f.belongs.SetSelectedIndex(0)
	f.belongs.Disable()
	f.address.SetText(f.before)
	f.key.SetText("") // what opens it stays as it is, and is never shown
	f.name.SetText(m.Machine.Name)
	f.source.SetText(strings.Join(m.Machine.Sources, ", "))
	f.others.set(m.Machine.Others, m.Machine.OthersFor)
	f.arrange()
}

// clear empties the form for a new machine.
func (f *form) clear() {
	f.editing, f.before = "", ""
	f.title.Set(widgets.Heading("ADD A MACHINE"))
	f.add.SetText("Add this machine")
	f.cancel.Hide()
	f.belongs.Enable()
	f.belongs.SetSelectedIndex(0)
	f.watch.SetChecked(false)
	f.others.set("", 0)
	for _, e := range []*widget.Entry{f.address, f.key, f.name, f.source} {
		e.SetText("")
	}
	f.say("")
	f.arrange()
}

func (f *form) submit() {
	w := Wish{
		Name: strings.TrimSpace(f.name.Text), Address: strings.TrimSpace(f.address.Text),
		Source: strings.TrimSpace(f.source.Text), Machine: f.owner(), WatchOnly: f.watch.Checked,
		Key: strings.TrimSpace(f.key.Text), Pins: f.pins,
	}
	w.Others, w.OthersFor = f.others.get()
	if f.editing != "" {
		w.Machine, w.Change = f.editing, true
	}
	if w.Address == "" {
		f.say("The address of ComfyUI on that machine is missing.")
		return
	}
	if f.page.OnAdd == nil {
		return
	}
	f.page.OnAdd(w, func(problem string) {
		if problem == "" {
			f.clear()
		}
		f.say(problem)
	})
}

func (f *form) say(problem string) {
	f.problem.Set(widgets.Span{Text: problem, Color: theme.ColorBad})
	f.relayout()
}

// FocusAddress gives the keyboard to the field for an address. The toolkit does not
// know the canvas of a page that was never drawn, so it is handed in.
func (p *Page) FocusAddress(on fyne.Canvas) { on.Focus(p.form.address) }
