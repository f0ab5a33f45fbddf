package job

import "time"

// Settings are what the user decided for all jobs. The zero Settings are the
// defaults.
type Settings struct {
	Paused bool `json:"paused,omitempty"` // the whole queue
	// OutDir is where results go; empty means the folder that the desktop keeps
	// for videos.
	OutDir string `json:"out_dir,omitempty"`
	// Names is the template of the names of results, see Destination; empty means
	// DefaultNames.
	Names string `json:"names,omitempty"`
	// Temp says that what servers keep as temporary (previews, mostly) is fetched
	// too. Otherwise it is only where a run saved nothing.
	Temp bool `json:"temp,omitempty"`
	// CutForGood says that a job whose run was stopped by its limit while the GPU
	// was shared ends there. Otherwise it goes back to the queue, once and last.
	CutForGood bool `json:"cut_for_good,omitempty"`
	// Limit is the time limit of jobs that have none of their own; the zero Limit
	// leaves it to past runs.
	Limit Limit `json:"limit,omitzero"`
	// Together is how much time a job may lose, in all, to others that find their
	// models loaded; 0 means ten minutes, less than 0 none: strictly in turn.
	Together time.Duration `json:"together,omitempty"`
	// WaitOnServer is how long a run may wait on its server before that starts it; 0
	// means two hours, less than 0 for ever.
	WaitOnServer time.Duration `json:"wait_on_server,omitempty"`
	// StopWait is how long a stop may take before it counts as unconfirmed; 0
	// means worked out from past runs.
	StopWait time.Duration `json:"stop_wait,omitempty"`
	// UnansweredAfter is how long a question waits for the user before it takes
	// its default; 0 means 15 minutes.
	UnansweredAfter time.Duration `json:"unanswered_after,omitempty"`
	// MaySleep says that this computer may go to sleep while jobs run or wait.
	// Otherwise it is kept awake, as long as it is on mains.
	MaySleep bool   `json:"may_sleep,omitempty"`
	Notify   Notify `json:"notify,omitzero"`
}

// Notify says what the desktop is told of. The zero Notify is everything, at any
// time.
type Notify struct {
	// Off are the topics that are not told of.
	Off []Topic `json:"off,omitempty"`
	// Quiet is the time of each day when nothing is told; its news come together
	// at its end.
	Quiet Quiet `json:"quiet,omitzero"`
}

// Topic is what a notification is about.
type Topic string

// The topics.
const (
	TopicDone    Topic = "done"    // a job is done
	TopicTrouble Topic = "trouble" // a job ended without its results, or needs the user
	TopicLimit   Topic = "limit"   // a time limit passed, and what the server did then
	TopicStuck   Topic = "stuck"   // a question, or nothing can run any more
)

// Quiet is a time of the day in minutes since local midnight, from From up to To.
// It goes over midnight when To is not after From; the zero Quiet is none.
type Quiet struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// day is a day's minutes.
const day = 24 * 60

// Until gives when the quiet that holds at an instant ends, in that instant's
// own time zone; false when it is not quiet then.
func (q Quiet) Until(at time.Time) (time.Time, bool) {
	if q.From == q.To {
		return time.Time{}, false
	}
	now := at.Hour()*60 + at.Minute()
	in := (now - q.From + day) % day
	long := (q.To - q.From + day) % day
	if in >= long {
		return time.Time{}, false
	}
	end := time.Date(at.Year(), at.Month(), at.Day(), q.To/60, q.To%60, 0, 0, at.Location())
	if !end.After(at) {
		end = time.Date(at.Year(), at.Month(), at.Day()+1, q.To/60, q.To%60, 0, 0, at.Location())
	}
	return end, true
}
