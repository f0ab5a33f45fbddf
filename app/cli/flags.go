package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"reckoner/scheduler/job"
)

// runOptions are what the flags of `run` say.
type runOptions struct {
	servers, watched, gpus []string
	serverWait             time.Duration
	demo                   bool
	demoSpeed              float64
	limit                  limitValue
	stopWait, unanswered   time.Duration
	sendAnyway             bool
	repeat                 int
	out, input             string
	useWorkflow            bool
	authFile               string
	json                   bool
}

func (o *runOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&o.servers, "server", nil,
		"render server `URL` to use, not saved; ssh:USER@HOST for one behind ssh (repeatable)")
	f.StringArrayVar(&o.watched, "watch", nil, "render server `URL` to look at, never to send to (repeatable)")
	f.DurationVar(&o.serverWait, "server-wait", 10*time.Second, "how long a --server may take to answer at first")
	f.StringArrayVar(&o.gpus, "gpu", nil,
		"where a machine's GPU readings come from, as `[HOST=]SOURCE`; see `reckoner gpu --help` (repeatable)")
	f.BoolVar(&o.demo, "demo", false, "play the demonstration in this terminal, on simulated machines")
	f.Float64Var(&o.demoSpeed, "speed", demoSpeed, "with --demo: seconds of the story in a real second")
	f.Var(&o.limit, "time-limit", "how long you are willing to wait for a run from its start; 0 or off for no limit"+
		" (default: worked out from past runs)")
	f.DurationVar(&o.stopWait, "stop-wait", 0,
		"how long a stop may take before it counts as not confirmed (default: worked out from past runs)")
	f.DurationVar(&o.unanswered, "unanswered-after", 0,
		"how long a question waits for you before it takes its default (default 15m0s)")
	f.BoolVar(&o.sendAnyway, "send-anyway", false, "do not wait for other people's work to end")
	f.IntVar(&o.repeat, "repeat", 1, "queue every file `N` times")
	f.Var((*folderValue)(&o.out), "out",
		"`DIR` for the results (default: Reckoner in your videos folder, by date and batch)")
	f.StringVar(&o.input, "input", "",
		"`NODE`, by title or id, that reads the pictures among the files, where a job has several that could")
	f.BoolVar(&o.useWorkflow, "use-workflow", false,
		"of files that carry two jobs run the workflow that ComfyUI's page would open, not what really ran")
	f.StringVar(&o.authFile, "auth-file", "",
		"`FILE` with user:password or a token, or lines of URL and these, or of URL and\n"+
			"\"header NAME: VALUE\" or \"cert FINGERPRINT\" (also: RECKONER_AUTH)")
	f.BoolVar(&o.json, "json", false, "JSON lines on standard output, text for people on standard error")
}

// check refuses what no flag may say.
func (o *runOptions) check(cmd *cobra.Command) error {
	for name, d := range map[string]time.Duration{
		"server-wait": o.serverWait, "stop-wait": o.stopWait, "unanswered-after": o.unanswered,
	} {
		if d < 0 || d == 0 && cmd.Flags().Changed(name) && name != "server-wait" {
			return fmt.Errorf("--%s %v: say a duration above 0, such as 60s or 15m", name, d)
		}
	}
	switch {
	case o.repeat < 1 || o.repeat > maxRepeat:
		return fmt.Errorf("--repeat %d: say a number from 1 to %d", o.repeat, maxRepeat)
	case o.demo && len(o.servers)+len(o.watched)+len(o.gpus) > 0:
		return fmt.Errorf("--demo brings its own machines; leave --server, --watch and --gpu out")
	case !o.demo && cmd.Flags().Changed("speed"):
		return fmt.Errorf("--speed is for --demo: real machines have the speed they have")
	case o.demoSpeed <= 0 || o.demoSpeed > maxDemoSpeed:
		return fmt.Errorf("--speed %g: say a number above 0, up to %d", o.demoSpeed, maxDemoSpeed)
	}
	return nil
}

// maxRepeat bounds --repeat: more is a slip of the hand.
const maxRepeat = 10000

// limitValue is the flag --time-limit.
type limitValue struct{ limit job.Limit }

// String gives the flag as it would be written.
func (v *limitValue) String() string {
	switch v.limit.Kind {
	case job.LimitSet:
		return v.limit.For.String()
	case job.LimitOff:
		return "off"
	default:
		return ""
	}
}

// Set reads a duration, or 0 or off for none.
func (v *limitValue) Set(s string) error {
	if s == "off" || s == "0" {
		v.limit = job.Limit{Kind: job.LimitOff}
		return nil
	}
	d, err := time.ParseDuration(s)
	switch {
	case err != nil:
		return fmt.Errorf("say a duration, such as 30m or 90s, or off")
	case d < 0:
		return fmt.Errorf("a limit cannot be negative")
	case d == 0:
		v.limit = job.Limit{Kind: job.LimitOff}
	default:
		v.limit = job.Limit{Kind: job.LimitSet, For: d}
	}
	return nil
}

// Type names the value in the help.
func (v *limitValue) Type() string { return "duration" }

// get gives the limit; nothing said is the default one.
func (v *limitValue) get() job.Limit {
	if v.limit.Kind == "" {
		return job.Limit{Kind: job.LimitDefault}
	}
	return v.limit
}
