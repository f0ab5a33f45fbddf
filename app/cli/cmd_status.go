package cli

import (
	"github.com/spf13/cobra"

	"reckoner/store"
)

func (s *shell) statusCommand() *cobra.Command {
	var asJSON, follow bool
	cmd := &cobra.Command{
		Use:   "status [--json] [--follow]",
		Short: "Say what the running engine is doing",
		Args:  args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, release := s.untilSignal(cmd.Context())
			defer release()
			data, err := dataFolder(s.flags.data)
			if err != nil {
				return err
			}
			p, err := s.reach(ctx, data)
			if err != nil {
				return noEngine(data, err)
			}
			q := request{Ask: askStatus}
			if follow {
				q.Ask = askFollow
			}
			out := s.printerFor(asJSON)
			out.readings = true
			_, err = p.ask(ctx, q, nil, func(r reply) error { return out.show(r.said()) })
			if ctx.Err() != nil {
				return nil // the user has seen enough
			}
			if err == nil && out.lines == 0 {
				out.note("Reckoner is running on %s. No jobs and no machines.", data)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "JSON lines, as of `run`")
	cmd.Flags().BoolVar(&follow, "follow", false, "go on with what happens, until Ctrl-C")
	return cmd
}

// noEngine says why the engine of a data folder cannot be asked. That none runs
// is said only when it is known.
func noEngine(data string, reachErr error) error {
	pid, used, err := store.InUse(data)
	switch {
	case err != nil:
		return exitf(exitFailed, "whether a Reckoner is running on %s cannot be known: %v\n"+
			"Ask as the user whose folder it is.", data, err)
	case used:
		return exitf(exitFailed, "a Reckoner (process %d) is running on %s and cannot be asked: %v\n"+
			"It may be another user's, or just starting or ending.", pid, data, reachErr)
	}
	return exitf(exitFailed, "no Reckoner is running on %s", data)
}
