package job

// Codes of what is said about a job file that was read all the same: repairs
// that were made, and doubts that remain.
const (
	WarnNaN        = "warn_nan"         // Count values that are no JSON numbers were taken as null
	WarnIsChanged  = "warn_is_changed"  // is_changed was left out of Count nodes
	WarnNoInputs   = "warn_no_inputs"   // Count nodes without inputs were given an empty set
	WarnRepeated   = "warn_repeated"    // Count names occur twice; the last value counts
	WarnUnneeded   = "warn_unneeded"    // Count nodes are needed by no output and will not run
	WarnMaybeNone  = "warn_maybe_none"  // no class that is known to save anything; Class may
	WarnInputBound = "warn_input_bound" // the size comes from an input file, so times of this kind may differ
	WarnDamaged    = "warn_damaged"     // the picture, video or sound of format Value is damaged, its workflow is whole
	WarnPromptLost = "warn_prompt_lost" // what really ran could not be read; the page's workflow serves
	// the page's workflow in the file is another job: Count nodes differ, as Node of Class
	WarnOtherJob = "warn_other_job"
	WarnDisagree = "warn_disagree" // a file gives Input of Node twice: the named Value counts, not Detail
	// Count inputs that the file does not have were given their defaults, as Input of Node
	WarnDefaults = "warn_defaults"

	// WarnCost says that the work is far more than people mean as a rule: Value is
	// its size, Count the pixels of all its pictures in millions.
	WarnCost = "warn_cost"
	// WarnAccount says that Count nodes, such as Node of Class, ask a paid service
	// in the name of a user: they fail without one.
	WarnAccount = "warn_account"
	// WarnNotConverted says that a workflow in the page's format is not a job
	// yet: no server's node classes were at hand.
	WarnNotConverted = "warn_not_converted"
	// WarnPageTexts says that Count texts, such as Input of Node, are drawn from
	// choices or filled in anew for each job, as ComfyUI's page does.
	WarnPageTexts = "warn_page_texts"
)
