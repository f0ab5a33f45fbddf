package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"

	"reckoner/scheduler/estimate/evaluate"
)

// evaluate measures the estimates on a log.
func (s *shell) evaluate(o estimateOptions) error {
	rows, err := openDurations(o.evaluate, o.columns)
	if err != nil {
		return err
	}
	report := evaluate.Run(rows, o.slowing)
	if o.json {
		return json.NewEncoder(s.env.Stdout).Encode(report)
	}
	return evaluateText(s.env.Stdout, report)
}

// evaluateText writes a report for people.
func evaluateText(out io.Writer, r evaluate.Report) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%d runs were predicted, each from those that had ended when it started.\n\n", r.N)
	fmt.Fprint(w, "rule\tmedian error\taccuracy\toff by 2 or more\n")
	line := func(name string, a evaluate.Accuracy) {
		fmt.Fprintf(w, "%s\t%.2f %%\t%.1f %%\t%.1f %%\n", name, a.MdAPE, a.Accuracy, a.Off2)
	}
	line("Reckoner", r.Accuracy)
	for _, name := range []string{"last", "last_two", "mean", "ewma", "running_median", "jenkins"} {
		line(spaced(name), r.PerRule[name])
	}
	fmt.Fprint(w, "\nrange\theld\twidth, of the middle\n")
	fmt.Fprintf(w, "80 %%\t%.1f %%\t%.1f %%\n", r.Coverage80, r.Width80)
	fmt.Fprintf(w, "80 %%, from 9 runs\t%.1f %%\n", r.CoverageMany)
	fmt.Fprintf(w, "80 %%, below 9 runs\t%.1f %%\n", r.CoverageFew)
	fmt.Fprintf(w, "90 %%\t%.1f %%\t%.1f %%\n", r.Coverage90, r.Width90)
	fmt.Fprint(w, "\nhow far it was\truns\t80 % range of the end held\terror of the middle\ta range was given\n")
	for _, at := range slices.Sorted(maps.Keys(r.Conditional)) {
		c := r.Conditional[at]
		fmt.Fprintf(w, "%s times the middle\t%d\t%.1f %%\t%.3f\t%.1f %%\n", at, c.N, c.Coverage, c.Error, c.Given)
	}
	fmt.Fprintf(w, "\nlonger than all before: %.2f %% of runs (%.2f %% if nothing ever changed)\n",
		r.NoticePct, r.NoticeNominal)
	fmt.Fprintf(w, "false alarms: %.2f %% of runs; default limit passed: %.2f %%\n", r.AlarmPct, r.LimitPct)
	for _, times := range slices.Sorted(maps.Keys(r.Caught)) {
		fmt.Fprintf(w, "slowed %s times: %.1f %% raise the alarm, %.1f %% the notice\n",
			times, r.Caught[times], r.Noticed[times])
	}
	fmt.Fprintf(w, "changes of a baseline: %d\n", r.Revisions)
	return w.Flush()
}
