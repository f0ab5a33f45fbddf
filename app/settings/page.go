package settings

import (
	"reflect"
	"slices"
	"time"

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

// Page is the Settings page. Its methods and callbacks belong to the goroutine of
// the user interface.
type Page struct {
	widget.BaseWidget
	// OnChange wants other settings than those of the last snapshot.
	OnChange func(job.Settings)
	// OnAutostart wants Reckoner to start with the desktop, or no longer.
	OnAutostart func(on bool)

	words text.Language
	kept  job.Settings
	shown bool // kept was shown at least once
	quiet bool // the fields are being filled in, not changed by somebody

	cut, awake, hush     *widget.Check
	temp                 *widget.Check
	names                *names
	limit                *widget.Select
	unanswered, stopWait *widget.Select
	waits                *widget.Select // on its server
	together             *widget.Select
	from, to             *widget.Select
	times                *widgets.Flow // of from and to
	topics               []*widget.Check
	autostart            *widget.Check
	startup              *widgets.Column
	problem              *widgets.Line
	scroll               *widgets.Scroller
}

// The quiet hours that are offered when somebody switches them on.
const quietFrom, quietTo = 22 * 60, 7 * 60

// New makes a page. It shows nothing true before the first snapshot.
func New(words text.Language) *Page {
	p := &Page{words: words, problem: widgets.NewParagraph()}
	p.cut = p.check("A job cut by its limit on a shared GPU goes back once",
		func(s *job.Settings, on bool) { s.CutForGood = !on })
	p.temp = p.check("Fetch also what servers keep as temporary: previews, mostly",
		func(s *job.Settings, on bool) { s.Temp = on })
	p.names = newNames(func(names string) { p.change(func(s *job.Settings) { s.Names = names }) })
	p.names.entry.OnChanged = func(typed string) { p.names.explain(typed); p.scroll.Relayout() }
	p.awake = p.check("Keep this computer awake while jobs run or wait, on mains",
		func(s *job.Settings, on bool) { s.MaySleep = !on })
	p.hush = p.check("Quiet hours: what happens in them is told together at their end", func(s *job.Settings, on bool) {
		s.Notify.Quiet = job.Quiet{}
		if on {
			s.Notify.Quiet = job.Quiet{From: quietFrom, To: quietTo}
		}
	})
	for _, t := range topics() {
		p.topics = append(p.topics, p.check("Tell me: "+t.label, func(s *job.Settings, on bool) {
			s.Notify.Off = slices.DeleteFunc(slices.Clone(s.Notify.Off), func(o job.Topic) bool { return o == t.value })
			if !on {
				s.Notify.Off = append(s.Notify.Off, t.value)
			}
		}))
	}
	p.limit = widget.NewSelect(nil, nil)
	p.unanswered, p.stopWait = widget.NewSelect(nil, nil), widget.NewSelect(nil, nil)
	p.waits, p.together = widget.NewSelect(nil, nil), widget.NewSelect(nil, nil)
	p.from, p.to = widget.NewSelect(nil, nil), widget.NewSelect(nil, nil)
	p.autostart = widget.NewCheck("Start Reckoner with the desktop", func(on bool) {
		if !p.quiet && p.OnAutostart != nil {
			p.OnAutostart(on)
		}
	})
	p.startup = widgets.NewColumn(4, widgets.NewHeading("THIS COMPUTER"), container.NewHBox(p.awake))
	p.scroll = widgets.NewScroller(widgets.NewColumn(10, p.objects()...))
	p.ExtendBaseWidget(p)
	return p
}

func (p *Page) objects() []fyne.CanvasObject {
	told := []fyne.CanvasObject{widgets.NewHeading("NOTIFICATIONS")}
	for _, c := range p.topics {
		told = append(told, container.NewHBox(c))
	}
	p.times = widgets.NewFlow(8, widgets.NewFixed(p.from, 110), widgets.NewFixed(p.to, 110))
	told = append(told, container.NewHBox(p.hush), p.times)
	return []fyne.CanvasObject{
		widgets.NewColumn(
			4, widgets.NewHeading("JOBS"), container.NewHBox(p.cut),
			field("Time limit of a job that has none of its own", p.limit),
			field("A question that nobody answers takes its default after", p.unanswered),
			field("A job that waits on its server comes back after", p.waits),
			field("Jobs whose models are loaded go before others, which lose by it at most", p.together),
			field("A stop counts as not confirmed after", p.stopWait),
		),
		widgets.NewGap(8), widgets.NewColumn(
			4, widgets.NewHeading("RESULTS"), field("Names, below the folder for results", p.names.entry),
			p.names.caption, container.NewHBox(p.temp),
		),
		widgets.NewGap(8), widgets.NewColumn(4, told...), widgets.NewGap(8), p.startup, p.problem,
	}
}

// check makes a field that is on or off.
func (p *Page) check(label string, set func(*job.Settings, bool)) *widget.Check {
	return widget.NewCheck(label, func(on bool) { p.change(func(s *job.Settings) { set(s, on) }) })
}

// change hands on settings that somebody changed.
func (p *Page) change(f func(*job.Settings)) {
	if p.quiet {
		return
	}
	wanted := p.kept
	f(&wanted)
	p.show(wanted)
	if p.OnChange != nil {
		p.OnChange(wanted)
	}
}

// Apply shows a snapshot's settings.
func (p *Page) Apply(s *scheduler.Snapshot) {
	if !p.shown || !reflect.DeepEqual(s.Settings, p.kept) {
		p.show(s.Settings)
	}
}

// show fills the fields in.
func (p *Page) show(s job.Settings) {
	p.quiet = true
	defer func() { p.quiet = false }()
	p.kept, p.shown = s, true
	p.cut.SetChecked(!s.CutForGood)
	p.awake.SetChecked(!s.MaySleep)
	p.temp.SetChecked(s.Temp)
	p.names.show(s.Names)
	for i, t := range topics() {
		p.topics[i].SetChecked(!slices.Contains(s.Notify.Off, t.value))
	}
	long := func(d time.Duration) string { return p.words.Duration(d.Seconds()) }
	fill(p, p.unanswered, spans(p.words, p.words.Duration(15*60), 5, 30, 60, 120), s.UnansweredAfter, long,
		func(s *job.Settings, d time.Duration) { s.UnansweredAfter = d })
	fill(p, p.limit, limits(p.words), s.Limit, func(l job.Limit) string { return long(l.For) },
		func(s *job.Settings, l job.Limit) { s.Limit = l })
	fill(p, p.waits, waits(p.words), s.WaitOnServer, long, func(s *job.Settings, d time.Duration) { s.WaitOnServer = d })
	fill(p, p.together, togethers(p.words), s.Together, long, func(s *job.Settings, d time.Duration) { s.Together = d })
	fill(p, p.stopWait, spans(p.words, "what past runs say", 1, 2, 5, 10, 30), s.StopWait, long,
		func(s *job.Settings, d time.Duration) { s.StopWait = d })
	q := s.Notify.Quiet
	hush := q.From != q.To
	p.hush.SetChecked(hush)
	fill(p, p.from, hours(), q.From, hour, func(s *job.Settings, m int) { s.Notify.Quiet.From = m })
	fill(p, p.to, hours(), q.To, hour, func(s *job.Settings, m int) { s.Notify.Quiet.To = m })
	if hush {
		p.times.Show()
	} else {
		p.times.Hide()
	}
	p.scroll.Relayout()
}

// fill shows a value among its choices.
func fill[T comparable](
	p *Page, in *widget.Select, all []choice[T], value T, label func(T) string, set func(*job.Settings, T),
) {
	all, at := with(all, value, label)
	in.OnChanged = nil
	in.SetOptions(labels(all))
	in.SetSelectedIndex(at)
	in.OnChanged = func(string) {
		if i := in.SelectedIndex(); i >= 0 {
			p.change(func(s *job.Settings) { set(s, all[i].value) })
		}
	}
}

// ShowAutostart shows whether Reckoner starts with the desktop. It is not offered
// before this is called: not every desktop can do it.
func (p *Page) ShowAutostart(on bool) {
	p.quiet = true
	p.autostart.SetChecked(on)
	p.quiet = false
	p.startup.SetObjects(widgets.NewHeading("THIS COMPUTER"), container.NewHBox(p.awake), container.NewHBox(p.autostart))
	p.scroll.Relayout()
}

// Say shows what went wrong with a change, "" nothing.
func (p *Page) Say(problem string) {
	p.problem.Set(widgets.Span{Text: problem, Color: theme.ColorBad})
	p.scroll.Relayout()
}

// field puts a label above what it names.
func field(label string, o fyne.CanvasObject) fyne.CanvasObject {
	return widgets.NewColumn(2, widgets.NewLine(widgets.Small(label)), container.NewHBox(widgets.NewFixed(o, 240)))
}

// CreateRenderer implements fyne.Widget.
func (p *Page) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(container.New(layout.NewCustomPaddedLayout(14, 8, 16, 16), p.scroll))
}
