package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"reckoner/scheduler/estimate"
	"reckoner/scheduler/job"
)

// estimateRuns is how many of the newest runs an estimate here rests on.
const estimateRuns = 20000

// known is what the history says.
type known struct {
	book    *estimate.Book
	servers map[string]string    // where runs on a GPU went, by the newest of them
	left    map[string][]job.Say // runs that are not counted, by type and GPU, oldest first
	runs    []estimate.Run
	short   bool // older runs were not looked at
}

// known reads the newest runs from whoever has the data folder.
func (s *shell) known(ctx context.Context) (*known, error) {
	data, err := dataFolder(s.flags.data)
	if err != nil {
		return nil, err
	}
	read, done, err := s.historyReader(ctx, data)
	if err != nil {
		return nil, err
	}
	defer done()
	var rows []job.HistoryRow
	q := job.HistoryQuery{Limit: historyPage}
	short := false
	for {
		page, err := read(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("read the history: %w", err)
		}
		rows = append(rows, page...)
		if len(page) < q.Limit {
			break
		}
		if short = len(rows) >= estimateRuns; short {
			break
		}
		last := page[len(page)-1].Run
		q.Before, q.BeforeRun = last.Ended, last.ID
	}
	slices.Reverse(rows)
	k := &known{
		book: estimate.NewBook(), servers: map[string]string{}, left: map[string][]job.Say{},
		short: short,
	}
	for _, row := range rows {
		k.tell(row)
	}
	return k, nil
}

// tell takes in a run of the history, after those that ended before it.
func (k *known) tell(row job.HistoryRow) {
	r := row.Run
	t := row.Job.Type
	if t.Key == "" {
		t = job.Type{Key: r.TypeKey}
	}
	run, ok := estimate.FromRun(&r)
	if !ok || t.Key == "" {
		return
	}
	k.servers[r.GPU] = r.URL
	// Cold runs have a sentence of their own, and one that took no time needs none.
	if why := k.book.Tell(t, run, nil); why != "" && why != estimate.WhyNotCold && run.Seconds > 0 {
		at := t.Key + "\x00" + r.GPU
		k.left[at] = append(k.left[at], why.Say(run))
	}
	k.runs = append(k.runs, run)
}

// scoreLine is how often a kind of range held, in JSON.
type scoreLine struct {
	Range string `json:"range"` // ranks: 8 in 10, few: shortest to longest, other_gpu, similar
	Held  int    `json:"held"`
	Of    int    `json:"of"`
	Text  string `json:"text"`
}

// score says how often the ranges that were shown held.
func (s *shell) score(ctx context.Context, asJSON bool) error {
	k, err := s.known(ctx)
	if err != nil {
		return err
	}
	e, out := s.encoder(), json.NewEncoder(s.env.Stdout)
	tested := false
	card := estimate.Scorecard(k.runs)
	for _, kind := range estimate.RangeKinds() {
		score := card[kind]
		if score.Of == 0 {
			continue
		}
		tested = true
		line := scoreLine{Range: string(kind), Held: score.Held, Of: score.Of, Text: e.words.Say(kind.Say(score))}
		if asJSON {
			err = out.Encode(line)
		} else {
			_, err = fmt.Fprintln(s.env.Stdout, line.Text+".")
		}
		if err != nil {
			return err
		}
	}
	if !tested && !asJSON {
		_, err = fmt.Fprintln(s.env.Stdout, e.words.Say(job.Say{Code: job.BaselineNoScore})+".")
	}
	return err
}
