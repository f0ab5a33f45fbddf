package job

// Priority is a band of the queue: every waiting job of a higher one goes before
// those of a lower one.
type Priority string

// The priorities, the highest first.
const (
	PriorityHigh   Priority = "high"
	PriorityNormal Priority = "normal"
	PriorityLow    Priority = "low"
)

// band is how far from 0 the places of normal jobs are at most: room for more
// than 10^12 jobs that are added one after the other.
const band = 1 << 60

// Priorities gives all of them, the highest first.
func Priorities() []Priority { return []Priority{PriorityHigh, PriorityNormal, PriorityLow} }

// Priority is the band of the job's place.
func (j *Job) Priority() Priority { return PriorityAt(j.Place) }

// PriorityAt is the band of a place.
func PriorityAt(place int64) Priority {
	switch {
	case place < -band:
		return PriorityHigh
	case place >= band:
		return PriorityLow
	}
	return PriorityNormal
}

// Start is the place before the first of a band.
func (p Priority) Start() int64 {
	switch p {
	case PriorityHigh:
		return -3 * band
	case PriorityLow:
		return 2 * band
	case PriorityNormal:
	}
	return 0
}
