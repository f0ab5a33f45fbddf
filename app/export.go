package app

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"

	"reckoner/app/history"
	"reckoner/app/widgets"
	"reckoner/scheduler/job"
)

// exportRows is how many past runs are read at once to be written.
const exportRows = 1000

// chooses tells whether a past run is written, and the machine that it ran on.
type chooses = func(job.HistoryRow) (machine string, chosen bool)

// sheet is what past runs are written to.
type sheet interface {
	Add(h job.HistoryRow, machine string) error
	Close() error
}

// exportHistory asks as what the chosen past runs are to be written.
func (w *window) exportHistory(match chooses) {
	says := widgets.NewColumn(0, widgets.NewParagraph(widgets.Plain(
		"A table has a line a run with what spreadsheets can use. JSON has all that the records hold.")))
	w.raise("Export past runs", w.within(says), nil,
		choice{"A table (CSV)…", func() { w.exportTo("reckoner-history.csv", match) }},
		choice{"JSON…", func() { w.exportTo("reckoner-history.json", match) }},
		choice{label: "Cancel"})
}

// exportTo asks for a file and writes to it, by its ending.
func (w *window) exportTo(name string, match chooses) {
	d := dialog.NewFileSave(func(to fyne.URIWriteCloser, err error) {
		switch {
		case err != nil:
			w.tell("The file could not be made", err.Error(), nil)
		case to != nil:
			w.goes(func() { w.export(to, to.URI().Path(), match) })
		}
	}, w.win)
	d.SetFileName(name)
	size := w.win.Canvas().Size()
	d.Resize(fyne.NewSize(min(900, size.Width-60), min(620, size.Height-60)))
	d.Show()
}

// export writes the chosen past runs and says how many they were.
func (w *window) export(to io.WriteCloser, name string, match chooses) {
	n, err := w.writeHistory(to, name, match)
	if closed := to.Close(); err == nil {
		err = closed
	}
	w.do(func() {
		if err != nil {
			w.tell("The export is not complete", name+": "+w.sentence(err), nil)
			return
		}
		w.tell("Exported", number(n, "run is", "runs are")+" in "+name+".", nil)
	})
}

func (w *window) writeHistory(to io.Writer, name string, match chooses) (int, error) {
	table, err := newSheet(to, name)
	if err != nil {
		return 0, fmt.Errorf("write the names of the columns: %w", err)
	}
	n, q := 0, job.HistoryQuery{Limit: exportRows}
	for {
		rows, err := w.o.Farm.History(w.ctx, q)
		if err != nil {
			return n, err
		}
		for _, h := range rows {
			machine, chosen := match(h)
			if !chosen {
				continue
			}
			if err := table.Add(h, machine); err != nil {
				return n, fmt.Errorf("write a run: %w", err)
			}
			n++
		}
		if len(rows) < exportRows {
			return n, table.Close()
		}
		last := rows[len(rows)-1].Run
		q.Before, q.BeforeRun = last.Ended, last.ID
	}
}

// newSheet makes a list or a table, by the ending of its file's name.
func newSheet(to io.Writer, name string) (sheet, error) {
	if strings.EqualFold(filepath.Ext(name), ".json") {
		return history.NewList(to), nil
	}
	return history.NewTable(to)
}
