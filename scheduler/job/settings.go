package job

import "time"

// Settings are what the user decided for all jobs. The zero Settings are the
// defaults.
type Settings struct {
	Paused bool `json:"paused,omitempty"` // the whole queue
	// OutDir is where results go; empty means the folder that the desktop keeps
	// for videos.
	OutDir string `json:"out_dir,omitempty"`
	// CutForGood says that a job whose run was stopped by its limit while the GPU
	// was shared ends there. Otherwise it goes back to the queue, once and last.
	CutForGood bool `json:"cut_for_good,omitempty"`
	// StopWait is how long a stop may take before it counts as unconfirmed; 0
	// means worked out from past runs.
	StopWait time.Duration `json:"stop_wait,omitempty"`
	// UnansweredAfter is how long a question waits for the user before it takes
	// its default; 0 means 15 minutes.
	UnansweredAfter time.Duration `json:"unanswered_after,omitempty"`
}
