package queue

import (
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/theme"
	"reckoner/app/widgets"
	"reckoner/scheduler"
)

// emptyState stands where jobs would be and says how to get there.
type emptyState struct {
	widget.BaseWidget
	title, text *widgets.Line
	add, setUp  *widgets.Button
	local       *widgets.Button
	url         string // of a ComfyUI on this computer, "" for none
	frame       *canvas.Rectangle
}

func newEmptyState(add, addMachine func(), addLocal func(url string)) *emptyState {
	e := &emptyState{
		title: widgets.NewRigid(), text: widgets.NewParagraph(),
		add: widgets.NewPrimary("Add jobs…", add), setUp: widgets.NewPrimary("Add a machine…", addMachine),
		frame: canvas.NewRectangle(color.Transparent),
	}
	e.local = widgets.NewPrimary("Add this computer", func() { addLocal(e.url) })
	e.local.Hide()
	e.ExtendBaseWidget(e)
	e.Hide()
	return e
}

// apply shows or hides itself and tells whether that changed.
func (e *emptyState) apply(s *scheduler.Snapshot) bool {
	jobs := len(s.Running) + len(s.NeedsYou) + len(s.Questions) + len(s.Waiting) + len(s.Done)
	was := e.Visible()
	if jobs > 0 {
		e.Hide()
		return was
	}
	title, text := "No jobs yet", "Drop ComfyUI workflow files anywhere on this window. In ComfyUI, save them with "+
		"Workflow > Export (API). Several files at once become a batch."
	if len(s.Machines) == 0 {
		title, text = "No machine yet", "Reckoner sends jobs to machines that run ComfyUI. Add one "+
			"by its address, such as http://gpu-1:8188. To look around first, start the demo: reckoner --demo. "+
			"Jobs that you drop here now wait until there is a machine."
	}
	if len(s.Machines) == 0 && e.url != "" {
		title, text = "ComfyUI runs on this computer", "It answers at "+e.url+". Add this computer, and jobs that you drop "+
			"here are sent to it when it is free. Other machines can be added on the Machines page."
	}
	e.title.Set(widgets.Span{Text: title, Size: theme.SizeTitle, Bold: true})
	e.text.Set(widgets.Muted(text))
	show(e.add, len(s.Machines) > 0)
	show(e.setUp, len(s.Machines) == 0 && e.url == "")
	show(e.local, len(s.Machines) == 0 && e.url != "")
	e.Show()
	return !was
}

func show(o fyne.CanvasObject, on bool) {
	if on {
		o.Show()
	} else {
		o.Hide()
	}
}

// CreateRenderer implements fyne.Widget.
func (e *emptyState) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(container.New(emptyLayout{e}, e.frame, e.title, e.text, e.add, e.setUp, e.local))
}

type emptyLayout struct{ e *emptyState }

func (l emptyLayout) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(200, 120) }

func (l emptyLayout) Layout(_ []fyne.CanvasObject, s fyne.Size) {
	e := l.e
	wide := min(s.Width-2*margin, 430)
	title, button := e.title.MinSize(), e.add.MinSize()
	text := e.text.HeightFor(wide)
	y := max(0, (s.Height-title.Height-text-button.Height-28)/2)
	place(e.frame, margin, margin, max(0, s.Width-2*margin), max(0, s.Height-2*margin))
	e.frame.StrokeColor = e.Theme().Color(theme.ColorLine, fyne.CurrentApp().Settings().ThemeVariant())
	e.frame.StrokeWidth, e.frame.CornerRadius = 1, 9
	place(e.title, (s.Width-title.Width)/2, y, title.Width, title.Height)
	y += title.Height + 8
	place(e.text, (s.Width-wide)/2, y, wide, text)
	y += text + 20
	place(e.add, (s.Width-button.Width)/2, y, button.Width, button.Height)
	place(e.local, (s.Width-e.local.MinSize().Width)/2, y, e.local.MinSize().Width, button.Height)
	place(e.setUp, (s.Width-e.setUp.MinSize().Width)/2, y, e.setUp.MinSize().Width, button.Height)
}
