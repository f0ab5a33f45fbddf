package job

// Codes of Say about baselines and their logs. assets/text has a sentence for
// each; the arguments that a code uses are named beside it.
const (
	BaselineUsual = "baseline_usual" // Count runs (Of of them not watched) since At take Seconds, in the middle
	BaselineOther = "baseline_other" // first on this GPU: Count runs on GPU suggest Seconds to UpTo
	// first of its kind: Count similar kinds suggest Seconds to UpTo (0: not known)
	BaselineSimilar = "baseline_similar"
	BaselineNone    = "baseline_none"    // nothing is known
	BaselineFounded = "baseline_founded" // on At: Count runs make a baseline of Seconds
	// on At: the last Count clean runs took Seconds, before it UpTo; waits for the user
	BaselineProposed = "baseline_proposed"
	// on At: Count runs of Seconds are the usual time now, before it UpTo; Value: user or rule
	BaselineApplied   = "baseline_applied"
	BaselineWithdrawn = "baseline_withdrawn" // on At: runs took the usual time again, so the change is not made
	BaselineKept      = "baseline_kept"      // on At: you kept the usual time of Seconds
	// on At: you took a change back; Count runs of Seconds are the usual time again
	BaselineCorrected = "baseline_corrected" // the user said Value of a run of RunS; see Revision.Corrected
	BaselineUndone    = "baseline_undone"
	BaselineLeftOut   = "baseline_left_out"   // on At: a run of Seconds was not counted; Value says why (estimate.WhyNot)
	BaselineScore     = "baseline_score"      // Count of Of ranges like it held; Value: the kind of range
	BaselineNoScore   = "baseline_no_score"   // no range was shown yet
	BaselineAddsCold  = "baseline_adds_cold"  // a run that loads models first takes Seconds more
	BaselineTwoTimes  = "baseline_two_times"  // the runs gather around Seconds and UpTo
	BaselineDataShort = "baseline_data_short" // only the newest Count runs were looked at
)
