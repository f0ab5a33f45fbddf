package app

import (
	"image/color"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/queue"
	"reckoner/app/theme"
	"reckoner/app/widgets"
	"reckoner/assets/text"
	"reckoner/scheduler"
)

// shell is the frame of the window: the bar on top with the pages, what will be
// done when, and the buttons; the page; the status bar.
type shell struct {
	widget.BaseWidget
	onResults, onPause, onAdd func()
	onActive                  func() // somebody is there
	onShown                   func() // another page was turned to

	words   text.Language
	name    *widgets.Line
	tabs    []*tab
	summary *widgets.Line
	results *widgets.Button
	pause   *widgets.Button
	add     *widgets.Button
	pages   []page
	shown   int
	offer   string // to take the last act back
	battery bool   // jobs run or wait, and the computer may sleep

	top, low      *canvas.Rectangle
	counts, speed *widgets.Line
	legend        fyne.CanvasObject
}

// page is one page of the window. Apply is called for the page that is shown.
type page struct {
	title   string
	content fyne.CanvasObject
	apply   func(*scheduler.Snapshot)
	// count gives how many things wait there; nil for a page that counts none.
	count func(*scheduler.Snapshot) int
}

const (
	topHeight = 48
	lowHeight = 28
)

func newShell(words text.Language, pages ...page) *shell {
	s := &shell{
		words: words, pages: pages,
		name:    widgets.NewRigid(widgets.Span{Text: "Reckoner", Size: theme.SizeTitle, Bold: true}),
		summary: widgets.NewLine(),
		counts:  widgets.NewLine(), speed: widgets.NewRigid(), legend: newLegend(),
		top: canvas.NewRectangle(color.Transparent), low: canvas.NewRectangle(color.Transparent),
	}
	s.results = widgets.NewButton("Open results", func() { call(s.onResults) })
	s.pause = widgets.NewButton("Pause", func() { call(s.onPause) })
	s.add = widgets.NewPrimary("Add jobs…", func() { call(s.onAdd) })
	for i, p := range pages {
		s.tabs = append(s.tabs, newTab(p.title, func() { s.show(i) }))
		if i > 0 {
			p.content.Hide()
		}
	}
	s.tabs[0].set(true)
	s.ExtendBaseWidget(s)
	return s
}

func call(f func()) {
	if f != nil {
		f()
	}
}

// apply shows a snapshot on the frame and on the page that is shown.
func (s *shell) apply(snap *scheduler.Snapshot) {
	old := s.summary.Text() + s.pause.Text() + s.speed.Text()
	s.summary.Set(queue.Summary(snap, s.words)...)
	pause := "Pause"
	if snap.Paused {
		pause = "Resume"
	}
	s.pause.SetText(pause)
	says := queue.Counts(snap)
	if s.offer != "" {
		says = append([]string{s.offer}, says...)
	}
	if host := queue.Host(snap, s.words); host != "" {
		says = append(says, host)
	}
	if s.battery {
		says = append(says, "On battery: this computer may sleep, and what waits here waits until it wakes")
	}
	s.counts.Set(widgets.Small(strings.Join(says, "      ")))
	s.speed.Set(widgets.Span{Text: queue.Speed(snap), Size: theme.SizeSmall, Bold: true, Color: theme.ColorOdd})
	counted := false
	for i, p := range s.pages {
		if p.count != nil {
			counted = s.tabs[i].count(p.count(snap)) || counted
		}
	}
	s.pages[s.shown].apply(snap)
	if counted || old != s.summary.Text()+s.pause.Text()+s.speed.Text() {
		s.layout(s.Size())
	}
}

// show turns to a page.
func (s *shell) show(i int) {
	s.pages[s.shown].content.Hide()
	s.tabs[s.shown].set(false)
	s.shown = i
	s.tabs[i].set(true)
	s.pages[i].content.Show()
	s.layout(s.Size())
	call(s.onShown)
}

var _ desktop.Hoverable = (*shell)(nil)

// MouseIn implements desktop.Hoverable.
func (s *shell) MouseIn(*desktop.MouseEvent) { call(s.onActive) }

// MouseMoved tells that somebody is there.
func (s *shell) MouseMoved(*desktop.MouseEvent) { call(s.onActive) }

// MouseOut implements desktop.Hoverable.
func (s *shell) MouseOut() {}

// CreateRenderer implements fyne.Widget.
func (s *shell) CreateRenderer() fyne.WidgetRenderer {
	objects := []fyne.CanvasObject{s.top, s.low, s.name, s.summary}
	for _, t := range s.tabs {
		objects = append(objects, t)
	}
	objects = append(objects, s.results, s.pause, s.add)
	for _, p := range s.pages {
		objects = append(objects, p.content)
	}
	objects = append(objects, s.counts, s.speed, s.legend)
	s.colour()
	return widget.NewSimpleRenderer(container.New(shellLayout{s}, objects...))
}

// Refresh takes the colours of the theme.
func (s *shell) Refresh() {
	s.colour()
	s.BaseWidget.Refresh()
}

func (s *shell) colour() {
	line := s.Theme().Color(theme.ColorLine, fyne.CurrentApp().Settings().ThemeVariant())
	s.top.FillColor, s.low.FillColor = line, line
}

type shellLayout struct{ s *shell }

func (l shellLayout) MinSize([]fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(640, 420)
}

func (l shellLayout) Layout(_ []fyne.CanvasObject, size fyne.Size) { l.s.layout(size) }

func (s *shell) layout(size fyne.Size) {
	const edge = 16
	name := s.name.MinSize()
	top := max(topHeight, s.add.MinSize().Height+18)
	x := float32(edge)
	put(s.name, x, 0, name.Width, top)
	x += name.Width + 22
	for _, t := range s.tabs {
		w := t.MinSize().Width
		put(t, x, 0, w, top)
		x += w + 22
	}
	right := size.Width - edge
	for i, b := range []*widgets.Button{s.add, s.pause, s.results} {
		m := b.MinSize()
		right -= m.Width
		put(b, right, (top-m.Height)/2, m.Width, m.Height)
		if i < 2 {
			right -= 22
		}
	}
	// In the middle of the window where there is room, else between the others.
	from, to := x, right-edge
	wide := s.summary.NaturalWidth() + 1
	if wide <= to-from {
		middle := max(from, min((size.Width+edge-wide)/2, to-wide))
		put(s.summary, middle, 0, min(wide, to-middle), top)
	} else {
		// A line of its own: what is not counted must not be cut off.
		h := s.summary.MinSize().Height
		put(s.summary, edge, top, max(0, size.Width-2*edge), h)
		top += h + 8
	}
	put(s.top, 0, top-1, size.Width, 1)

	low := max(lowHeight, s.counts.MinSize().Height+8)
	y := size.Height - low
	put(s.low, 0, y, size.Width, 1)
	legend := s.legend.MinSize()
	speed := s.speed.MinSize()
	put(s.legend, size.Width-edge-legend.Width, y, legend.Width, low)
	put(s.speed, size.Width-edge-legend.Width-24-speed.Width, y, speed.Width, low)
	put(s.counts, edge, y, max(0, size.Width-2*edge-legend.Width-speed.Width-40), low)
	for _, p := range s.pages {
		put(p.content, 0, top, size.Width, max(0, y-top))
	}
}

func put(o fyne.CanvasObject, x, y, w, h float32) {
	o.Move(fyne.NewPos(x, y))
	o.Resize(fyne.NewSize(w, h))
}
