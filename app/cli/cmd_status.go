package cli

import (
	"github.com/spf13/cobra"
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
				return exitf(exitFailed, "no Reckoner is running on %s", data)
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
