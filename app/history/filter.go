package history

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"reckoner/assets/text"
	"reckoner/scheduler"
	"reckoner/scheduler/job"
)

// Order is how the rows are sorted.
type Order int

// The orders.
const (
	NewestFirst Order = iota
	LongestFirst
	ByName
)

// Filter chooses past runs. Empty fields choose all.
type Filter struct {
	Text    string // in the job's name, its kind in words, its machine or a result's name
	TypeKey string
	Machine string // its name
	Outcome job.RunOutcome
	Since   time.Time
	Order   Order
}

// narrows tells whether the filter leaves out anything.
func (f Filter) narrows() bool {
	f.Order = NewestFirst
	return f != Filter{}
}

// Match tells whether a run is chosen. machine is the name of the one on which it
// ran.
func (f Filter) Match(h job.HistoryRow, machine string, w text.Language) bool {
	switch {
	case f.TypeKey != "" && h.Run.TypeKey != f.TypeKey,
		f.Machine != "" && machine != f.Machine,
		f.Outcome != "" && h.Run.Outcome != f.Outcome,
		!f.Since.IsZero() && h.Run.Ended.Before(f.Since):
		return false
	case f.Text == "":
		return true
	}
	all := []string{h.Job.Name, w.Type(h.Job.Type), machine}
	for _, o := range h.Run.Outputs {
		all = append(all, o.File)
	}
	within := strings.ToLower(strings.Join(all, "\n"))
	for word := range strings.FieldsSeq(strings.ToLower(f.Text)) {
		if !strings.Contains(within, word) {
			return false
		}
	}
	return true
}

// choose gives the indices of the chosen rows in their order.
func (f Filter) choose(rows []job.HistoryRow, machine func(job.HistoryRow) string, w text.Language) []int {
	var chosen []int
	for i := range rows {
		if f.Match(rows[i], machine(rows[i]), w) {
			chosen = append(chosen, i)
		}
	}
	switch f.Order {
	case LongestFirst:
		slices.SortStableFunc(chosen, func(a, b int) int {
			return cmp.Compare(rows[b].Run.Seconds.Or(-1), rows[a].Run.Seconds.Or(-1))
		})
	case ByName:
		slices.SortStableFunc(chosen, func(a, b int) int {
			return strings.Compare(strings.ToLower(rows[a].Job.Name), strings.ToLower(rows[b].Job.Name))
		})
	case NewestFirst:
	}
	return chosen
}

// machineOf names the machine of a run: as it is called now, or its host when it
// is no longer there.
func machineOf(s *scheduler.Snapshot, h job.HistoryRow) string {
	if s != nil {
		for _, m := range s.Machines {
			for _, v := range m.Servers {
				if v.Server.ID == h.Run.Server {
					return m.Machine.Name
				}
			}
		}
	}
	if u, err := url.Parse(h.Run.URL); err == nil {
		return u.Hostname()
	}
	return ""
}

// kind is a job type among the rows.
type kind struct {
	key, name string
	runs      int
}

// kinds gives the job types of rows, the most frequent first. Two that read alike
// are told apart by a number.
func kinds(rows []job.HistoryRow, w text.Language) []kind {
	at := map[string]int{}
	var all []kind
	for i := range rows {
		key := rows[i].Run.TypeKey
		if key == "" {
			continue
		}
		k, known := at[key]
		if !known {
			k = len(all)
			at[key] = k
			all = append(all, kind{key: key, name: w.Type(rows[i].Job.Type)})
		}
		all[k].runs++
	}
	slices.SortStableFunc(all, func(a, b kind) int { return b.runs - a.runs })
	named := map[string]int{}
	for i := range all {
		named[all[i].name]++
		if n := named[all[i].name]; n > 1 {
			all[i].name += " (" + string(rune('0'+min(n, 9))) + ")"
		}
	}
	return all
}
