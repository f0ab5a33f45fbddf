package history

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/widgets"
)

// runList is the list of runs. It has the keyboard for the page: arrow keys choose
// a run, letters say something of it.
type runList struct {
	widget.List
	onKey  func(fyne.KeyName) bool
	onRune func(rune)
}

func newRunList(p *Page) *runList {
	l := &runList{onKey: p.key, onRune: p.letter}
	l.HideSeparators = true
	l.Length = func() int { return len(p.chosen) }
	l.CreateItem = func() fyne.CanvasObject { return widgets.NewLineRow() }
	l.UpdateItem = p.fill
	l.ExtendBaseWidget(l)
	return l
}

// TypedKey hands keys to the page, and to the list what the page leaves.
func (l *runList) TypedKey(e *fyne.KeyEvent) {
	if !l.onKey(e.Name) {
		l.List.TypedKey(e)
	}
}

// TypedRune hands letters to the page.
func (l *runList) TypedRune(r rune) { l.onRune(r) }

// FocusGained chooses a run, so that it shows that the list has the keyboard.
func (l *runList) FocusGained() { l.onKey(fyne.KeyHome) }

// FocusLost leaves the chosen run as it is.
func (l *runList) FocusLost() {}

// FocusList gives the keyboard to the runs. The toolkit does not know the canvas of
// a page that was never drawn, so it is handed in.
func (p *Page) FocusList(on fyne.Canvas) { on.Focus(p.list) }

// key does what a key asks for; false leaves it to the list.
func (p *Page) key(k fyne.KeyName) bool {
	at := p.at(p.selected)
	switch k {
	case fyne.KeyHome: // and the keyboard coming here
		if at < 0 {
			p.choose(0)
		}
	case fyne.KeyEnd:
		p.choose(len(p.chosen) - 1)
	case fyne.KeyDown:
		p.choose(at + 1)
	case fyne.KeyUp:
		p.choose(max(at-1, 0))
	case fyne.KeyPageDown:
		p.choose(min(at+10, len(p.chosen)-1))
	case fyne.KeyPageUp:
		p.choose(max(at-10, 0))
	case fyne.KeyEscape:
		p.selected = ""
		p.sayDetails()
		p.list.Refresh()
	case fyne.KeyReturn, fyne.KeyEnter:
		if at >= 0 {
			p.open(p.rows[p.chosen[at]])
		}
	default:
		return false
	}
	return true
}

// choose shows the details of the i-th of the chosen rows, where there is one.
func (p *Page) choose(i int) {
	if i < 0 || i >= len(p.chosen) {
		return
	}
	p.selected = p.rows[p.chosen[i]].Run.ID
	p.sayDetails()
	p.list.Refresh()
	p.list.ScrollTo(i)
}
