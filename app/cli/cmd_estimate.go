package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"reckoner/scheduler/estimate/evaluate"
)

// estimateOptions are what the flags of `estimate` say.
type estimateOptions struct {
	json     bool
	score    bool
	evaluate string
	columns  evaluate.Columns
	slowing  evaluate.Slowing
	factors  []float64
}

func (s *shell) estimateCommand() *cobra.Command {
	o := estimateOptions{}
	cmd := &cobra.Command{
		Use:   "estimate [--json] FILE... | --score | --evaluate CSV[.gz]",
		Short: "Say what past runs tell about a job, and how often that held",
		Long: "With files: what is known of each job on each GPU, and how that came about.\n" +
			"With --score: how often the ranges that were shown held.\n" +
			"With --evaluate: how good the estimates would have been on a log of any durations, with the columns key,\n" +
			"start_unix_s, duration_s and, where they are there, status and label, beside simple rules.",
		RunE: func(cmd *cobra.Command, files []string) error {
			if err := o.check(cmd, files); err != nil {
				return usage(cmd, err)
			}
			ctx, release := s.untilSignal(cmd.Context())
			defer release()
			switch {
			case o.evaluate != "":
				return s.evaluate(o)
			case o.score:
				return s.score(ctx, o.json)
			}
			return s.estimates(ctx, files, o.json)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.json, "json", false, "one JSON object a file, or one in all")
	f.BoolVar(&o.score, "score", false, "how often the ranges that were shown held")
	f.StringVar(&o.evaluate, "evaluate", "", "let the runs of a log happen, `CSV[.gz]`, and measure the estimates")
	f.StringVar(&o.columns.Key, "key-column", "", "with --evaluate: `NAME` of the column of job types (default key)")
	f.StringVar(&o.columns.Duration, "duration-column", "",
		"with --evaluate: `NAME` of the column of durations in seconds (default duration_s)")
	f.Float64Var(&o.slowing.Share, "slow-share", 0, "with --evaluate: slow this share of the runs, 0 to 1")
	f.Float64SliceVar(&o.factors, "slow-factor-range", []float64{1.5, 6.3},
		"with --slow-share: slow them so many times, from,to")
	f.Float64Var(&o.slowing.Labelled, "labelled-share", 0,
		"with --slow-share: the share of slowed runs that are labelled shared, 0 to 1")
	f.Uint64Var(&o.slowing.Seed, "seed", 1, "with --slow-share: which runs are slowed")
	return cmd
}

// check refuses what the flags may not say together.
func (o *estimateOptions) check(cmd *cobra.Command, files []string) error {
	asked := 0
	for _, is := range []bool{len(files) > 0, o.score, o.evaluate != ""} {
		if is {
			asked++
		}
	}
	switch {
	case asked == 0:
		return errors.New("say which FILE, or --score, or --evaluate CSV")
	case asked > 1:
		return errors.New("files, --score or --evaluate: one of them")
	}
	for _, name := range []string{
		"key-column", "duration-column", "slow-share", "slow-factor-range", "labelled-share", "seed",
	} {
		if o.evaluate == "" && cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s goes with --evaluate", name)
		}
	}
	if len(o.factors) != 2 || !(o.factors[0] > 0) || !(o.factors[1] >= o.factors[0]) || o.factors[1] > 1000 {
		return fmt.Errorf("--slow-factor-range %v: say two factors, such as 1.5,6.3", o.factors)
	}
	for name, share := range map[string]float64{
		"slow-share": o.slowing.Share, "labelled-share": o.slowing.Labelled,
	} {
		if !(share >= 0 && share <= 1) {
			return fmt.Errorf("--%s %v: say a share from 0 to 1", name, share)
		}
	}
	o.slowing.From, o.slowing.To = o.factors[0], o.factors[1]
	return nil
}

// estimates says what is known of the jobs in files.
func (s *shell) estimates(ctx context.Context, files []string, asJSON bool) error {
	known, err := s.known(ctx)
	if err != nil {
		return err
	}
	var refused bool
	for _, path := range files {
		ok, err := s.estimateFile(known, path, asJSON)
		if err != nil {
			return err
		}
		refused = refused || !ok
	}
	if refused {
		return &exitError{status: exitUsage}
	}
	return nil
}

// openDurations opens a log of durations.
func openDurations(path string, columns evaluate.Columns) ([]evaluate.Row, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, exitf(exitUsage, "%v", err)
	}
	defer in.Close()
	rows, err := evaluate.Read(in, columns)
	if err != nil {
		return nil, exitf(exitUsage, "%s: %v", path, err)
	}
	return rows, nil
}
