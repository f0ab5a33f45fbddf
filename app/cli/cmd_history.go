package cli

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"reckoner/assets/text"
	"reckoner/scheduler/job"
)

const (
	historyPage = 100
	// historyShown is how many runs people are shown when they do not say.
	historyShown = 50
)

// historyLine is a past run, in JSON and CSV.
type historyLine struct {
	Run          job.ID             `json:"run"`
	Job          job.ID             `json:"job"`
	Batch        job.ID             `json:"batch"`
	Name         string             `json:"name"`
	File         string             `json:"file"`
	Attempt      int                `json:"attempt"`
	Server       string             `json:"server"`
	GPU          *string            `json:"gpu"`
	JobType      string             `json:"job_type"`
	JobTypeText  string             `json:"job_type_text"`
	Started      stamp              `json:"started"`
	Ended        stamp              `json:"ended"`
	Outcome      job.RunOutcome     `json:"outcome"`
	Seconds      job.Maybe[float64] `json:"seconds"`
	LimitS       *float64           `json:"limit_s"`
	FinishedLate bool               `json:"finished_late"`
	Label        *string            `json:"label"`      // what counts: the user's word, else what was seen
	LabelSeen    *string            `json:"label_seen"` // what was seen
	SetAside     bool               `json:"set_aside"`  // the user keeps it out of the usual time
	Start        *string            `json:"start"`
	Outputs      []outputPart       `json:"outputs"`
	Error        *errorPart         `json:"error"`
}

// historyColumns are the columns of CSV, the names of JSON.
var historyColumns = []string{
	"run", "job", "batch", "name", "file", "attempt", "server", "gpu", "job_type", "job_type_text", "started", "ended",
	"outcome", "seconds", "limit_s", "finished_late", "label", "start", "outputs", "error",
	"label_seen", "set_aside",
}

func (s *shell) historyCommand() *cobra.Command {
	var asJSON, asCSV bool
	var limit int
	cmd := &cobra.Command{
		Use:   "history [--json|--csv]",
		Short: "List the runs that have ended, newest first",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case asJSON && asCSV:
				return usage(cmd, fmt.Errorf("--json or --csv, not both"))
			case limit < 0:
				return usage(cmd, fmt.Errorf("--limit %d: say a number of runs, or 0 for all", limit))
			case !cmd.Flags().Changed("limit") && !asJSON && !asCSV:
				limit = historyShown
			}
			ctx, release := s.untilSignal(cmd.Context())
			defer release()
			var w historyWriter
			switch {
			case asJSON:
				w = &jsonHistory{out: json.NewEncoder(s.env.Stdout)}
			case asCSV:
				w = &csvHistory{out: csv.NewWriter(s.env.Stdout)}
			default:
				w = &textHistory{out: s.env.Stdout}
			}
			return s.history(ctx, limit, w)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a run")
	cmd.Flags().BoolVar(&asCSV, "csv", false, "comma-separated, with a line of names")
	cmd.Flags().IntVar(&limit, "limit", 0, "at most `N` runs, 0 for all (default: all, as text the newest 50)")
	return cmd
}

// pageReader reads a page of history, here or in the engine's process.
type pageReader func(ctx context.Context, q job.HistoryQuery) ([]job.HistoryRow, error)

// history writes the runs page by page, from the engine that has the data
// folder, else from the folder itself, which is not changed.
func (s *shell) history(ctx context.Context, limit int, w historyWriter) error {
	data, err := dataFolder(s.flags.data)
	if err != nil {
		return err
	}
	read, done, err := s.historyReader(ctx, data)
	if err != nil {
		return err
	}
	defer done()
	e := s.encoder()
	q := job.HistoryQuery{Limit: historyPage}
	for left := limit; limit == 0 || left > 0; left -= q.Limit {
		if limit > 0 {
			q.Limit = min(historyPage, left)
		}
		rows, err := read(ctx, q)
		if err != nil {
			return fmt.Errorf("read the history: %w", err)
		}
		for _, row := range rows {
			if err := w.row(e.historyLine(row)); err != nil {
				return err
			}
		}
		if len(rows) < q.Limit {
			break
		}
		last := rows[len(rows)-1].Run
		q.Before, q.BeforeRun = last.Ended, last.ID
	}
	return w.end()
}

