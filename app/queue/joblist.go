package queue

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"reckoner/app/widgets"
)

// jobList is the long list. It keeps the keyboard for the whole page: arrow keys
// go through all sections, not only through its own rows.
type jobList struct {
	widget.List
	onKey   func(fyne.KeyName) bool
	onFocus func(bool)

	rows  long
	shown map[*widgets.LineRow]int // the rows on screen, and what they show
	fill  func(*widgets.LineRow, int)
}

func newJobList(fill func(*widgets.LineRow, int)) *jobList {
	l := &jobList{shown: map[*widgets.LineRow]int{}, fill: fill}
	l.HideSeparators = true
	l.Length = func() int { return l.rows.length() }
	l.CreateItem = func() fyne.CanvasObject { return widgets.NewLineRow() }
	l.UpdateItem = func(i int, o fyne.CanvasObject) {
		if row, ok := o.(*widgets.LineRow); ok {
			l.shown[row] = i
			l.fill(row, i)
		}
	}
	l.ExtendBaseWidget(l)
	return l
}

// apply shows other rows. Only rows on screen are touched, unless their number
// changed: refreshing the whole list would make all of them again.
func (l *jobList) apply(rows long) {
	// Rows that went elsewhere are filled again as they are; only their number is
	// the list's to know.
	changed := l.rows.length() != rows.length()
	l.rows = rows
	if changed {
		clear(l.shown)
		l.Refresh()
		return
	}
	for row, i := range l.shown {
		l.fill(row, i)
	}
}

// TypedKey hands keys to the page, and to the list what the page leaves.
func (l *jobList) TypedKey(e *fyne.KeyEvent) {
	if l.onKey != nil && l.onKey(e.Name) {
		return
	}
	l.List.TypedKey(e)
}

// FocusGained shows that the list has the keyboard.
func (l *jobList) FocusGained() { l.focus(true) }

// FocusLost shows that the list no longer has the keyboard.
func (l *jobList) FocusLost() { l.focus(false) }

func (l *jobList) focus(on bool) {
	if l.onFocus != nil {
		l.onFocus(on)
	}
}
