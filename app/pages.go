package app

import "reckoner/scheduler/job"

// loadHistory reads a page of history and brings it to its page.
func (w *window) loadHistory(q job.HistoryQuery) {
	w.goes(func() {
		rows, err := w.o.Farm.History(w.ctx, q)
		w.do(func() {
			problem := ""
			if err != nil {
				problem = w.sentence(err)
			}
			w.past.Loaded(q, rows, problem)
		})
	})
}
