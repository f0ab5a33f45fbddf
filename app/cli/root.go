package cli

import (
	"github.com/spf13/cobra"
)

// globalFlags are understood by every command.
type globalFlags struct {
	data    string
	verbose bool
}

// rootCommand builds the tree of commands. Every mistake in flags and arguments
// comes back as a plain error, which run turns into exit status 2.
func (s *shell) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "reckoner [FILE...]",
		Short:         "A render queue for ComfyUI that never says more than it knows",
		Version:       s.env.Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
	}
	root.SetFlagErrorFunc(usage)
	root.CompletionOptions.HiddenDefaultCmd = true
	pf := root.PersistentFlags()
	pf.StringVar(&s.flags.data, "data", "", "data `DIR` (default: reckoner in the user's data folder)")
	pf.BoolVarP(&s.flags.verbose, "verbose", "v", false, "say on standard error what is being done")

	s.windowFlags(root)
	root.AddCommand(
		s.runCommand(),
		s.statusCommand(),
		s.inspectCommand(),
		s.gpuCommand(),
		s.historyCommand(),
		s.estimateCommand(),
		s.simulateCommand(),
		s.doctorCommand(),
	)
	return root
}