// historyReader finds who has the history.
func (s *shell) historyReader(ctx context.Context, data string) (pageReader, func(), error) {
	nothing := func() {}
	if p, err := s.reach(ctx, data); err == nil {
		return p.history, nothing, nil
	}
	st, err := s.parts.readStore(data, slog.New(slog.DiscardHandler))
	switch {
	case job.CodeOf(err) == job.ErrNotFound:
		empty := func(context.Context, job.HistoryQuery) ([]job.HistoryRow, error) { return nil, nil }
		return empty, nothing, nil
	case err != nil:
		return nil, nil, &exitError{status: exitFailed, text: s.encoder().wrapped("read the data folder "+data, err)}
	}
	return st.History, func() { _ = st.Close() }, nil // only read
}

func (e encoder) historyLine(row job.HistoryRow) historyLine {
	j, r := row.Job, row.Run
	ended := e.runEndedValue(head{}, &r)
	return historyLine{
		Run: r.ID, Job: j.ID, Batch: j.Batch, Name: j.Name, File: j.File, Attempt: r.Attempt, Server: r.URL,
		GPU: textOrNull(r.GPU), JobType: j.Type.Key, JobTypeText: e.words.Type(j.Type),
		Started: stamp(r.Started), Ended: stamp(r.Ended), Outcome: r.Outcome, Seconds: r.Seconds,
		LimitS: figureOrNull(r.LimitS), FinishedLate: r.FinishedLate,
		Label: textOrNull(string(r.Judged())), LabelSeen: ended.Label, SetAside: r.Aside(),
		Start: ended.Start, Outputs: ended.Outputs, Error: ended.Error,
	}
}

// historyWriter writes rows in one of the formats.
type historyWriter interface {
	row(l historyLine) error
	end() error
}

type jsonHistory struct{ out *json.Encoder }

func (w *jsonHistory) row(l historyLine) error { return w.out.Encode(l) }
func (w *jsonHistory) end() error              { return nil }

type csvHistory struct {
	out    *csv.Writer
	headed bool
}

func (w *csvHistory) head() error {
	if w.headed {
		return nil
	}
	w.headed = true
	return w.out.Write(historyColumns)
}

func (w *csvHistory) row(l historyLine) error {
	if err := w.head(); err != nil {
		return err
	}
	var files []string
	for _, o := range l.Outputs {
		files = append(files, o.File)
	}
	failure := ""
	if l.Error != nil {
		failure = l.Error.Text
	}
	return w.out.Write([]string{
		string(l.Run), string(l.Job), string(l.Batch), cell(l.Name), cell(l.File), strconv.Itoa(l.Attempt), l.Server,
		cell(orEmpty(l.GPU)), l.JobType, cell(l.JobTypeText), timeCell(l.Started), timeCell(l.Ended), string(l.Outcome),
		figureCell(l.Seconds), limitCell(l.LimitS), strconv.FormatBool(l.FinishedLate),
		orEmpty(l.Label), orEmpty(l.Start), cell(strings.Join(files, "; ")), cell(failure),
		orEmpty(l.LabelSeen), strconv.FormatBool(l.SetAside),
	})
}

func (w *csvHistory) end() error {
	if err := w.head(); err != nil {
		return err
	}
	w.out.Flush()
	return w.out.Error()
}

// cell keeps a spreadsheet from taking a text from outside for a formula.
func cell(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}

func timeCell(t stamp) string {
	b, err := t.MarshalJSON()
	if err != nil || string(b) == "null" {
		return ""
	}
	return strings.Trim(string(b), `"`)
}

func figureCell(m job.Maybe[float64]) string {
	if v, ok := m.Get(); ok {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}

func limitCell(f *float64) string {
	if f == nil {
		return ""
	}
	return strconv.FormatFloat(*f, 'f', -1, 64)
}

type textHistory struct {
	out io.Writer
	any bool
}

func (w *textHistory) row(l historyLine) error {
	w.any = true
	took := ""
	if s, ok := l.Seconds.Get(); ok {
		took = " after " + text.English.Duration(s)
	}
	late := ""
	if l.FinishedLate {
		late = ", late"
	}
	_, err := fmt.Fprintf(w.out, "%s  %s: %s%s%s%s on %s\n",
		timeText(l.Ended), text.Plain(l.Name), l.Outcome, took, late, inBrackets(labelText(l.Label)), text.Plain(l.Server))
	return err
}

// labelText says a label; that nothing is known is no news.
func labelText(label *string) string {
	if label == nil || *label == string(job.LabelUnknown) {
		return ""
	}
	return text.English.Label(job.Label(*label))
}

func (w *textHistory) end() error {
	if w.any {
		return nil
	}
	_, err := fmt.Fprintln(w.out, "No runs yet.")
	return err
}
