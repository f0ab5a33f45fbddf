package app

import (
	"fmt"
	"io"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"

	"reckoner/app/history"
	"reckoner/scheduler/job"
)

// exportRows is how many past runs are read at once to be written.
const exportRows = 1000

// exportHistory asks for a file and writes the chosen past runs to it.
func (w *window) exportHistory(match func(job.HistoryRow) (machine string, chosen bool)) {
	d := dialog.NewFileSave(func(to fyne.URIWriteCloser, err error) {
		switch {
		case err != nil:
			w.tell("The file could not be made", err.Error(), nil)
		case to != nil:
			w.goes(func() { w.export(to, to.URI().Path(), match) })
		}
	}, w.win)
	d.SetFileName("reckoner-history.csv")
	size := w.win.Canvas().Size()
	d.Resize(fyne.NewSize(min(900, size.Width-60), min(620, size.Height-60)))
	d.Show()
}

// export writes the chosen past runs and says how many they were.
func (w *window) export(to io.WriteCloser, name string, match func(job.HistoryRow) (string, bool)) {
	n, err := w.writeHistory(to, match)
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

func (w *window) writeHistory(to io.Writer, match func(job.HistoryRow) (string, bool)) (int, error) {
	table, err := history.NewTable(to)
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
