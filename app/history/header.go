package history

import (
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2/widget"

	"reckoner/app/widgets"
	"reckoner/scheduler/job"
)

// header chooses which runs are shown, and how.
type header struct {
	page *Page
	flow *widgets.Flow

	search                             *widget.Entry
	kind, machine, outcome, day, order *widget.Select
	keys                               []string // of kind's options
	pictures, export, more             *widgets.Button
}

const (
	anyKind, anyMachine, anyOutcome, anyDay = "any kind", "any machine", "any outcome", "any day"
)

// outcomes are the options of outcome, after the first.
func outcomes() []job.RunOutcome {
	return []job.RunOutcome{job.RunSucceeded, job.RunFailed, job.RunInterrupted, job.RunLost}
}

func newHeader(p *Page) *header {
	h := &header{page: p, search: widget.NewEntry()}
	h.search.SetPlaceHolder("Search names, kinds and files")
	h.search.OnChanged = func(string) { h.changed() }
	choice := func(options ...string) *widget.Select {
		s := widget.NewSelect(options, nil)
		s.SetSelectedIndex(0)
		s.OnChanged = func(string) { h.changed() }
		return s
	}
	h.kind, h.machine, h.day = choice(anyKind), choice(anyMachine), choice(anyDay, "today", "last 7 days", "last 30 days")
	h.outcome = choice(anyOutcome)
	for _, o := range outcomes() {
		h.outcome.Options = append(h.outcome.Options, p.words.RunOutcome(o))
	}
	h.order = choice("newest first", "longest first", "by name")
	h.pictures = widgets.NewButton("As pictures", h.turn)
	h.export = widgets.NewButton("Export…", p.export)
	h.more = widgets.NewButton("Show older", func() { p.load(true) })
	h.more.Hide()
	fixed := widgets.NewFixed
	h.flow = widgets.NewFlow(8, fixed(h.search, 230), fixed(h.kind, 230), fixed(h.machine, 135), fixed(h.outcome, 135),
		fixed(h.day, 130), fixed(h.order, 140), h.pictures, h.export, h.more)
	return h
}

// changed takes in what is chosen.
func (h *header) changed() {
	f := Filter{Text: strings.TrimSpace(h.search.Text), Order: Order(max(h.order.SelectedIndex(), 0))}
	if i := h.kind.SelectedIndex(); i > 0 && i <= len(h.keys) {
		f.TypeKey = h.keys[i-1]
	}
	if h.machine.SelectedIndex() > 0 {
		f.Machine = h.machine.Selected
	}
	if i := h.outcome.SelectedIndex(); i > 0 {
		f.Outcome = outcomes()[i-1]
	}
	f.Since = since(h.day.SelectedIndex(), h.page.now())
	h.page.setFilter(f)
}

// since is the begin of a choice of days, in the user's zone.
func since(choice int, now time.Time) time.Time {
	y, m, d := now.Local().Date()
	today := time.Date(y, m, d, 0, 0, 0, 0, time.Local)
	switch choice {
	case 1:
		return today
	case 2:
		return today.AddDate(0, 0, -6)
	case 3:
		return today.AddDate(0, 0, -29)
	}
	return time.Time{}
}

// options offers the kinds and machines of the rows that were read. What is chosen
// stays so.
func (h *header) options() {
	of := kinds(h.page.rows, h.page.words)
	names, keys := []string{anyKind}, []string(nil)
	for _, k := range of {
		names, keys = append(names, k.name), append(keys, k.key)
	}
	chosen := h.page.filter.TypeKey
	if !slices.Equal(keys, h.keys) {
		h.keys = keys
		h.choose(h.kind, names, slices.Index(keys, chosen)+1)
	}
	machines := []string{anyMachine}
	for i := range h.page.rows {
		if m := h.page.machine(h.page.rows[i]); m != "" && !slices.Contains(machines, m) {
			machines = append(machines, m)
		}
	}
	slices.Sort(machines[1:])
	if !slices.Equal(machines, h.machine.Options) {
		h.choose(h.machine, machines, max(slices.Index(machines, h.page.filter.Machine), 0))
	}
}

// choose changes a select's options without telling that something was chosen.
func (h *header) choose(s *widget.Select, options []string, index int) {
	told := s.OnChanged
	s.OnChanged = nil
	s.SetOptions(options)
	s.SetSelectedIndex(index)
	s.OnChanged = told
}

// turn shows the results as pictures, or the runs as lines.
func (h *header) turn() {
	p := h.page
	if p.grid.wrap.Visible() {
		p.grid.wrap.Hide()
		p.lines.Show()
		h.pictures.SetText("As pictures")
	} else {
		p.lines.Hide()
		p.grid.wrap.Show()
		h.pictures.SetText("As a list")
	}
	p.apply()
}

func (h *header) older(on bool) {
	if on == h.more.Visible() {
		return
	}
	if on {
		h.more.Show()
	} else {
		h.more.Hide()
	}
	h.flow.Refresh()
}
