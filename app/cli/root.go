package cli

import (
	"errors"

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
	pf.Var((*folderValue)(&s.flags.data), "data", "data `DIR` (default: reckoner in the user's data folder)")
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

// folderValue is a flag that names a folder. An empty one, such as a variable of
// a script that was never set, is a mistake, not the default.
type folderValue string

// String gives the folder.
func (v *folderValue) String() string { return string(*v) }

// Set takes the folder.
func (v *folderValue) Set(dir string) error {
	if dir == "" {
		return errors.New("say a folder, or leave the flag out")
	}
	*v = folderValue(dir)
	return nil
}

// Type names the value in the help.
func (v *folderValue) Type() string { return "string" }
