package app

import (
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

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

// loadUsual finds out what is known of a job type and brings it to the History page.
func (w *window) loadUsual(typeKey string) {
	w.goes(func() {
		known, err := w.o.Farm.UsualTimes(w.ctx, typeKey)
		if err != nil {
			w.o.Log.WarnContext(w.ctx, "what is usual is not known", "error", err)
		}
		w.do(func() { w.past.LoadedUsual(typeKey, known) })
	})
}

// correctRun takes the user's word about a past run and brings its record to the
// History page.
func (w *window) correctRun(c scheduler.Correction) {
	w.goes(func() {
		r, err := w.o.Farm.CorrectRun(w.ctx, c)
		w.do(func() {
			problem := ""
			if err != nil {
				problem = w.sentence(err)
			}
			w.past.Corrected(r, problem)
		})
	})
}
