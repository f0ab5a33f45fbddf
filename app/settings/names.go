package settings

import (
	"strings"

	"fyne.io/fyne/v2/widget"

	"reckoner/app/theme"
	"reckoner/app/widgets"
	"reckoner/scheduler/job"
)

// names is where the names of results are typed. They are kept once the field is
// left: half of a template would name results, too.
type names struct {
	entry   *lineEntry
	caption *widgets.Line
	keep    func(string)
	kept    string
}

// lineEntry is an entry that tells when it is left.
type lineEntry struct {
	widget.Entry
	left func()
}

// FocusLost implements fyne.Focusable.
func (e *lineEntry) FocusLost() {
	e.Entry.FocusLost()
	e.left()
}

func newNames(keep func(string)) *names {
	n := &names{entry: &lineEntry{}, caption: widgets.NewParagraph(), keep: keep}
	n.entry.ExtendBaseWidget(n.entry)
	n.entry.SetPlaceHolder(job.DefaultNames)
	n.entry.OnSubmitted = func(string) { n.done() }
	n.entry.left = n.done
	n.explain("")
	return n
}

// show shows what is kept.
func (n *names) show(kept string) {
	n.kept = kept
	if kept == "" {
		kept = job.DefaultNames
	}
	if n.entry.Text != kept {
		n.entry.SetText(kept)
	}
}

// done keeps what was typed, if it is something else. The usual names are kept as
// none, so that they follow what is usual.
func (n *names) done() {
	typed := strings.TrimSpace(n.entry.Text)
	if typed == job.DefaultNames {
		typed = ""
	}
	if typed != n.kept {
		n.keep(typed)
	}
}

// explain says what can stand in a template, or what is wrong with this one.
func (n *names) explain(template string) {
	if unknown := job.UnknownPlaceholders(template); len(unknown) > 0 {
		n.caption.Set(widgets.Span{
			Text:  strings.Join(unknown, " and ") + " would stand in the names as it is.",
			Color: theme.ColorOdd,
		})
		return
	}
	n.caption.Set(widgets.Small("{name} of the job, {seed}, {machine}, {date}, {batch}, {file} as the server calls it; " +
		"a / makes a folder. An ending is added, and a number where a name is taken."))
}
