package app

import (
	"net/url"
	"strings"

	"reckoner/app/machines"
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

// addMachine adds a machine with one render server.
func (w *window) addMachine(wish machines.Wish, done func(problem string)) {
	address, ok := serverURL(wish.Address)
	if !ok {
		done("“" + wish.Address + "” is no address. It looks like http://gpu-1:8188.")
		return
	}
	if wish.Name == "" {
		wish.Name = address.Hostname()
	}
	m := job.Machine{ID: w.o.NewID(), Name: wish.Name, Saved: true}
	if wish.Source != "" {
		m.Sources = []string{wish.Source}
	}
	server := job.Server{
		ID: w.o.NewID(), Machine: m.ID, Name: wish.Name, URL: address.String(), ClientID: string(w.o.NewID()),
	}
	w.goes(func() {
		err := w.o.Farm.AddMachine(w.ctx, m, []job.Server{server})
		w.do(func() {
			if err != nil {
				done(w.sentence(err))
				return
			}
			done("")
			w.bridge.Changed()
		})
	})
}

// serverURL reads an address as people type it: with or without its scheme and
// port. An address with a name and a password in it is refused, because records
// hold the bare URL only.
func serverURL(s string) (*url.URL, bool) {
	bare := !strings.Contains(s, "://")
	if bare {
		s = "http://" + s
	}
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" || u.User != nil || u.RawQuery != "" {
		return nil, false
	}
	if u.Port() == "" && bare {
		u.Host += ":8188"
	}
	u.Path, u.Fragment = strings.TrimRight(u.Path, "/"), ""
	return u, true
}
