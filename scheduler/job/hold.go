package job

import "time"

// Hold is a reason why a job waits here instead of going to a server.
type Hold struct {
	Code   HoldCode  `json:"code"`
	Server ID        `json:"server,omitempty"`
	Since  time.Time `json:"since"`
	// Say holds the evidence and what would release it, for people.
	Say Say `json:"say"`
}

// HoldCode names a reason to hold. The codes are stable.
type HoldCode string

// The reasons to hold.
const (
	HoldUnreachable   HoldCode = "server_unreachable"
	HoldRunOpen       HoldCode = "run_open"
	HoldUnconfirmed   HoldCode = "stop_unconfirmed"
	HoldOutOfUse      HoldCode = "server_out_of_use"
	HoldForeign       HoldCode = "foreign_prompts"
	HoldForeignProc   HoldCode = "foreign_process"
	HoldBusyUnnamed   HoldCode = "gpu_busy_unnamed"
	HoldMemoryShort   HoldCode = "memory_short"
	HoldMachinePaused HoldCode = "machine_paused"
	HoldQueuePaused   HoldCode = "queue_paused"
	HoldMissingNode   HoldCode = "missing_node"
	HoldMissingModel  HoldCode = "missing_model"
	HoldMissingInput  HoldCode = "missing_input"
	HoldNotConverted  HoldCode = "not_converted"
	HoldCutTwice      HoldCode = "type_cut_twice"
	HoldBatchFailing  HoldCode = "batch_failing"
	HoldDiskLow       HoldCode = "disk_low"
	HoldUnwritable    HoldCode = "records_unwritable"
)

// Question is something the user is asked. It never stops the night: unanswered
// it takes its default.
type Question struct {
	ID      ID
	Asked   Instant
	Say     Say
	Answers []Answer
	Default Answer
	// Due is when the default is taken, unless somebody answers first.
	Due time.Time
	// Run or Server is what it is about.
	Run    ID
	Server ID
}

// Answer is a way to answer a question.
type Answer string

// The answers.
const (
	KeepWaiting Answer = "keep_waiting"
	OutOfUse    Answer = "out_of_use"
	Release     Answer = "release"
	TryAgain    Answer = "try_again"
	GiveUp      Answer = "give_up" // what it is about ends needs_you
)
