package job

import "time"

// Event is something that happened to a job, a run or a machine, as it is told
// to whoever follows the engine: one JSON line of `run` and `status`. It never
// changes once it is made.
type Event struct {
	At   Instant
	Kind EventKind

	Job     *Job // as it was after the event
	Run     *Run // likewise
	Server  *Server
	Machine *Machine

	Why      Say          // EventRequeued: why it goes back
	Holds    []Hold       // EventHeld
	Bar      Bar          // EventProgress
	ElapsedS float64      // EventProgress: since the server's start
	Step     Maybe[Step]  // EventProgress
	AfterS   float64      // since the stop was wanted
	ToS      float64      // EventExtended: the new limit
	Question *Question    // EventQuestion, EventDecided
	Answer   Answer       // EventDecided
	By       string       // EventDecided: "user" or "default"
	Foreign  *ForeignWork // EventForeign
	Reading  *Reading     // EventReading
	Err      *Error       // EventSourceError, EventTrouble, EventFetch
	Source   string       // EventSourceError
	Note     *Note        // EventNote
	AgainAt  time.Time    // EventFetchTrouble: when it is tried next
}

// ForeignWork is other people's work on a server, as far as it was seen.
type ForeignWork struct {
	Prompts int            // different prompts seen
	OverS   float64        // in how many seconds
	EveryS  Maybe[float64] // the median time between them
	Ahead   int            // running and pending now
	// Reckoners counts those of Ahead that another Reckoner sent.
	Reckoners int
}

// EventKind names an event. The kinds are stable.
type EventKind string

// The kinds of event.
const (
	EventJobAdded    EventKind = "job_added"
	EventHeld        EventKind = "job_held"
	EventReleased    EventKind = "job_released"
	EventRequeued    EventKind = "job_requeued" // its run did not count; it waits again
	EventSubmitted   EventKind = "run_submitted"
	EventStarted     EventKind = "run_started"
	EventProgress    EventKind = "run_progress"
	EventHandedOver  EventKind = "handed_over"
	EventTakenBack   EventKind = "taken_back"
	EventLimit       EventKind = "time_limit_passed"
	EventExtended    EventKind = "limit_extended"
	EventInterrupt   EventKind = "interrupt_sent"
	EventUnconfirmed EventKind = "stop_unconfirmed"
	EventStopped     EventKind = "stop_confirmed"
	EventRunEnded    EventKind = "run_ended"
	EventJobEnded    EventKind = "job_ended"
	EventTrouble     EventKind = "server_trouble" // a server with an open run does not answer
	EventTroubleOver EventKind = "server_back"    // it answers again
	EventFetch       EventKind = "fetch_trouble"  // a run's results could not be fetched
	EventQuestion    EventKind = "question"
	EventDecided     EventKind = "decided"
	EventForeign     EventKind = "foreign_work"
	EventReading     EventKind = "reading"
	EventSourceError EventKind = "source_error"
	EventNote        EventKind = "note"
)
